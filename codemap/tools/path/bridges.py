"""Finds where code leads on to other code without calling it: by what is outside, or by a message that it makes.

- An object is given to what is outside, which calls a method that nothing here does: `svc.Run(program)` runs `Start`.
- A method of a type outside is called, which a type here overrides: `stream.write(bytes)`.
- A message is made that other code reads: `send(Msg::Input(bytes))` leads to what matches `Msg::Input`, and to what
  calls that beside it and goes on.

Each is likely and not certain. They are looked for around one end, among what is known to lead there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec
import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import Columns, columns_of, gathered, places
from codemap.graph.index.inheritance import ARE_TYPES, list_ancestors
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.index.overrides import overrides
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.model.edges import ARE_FUNCTIONS, EdgeKind, Ints, Mask, are_among, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_marks import Mark
from codemap.graph.query.chain_steps import BRIDGE, Steps, Ways
from codemap.graph.query.outside_callers import CALLBACKS
from codemap.languages import by_name
from codemap.tools.path.outside import find_calls, list_methods
from codemap.tools.path.reach import reach, whole

NEAR_MAX = 600
"""Definitions that lead to the end, the nearest first, for which bridges are looked for."""
ROUNDS_MAX = 3
"""How often bridges are looked for before those that are found."""
BRIDGES_MAX = 3
"""In one chain, but for `Mark.RETURNS`: what leads over more says little."""
USERS_MAX = 12
"""Of a message: what more code uses says less of who reads it."""

_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)
_USES = (EdgeKind.CALLS, EdgeKind.REFERENCES)
_ERRORS = re.compile(r"(?:Error|Exception|Failure|Warning)\Z")
_NONE: Ints = np.empty(0, dtype=np.int32)
_EXPORTED = int(SymbolFlag.EXPORTED)
_COSTS = {Mark.GIVES: 30, Mark.OUTSIDE: 34, Mark.MESSAGE: 40, Mark.RETURNS: 16, Mark.SHARES: 70}
"""Of a bridge, as those of other steps."""
_READER_COST = 3
"""Of each that reads a message, beside that: what many read is rather plain data."""
_TYPE_COST = 10
"""Of a type that two use, beside that."""


class Bridge(msgspec.Struct, frozen=True):
    """From one definition to another, neither of which is external."""

    source: int
    target: int
    mark: Mark
    line: int
    """Of the source, where it leads on; 0 where that is written nowhere."""
    through: int = -1
    cost: int = 0
    """Where that is not the one of its mark."""


class Bridges(msgspec.Struct, frozen=True):
    found: tuple[Bridge, ...]
    steps: Steps
    near: Ints
    """The definitions for which they were looked for, in order."""

    def of(self, row: int) -> Bridge:
        """The bridge that a step with such a row goes over."""
        return self.found[BRIDGE - row]


def find_bridges(ways: Ways, ends: Sequence[int]) -> Bridges:
    """The bridges that lead towards some ends."""
    found: dict[tuple[int, int], Bridge] = {}
    known = _NONE
    goals = whole(ways, *ends)
    roles = sorted({Role.PRODUCT, *roles_of_nodes(ways.snapshot, goals).tolist()})
    for _ in range(ROUNDS_MAX):
        near = reach(ways, goals, is_forward=False, most=NEAR_MAX)
        near = near[near < ways.snapshot.first_external]
        near = near[np.isin(roles_of_nodes(ways.snapshot, near), roles)][:NEAR_MAX]
        fresh = distinct(near[~are_among(near, known)])
        known = distinct(np.concatenate((known, fresh)))
        goals = _add(found, (*_find_given(ways, fresh), *_find_outside(ways, fresh), *_find_messages(ways, fresh)))
        if not len(goals):
            break
    return _list_steps(found.values(), known)


def add_shared(ways: Ways, start: int, bridges: Bridges) -> Bridges:
    """The same with bridges by what few use, from what a node leads to."""
    found = {(bridge.source, bridge.target): bridge for bridge in bridges.found}
    ahead = reach(ways, whole(ways, start), is_forward=True, most=NEAR_MAX)
    _add(found, tuple(_find_shared(ways, bridges.near, ahead)))
    return _list_steps(found.values(), bridges.near)


def _add(found: dict[tuple[int, int], Bridge], made: Sequence[Bridge]) -> Ints:
    """Adds bridges to those that are known, the cheapest between two nodes; gives where new ones begin."""
    begun = []
    for bridge in made:
        key = bridge.source, bridge.target
        if key not in found:
            begun.append(bridge.source)
        if key not in found or _price(bridge) < _price(found[key]):
            found[key] = bridge
    return distinct(np.array(begun, dtype=np.int32))


def _price(bridge: Bridge) -> int:
    return bridge.cost or _COSTS[bridge.mark]


def _list_steps(found: Collection[Bridge], near: Ints) -> Bridges:
    bridges = tuple(found)
    steps = Steps(
        np.array([bridge.source for bridge in bridges], dtype=np.int32),
        np.array([bridge.target for bridge in bridges], dtype=np.int32),
        np.int32(BRIDGE) - np.arange(len(bridges), dtype=np.int32),
        np.array([_price(bridge) for bridge in bridges], dtype=np.int32),
    )
    return Bridges(bridges, steps, near)


def _find_given(ways: Ways, near: Ints) -> Iterator[Bridge]:
    snapshot, columns = ways.snapshot, ways.columns
    methods = list_methods(ways, near)
    called_back = are_among(methods, CALLBACKS.of(snapshot))
    for method, is_known in zip(methods.tolist(), called_back.tolist(), strict=True):
        owner, is_structural = int(columns.parent[method]), by_name()[snapshot.row_of(method)[0].lang].is_structural
        if not (_may_meet_outside(snapshot, columns, method) if is_structural else is_known):
            continue
        for edge in snapshot.edges_in(owner, _USES):
            if snapshot.is_external(edge.source) or _is_in(columns, edge.source, owner):
                continue
            line = snapshot.sites(edge)[0][0]
            if is_structural:
                line = _find_call_outside(snapshot, edge.source, line)
            if line and (is_structural or edge.kind is EdgeKind.CALLS):
                yield Bridge(edge.source, method, Mark.GIVES, line, owner)


def _may_meet_outside(snapshot: Snapshot, columns: Columns, method: int) -> bool:
    """Whether nothing here uses a method, so that it may be what an interface outside asks for: of a language in which
    types meet those without saying so."""
    if not columns.flags[method] & _EXPORTED or next(snapshot.edges_in(method, _USES), None) is not None:
        return False
    if len(unresolved_rows_in(snapshot, method)):
        return False
    return not len(overrides(snapshot, np.array([method], dtype=np.int32), downwards=False)[0])


def _find_call_outside(snapshot: Snapshot, node: int, line: int) -> int:
    """The line of the first call of what is outside from a line on, by a definition; 0 where there is none."""
    sites = (
        site[0]
        for edge in snapshot.edges_out(node, (EdgeKind.CALLS,))
        if snapshot.is_external(edge.target)
        for site in snapshot.sites(edge)
    )
    return min((one for one in sites if one >= line), default=0)


def _find_outside(ways: Ways, near: Ints) -> Iterator[Bridge]:
    methods = list_methods(ways, near)
    methods = methods[~ways.are_constructors[methods] & ARE_FUNCTIONS[ways.columns.kind[methods]]]
    methods = methods[~are_among(methods, distinct(overrides(ways.snapshot, methods, downwards=False)[0]))]
    yield from (Bridge(call.source, method, Mark.OUTSIDE, call.line) for method, call in find_calls(ways, methods))


def _find_messages(ways: Ways, near: Ints) -> Iterator[Bridge]:
    snapshot, columns, table = ways.snapshot, ways.columns, ways.snapshot.edges
    near = near[ARE_FUNCTIONS[columns.kind[near]]]
    called, of = _list_called(snapshot, near)
    readers = distinct(np.concatenate((near, called)))
    rows, at = places(table.out_start, readers)
    named = np.flatnonzero((table.kind[rows] == _REFERENCES) & (table.target[rows] < snapshot.first_external))
    reader, message = readers[at[named]], table.target[rows[named]]
    are_messages = _are_messages(snapshot, columns, message)
    reader, message = reader[are_messages], message[are_messages]
    chosen: dict[tuple[int, int], Bridge] = {}
    makers = {what: _list_makers(snapshot, columns, what) for what in distinct(message).tolist()}
    makers = {what: made for what, made in makers.items() if not _is_raised(snapshot, what)}
    for one, what in zip(reader.tolist(), message.tolist(), strict=True):
        cost, made = makers.get(what, (0, {}))
        for source, line in made.items() if one not in made else ():
            if (source, one) not in chosen or cost < chosen[source, one].cost:
                chosen[source, one] = Bridge(source, one, Mark.MESSAGE, line, what, cost)
    yield from chosen.values()
    are_near = dict(zip(readers.tolist(), are_among(readers, near).tolist(), strict=True))
    for one, what in {bridge.target: bridge.through for bridge in chosen.values()}.items():
        callers = distinct(of[called == one]) if not are_near[one] else _NONE
        for caller in callers[columns.parent[callers] == columns.parent[one]].tolist():
            yield Bridge(one, caller, Mark.RETURNS, _line_of(snapshot, one, what))


def _line_of(snapshot: Snapshot, node: int, used: int) -> int:
    return next(snapshot.sites(edge)[0][0] for edge in snapshot.edges_out(node, _USES) if edge.target == used)


def _list_called(snapshot: Snapshot, nodes: Ints) -> tuple[Ints, Ints]:
    """(called, caller) of the functions here that some nodes call."""
    table = snapshot.edges
    rows, at = places(table.out_start, nodes)
    chosen = np.flatnonzero((table.kind[rows] == _CALLS) & (table.target[rows] < snapshot.first_external))
    called = table.target[rows[chosen]]
    are_functions = ARE_FUNCTIONS[columns_of(snapshot).kind[called]]
    return called[are_functions], nodes[at[chosen]][are_functions]


def _are_messages(snapshot: Snapshot, columns: Columns, nodes: Ints) -> Mask:
    """Which definitions few name but to make them, and are a case of an enumeration or a class without methods."""
    table = snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, nodes)
    few = np.bincount(of[table.kind[rows] == _REFERENCES], minlength=len(nodes)) <= USERS_MAX
    owner = columns.parent[nodes]
    are_cases = (owner >= 0) & (columns.kind[np.maximum(owner, 0)] == int(SymbolKind.ENUM))
    are_cases &= ~ARE_FUNCTIONS[columns.kind[nodes]]
    children, at = gathered(columns.children, columns.child_start, nodes)
    methods = np.zeros(len(nodes), dtype=np.bool_)
    methods[at[ARE_FUNCTIONS[columns.kind[children]] & ~constructors_of(snapshot)[children]]] = True
    found: Mask = few & (are_cases | ((columns.kind[nodes] == int(SymbolKind.CLASS)) & ~methods))
    return found


def _is_raised(snapshot: Snapshot, node: int) -> bool:
    """Whether a class is one of errors by its name or that of a base: these go back to the caller, and lead nowhere."""
    if snapshot.kind_of(node) is not SymbolKind.CLASS:
        return False
    return any(_ERRORS.search(snapshot.name_of(one)) for one in (node, *list_ancestors(snapshot, node)))


def _list_makers(snapshot: Snapshot, columns: Columns, message: int) -> tuple[int, dict[int, int]]:
    """The cost of a bridge by a message; who makes it, each with the first line of that."""
    table = snapshot.edges
    rows = table.arriving(message)
    kinds = table.kind[rows]
    rows = rows[kinds == _CALLS]
    source, first = table.source[rows], table.sites[table.first[rows]][:, 0]
    chosen = ARE_FUNCTIONS[columns.kind[source]]
    cost = _COSTS[Mark.MESSAGE] + _READER_COST * int((kinds == _REFERENCES).sum())
    return cost, dict(zip(source[chosen].tolist(), first[chosen].tolist(), strict=True))


def _find_shared(ways: Ways, near: Ints, ahead: Ints) -> Iterator[Bridge]:
    """From what is ahead of the start to what uses the same variable, type or member, and few others do."""
    snapshot, columns, table = ways.snapshot, ways.columns, ways.snapshot.edges
    near, ahead = (
        nodes[ARE_FUNCTIONS[columns.kind[nodes]]] for nodes in (near, ahead[ahead < snapshot.first_external])
    )
    rows, at = places(table.out_start, near)
    used = table.target[rows]
    chosen = np.flatnonzero((table.kind[rows] == _REFERENCES) & (used < snapshot.first_external))
    used, user = used[chosen], near[at[chosen]]
    few = table.in_start[used + 1] - table.in_start[used] <= USERS_MAX
    few &= ~ARE_FUNCTIONS[columns.kind[used]]
    known = set(ahead.tolist())
    are_types = ARE_TYPES[columns.kind[used[few]]].tolist()
    for is_type, what, one in sorted(zip(are_types, used[few].tolist(), user[few].tolist(), strict=True)):
        cost = _COSTS[Mark.SHARES] + (_TYPE_COST if is_type else 0)
        for edge in snapshot.edges_in(what, _USES) if not _is_raised(snapshot, what) else ():
            if edge.source != one and edge.source in known:
                yield Bridge(edge.source, one, Mark.SHARES, snapshot.sites(edge)[0][0], what, cost)


def _is_in(columns: Columns, node: int, owner: int) -> bool:
    while node >= 0 and node != owner:
        node = int(columns.parent[node])
    return node == owner
