"""Finds callers and callees: by the call hierarchy of a language server, by its references, or in the map."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from codemap.facts import Symbol, SymbolKind, Use, UseRole, rows
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import At, CallItem, CallLink, CallsFrom, CallsTo, Fact, Found, Missed, Place, References
from codemap.tools.nav.calls.tree import Call, Calls, Function, Way
from codemap.tools.places.anchors import files_now
from codemap.tools.places.rows import name_place
from codemap.tools.tool import Asking, World

SITE_W = 2


# -- a server's call hierarchy --------------------------------------------------------------------------------------


def function_of(item: CallItem) -> Function:
    place = item.place
    return Function(
        item.name, item.kind.value, place.file, place.line, place.col, is_external=place.is_external, handle=item
    )


def server_calls(way: Way) -> Calls:
    question = CallsTo if way == "incoming" else CallsFrom

    def calls(functions: Sequence[Function]) -> Asking[list[Fact]]:
        facts = yield tuple(question(function.handle) for function in functions)
        return [_link_calls(fact) for fact in facts]

    return calls


def _link_calls(fact: Fact) -> Fact:
    if isinstance(fact, Missed):
        return fact
    links: tuple[CallLink, ...] = fact.value
    return _replace_calls(
        fact, _fold_overloads([Call(function_of(link.item), _list_sites(link.sites)) for link in links])
    )


def _fold_overloads(calls: Sequence[Call]) -> tuple[Call, ...]:
    """The overloads of a function outside the repository, which all have the same sites, as one."""
    found: dict[object, Call] = {}
    for call in sorted(calls, key=lambda one: one.function.place):
        function = call.function
        found.setdefault((function.name, function.file, call.sites) if function.is_external else function.place, call)
    return tuple(found.values())


def _replace_calls(fact: Found, calls: tuple[Call, ...]) -> Found:
    return msgspec.structs.replace(fact, value=calls)


def _list_sites(places: Sequence[Place]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((place.line, place.col) for place in places))


# -- a server's references ------------------------------------------------------------------------------------------


def reference_calls(world: World) -> Calls:
    """Incoming calls: references that a parse of their files shows to be calls, by the function around each.

    They are asked for with the declaration, which is no call: without it servers leave out the asked place instead.
    """

    def calls(functions: Sequence[Function]) -> Asking[list[Fact]]:
        facts = yield tuple(References(At(*function.place), True) for function in functions)
        paths = [place.file for fact in facts if isinstance(fact, Found) for place in fact.value]
        files = yield from files_now(world, paths)
        callers = {path: _map_calls(file) for path, file in files.items()}
        return [
            fact if isinstance(fact, Missed) else _replace_calls(fact, _group_places(fact.value, files, callers))
            for fact in facts
        ]

    return calls


def _map_calls(file: IndexedFile) -> dict[tuple[int, int], int]:
    """(line, column) of every call -> the definition around it."""
    uses, sites = rows(file.facts.uses).tolist(), rows(file.facts.sites).tolist()
    found = {}
    for at in range(0, len(uses), Use.WIDTH):
        if uses[at + Use.ROLE] != UseRole.CALL:
            continue
        first = uses[at + Use.FIRST]
        for site in range(first, first + uses[at + Use.COUNT]):
            found[sites[site * SITE_W], sites[site * SITE_W + 1]] = uses[at + Use.OWNER]
    return found


def _group_places(
    places: Sequence[Place], files: dict[str, IndexedFile], callers: dict[str, dict[tuple[int, int], int]]
) -> tuple[Call, ...]:
    sites: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for place in places:
        row = callers.get(place.file, {}).get((place.line, place.col))
        if row is not None:
            sites.setdefault((place.file, row), []).append((place.line, place.col))
    return tuple(Call(_name_function(files[path], row), tuple(sorted(at))) for (path, row), at in sites.items())


def _name_function(file: IndexedFile, row: int) -> Function:
    name = file.name_of(row) if row else file.path.rpartition("/")[2]
    kind = SymbolKind(file.cell(row, Symbol.KIND)).name.lower()
    line, col = name_place(file, row)
    return Function(name, kind, file.path, line, col, id=file.id_of(row))


# -- the map --------------------------------------------------------------------------------------------------------


def map_calls(world: World, snapshot: Snapshot, way: Way) -> Calls:
    """The resolved call edges of the map; the handle of a function is its node."""

    def calls(functions: Sequence[Function]) -> Asking[list[Fact]]:
        yield from ()
        return [Found(_read_edges(world, snapshot, way, function)) for function in functions]

    return calls


def node_function(world: World, snapshot: Snapshot, node: int) -> Function:
    name, kind, id_ = snapshot.name_of(node), snapshot.kind_of(node).name.lower(), snapshot.id_of(node)
    file = snapshot.file_of(node)
    if file is None:
        return Function(name, kind, id_, 1, 1, is_external=True, id=id_, handle=node)
    line, col = name_place(file, node - file.base)
    is_stale = world.disk.differs(file.path)
    return Function(name, kind, file.path, line, col, id=id_, is_stale=is_stale, handle=node)


def _read_edges(world: World, snapshot: Snapshot, way: Way, function: Function) -> tuple[Call, ...]:
    edges = snapshot.edges_in(function.handle) if way == "incoming" else snapshot.edges_out(function.handle)
    return tuple(
        Call(
            node_function(world, snapshot, edge.source if way == "incoming" else edge.target),
            tuple(snapshot.sites(edge)),
        )
        for edge in edges
        if edge.kind is EdgeKind.CALLS
    )
