"""Finds the strings that name a renamed symbol: a language server leaves them alone.

Rules of the file:
- A string that lists what a module exports (`__all__`), or a member that its own class declares (`__slots__`), names
  the symbol for certain: it is edited, too. One in such a list of a class that is not related to it names another.
- A string that asks a value for a member or a module for a definition (`getattr(x, "name")`) may name it. So may one in
  a variable of a class that has the member (`shown = ("name", "size")`), where members can be asked for by strings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec

from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Found, Source, SourceNow
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.texts import split_lines
from codemap.tools.tool import Asking

READ_MAX = 8
"""Files that are read for strings."""
_NOTHING = r"\Z\A"
"""A pattern that nothing matches."""
_VARIABLES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)


class Strings(msgspec.Struct, frozen=True):
    certain: tuple[At, ...] = ()
    possible: tuple[At, ...] = ()


def find_strings(
    snapshot: Snapshot, node: int, related: Collection[int], exported: Sequence[At], ledger: Ledger | None
) -> Asking[Strings]:
    """`related` are the classes that have the member; `exported` the places of its name that export it, which are names
    or strings. The names are neither certain nor possible."""
    home, row = snapshot.row_of(node)
    name = home.name_of(row)
    mentioned = [] if ledger is None else [one for one in ledger.mentions if one.account is Account.STRINGS]
    places = [At(one.path, one.line, one.col) for one in mentioned if _is_kin(snapshot, one.path, home)]
    if not _is_asked_for(snapshot, node):
        places = []
    places.sort(key=lambda at: at.file != home.path)
    paths = list(dict.fromkeys(at.file for at in (*exported, *places)))[:READ_MAX]
    facts = (yield tuple(map(Source, paths))) if paths else ()
    language, is_at_top = by_name()[home.lang], snapshot.is_file(snapshot.parent_of(node) or 0)
    has_lookups = bool(language.member_lookups)
    certain: list[At] = []
    possible: list[At] = []
    for path, fact in zip(paths, facts, strict=True):
        if not isinstance(fact, Found) or not isinstance(fact.value, SourceNow):
            continue
        file, lines = snapshot.by_path[path], split_lines(fact.value.content.decode("utf-8", "replace"))
        certain += [at for at in exported if at.file == path and _before(file, lines, at, name)]
        for at in places:
            before = _before(file, lines, at, name) if at.file == path else ""
            if before and re.search(language.export_lists or _NOTHING, before):
                certain += [at] if is_at_top and path == home.path else []
            elif before and re.search(language.member_lists or _NOTHING, before):
                certain += [at] if _class_around(snapshot, file, at.line) in related else []
            elif before and (
                re.search(language.member_strings or _NOTHING, before)
                or (has_lookups and _class_around(snapshot, file, at.line) in related)
            ):
                possible.append(at)
    return Strings(tuple(certain), tuple(possible))


def _before(file: IndexedFile, lines: Sequence[str], at: At, name: str) -> str:
    """The text of the statement before a string that is the name and nothing else, as far as the map knows where it
    begins (a variable with its value), with the opening quote; empty where there is no such string."""
    if at.line > len(lines):
        return ""
    line = lines[at.line - 1].encode("utf-16-le")
    before = line[: 2 * (at.col - 1)].decode("utf-16-le", "replace")
    after = line[2 * (at.col - 1) :].decode("utf-16-le", "replace")[len(name) :]
    if before[-1:] not in ("'", '"') or after[:1] != before[-1:]:
        return ""
    row = file.innermost_row(at.line)
    first = file.cell(row, Symbol.START_LINE) if row > 0 and file.cell(row, Symbol.KIND) in _VARIABLES else at.line
    return "\n".join((*lines[first - 1 : at.line - 1], before))


def _class_around(snapshot: Snapshot, file: IndexedFile, line: int) -> int | None:
    """The class whose variable has its value there."""
    row = file.innermost_row(line)
    return snapshot.parent_of(file.base + row) if row > 0 and file.cell(row, Symbol.KIND) in _VARIABLES else None


def _is_asked_for(snapshot: Snapshot, node: int) -> bool:
    """Whether it can be had from a value or a module: what is inside a function cannot."""
    owner = snapshot.parent_of(node)
    return owner is not None and snapshot.kind_of(owner) not in FUNCTION_KINDS


def _is_kin(snapshot: Snapshot, path: str, home: IndexedFile) -> bool:
    file = snapshot.by_path.get(path)
    return file is not None and file.family == home.family
