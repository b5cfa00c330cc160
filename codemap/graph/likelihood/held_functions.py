"""The functions that a parameter, a local or an attribute may hold which is called: those that are given to it.

Which they are is evaluated along the calls of a finished snapshot (`data_flow`). Each use has an evaluation of its own,
so that what is found does not depend on what was asked before.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Set

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.index.inheritance import list_ancestors
from codemap.graph.index.node_roles import role_of_node, roles_of_nodes
from codemap.graph.likelihood.called_values import list_called
from codemap.graph.likelihood.data_flow import Argument, FlowEvaluator, OutOfSteps
from codemap.graph.likelihood.decorators import list_made
from codemap.graph.likelihood.flow_files import followed
from codemap.graph.likelihood.held_attributes import find_by_receivers, find_reached, find_users
from codemap.graph.likelihood.held_namesakes import find_namesakes
from codemap.graph.likelihood.name_likeness import list_endings, words_of
from codemap.graph.likelihood.stored_elements import StoredElements
from codemap.graph.model.edges import CALLABLE_KINDS, EdgeKind, Ints, Unresolved
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import VALUES_MAX
from codemap.graph.resolve.outside.unknown_receivers import is_unknown
from codemap.languages import by_name
from codemap.mangled_names import is_held, mangle_held

STEPS_MAX = 300
"""Names that are looked at for one use; where that is not enough, nothing is said of it."""
STEPS_WITHIN = 150
"""The same where only what the product gives is looked at."""
ROWS_MAX = 40
"""Uses that are looked at for one definition."""
NODES_KEPT = 2_000
"""Definitions whose uses are remembered: at most 400 bytes each."""
_CALLS = int(EdgeKind.CALLS)
FUNCTIONS_MAX = VALUES_MAX - 1
"""Of a place that is given more, nobody can say which is meant; the first count."""


class Held(msgspec.Struct, frozen=True):
    """What is given to a variable."""

    functions: tuple[int, ...]
    """In node order."""
    is_all: bool
    """Whether all that is seen to be given to it is known."""
    others: tuple[int, ...] = ()
    """Functions that it may hold besides by what it is called, or its arguments are."""

    def has(self, node: int) -> bool:
        return node in self.functions or node in self.others


def find_held(snapshot: Snapshot, use: Unresolved) -> Held:
    """The functions that a use may call which calls what a variable holds."""
    known = _KNOWN.of(snapshot)
    found = known.get(use.row)
    if found is None:
        found = known[use.row] = _find(snapshot, use)
    return found


def _find(snapshot: Snapshot, use: Unresolved) -> Held:
    indexed = snapshot.file_of(use.source)
    if indexed is None or by_name()[indexed.lang].scopes.shares_names:
        return _NOTHING
    ev = FlowEvaluator(snapshot, StoredElements(snapshot))
    ev.steps = STEPS_MAX
    file = followed(ev.files.numbered(indexed.number))
    sites = set(snapshot.sites(use))
    callees = file.find_callees_at(use.source - file.base, sites)
    try:
        found = {node for expr in callees for node in list_called(ev, ev.value_of(ev.expr(file, expr)))}
        found |= {made for node in found for made in list_made(ev, snapshot, node, use.source)}
        is_all = len(found) <= FUNCTIONS_MAX and _is_of_product(snapshot, found, use.source)
        is_all = (
            is_all and not ev.is_guessing and not _has_unknown(snapshot, indexed.number, callees, ev.list_unknown())
        )
    except (OutOfSteps, RecursionError):
        found, is_all = set(), False
    if not found and role_of_node(snapshot, use.source) is Role.PRODUCT:
        found = _find_within_product(snapshot, indexed.number, callees)
    named = set[int]() if found else find_by_receivers(snapshot, file, callees, use.source)
    if named:
        found, is_all = named, len(named) <= FUNCTIONS_MAX
    is_told = is_all and not named and not found <= _list_called_for_sure(snapshot, use.source)
    others = set[int]() if is_told else find_namesakes(snapshot, file, callees) - found
    return Held(_select_first(snapshot, found, use.source), is_all, _select_first(snapshot, others, use.source))


_NOTHING = Held((), False)


def _find_within_product(snapshot: Snapshot, number: int, callees: Iterable[int]) -> set[int]:
    """The functions that the product gives to what is called, where with tests and the like it is too much to tell."""
    product = Role.PRODUCT
    ev = FlowEvaluator(snapshot, StoredElements(snapshot, product), within=product)
    ev.steps = STEPS_WITHIN
    file = ev.files.numbered(number)
    try:
        return {node for expr in callees for node in list_called(ev, ev.value_of(ev.expr(file, expr)))}
    except (OutOfSteps, RecursionError):
        return set()


def _list_called_for_sure(snapshot: Snapshot, user: int) -> set[int]:
    table = snapshot.edges
    rows = table.leaving(user)
    return set(table.target[rows[table.kind[rows] == _CALLS]].tolist())


def _select_first(snapshot: Snapshot, functions: Collection[int], user: int) -> tuple[int, ...]:
    """Those of some functions that count, in node order: for a use in the product those of the product first."""
    nodes = sorted(functions)
    if len(nodes) > FUNCTIONS_MAX:
        roles = roles_of_nodes(snapshot, np.array((user, *nodes))).tolist()
        is_beside = {node: roles[0] == Role.PRODUCT != role for node, role in zip(nodes, roles[1:], strict=True)}
        nodes = sorted(sorted(nodes, key=is_beside.__getitem__)[:FUNCTIONS_MAX])
    return tuple(nodes)


def _has_unknown(snapshot: Snapshot, number: int, callees: Iterable[int], unknown: Set[Argument]) -> bool:
    """Whether arguments of which nothing is known may be what some expressions of a file hold."""
    if not unknown:
        return False
    ev = FlowEvaluator(snapshot, StoredElements(snapshot), unknown)
    ev.steps = STEPS_MAX
    file = ev.files.numbered(number)
    return any(is_unknown(value) for expr in callees for value in ev.value_of(ev.expr(file, expr)).values)


def _is_of_product(snapshot: Snapshot, functions: Collection[int], user: int) -> bool:
    """Whether some of the functions that are given to a place are no stand-ins: tests and examples give the product
    what others do not."""
    roles = roles_of_nodes(snapshot, np.array((user, *functions)))
    return bool(functions) and bool(roles[0] != Role.PRODUCT or (roles[1:] == Role.PRODUCT).any())


def held_rows_in(snapshot: Snapshot, node: int) -> Ints:
    """Rows of the undecided uses that call what a variable holds which may be this node, in order."""
    rows = _rows_looked_at(snapshot, node).tolist()
    found = [row for row in rows if find_held(snapshot, snapshot.unresolved_use(row)).has(node)]
    return np.array(found, dtype=np.int32)


def evaluate_held(snapshot: Snapshot, nodes: Iterable[int]) -> Generator[None]:
    """Evaluates what `held_rows_in` asks for of some nodes, a use in each step: up to a fifth of a second. Nothing that
    is known."""
    known = _KNOWN.of(snapshot)
    for node in nodes:
        for row in _rows_looked_at(snapshot, node).tolist():
            if row not in known:
                find_held(snapshot, snapshot.unresolved_use(row))
                yield


def _rows_looked_at(snapshot: Snapshot, node: int) -> Ints:
    """The same rows at each look of a call, and of those that follow."""
    known = _LOOKED_AT.of(snapshot)
    found = known.get(node)
    if found is None:
        if len(known) >= NODES_KEPT:
            known.clear()
        found = known[node] = _select_rows(snapshot, node)
    return found


def _select_rows(snapshot: Snapshot, node: int) -> Ints:
    """Rows of the undecided uses that may call a node by what a variable holds. Where there are many, those which are
    in definitions that are used where the node is used as a value, or one step further."""
    rows = held_rows(snapshot)
    if not len(rows) or snapshot.is_external(node) or snapshot.kind_of(node) not in CALLABLE_KINDS:
        return rows[:0]
    is_used = len(find_users(snapshot, node)) > 0
    if is_used and len(rows) <= ROWS_MAX:
        return rows
    ending = _rows_ending(snapshot, node)
    if is_used:
        near = _select_near(snapshot, rows, find_reached(snapshot, node))[:ROWS_MAX]
        return np.union1d(near, ending).astype(np.int32)
    # a class above may have a variable of its name, or look it up by a name that nobody knows
    number = snapshot.unresolved_names.get(mangle_held(snapshot.name_of(node)))
    owner, table = snapshot.parent_of(node), snapshot.unresolved
    above = [] if owner is None or snapshot.is_file(owner) else [owner, *list_ancestors(snapshot, owner)]
    found = {row for one in above for row in _HELD_BY_OWNER.of(snapshot).get(one, ())} | set(ending.tolist())
    if number is not None:
        found.update(table.by_name[table.name_start[number] : table.name_start[number + 1]].tolist())
    return np.array(sorted(found)[:ROWS_MAX], dtype=np.int32)


_Endings = list[tuple[int, list[tuple[str, ...]]]]
"""Of each name of a variable that is called and has endings to look for: its number, and the words of each of these."""


def _rows_ending(snapshot: Snapshot, node: int) -> Ints:
    """Rows of the undecided uses that call what a variable holds whose name the node's ends with, in order."""
    words = tuple(words_of(snapshot.name_of(node)))
    numbers = [
        number
        for number, endings in _ENDINGS.of(snapshot)
        if any(words[-len(ending) :] == ending for ending in endings)
    ]
    table = snapshot.unresolved
    return np.sort(gathered(table.by_name, table.name_start, np.array(numbers, dtype=np.int32))[0])[:ROWS_MAX]


def _list_endings(snapshot: Snapshot) -> _Endings:
    named = ((number, name) for number, name in enumerate(snapshot.names) if is_held(name))
    found = ((number, list_endings(name.rpartition("(")[0])) for number, name in named)
    return [(number, [ending for ending, _ in endings]) for number, endings in found if endings]


def _select_near(snapshot: Snapshot, rows: Ints, reached: Ints) -> Ints:
    """The undecided uses that are in some definitions."""
    is_reached = np.zeros(snapshot.node_count, dtype=np.bool_)
    is_reached[reached] = True
    columns = columns_of(snapshot)
    around, is_near = snapshot.unresolved.source[rows], np.zeros(len(rows), dtype=np.bool_)
    while True:
        inside = columns.parent[around] >= 0  # code at the top of a file is in no definition
        if not inside.any():
            break
        is_near |= is_reached[around] & inside
        around = np.where(inside, columns.parent[around], around)
    return rows[is_near]


def held_rows(snapshot: Snapshot) -> Ints:
    """Rows of all undecided uses that call what a variable holds, in order."""
    return _HELD_ROWS.of(snapshot)


def _find_held_rows(snapshot: Snapshot) -> Ints:
    table = snapshot.unresolved
    numbers = np.array([number for number, name in enumerate(snapshot.names) if is_held(name)], dtype=np.int32)
    rows: Ints = np.sort(gathered(table.by_name, table.name_start, numbers)[0])
    return rows


def _group_by_owner(snapshot: Snapshot) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    rows = held_rows(snapshot)
    owners = columns_of(snapshot).parent[snapshot.unresolved.source[rows]]
    for row, owner in zip(rows.tolist(), owners.tolist(), strict=True):
        found.setdefault(owner, []).append(row)
    return found


_HELD_ROWS = Slot[Ints](_find_held_rows, rescore=reuse)
"""Of the undecided uses that call what a variable holds."""
_ENDINGS = Slot[_Endings](_list_endings, rescore=reuse)
_HELD_BY_OWNER = Slot[dict[int, list[int]]](_group_by_owner, rescore=reuse)
"""The same by what the definition that uses it is in."""
_LOOKED_AT = Slot[dict[int, Ints]](lambda _: {}, rescore=reuse)
"""By node, of those that were asked about last. Threads may write to it at the same time: they write the same."""
_KNOWN = Slot[dict[int, Held]](lambda _: {}, rescore=reuse)
"""By row of an undecided use. Threads may write to it at the same time: they write the same."""
