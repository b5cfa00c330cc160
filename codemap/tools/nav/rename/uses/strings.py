"""Finds the strings that name a renamed symbol: a language server leaves them alone.

Rules of the file:
- A string that lists what a module exports (`__all__`), or a member that its own class declares (`__slots__`), names
  the symbol for certain: it is edited, too. One in such a list of a class that is not related to it names another.
  Where code reads such a list of members, it may make other names of them.
- So does one that is filled in from all names of its module (`"{name}".format(**globals())`).
- So it does where it has to be the name of the variable that is defined (`T = TypeVar("T")`), where it is the dotted
  name of the definition (`patch("app.store.load")`), where a method asks its own value for a member that its class has
  (`setattr(self, "name", 1)`), and where a module that has the definition is asked for it.
- A string may take in a member of a value when it is filled in (`"{self.size}"`). Of a class that has the member, one
  names it that takes it from its own value; one that takes it from another value may name it.
- Another string that asks a value for a member or a module for a definition (`getattr(x, "name")`) may name it. So may
  one in a file that names the module and asks for members by names that it lists or makes (`getattr(app, one)`), and
  one in a variable of a class that has the member (`shown = ("name", "size")`), where members can be asked for by
  strings. A key by which a member has its value is none, nor is the value of the member itself (`strict = "strict"`),
  which whoever has it need not look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set

import msgspec

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.ids import without_ordinal
from codemap.languages import by_name
from codemap.live_queries import At, Definition, Found, Mentioned, Source, SourceNow
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.asked_strings import (
    Asked,
    Asker,
    find_asked,
    find_asked_of_classes,
    find_asker,
    may_be_asked,
    places_of_askers,
)
from codemap.tools.nav.rename.uses.listed_strings import is_looked_up, select_read
from codemap.tools.nav.rename.uses.together import class_of, classes_from, is_kin
from codemap.tools.places.texts import read_lines, split_line, split_lines
from codemap.tools.tool import Asking

READ_MAX = 8
"""Files that are read for strings."""
_NOTHING = r"\Z\A"
"""A pattern that nothing matches."""
STATEMENT_LINES = 8
"""Lines from a string on in which a call may fill it in."""
_FIELDS = (
    (re.compile(r"(?<!\{)\{\Z"), re.compile(r"[}:!.\[]")),
    (re.compile(r"%\(\Z"), re.compile(r"\)")),
)
"""What is before and behind the name of a value that a string is filled in with: `{name}`, `%(name)s`."""
_OF_NAME = re.compile(r"(?<![\w.])(\w+)\.\Z")
_DOTTED_BEGIN = re.compile(r"([\"'])((?:[^\W\d]\w*\.)+)\Z")
_DOTTED_END = re.compile(r"(?:\.\w+)*([\"'])")
_KEY = re.compile(r"[\w\])][(\[]\s*[\"']\Z")
"""Before a string that something is asked for (`given["name"]`, `given.get("name")`)."""
_WHOLE_VALUE = re.compile(r"=\s*[\"']\Z")
_SET = re.compile(r"\w+\s*(?::[^=]*)?=(?!=)")
_VARIABLES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)


class Strings(msgspec.Struct, frozen=True):
    certain: tuple[At, ...] = ()
    possible: tuple[At, ...] = ()
    read: tuple[At, ...] = ()
    """Those that code reads, which may make other names of them: in doubt even where the server edits them."""


def find_strings(
    snapshot: Snapshot, nodes: Sequence[int], related: Set[int], exported: Sequence[At], ledger: Ledger | None
) -> Asking[Strings]:
    """Of `nodes`, which are renamed together. `related` are the classes that have the member, or are related to one
    that has it; `exported` the places of its name that export it, which are names or strings. The names are neither
    certain nor possible."""
    node = nodes[0]
    home, row = snapshot.row_of(node)
    name = home.name_of(row)
    mentioned = [] if ledger is None else [one for one in ledger.mentions if one.account is Account.STRINGS]
    places = [At(one.path, one.line, one.col) for one in mentioned if is_kin(snapshot, one.path, home)]
    if not _is_asked_for(snapshot, node):
        places = []
    places.sort(key=lambda at: at.file != home.path)
    paths = list(dict.fromkeys(at.file for at in (*exported, *places)))[:READ_MAX]
    facts = (yield tuple(map(Source, paths))) if paths else ()
    texts = {
        path: split_lines(fact.value.content.decode("utf-8", "replace"))
        for path, fact in zip(paths, facts, strict=True)
        if isinstance(fact, Found) and isinstance(fact.value, SourceNow)
    }
    language = by_name()[home.lang]
    strings, is_at_top = language.strings, snapshot.is_file(snapshot.parent_of(node) or 0)
    having = classes_having(snapshot, nodes)
    modules, homes = modules_of(snapshot, node), {snapshot.row_of(one)[0].path for one in nodes}
    dotted = {path for module in modules for path in _dotted_names(snapshot, module, node)}
    listed: dict[At, str] = {}
    certain = [at for at in exported if at.file in texts and _before(snapshot, texts[at.file], at, name)]
    possible: list[At] = []
    askers: dict[At, Asker] = {}
    in_variables: list[At] = []
    for at in places:
        lines = texts.get(at.file, [])
        before = _before(snapshot, lines, at, name)
        field = None if is_at_top else _find_field(lines, at, name, strings.member_fields)
        if field is not None:
            cls = class_of_method(snapshot, at) if field in strings.own_values else None
            certain += [at] if cls in having else []
            possible += [at] if cls is None or cls in related - having else []
        elif not before and is_at_top and at.file == home.path and _is_filled_in(lines, at, name, strings.namespaces):
            (possible if _is_in_function(snapshot, at) else certain).append(at)
        elif not before:
            certain += [at] if _leads_to(lines, at, name) in dotted else []
        elif re.search(strings.export_lists or _NOTHING, before):
            certain += [at] if is_at_top and at.file in homes else []
        elif re.search(strings.named_values or _NOTHING, before):
            certain += [at] if _definition_around(snapshot, at) in nodes else []
        elif re.search(strings.member_lists or _NOTHING, before):
            listed |= {at: re.findall(r"\w+", before)[0]} if _class_around(snapshot, at) in related else {}
        elif (asker := find_asker(snapshot, lines, at, name)) is not None:
            cls = class_of_method(snapshot, at) if asker.words in strings.own_values else None
            askers[at] = asker
            is_of_module = "." in asker.words and f"{asker.words}.{name}" in dotted
            certain += [at] if cls in having or is_of_module else []
            possible += [at] if not is_of_module and (cls is None or cls in related - having) else []
        elif not is_at_top and (how := _find_asked(snapshot, lines, at, related)) is not Asked.NOT:
            (certain if how is Asked.SURELY else possible).append(at)
        elif _KEY.search(before):
            continue
        elif is_at_top:
            possible += [at] if is_looked_up(lines, language, modules) else []
        elif strings.member_lookups and _class_around(snapshot, at) in related:
            is_own_value = _WHOLE_VALUE.search(before) is not None and _definition_around(snapshot, at) in nodes
            in_variables += [] if is_own_value else [at]
        elif may_be_asked(snapshot, lines, at, having):
            possible.append(at)
    possible += yield from select_read(snapshot, {*nodes}, in_variables)
    are_read = bool(listed) and (yield from _are_read(snapshot, home, set(listed.values()), related))
    certain += () if are_read else listed
    askers = {at: asker for at, asker in askers.items() if at in possible}
    if is_at_top:
        of_module = yield from _find_asked_of_module(snapshot, node, askers, texts)
        certain += of_module
        possible = [at for at in possible if at not in of_module]
    else:
        of_classes, of_others = yield from find_asked_of_classes(snapshot, askers, texts, having)
        certain += of_classes
        possible = [at for at in possible if at not in (*of_classes, *of_others)]
    return Strings(tuple(certain), tuple(possible), tuple(listed) if are_read else ())


def _find_asked(snapshot: Snapshot, lines: Sequence[str], at: At, related: Set[int]) -> Asked:
    cls = class_of_method(snapshot, at)
    return Asked.NOT if cls is None or cls not in related else find_asked(snapshot, lines, at, cls)


def _are_read(snapshot: Snapshot, home: IndexedFile, lists: Set[str], related: Set[int]) -> Asking[bool]:
    """Whether code of the repository reads one of the lists in which some classes declare their members."""
    facts = yield tuple(Mentioned("", name) for name in sorted(lists))
    places = [
        At(one.path, one.line, one.col)
        for fact in facts
        if isinstance(fact, Found) and isinstance(fact.value, Ledger)
        for one in fact.value.mentions
        if one.account not in (Account.STRINGS, Account.COMMENTS) and is_kin(snapshot, one.path, home)
    ]
    lines = yield from read_lines(at.file for at in places)
    own = by_name()[home.lang].strings.own_values
    for at in places:
        before, behind = split_line(lines.get(at.file, ()), at)
        match = _OF_NAME.search(before)
        cls = class_of_method(snapshot, at) if match and match[1] in own else None
        if not _SET.match(behind) and (cls is None or cls in related):
            return True
    return False


def _before(snapshot: Snapshot, lines: Sequence[str], at: At, name: str) -> str:
    """The text of the statement before a string that is the name and nothing else, as far as the map knows where it
    begins (a variable with its value), with the opening quote; empty where there is no such string."""
    before, after = split_line(lines, at)
    if before[-1:] not in ("'", '"') or after[len(name) :][:1] != before[-1:]:
        return ""
    file = snapshot.by_path[at.file]
    row = file.innermost_row(at.line)
    first = file.cell(row, Symbol.START_LINE) if row > 0 and file.cell(row, Symbol.KIND) in _VARIABLES else at.line
    return "\n".join((*lines[first - 1 : at.line - 1], before))


def _leads_to(lines: Sequence[str], at: At, name: str) -> str:
    """The dotted name, up to the place, of a string that is a dotted name and nothing else; empty where it is none."""
    before, after = split_line(lines, at)
    begin, end = _DOTTED_BEGIN.search(before), _DOTTED_END.match(after, len(name))
    return begin[2] + name if begin and end and begin[1] == end[1] else ""


def _is_filled_in(lines: Sequence[str], at: At, name: str, namespaces: str) -> bool:
    """Whether a string takes the value of the name from all that there is (`"{name}".format(**globals())`)."""
    if not namespaces:
        return False
    before, after = split_line(lines, at)
    is_field = any(begin.search(before) and end.match(after, len(name)) for begin, end in _FIELDS)
    return is_field and re.search(namespaces, "\n".join(lines[at.line - 1 : at.line - 1 + STATEMENT_LINES])) is not None


def _find_field(lines: Sequence[str], at: At, name: str, fields: str) -> str | None:
    """What has the member that a string takes in there; None where it takes in none."""
    before, after = split_line(lines, at)
    match = re.search(fields or _NOTHING, before)
    return match[1] if match and _FIELDS[0][1].match(after, len(name)) else None


def _is_in_function(snapshot: Snapshot, at: At) -> bool:
    node: int | None = _definition_around(snapshot, at)
    while node is not None and snapshot.kind_of(node) not in FUNCTION_KINDS:
        node = snapshot.parent_of(node)
    return node is not None


def modules_of(snapshot: Snapshot, node: int) -> list[str]:
    """The files that have a definition by its own name: its own, and those that import it."""
    table, found = snapshot.edges, [snapshot.row_of(node)[0].path]
    for row in table.in_rows(node):
        file = snapshot.file_of(int(table.source[row]))
        if int(table.kind[row]) in (EdgeKind.IMPORTS, EdgeKind.EXPORTS) and file is not None:
            found.append(file.path)
    return list(dict.fromkeys(found))


def _dotted_names(snapshot: Snapshot, path: str, node: int) -> list[str]:
    """What a definition of a file is called from outside of its package: `app.store.load`."""
    file, stem = snapshot.by_path[path], path.rpartition(".")[0]
    package_file = by_name()[file.lang].files.package_file
    if not package_file:
        return []
    folders, suffix = stem.split("/")[:-1], path.removeprefix(stem)
    first = len(folders)
    while first and "/".join((*folders[:first], package_file + suffix)) in snapshot.by_path:
        first -= 1
    module = [part for part in stem.split("/")[-1:] if part != package_file]
    inside = without_ordinal(snapshot.id_of(node).partition("#")[2])
    return [".".join((*folders[first:], *module, inside))]


def _find_asked_of_module(
    snapshot: Snapshot, node: int, strings: Mapping[At, Asker], texts: Mapping[str, Sequence[str]]
) -> Asking[list[At]]:
    """Those strings that are asked of a module which has the definition, as the server knows it."""
    receivers = places_of_askers(strings, texts)
    facts = (yield tuple(map(Definition, receivers.values()))) if receivers else ()
    modules = modules_of(snapshot, node)
    return [
        at
        for at, fact in zip(receivers, facts, strict=True)
        if isinstance(fact, Found)
        and fact.value
        and all(not one.is_external and one.file in modules and (one.line, one.col) == (1, 1) for one in fact.value)
    ]


def classes_having(snapshot: Snapshot, nodes: Iterable[int]) -> set[int]:
    """The classes with the members, and those below them."""
    owners = {owner for node in nodes if (owner := class_of(snapshot, node)) is not None}
    return owners.union(*(classes_from(snapshot, owner, upwards=False) for owner in owners))


def _definition_around(snapshot: Snapshot, at: At) -> int:
    file = snapshot.by_path[at.file]
    return file.base + file.innermost_row(at.line)


def _class_around(snapshot: Snapshot, at: At) -> int | None:
    """The class whose variable has its value there; a method that is read as one has no value."""
    file = snapshot.by_path[at.file]
    row = file.innermost_row(at.line)
    if row <= 0 or file.cell(row, Symbol.KIND) not in _VARIABLES or file.cell(row, Symbol.FLAGS) & SymbolFlag.ACCESSOR:
        return None
    return snapshot.parent_of(file.base + row)


def class_of_method(snapshot: Snapshot, at: At) -> int | None:
    """The class whose method a place is in."""
    node: int | None = _definition_around(snapshot, at)
    while node is not None and snapshot.kind_of(node) not in CLASS_KINDS:
        node = snapshot.parent_of(node)
    return node


def _is_asked_for(snapshot: Snapshot, node: int) -> bool:
    """Whether it can be had from a value or a module: what is inside a function cannot."""
    owner = snapshot.parent_of(node)
    return owner is not None and snapshot.kind_of(owner) not in FUNCTION_KINDS
