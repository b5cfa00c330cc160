"""Finds where code leads on to other code without calling it: by what is outside, or by a message that it makes.

- An object is given to what is outside, which calls a method that nothing here does: `svc.Run(program)` runs `Start`.
- A method of a type outside is called, which a type here overrides: `stream.write(bytes)`.
- An event is sent that a function is registered for: `placed.send(order)` runs what is above `@receiver(placed)`.
- A message is made that other code reads: `send(Msg::Input(bytes))` leads to what matches `Msg::Input`, and to what
  calls that beside it and goes on.

Each is likely and not certain. They are looked for around one end, among what is known to lead there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec
import numpy as np

from codemap.facts import SymbolFlag
from codemap.file_roles import Role
from codemap.graph.frameworks.event_handlers import senders_of
from codemap.graph.frameworks.outside_callers import CALLBACKS
from codemap.graph.index.columns import Columns, gathered, places
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.index.overrides import overrides
from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.model.edges import ARE_FUNCTIONS, EdgeKind, Ints, among, are_among, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_marks import Mark
from codemap.graph.query.chain_steps import BRIDGE, Steps, Ways
from codemap.languages import by_name
from codemap.tools.path.messages import USERS_MAX, are_messages, is_raised, list_called, list_makers
from codemap.tools.path.outside import find_calls, list_methods
from codemap.tools.path.reach import reach, whole

NEAR_MAX = 600
"""Definitions that lead to the end, the nearest first, for which bridges are looked for."""
ROUNDS_MAX = 3
"""How often bridges are looked for before those that are found."""
BRIDGES_MAX = 3
"""In one chain, but for `Mark.RETURNS`: what leads over more says little."""

HANDLERS_MAX = 12
"""Registered for one event; of more, nobody can say which leads on."""

_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)
_USES = (EdgeKind.CALLS, EdgeKind.REFERENCES)
_NONE: Ints = np.empty(0, dtype=np.int32)
_EXPORTED = int(SymbolFlag.EXPORTED)
_COSTS = {Mark.GIVES: 30, Mark.OUTSIDE: 34, Mark.SENDS: 32, Mark.MESSAGE: 40, Mark.RETURNS: 16, Mark.SHARES: 70}
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


_Into = dict[int, tuple[Bridge, ...]]
"""By definition: bridges that lead to it."""
_BY_OUTSIDE = Slot[dict[frozenset[Role], _Into]](lambda _: {}, rescore=reuse)
"""Those by what is outside, of methods that were asked about; by the roles that count like the product."""
_BY_MESSAGES = Slot[_Into](lambda _: {}, rescore=reuse)
"""Those by messages, of functions that were asked about."""


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
        goals = _add(found, (*_find_by_outside(ways, fresh), *_find_sent(ways, fresh), *_find_messages(ways, fresh)))
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


def _recall(known: _Into, nodes: Ints, find: Callable[[Ints], Iterable[Bridge]]) -> list[Bridge]:
    """The bridges to some nodes; those to nodes that were not asked about before are found, and kept."""
    wanted = nodes.tolist()
    if fresh := [node for node in wanted if node not in known]:
        found: dict[int, list[Bridge]] = {node: [] for node in fresh}
        for bridge in find(np.array(fresh, dtype=np.int32)):
            found[bridge.target].append(bridge)
        known.update((node, tuple(some)) for node, some in found.items())
    return [bridge for node in wanted for bridge in known[node]]


def _find_by_outside(ways: Ways, near: Ints) -> list[Bridge]:
    known = _BY_OUTSIDE.of(ways.snapshot).setdefault(ways.own, {})
    return _recall(known, near, lambda nodes: (*_find_given(ways, nodes), *_find_outside(ways, nodes)))


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


def _find_sent(ways: Ways, near: Ints) -> Iterator[Bridge]:
    senders = senders_of(ways.snapshot, near)
    for handler in near.tolist() if senders else ():
        for sent in senders.get(handler, ()):
            if sent.handlers <= HANDLERS_MAX:
                cost = _COSTS[Mark.SENDS] + sent.handlers
                yield Bridge(sent.sender, handler, Mark.SENDS, sent.line, sent.variable, cost)


def _find_messages(ways: Ways, near: Ints) -> Iterator[Bridge]:
    snapshot, columns = ways.snapshot, ways.columns
    near = near[ARE_FUNCTIONS[columns.kind[near]]]
    called, of = list_called(snapshot, near)
    readers = distinct(np.concatenate((near, called)))
    known = _BY_MESSAGES.of(snapshot)
    found = _recall(known, readers, lambda nodes: _find_read(snapshot, columns, nodes))
    yield from found
    returning = {bridge.target: bridge.through for bridge in found}
    are_near = are_among(np.array([*returning], dtype=np.int32), near).tolist()
    for (one, what), is_near in zip(returning.items(), are_near, strict=True):
        callers = distinct(of[called == one]) if not is_near else _NONE
        for caller in callers[columns.parent[callers] == columns.parent[one]].tolist():
            yield Bridge(one, caller, Mark.RETURNS, _line_of(snapshot, one, what))


def _find_read(snapshot: Snapshot, columns: Columns, readers: Ints) -> Iterable[Bridge]:
    """From who makes messages to those of some functions that read them, the cheapest between two."""
    table = snapshot.edges
    rows, at = places(table.out_start, readers)
    named = np.flatnonzero((table.kind[rows] == _REFERENCES) & (table.target[rows] < snapshot.first_external))
    reader, message = readers[at[named]], table.target[rows[named]]
    few = are_messages(snapshot, columns, message)
    reader, message = reader[few], message[few]
    chosen: dict[tuple[int, int], Bridge] = {}
    makers = {what: list_makers(snapshot, columns, what) for what in distinct(message).tolist()}
    makers = {what: made for what, made in makers.items() if not is_raised(snapshot, what)}
    for one, what in zip(reader.tolist(), message.tolist(), strict=True):
        count, made = makers.get(what, (0, {}))
        cost = _COSTS[Mark.MESSAGE] + _READER_COST * count
        for source, line in made.items() if one not in made else ():
            if (source, one) not in chosen or cost < chosen[source, one].cost:
                chosen[source, one] = Bridge(source, one, Mark.MESSAGE, line, what, cost)
    return chosen.values()


def _line_of(snapshot: Snapshot, node: int, used: int) -> int:
    return next(snapshot.sites(edge)[0][0] for edge in snapshot.edges_out(node, _USES) if edge.target == used)


def _find_shared(ways: Ways, near: Ints, ahead: Ints) -> Iterator[Bridge]:
    """From what is ahead of the start to what uses the same variable, type or member, and few others do."""
    snapshot, columns, table = ways.snapshot, ways.columns, ways.snapshot.edges
    near, ahead = (
        nodes[ARE_FUNCTIONS[columns.kind[nodes]]] for nodes in (near, ahead[ahead < snapshot.first_external])
    )
    rows, at = places(table.out_start, near)
    used = table.target[rows]
    chosen = np.flatnonzero((table.kind[rows] == _REFERENCES) & (used < snapshot.first_external))
    used, user = used.take(chosen), near[at[chosen]]
    few = table.in_start[used + 1] - table.in_start[used] <= USERS_MAX
    few &= ~ARE_FUNCTIONS[columns.kind[used]]
    used, user = used.compress(few), user.compress(few)
    are_types = ARE_TYPES[columns.kind[used]]
    order = np.lexsort((user, used, are_types))
    used, user, are_types = used.take(order), user.take(order), are_types.take(order)
    rows, at = gathered(table.by_target, table.in_start, used)
    fitting = are_among(table.source[rows], distinct(ahead)) & (table.source[rows] != user[at])
    fitting &= among(_USES).take(table.kind[rows])
    for row, place in zip(rows[fitting].tolist(), at[fitting].tolist(), strict=True):
        what = int(used[place])
        if not is_raised(snapshot, what):
            cost = _COSTS[Mark.SHARES] + (_TYPE_COST if are_types[place] else 0)
            line = int(table.sites[table.first[row]][0])
            yield Bridge(int(table.source[row]), int(user[place]), Mark.SHARES, line, what, cost)


def _is_in(columns: Columns, node: int, owner: int) -> bool:
    while node >= 0 and node != owner:
        node = int(columns.parent[node])
    return node == owner
