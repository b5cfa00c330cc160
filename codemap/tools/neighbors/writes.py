"""Where a field or variable is written: those of its uses that assign it, read off the source as it is on disk."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from codemap.envelope.answer import Answer
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import is_constructor
from codemap.languages import by_name
from codemap.live_queries import Found as Read
from codemap.live_queries import Source
from codemap.tools.compact import GroupedRows, lines_of
from codemap.tools.neighbors.asked import Asked
from codemap.tools.row_selection import policy_of
from codemap.tools.tool import Asking

FILES_MAX = 60
"""Files with uses that are looked at, in the order of their paths."""
_WRITTEN = (SymbolKind.PROPERTY, SymbolKind.VARIABLE)
_NAME = re.compile(r"[$@]{0,2}\w+(?:\[[^\[\]]*\])*")
"""The name, perhaps of a container whose part is assigned."""
_PARTS = re.compile(r"[$@]{0,2}\w+(?:\[[^\[\]]*\]|\.\w+)*")
"""The same where what a variable has is part of its value: `m_totals.tests.passed`."""
_ASSIGNS = re.compile(r"\s*(?:=(?![=>~])|(?:[-+/%&|^~*]|\*\*|//|<<|>>>?|&&|\|\||\?\?)=|\+\+|--|:=)")
"""What assigns it."""
_GOES_ON = re.compile(r"\s*(?:(?:\.|->|\?\.|\?->|::)\w|\()")
"""A member of what is named, or a call."""
_INITIALIZES = re.compile(r"\w+\s*[({]")
_LISTED = re.compile(r"(?:\)\s*(?:noexcept\s*)?:|[)}]\s*,)(?:\s|//[^\n]*\n|/\*.*?\*/)*\Z", re.DOTALL)
"""What stands before a field that a constructor initializes: its parameters, or another field."""
_LINES_BEFORE = 8
_ARGUMENTS = re.compile(r"<[^<>]*>")
_POINTS = re.compile(r"[*&]")
"""In the type of a variable whose members are not parts of its value."""
_STATED = re.compile(r"[#$@]{0,2}\w+[?!]?\s*(?::\s*[^=;{}]*|\{[^{}]*\}\s*)=(?![=>~])")
"""The name of a definition, its type or accessors, and what assigns it."""
_AMONG = re.compile(r"[#$@]{0,2}\w+\s*(?:,\s*[\w$@.\[\]*>-]+\s*)+(?:=(?![=>~])|:=)")
_FIRST = re.compile(r"\s*(?:[\w$@.\[\]*>-]+\s*,\s*)*[\w$@.\[\]*>-]*")
"""The name and further ones that are assigned together; what may stand before it on the line then."""
_CALLED = re.compile(r"(?:\[[^\[\]]*\]|\.\w+)*\.(?=\w+\s*(?:::<[^()]*>)?\()")
"""Between the name and a method that is called on it or a part of it."""
_CHANGES = re.compile(r"\bfn\s+\w+[^(]*\(\s*&(?:'\w+\s+)?mut\s+self\b")
"""The signature of a method that borrows its receiver to change it."""
_BEFORE = re.compile(
    r"(?:\+\+|--|&mut\s+|\b(?:del|ref|out)\s+|\bdelete\s+|\bunset\s*\((?:[^()]*(?:\([^()]*\)[^()]*)*,)?\s*)[\w$@.>-]*\Z"
)


Site = tuple[int, int]
"""Line and column, 1-based; columns count UTF-16 code units."""


class _Sites(msgspec.Struct):
    """The places where a node, or one of its family, is named, by file; which of them are more than that."""

    named: dict[str, set[Site]]
    defined: set[tuple[str, int, int]]
    """Definitions."""
    in_constructors: set[tuple[str, int, int]]
    """Of languages in which these may list what fields begin with in front of their bodies."""
    changing: set[tuple[str, int, int]]
    """Not of the node: where a method is called that says that it changes its receiver."""


def ask_writes(asked: Asked, answer: Answer) -> Asking[GroupedRows]:
    """The lines on which a field or variable, or one of its family, is assigned, changed in place by an operator,
    borrowed to be changed, or deleted; by file. In tests and the like only where the answer lists their rows. Empty for
    other nodes, where its uses are not asked for, and where its definition alone says what it holds."""
    snapshot, node, roles = asked.snapshot, asked.node, _listed_roles(asked, answer)
    if asked.writer is not None:
        return _list_calls_of_writer(asked, asked.writer, roles)
    if "in" not in asked.sides or snapshot.is_external(node) or snapshot.kind_of(node) not in _WRITTEN:
        return {}
    sites = _find_sites(asked, roles)
    paths = sorted(sites.named)[:FILES_MAX]
    facts = (yield tuple(Source(path) for path in paths)) if paths else ()
    found: GroupedRows = {}
    own = snapshot.row_of(node)[0].path, snapshot.cell(node, Symbol.LINE), snapshot.cell(node, Symbol.COL)
    whole = _PARTS if _holds_parts(snapshot, node) else _NAME
    is_written = False
    for path, fact in zip(paths, facts, strict=True):
        if isinstance(fact, Read) and fact.value.digest == snapshot.by_path[path].stamp.digest:
            lines = fact.value.text.split("\n")
            written = [
                site
                for site in sorted(sites.named[path])
                if _is_write(lines, *site, whole, is_definition=(path, *site) in sites.defined)
                or (path, *_find_called(lines, *site)) in sites.changing
                or ((path, *site) in sites.in_constructors and _is_initialized(lines, *site))
            ]
            is_written |= any((path, *site) != own for site in written)
            if written:
                found[path] = [",".join(lines_of(written, has_columns=False))]
    return found if is_written else {}


def _find_sites(asked: Asked, roles: Collection[Role]) -> _Sites:
    """Those in files whose rows are listed."""
    snapshot = asked.snapshot
    found = _Sites({}, set(), set(), set())
    for one in (asked.node, *asked.family):
        if role_of_node(snapshot, one) in roles:
            path = snapshot.row_of(one)[0].path
            place = snapshot.cell(one, Symbol.LINE), snapshot.cell(one, Symbol.COL)
            found.named.setdefault(path, set()).add(place)
            found.defined.add((path, *place))
        for edge in snapshot.edges_in(one, (EdgeKind.REFERENCES,)):
            if role_of_node(snapshot, edge.source) in roles:
                file, _ = snapshot.row_of(edge.source)
                found.named.setdefault(file.path, set()).update(snapshot.sites(edge))
                found.changing |= {(file.path, *site) for site in _find_changing(snapshot, edge.source)}
                if by_name()[file.lang].names_constructors_as_class and is_constructor(snapshot, edge.source):
                    found.in_constructors |= {(file.path, *site) for site in snapshot.sites(edge)}
    return found


def _list_calls_of_writer(asked: Asked, writer: int, roles: Collection[Role]) -> GroupedRows:
    """Where the method is called that sets what a method of the same name gets."""
    snapshot = asked.snapshot
    sites: dict[str, set[Site]] = {}
    for edge in snapshot.edges_in(writer, (EdgeKind.CALLS, EdgeKind.REFERENCES)):
        if role_of_node(snapshot, edge.source) in roles:
            sites.setdefault(snapshot.row_of(edge.source)[0].path, set()).update(snapshot.sites(edge))
    return {path: [",".join(lines_of(sorted(sites[path]), has_columns=False))] for path in sorted(sites)}


def say_unlisted(asked: Asked, answer: Answer) -> list[str]:
    """A sentence that names the method which sets what the node gets, where not all of its calls are listed."""
    snapshot, writer, roles = asked.snapshot, asked.writer, _listed_roles(asked, answer)
    if writer is None:
        return []
    edges = snapshot.edges_in(writer, (EdgeKind.CALLS, EdgeKind.REFERENCES))
    count = sum(len(snapshot.sites(edge)) for edge in edges if role_of_node(snapshot, edge.source) not in roles)
    named = asked.shortest_id(writer)
    return [f"Not listed: {count} call(s) of {named}, which write it, in tests and the like."] if count else []


def split_writes(family: GroupedRows, writes: GroupedRows) -> tuple[GroupedRows, GroupedRows]:
    """The rows of a family, of which those that assign a value say so, and the writes without these."""
    left = {path: rows[0].split(",") for path, rows in writes.items()}
    said = {path: [_say_written(row, left.get(path, [])) for row in rows] for path, rows in family.items()}
    return said, {path: [",".join(lines)] for path, lines in left.items() if lines}


def _say_written(row: str, lines: list[str]) -> str:
    line = row.split(" ")[1:2]
    if not line or line[0] not in lines:
        return row
    lines.remove(line[0])
    return f"{row} written"


def _listed_roles(asked: Asked, answer: Answer) -> Collection[Role]:
    """The roles whose rows are listed; those of few uses are, unless the call says otherwise."""
    match policy_of(asked.params):
        case "include":
            return tuple(Role)
        case "only":
            return tuple(role for role in Role if role is not Role.PRODUCT)
        case _:
            few = {str(view.get("role")) for view in answer.data["neighbors"] if "rows" in view}
            return {Role.PRODUCT, asked.role, *(role for role in Role if ROLE_NAMES[role] in few)}


def _holds_parts(snapshot: Snapshot, node: int) -> bool:
    """Whether what is assigned to a member of a variable changes the variable's own value."""
    file, row = snapshot.row_of(node)
    stated = file.text_of(row, Symbol.SIGNATURE)
    while (bare := _ARGUMENTS.sub("", stated)) != stated:
        stated = bare
    return by_name()[file.lang].holds_parts and not _POINTS.search(stated)


def _is_initialized(lines: list[str], line: int, col: int) -> bool:
    """Whether a constructor gives a field its first value in front of its body: `Store() : size_(0), items_{} {`."""
    text = lines[line - 1] if line <= len(lines) else ""
    before = "\n".join((*lines[max(0, line - _LINES_BEFORE) : line - 1], text[: col - 1]))
    return _INITIALIZES.match(text, col - 1) is not None and _LISTED.search(before) is not None


def _find_changing(snapshot: Snapshot, node: int) -> set[Site]:
    """The places where a definition calls methods that say that they change their receiver."""
    return {
        site
        for edge in snapshot.edges_out(node, (EdgeKind.CALLS,))
        if _CHANGES.search(snapshot.text_of(edge.target, Symbol.SIGNATURE))
        for site in snapshot.sites(edge)
    }


def _find_called(lines: list[str], line: int, col: int) -> Site:
    """Where the method is named that is called on a name at a place, in ASCII alone; (0, 0) where none is."""
    text = lines[line - 1] if line <= len(lines) else ""
    found = _NAME.match(text, col - 1) if text.isascii() else None
    called = _CALLED.match(text, found.end()) if found is not None else None
    return (line, called.end() + 1) if called is not None else (0, 0)


def _is_write(lines: list[str], line: int, col: int, whole: re.Pattern[str], *, is_definition: bool) -> bool:
    """`line` and `col` are 1-based, columns count UTF-16 code units; `whole` finds what has to be assigned."""
    text = lines[line - 1] if line <= len(lines) else ""
    start = col - 1 if text.isascii() else len(text.encode("utf-16-le")[: 2 * (col - 1)].decode("utf-16-le", "ignore"))
    if is_definition and _STATED.match(text, start):
        return True
    if _AMONG.match(text, start) and _FIRST.fullmatch(text[:start]):
        return True
    found = whole.match(text, start)
    if found is None:
        return False
    is_prefixed = _BEFORE.search(text[:start]) and not _GOES_ON.match(text, found.end())
    return bool(is_prefixed or _ASSIGNS.match(text, found.end()))
