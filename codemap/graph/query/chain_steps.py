"""The steps from one definition to another that chains are made of, and the cost of each.

A step is a *use* (a call, a function that is named to be passed on, a property that is read) or *implied* by one: a
class that is called runs its constructor, or that of a base; a method that is called may run an override of it. Where
all references count, a class also leads to the methods that only a base outside of the repository can call.

Costs are chosen so that the cheapest chain is the one that a reader would describe: plain calls of product code that
are known for sure. Every step costs at least 1, and every use at least `USE_MIN`. The file is long because the rule of
each kind of step is in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.frameworks.outside_callers import CALLBACKS
from codemap.graph.index.assigned_functions import ASSIGNED
from codemap.graph.index.columns import Columns, columns_of, gathered, places
from codemap.graph.index.inheritance import ARE_TYPES, inheritance
from codemap.graph.index.node_roles import FILE_ROLES
from codemap.graph.index.overrides import keep_overrides, overrides
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.index.type_methods import ARE_METHODS, are_stated, constructors_of
from codemap.graph.likelihood.candidates import undecided_uses_by, undecided_uses_of
from codemap.graph.model.edges import ARE_FUNCTIONS, BARE, EdgeKind, Ints, Mask, Numbers, are_among, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.override_family import PROTOTYPES

NEVER = 1_000_000
"""The cost of what is no step."""
USE_MIN = 10

CONSTRUCTOR, OVERRIDE, MEMBER, CALLBACK, NAMESAKE, DEFINES, HOLDS, DECLARES, UNDECIDED = range(-2, -11, -1)
"""Instead of the row of an edge, where a step has none; `UNDECIDED` less the row of an undecided use, for that."""
BRIDGE = -(1 << 30)
"""This less the number of a bridge, for that."""
NAMESAKES_MAX = 40
"""A name that more definitions have says too little about which of them an undecided call means."""

_CALL_COST = {EdgeKind.CALLS: USE_MIN, EdgeKind.REFERENCES: 0}
_IMPORT_COST = {EdgeKind.IMPORTS: USE_MIN, EdgeKind.EXPORTS: USE_MIN}
_NAMED_COST = {SymbolKind.FUNCTION: 16, SymbolKind.METHOD: 16, SymbolKind.VARIABLE: 22, SymbolKind.PROPERTY: 22}
"""References that may run what they name, or what it was made from, by the kind of that."""
_READ_COST = 11
"""Of a property that is computed when it is read."""
_ANY_NAMED_COST = 26
"""Of a reference of any kind, where all count."""
_GUESS_COST = {Confidence.NAME: 6, Confidence.CANDIDATE: 12}
_UNDECIDED_COST = 24
"""Of an undecided call of one of its candidates, and of a method that nothing is known to implement; the number of
definitions of the name is added."""
_CONSTRUCTOR_COST, _INHERIT_COST, _OVERRIDE_COST, _HOLDS_COST, _CALLBACK_COST, _DEFINES_COST = 1, 3, 4, 12, 14, 18
_UNLIKELY_COST = 60
"""Of a candidate where others are likelier, beside that."""
_ASIDE_COST = 40
"""Of a way through tests, examples, generated or vendored code, where neither end is such."""

_REFERENCES, _ACCESSOR = int(EdgeKind.REFERENCES), int(SymbolFlag.ACCESSOR)


NO_PAIRS: NDArray[np.int64] = np.empty((0, 2), dtype=np.int64)


class Along(IntEnum):
    """The kinds of edges that chains follow."""

    CALLS = 0
    REFERENCES = 1
    """Any reference counts, too, and what a base outside may call."""
    IMPORTS = 2
    CANDIDATES = 3
    """Undecided calls count, too, as calls of each of their candidates; and a method that only states what implementers
    must do, of which none is known, may be any definition of its name."""
    INDIRECT = 4
    """Calls, and what runs for them: functions that are defined in one, and those that are assigned to a place which is
    called. References and candidates count these, too."""
    LOOSE = 5
    """As references, but a type that code only names (in an annotation, a cast, before a constant) runs nothing: it
    counts where it is the goal of the search, or where a table of types names it."""


class Steps(msgspec.Struct, frozen=True):
    """Steps as columns, in their own direction."""

    source: Ints
    target: Ints
    row: Ints
    """Of the edge; less than zero where there is none."""
    cost: Ints

    def at(self, places: Numbers) -> Steps:
        """Those at some places."""
        return Steps(self.source.take(places), self.target.take(places), self.row.take(places), self.cost.take(places))


class Ways(msgspec.Struct, frozen=True, dict=True):
    """The steps that count in one search, and their costs."""

    snapshot: Snapshot
    columns: Columns
    own: frozenset[Role]
    """Roles of files that cost nothing to enter, besides the product's."""
    along: Along
    kind_cost: Ints
    """By EdgeKind."""
    named_cost: Ints
    """By SymbolKind."""
    file_cost: NDArray[np.int32]
    """By file number: added to each step into it."""
    are_constructors: Mask
    """By node, external packages excluded."""
    unlikely: NDArray[np.int64] = NO_PAIRS
    """(row of an undecided use, candidate) where another candidate is likelier, in order."""
    goals: Sequence[int] = ()
    """Types that count where they are only named, as in `Along.LOOSE`."""
    bridges: Steps | None = None
    """Further uses, of any kind."""
    kept: dict[tuple[bytes, bool, bool], Steps] | None = None
    """Of searches that differ in what is `unlikely` alone: the steps around nodes that were looked up, forward or not,
    uses or what these imply."""

    @cached_property
    def named_goals(self) -> Steps | None:
        """The uses of the goals, wherever their files are, where some count that do not count of other types."""
        if self.along is not Along.LOOSE or not self.goals:
            return None
        anywhere = msgspec.structs.replace(self, file_cost=np.zeros_like(self.file_cost), bridges=None)
        return uses(anywhere, np.array(sorted(self.goals), dtype=np.int32), is_forward=False)


def ways_of(snapshot: Snapshot, own: Collection[Role], along: Along, goals: Sequence[int] = ()) -> Ways:
    """The steps between nodes in files of some roles."""
    keep_overrides(snapshot)
    cost_of = np.array([0 if role is Role.PRODUCT or role in own else _ASIDE_COST for role in Role], dtype=np.int32)
    return Ways(
        snapshot,
        columns_of(snapshot),
        frozenset(own),
        along,
        _KIND_COSTS[along],
        _NAMED_COSTS[along],
        cost_of[FILE_ROLES.of(snapshot)],
        constructors_of(snapshot),
        goals=goals,
    )


def uses(ways: Ways, nodes: Ints, *, is_forward: bool) -> Steps:
    """The uses that leave some nodes, or arrive at them."""
    table = ways.snapshot.edges
    rows = places(table.out_start, nodes)[0] if is_forward else gathered(table.by_target, table.in_start, nodes)[0]
    kind = table.kind.take(rows)
    cost = ways.kind_cost.take(kind)
    counts = np.flatnonzero(cost < NEVER)
    rows, kind, cost = rows.take(counts), kind.take(counts), cost.take(counts)
    target = table.target.take(rows)
    named = np.flatnonzero(kind == _REFERENCES)
    if len(named):
        cost[named] += _price_naming(ways, target.take(named))
        if ways.along is Along.LOOSE:
            cost[named] += _price_naming_types(ways, table.source.take(rows.take(named)), target.take(named))
        counts = np.flatnonzero(cost < NEVER)
        rows, target, cost = rows.take(counts), target.take(counts), cost.take(counts)
    cost += _GUESSED.take(table.confidence.take(rows))
    cost += _price_entering(ways, target)
    found = [Steps(table.source.take(rows), target, rows, cost)]
    if ways.along is Along.CANDIDATES:
        found.append(price_unlikely(ways, find_undecided(ways, nodes, is_forward=is_forward)))
    if ways.bridges is not None:
        bridges = cross(ways.bridges, nodes, is_forward=is_forward)
        found.append(msgspec.structs.replace(bridges, cost=bridges.cost + _price_entering(ways, bridges.target)))
    return join_steps(found) if len(found) > 1 else found[0]


def use_count(ways: Ways, nodes: Ints, *, is_forward: bool) -> int:
    """Counts the edges that `uses` would look at."""
    start = ways.snapshot.edges.out_start if is_forward else ways.snapshot.edges.in_start
    return int((start.take(nodes + 1) - start.take(nodes)).sum())


def find_undecided(ways: Ways, nodes: Ints, *, is_forward: bool) -> Steps:
    """Undecided calls by some nodes, or of them."""
    snapshot = ways.snapshot
    nodes = nodes[nodes < snapshot.first_external]
    find = undecided_uses_by if is_forward else undecided_uses_of
    rows, meant = find(snapshot, nodes, NAMESAKES_MAX)
    table = snapshot.unresolved
    are_calls = (table.kind[rows] & ~BARE == EdgeKind.CALLS) & (table.source[rows] != meant)
    rows, meant = rows[are_calls], meant[are_calls]
    return Steps(table.source[rows], meant, UNDECIDED - rows, _price_guesses(ways, meant))


def price_unlikely(ways: Ways, steps: Steps) -> Steps:
    """Some steps, undecided calls dearer where others of their candidates are likelier."""
    if not len(ways.unlikely):
        return steps
    at = (steps.row <= UNDECIDED).nonzero()[0]
    keys = (UNDECIDED - steps.row.take(at)).astype(np.int64) << 32 | steps.target.take(at)
    cost = steps.cost.copy()
    cost[at.compress(are_among(keys, ways.unlikely[:, 0] << 32 | ways.unlikely[:, 1]))] += _UNLIKELY_COST
    return msgspec.structs.replace(steps, cost=cost)


def cross(bridges: Steps, nodes: Ints, *, is_forward: bool) -> Steps:
    """Those of some steps that leave some nodes, or arrive at them."""
    return bridges.at(np.flatnonzero(are_among(bridges.source if is_forward else bridges.target, distinct(nodes))))


def join_steps(some: Sequence[Steps]) -> Steps:
    return Steps(
        np.concatenate([steps.source for steps in some]),
        np.concatenate([steps.target for steps in some]),
        np.concatenate([steps.row for steps in some]),
        np.concatenate([steps.cost for steps in some]),
    )


def implied(ways: Ways, nodes: Ints, *, is_forward: bool, is_first: bool = True) -> Steps:
    """The steps from some nodes, or to them, that a use of their source implies.

    Overrides come only with the first step after a use: an override's own override is one of what it overrides.
    """
    inside = nodes.compress(nodes < ways.snapshot.first_external)
    kinds = ways.columns.kind.take(inside)
    types, methods = inside.compress(ARE_TYPES.take(kinds)), inside.compress(ARE_METHODS.take(kinds))
    built = types if is_forward else methods
    found = []
    if len(types):
        found.append(_find_inheriting(ways, types, is_forward=is_forward))
    if len(built):
        found.append(_find_constructing(ways, built, is_forward=is_forward))
    found.append(_find_declaring(ways, inside, is_forward=is_forward))
    if ways.along in _INDIRECT:
        found += _find_indirect(ways, inside, is_forward=is_forward)
    if ways.along in ANY_NAMED and len(built):
        found.append(_find_calling_back(ways, built, is_forward=is_forward))
    if is_first and len(methods):
        found.append(
            _find_overriding(ways, methods.compress(~ways.are_constructors.take(methods)), is_forward=is_forward)
        )
    found = [steps for steps in found if len(steps.target)]
    joined = join_steps(found) if found else _NO_STEPS
    joined = msgspec.structs.replace(joined, cost=joined.cost + _price_entering(ways, joined.target))
    if ways.along is Along.CANDIDATES and is_first and len(methods):
        return join_steps((joined, _find_namesakes(ways, methods, is_forward=is_forward)))
    return joined


_KIND_COSTS = tuple(
    np.array([costs.get(kind, NEVER) for kind in EdgeKind], dtype=np.int32)
    for costs in (_CALL_COST, _CALL_COST, _IMPORT_COST, _CALL_COST, _CALL_COST, _CALL_COST)
)
_NAMED_COSTS = tuple(
    np.array([_NAMED_COST.get(kind, other) for kind in SymbolKind], dtype=np.int32)
    for other in (NEVER, _ANY_NAMED_COST, NEVER, NEVER, NEVER, _ANY_NAMED_COST)
)
"""By `Along`."""
_GUESSED = np.array([_GUESS_COST.get(level, 0) for level in Confidence], dtype=np.int32)

ANY_NAMED = (Along.REFERENCES, Along.LOOSE)
_INDIRECT = (Along.INDIRECT, Along.CANDIDATES, *ANY_NAMED)

_NONE: Ints = np.empty(0, dtype=np.int32)
_NO_STEPS = Steps(_NONE, _NONE, _NONE, _NONE)


_NAMED_ONLY = ARE_TYPES | (np.arange(len(SymbolKind)) == int(SymbolKind.TYPE_ALIAS))
_NAME_ONLY = ARE_FUNCTIONS | _NAMED_ONLY | (np.arange(len(SymbolKind)) == int(SymbolKind.PROPERTY))
"""By SymbolKind: definitions that name types in annotations and the like more often than to have them made."""


def _price_entering(ways: Ways, nodes: Ints) -> Ints:
    """The costs of entering some nodes."""
    first_external = ways.snapshot.first_external
    found: Ints = ways.file_cost.take(ways.columns.file.take(np.minimum(nodes, first_external - 1)))
    found[nodes >= first_external] = 0
    return found


def _price_naming(ways: Ways, nodes: Ints) -> Ints:
    """The costs of references to some nodes."""
    first_external = ways.snapshot.first_external
    inner = np.minimum(nodes, first_external - 1)
    found: Ints = ways.named_cost.take(ways.columns.kind.take(inner))
    found[ways.columns.flags.take(inner) & _ACCESSOR != 0] = _READ_COST
    found[nodes >= first_external] = ways.named_cost[SymbolKind.MODULE]
    return found


def _price_naming_types(ways: Ways, sources: Ints, targets: Ints) -> Ints:
    """What references cost besides where types that are only named run nothing."""
    inner = np.minimum(targets, ways.snapshot.first_external - 1)
    are_idle = _NAMED_ONLY.take(ways.columns.kind.take(inner)) & _NAME_ONLY.take(ways.columns.kind.take(sources))
    are_idle &= ~are_among(targets, np.array(sorted(ways.goals), dtype=np.int32))
    return np.where(are_idle, NEVER, 0).astype(np.int32)


def _find_inheriting(ways: Ways, types: Ints, *, is_forward: bool) -> Steps:
    """Types and their bases: what is called on one may run in the other."""
    rows = inheritance(ways.snapshot, types, downwards=not is_forward)[0]
    table = ways.snapshot.edges
    inside = rows.compress(table.target.take(rows) < ways.snapshot.first_external)
    return Steps(
        table.source.take(inside), table.target.take(inside), inside, np.full(len(inside), _INHERIT_COST, np.int32)
    )


def _find_constructing(ways: Ways, nodes: Ints, *, is_forward: bool) -> Steps:
    """Classes and their own constructors: `nodes` are the ones or the others."""
    columns, parts = ways.columns, PARTS.of(ways.snapshot)
    methods = nodes
    if is_forward:
        methods = gathered(columns.children, columns.child_start, parts.with_parts(nodes))[0]
    methods = methods.compress(ways.are_constructors.take(methods))
    types = parts.wholes_of(columns.parent.take(methods))
    chosen = np.flatnonzero(ARE_TYPES.take(columns.kind.take(types)))
    return _make_steps(types.take(chosen), methods.take(chosen), CONSTRUCTOR, _CONSTRUCTOR_COST)


def _find_declaring(ways: Ways, nodes: Ints, *, is_forward: bool) -> Steps:
    """Declarations and the definitions that builds for several platforms have of them."""
    pairs = PROTOTYPES.of(ways.snapshot).pairs(ways.snapshot, nodes, is_forward=is_forward)
    return _make_steps(pairs[:, 0], pairs[:, 1], DECLARES, _CONSTRUCTOR_COST)


def _find_overriding(ways: Ways, methods: Ints, *, is_forward: bool) -> Steps:
    """Methods and those that override them, however far below."""
    own, others = overrides(ways.snapshot, methods, downwards=is_forward)
    return _make_steps(*((own, others) if is_forward else (others, own)), OVERRIDE, _OVERRIDE_COST)


def _find_indirect(ways: Ways, nodes: Ints, *, is_forward: bool) -> Iterator[Steps]:
    """Functions and those defined in them, places and the functions assigned to them: `nodes` are the ones or the
    others."""
    columns, assigned = ways.columns, ASSIGNED.of(ways.snapshot)
    functions = nodes.compress(ARE_FUNCTIONS.take(columns.kind.take(nodes)))
    if is_forward:
        inner, of = gathered(columns.children, columns.child_start, functions)
        outer = functions.take(of)
        holding, held = assigned.of_places(nodes)
    else:
        inner, outer = functions, columns.parent.take(functions)
        holding, held = assigned.of_functions(functions)
    more_outer, more_inner = _find_in_classes(columns, outer, inner, is_forward=is_forward)
    outer, inner = np.concatenate((outer, more_outer)), np.concatenate((inner, more_inner))
    chosen = np.flatnonzero(ARE_FUNCTIONS.take(columns.kind.take(inner)) & ARE_FUNCTIONS.take(columns.kind.take(outer)))
    yield _make_steps(outer.take(chosen), inner.take(chosen), DEFINES, _DEFINES_COST)
    yield _make_steps(holding, held, HOLDS, _HOLDS_COST)


def _find_in_classes(columns: Columns, outer: Ints, inner: Ints, *, is_forward: bool) -> tuple[Ints, Ints]:
    """What is around classes, and the methods of these: whoever is given an object of a class that a function has
    inside may call them. `inner` are what is in `outer`: all that functions have, or methods."""
    types = inner if is_forward else outer
    at = np.flatnonzero(ARE_TYPES.take(columns.kind.take(types)))
    if not is_forward:
        return columns.parent.take(outer.take(at)), inner.take(at)
    methods, of = gathered(columns.children, columns.child_start, inner.take(at))
    return outer.take(at).take(of), methods


def _find_namesakes(ways: Ways, methods: Ints, *, is_forward: bool) -> Steps:
    """Methods that only state what implementers must do, of which none is known, and the definitions of their names:
    `methods` are the ones or the others."""
    snapshot, names = ways.snapshot, ways.snapshot.node_names
    methods = methods[names.start[names.of_node[methods] + 1] - names.start[names.of_node[methods]] <= NAMESAKES_MAX]
    own = methods[are_stated(ways.columns, methods) == is_forward]
    others, at = gathered(names.nodes, names.start, names.of_node[own])
    of = own[at]
    families = snapshot.families.of_file
    chosen = ARE_METHODS[ways.columns.kind[others]] & (are_stated(ways.columns, others) != is_forward)
    chosen &= families[ways.columns.file[others]] == families[ways.columns.file[of]]
    of, others = of[chosen], others[chosen]
    stated, meant = (of, others) if is_forward else (others, of)
    are_run = _are_called(ways, stated) & (ways.columns.kind[meant] != int(SymbolKind.PROPERTY))
    stated, meant = stated[are_run], meant[are_run]
    known = overrides(snapshot, distinct(stated), downwards=True)[0]
    are_unknown = ~are_among(stated, distinct(known))
    stated, meant = stated[are_unknown], meant[are_unknown]
    found = _make_steps(stated, meant, NAMESAKE, 0)
    return msgspec.structs.replace(found, cost=_price_guesses(ways, meant))


def _are_called(ways: Ways, nodes: Ints) -> Mask:
    """Which of some definitions anything calls: a property may hold a function, or a value."""
    table = ways.snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, nodes)
    found = np.zeros(len(nodes), dtype=np.bool_)
    found[of[table.kind[rows] == int(EdgeKind.CALLS)]] = True
    return found


def _price_guesses(ways: Ways, meant: Ints) -> Ints:
    """The costs of guessing that some definitions are meant: a name that few have says more."""
    names = ways.snapshot.node_names
    named = names.of_node[meant]
    found: Ints = _price_entering(ways, meant) + np.int32(_UNDECIDED_COST) + names.start[named + 1] - names.start[named]
    return found.astype(np.int32)


def _find_calling_back(ways: Ways, nodes: Ints, *, is_forward: bool) -> Steps:
    """Types and their methods that only a base outside can call: `nodes` are the ones or the others."""
    columns = ways.columns
    methods = gathered(columns.children, columns.child_start, nodes)[0] if is_forward else nodes
    methods = methods[are_among(methods, CALLBACKS.of(ways.snapshot))]
    return _make_steps(columns.parent[methods], methods, CALLBACK, _CALLBACK_COST)


def _make_steps(sources: Ints, targets: Ints, row: int, cost: int) -> Steps:
    count = len(sources)
    return Steps(sources, targets, np.full(count, row, np.int32), np.full(count, cost, np.int32))


def find_namesakes(snapshot: Snapshot, method: int) -> Ints:
    """The definitions that a method which nothing is known to implement may be."""
    ways = ways_of(snapshot, (), Along.CANDIDATES)
    return distinct(_find_namesakes(ways, np.array([method], dtype=np.int32), is_forward=True).target)
