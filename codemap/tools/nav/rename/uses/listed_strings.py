"""Finds out who reads a string in the value of a class variable that is the name of a member: does it ask for that?

    class Point:
        shown = ("x", "y")                       # `getattr(self, name) for name in self.shown`
        x = Number("x")                          # `Number` may look for the member, too

Rules of the file:
- It may be asked for where a function that names the variable gets at members by their names
  (`NamesInStrings.member_access`); of a string in the value of the member itself, where what is called with it does so.
- Where nothing in the repository names the variable, or a base of its class is from outside, others may read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from codemap.facts import Symbol
from codemap.graph.model.edges import INHERITANCE
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.live_queries import At, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.together import classes_from, is_kin
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

FILES_MAX = 100
"""Files that may name a variable; one that more name is read by something."""
_IMPORT = re.compile(r"\s*(?:from|import)\b")
_CALLED = re.compile(r"(\w+)\s*\(")
_NO_READERS = (Account.STRINGS, Account.COMMENTS, Account.DEFINITION, Account.OTHER_DEFINITIONS, Account.PARAMETERS)


def select_read(snapshot: Snapshot, nodes: Set[int], strings: Sequence[At]) -> Asking[list[At]]:
    """Those of strings, each in the value of a class variable, by which one of `nodes` may be asked for; these are
    renamed together."""
    files = snapshot.by_path
    variables = {at: files[at.file].base + files[at.file].innermost_row(at.line) for at in strings}
    called = yield from _find_called(snapshot, [at for at in strings if variables[at] in nodes])
    read: dict[int, bool] = {}
    for variable in dict.fromkeys(one for one in variables.values() if one not in nodes):
        read[variable] = yield from _is_read(snapshot, variable)
    return [at for at in strings if (called[at] if at in called else read[variables[at]])]


def is_looked_up(lines: Sequence[str], language: Language, modules: Sequence[str]) -> bool:
    """Whether a file asks what may be one of some modules for members by names that no string there says: what is
    called as a module, or what any value is called, where a module is one."""
    lookups = "|".join(map(re.escape, sorted(language.strings.member_lookups)))
    stems = [
        [part for part in path.rpartition(".")[0].split("/") if part != language.files.package_file] for path in modules
    ]
    stated = "|".join(sorted({re.escape(parts[-1]) for parts in stems if parts}))
    text = "\n".join(lines) if lookups and stated else ""
    asked = set(re.findall(rf"\b(?:{lookups})\s*\(\s*([^,()]*?)\s*,\s*[^\s\"']", text)) if text else set()
    if not asked:
        return False
    names = "|".join((stated, *re.findall(rf"\b(?:{stated})\s+as\s+(\w+)", text)))
    code = "\n".join(line for line in lines if not _IMPORT.match(line))
    is_value = re.search(rf"\b(?:{names})\b(?!\s*\.)", code) is not None
    return any(
        re.search(rf"(?:\A|\.)(?:{names})\Z", one)
        or (is_value and one.isidentifier() and one not in language.strings.own_values)
        for one in asked
    )


def lines_around(file: IndexedFile, lines: Sequence[str], line: int) -> Sequence[str]:
    """The lines of the innermost definition that is more than one line."""
    span = span_around(file, lines, line)
    return lines[span.start - 1 : span.stop - 1]


def span_around(file: IndexedFile, lines: Sequence[str], line: int) -> range:
    """The numbers of these lines; of all where there is no such definition."""
    row = file.innermost_row(line)
    while row > 0 and file.cell(row, Symbol.START_LINE) == file.cell(row, Symbol.END_LINE):
        row = file.cell(row, Symbol.PARENT)
    first, last = (file.cell(row, Symbol.START_LINE), file.cell(row, Symbol.END_LINE)) if row > 0 else (1, len(lines))
    return range(first, min(last, len(lines)) + 1)


def _find_called(snapshot: Snapshot, strings: Sequence[At]) -> Asking[Mapping[At, bool]]:
    """Whether what the value of a variable calls with a string may ask for members by name."""
    lines = yield from read_lines(at.file for at in strings)
    functions: dict[At, list[int]] = {}
    for at in strings:
        file = snapshot.by_path[at.file]
        names = dict.fromkeys(_CALLED.findall(split_line(lines.get(at.file, ()), at)[0]))
        functions[at] = [one for name in names for one in snapshot.named(name) if snapshot.row_of(one)[0] is file]
    return {
        at: not some or any(gets_at_members(snapshot, one, lines.get(at.file, ())) for one in some)
        for at, some in functions.items()
    }


def gets_at_members(snapshot: Snapshot, node: int, lines: Sequence[str]) -> bool:
    text = "\n".join(lines[snapshot.cell(node, Symbol.START_LINE) - 1 : snapshot.cell(node, Symbol.END_LINE)])
    return _has_access(snapshot.row_of(node)[0], text)


def _has_access(file: IndexedFile, text: str) -> bool:
    words = by_name()[file.lang].strings.member_access
    return not words or not words.isdisjoint(re.findall(r"\w+", text))


def _is_read(snapshot: Snapshot, variable: int) -> Asking[bool]:
    """Whether code may ask for members by the strings in the value of a variable."""
    file, row = snapshot.row_of(variable)
    if any(_has_outside_base(snapshot, cls) for cls in _classes_around(snapshot, variable)):
        return True
    (fact,) = yield (Mentioned("", file.name_of(row), FILES_MAX),)
    if not isinstance(fact, Found) or not isinstance(fact.value, Ledger) or fact.value.unseen:
        return True
    readers = [
        one for one in fact.value.mentions if one.account not in _NO_READERS and is_kin(snapshot, one.path, file)
    ]
    lines = yield from read_lines(one.path for one in readers)
    files = snapshot.by_path
    return not readers or any(
        _has_access(files[one.path], "\n".join(lines_around(files[one.path], lines.get(one.path, ()), one.line)))
        for one in readers
    )


def _classes_around(snapshot: Snapshot, node: int) -> Iterator[int]:
    """The classes that a definition is in, and those above each."""
    around = snapshot.parent_of(node)
    while around is not None and not snapshot.is_file(around):
        if snapshot.kind_of(around) in CLASS_KINDS:
            yield from (around, *classes_from(snapshot, around, upwards=True))
        around = snapshot.parent_of(around)


def _has_outside_base(snapshot: Snapshot, cls: int) -> bool:
    return any(snapshot.is_external(edge.target) for edge in snapshot.edges_out(cls, INHERITANCE))
