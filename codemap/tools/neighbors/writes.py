"""Where a field or variable is written: those of its uses that assign it, read off the source as it is on disk."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec

from codemap.envelope.answer import Answer
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import is_constructor
from codemap.languages import by_name
from codemap.languages.writes import Site, Writes, find_called, is_initialized, is_written, own_parts
from codemap.live_queries import Found as Read
from codemap.live_queries import Source
from codemap.tools.compact import GroupedRows, lines_of
from codemap.tools.neighbors.asked import Asked
from codemap.tools.row_selection import policy_of
from codemap.tools.tool import Asking

FILES_MAX = 60
"""Files with uses that are looked at, in the order of their paths."""
_WRITTEN = (SymbolKind.PROPERTY, SymbolKind.VARIABLE)


class _Sites(msgspec.Struct):
    """The places where a node, or one of its family, is named, by file; which of them are more than that."""

    named: dict[str, set[Site]]
    defined: set[tuple[str, int, int]]
    """Definitions."""
    in_constructors: set[tuple[str, int, int]]
    """Of languages in which these may list what fields begin with in front of their bodies."""
    changing: set[tuple[str, int, int]]
    """Not of the node: where a method is called that says that it changes its receiver."""

    def written(self, path: str, writes: Writes, lines: Sequence[str], *, has_parts: bool) -> list[Site]:
        """Those of a file that are writes, in order."""
        return [
            site
            for site in sorted(self.named[path])
            if is_written(writes, lines, site, is_definition=(path, *site) in self.defined, has_parts=has_parts)
            or (path, *find_called(writes, lines, site)) in self.changing
            or ((path, *site) in self.in_constructors and is_initialized(lines, site))
        ]


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
    file, row = snapshot.row_of(node)
    has_parts = own_parts(by_name()[file.lang].writes, file.text_of(row, Symbol.SIGNATURE))
    is_written = False
    for path, fact in zip(paths, facts, strict=True):
        if isinstance(fact, Read) and fact.value.digest == snapshot.by_path[path].stamp.digest:
            lines = fact.value.lines
            written = sites.written(path, by_name()[snapshot.by_path[path].lang].writes, lines, has_parts=has_parts)
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
                if by_name()[file.lang].writes.lists_initializers and is_constructor(snapshot, edge.source):
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


def _find_changing(snapshot: Snapshot, node: int) -> set[Site]:
    """The places where a definition calls methods that say that they change their receiver."""
    file, _ = snapshot.row_of(node)
    changes = by_name()[file.lang].writes.changing_signature
    return {
        site
        for edge in (snapshot.edges_out(node, (EdgeKind.CALLS,)) if changes else ())
        if re.search(changes, snapshot.text_of(edge.target, Symbol.SIGNATURE))
        for site in snapshot.sites(edge)
    }
