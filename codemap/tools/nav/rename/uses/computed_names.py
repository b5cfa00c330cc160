"""Finds where a name that is put together at run time may be that of a renamed definition: no edit can follow it.

    getattr(visitor, "visit" + type(self).__name__)

Rules of the file:
- A name may be put together by a string that begins it (`visit` of `visitText`) and that more follows, where the
  function around it asks for a member by name. What an object asks itself for is known to the map.
- A class may be the end of such a name: where something is called `visitText`, `Text` is.
- A class may take its private members by their names without the prefix (`Reader(loads=…)` gives `_loads`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.live_queries import At, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.together import class_of, is_kin
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

BEGINNINGS_MAX = 8
"""Beginnings of names that are looked for; of more, the first."""
FILES_MAX = 20
"""Files that may have a beginning; one that more have is a common word."""
_PART_ENDS = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<=[^\W\d_])(?<![A-Z])(?=[A-Z])")
_GOES_ON = re.compile(r"[\"']\s*(?:\+|%|\.format\b)|[{%]")


def find_computed(snapshot: Snapshot, node: int) -> Asking[list[At]]:
    """The strings that may begin such a name."""
    home, row = snapshot.row_of(node)
    lookups = by_name()[home.lang].member_lookups
    if not lookups:
        return []
    name = home.name_of(row)
    keywords = yield from _find_keywords(snapshot, node)
    beginnings = _beginnings_of(name)
    if snapshot.kind_of(node) in CLASS_KINDS:
        longer = (one for one in snapshot.node_names.names if one.endswith(name) and len(one) > len(name) + 1)
        beginnings += [one[: -len(name)] for one in longer]
    beginnings = list(dict.fromkeys(beginnings))[:BEGINNINGS_MAX]
    facts = (yield tuple(Mentioned("", one, FILES_MAX) for one in beginnings)) if beginnings else ()
    files = snapshot.by_path
    strings = [
        (At(one.path, one.line, one.col), beginning)
        for beginning, fact in zip(beginnings, facts, strict=True)
        if isinstance(fact, Found) and isinstance(fact.value, Ledger)
        for one in fact.value.mentions
        if one.account is Account.STRINGS and one.path in files and files[one.path].family == home.family
    ]
    lines = yield from read_lines(at.file for at, _ in strings)
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(lookups)))})\s*\(")
    return keywords + [
        at
        for at, beginning in strings
        if _begins_name(lines.get(at.file, ()), at, beginning)
        and wanted.search("\n".join(_around(files[at.file], lines[at.file], at.line)))
    ]


def _find_keywords(snapshot: Snapshot, node: int) -> Asking[list[At]]:
    """The keywords that may give a member its value under its name without the private prefix."""
    home, row = snapshot.row_of(node)
    language, owner = by_name()[home.lang], class_of(snapshot, node)
    name = home.name_of(row)
    passed = name.lstrip(language.private_prefix) if language.private_prefix else name
    if owner is None or not language.prefixless_fields or passed in ("", name):
        return []
    lines = yield from read_lines([home.path])
    head = lines.get(home.path, [])[snapshot.cell(owner, Symbol.START_LINE) - 1 : snapshot.cell(owner, Symbol.LINE)]
    if not re.search(language.prefixless_fields, "\n".join(head)):
        return []
    (fact,) = yield (Mentioned("", passed),)
    mentions = fact.value.mentions if isinstance(fact, Found) and isinstance(fact.value, Ledger) else ()
    places = (one for one in mentions if one.account is Account.NAMES and is_kin(snapshot, one.path, home))
    return [At(one.path, one.line, one.col) for one in places]


def _beginnings_of(name: str) -> list[str]:
    """Of the parts of a name, as `_` and capitals set them apart, the first, the first two, and so on."""
    return [name[: match.end()] for match in _PART_ENDS.finditer(name)]


def _begins_name(lines: Sequence[str], at: At, beginning: str) -> bool:
    """Whether a string begins with the word, and something is put behind it."""
    before, after = split_line(lines, at)
    return before[-1:] in ('"', "'") and _GOES_ON.match(after[len(beginning) :]) is not None


def _around(file: IndexedFile, lines: Sequence[str], line: int) -> Sequence[str]:
    """The lines of the innermost definition that is more than one line."""
    row = file.innermost_row(line)
    while row > 0 and file.cell(row, Symbol.START_LINE) == file.cell(row, Symbol.END_LINE):
        row = file.cell(row, Symbol.PARENT)
    return lines[file.cell(row, Symbol.START_LINE) - 1 : file.cell(row, Symbol.END_LINE)] if row > 0 else lines
