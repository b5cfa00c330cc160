"""Follows one step of impact: from changed definitions to the uses through which they affect others.

A step is an edge, or follows from one: who calls a class depends on its constructor, who calls a method that another
one overrides may run the override. A use that could not be decided may mean any definition of its name; where these
are more than `CANDIDATES_MAX`, it says too little about each of them, and is counted instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of, gathered, places
from codemap.graph.index.node_roles import FILE_ROLES
from codemap.graph.index.overrides import ARE_METHODS, ARE_TYPES, inheritance, overrides
from codemap.graph.likelihood.candidates import undecided_uses_of
from codemap.graph.model.edges import EdgeKind, Ints, Mask, are_among, distinct
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_contents
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.impact.injected import INJECTED_USERS, Users
from codemap.impact.prefixed import ASKERS
from codemap.languages import by_name

CANDIDATES_MAX = 8
"""Definitions of one name up to which an undecided use of the name counts for each of them."""
LEVELS_MAX = 12
"""Levels of heirs that run the constructor of a base."""


class Tier(IntEnum):
    """How sure it is that a definition is affected: as sure as the weakest step that leads to it."""

    CERTAIN = 0
    LIKELY = 1
    POSSIBLE = 2


class How(IntEnum):
    """The kind of a step; those below `CONSTRUCTS` are kinds of edges."""

    CONTAINS = 0
    IMPORTS = 1
    EXPORTS = 2
    CALLS = 3
    EXTENDS = 4
    IMPLEMENTS = 5
    REFERENCES = 6
    CONSTRUCTS = 7  # calls the class
    DISPATCHES = 8  # calls what the definition overrides
    OVERRIDES = 9
    UNDECIDED = 10
    INJECTED = 11  # names it as a parameter, for a framework to run it


class Arrivals(msgspec.Struct, frozen=True):
    """Steps as columns."""

    source: Ints
    """Who uses."""
    via: Ints
    """What it uses."""
    row: Ints
    """Of the edge, of the undecided use for `UNDECIDED`; -1 where there is none."""
    how: Ints
    tier: Ints

    def where(self, chosen: Mask | Ints) -> Arrivals:
        """Selects rows by a mask or by their places."""
        return Arrivals(self.source[chosen], self.via[chosen], self.row[chosen], self.how[chosen], self.tier[chosen])


_USES = np.array(
    [kind in (EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS) for kind in sorted(EdgeKind)]
)
_IMPORTS = np.array([kind in (EdgeKind.IMPORTS, EdgeKind.EXPORTS) for kind in sorted(EdgeKind)])
"""By EdgeKind."""
_TIERS = np.array(
    [Tier.CERTAIN if level < Confidence.NAME else Tier.POSSIBLE for level in sorted(Confidence)], dtype=np.int32
)
"""By Confidence."""
_CALLS = int(EdgeKind.CALLS)
_INHERITS = np.array([kind in (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS) for kind in sorted(EdgeKind)])
_REFERENCES = int(EdgeKind.REFERENCES)
_SPECIAL = re.compile(r"__\w+__\Z")
_BY_VALUE = re.compile(r"__(?:call|a?enter|a?exit)__\Z")
"""What a value is for that others are given: neither `x()` nor `with x` names it where the type of `x` is unknown."""
_RUN_BY_HEIRS = "__init_subclass__"
_FUNCTIONS = np.array([kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) for kind in SymbolKind])
_NONE: Ints = np.empty(0, dtype=np.int32)


def joined(parts: Iterable[Arrivals]) -> Arrivals:
    """All of them, in order."""
    columns = [(one.source, one.via, one.row, one.how, one.tier) for one in parts]
    if not columns:
        return Arrivals(_NONE, _NONE, _NONE, _NONE, _NONE)
    return Arrivals(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def arrivals(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """The uses of some definitions. Cost: the edges that arrive there, and a search for bases."""
    inside = nodes[nodes < snapshot.first_external]
    kinds = columns_of(snapshot).kind[inside]
    methods = inside[ARE_METHODS[kinds]]
    are_built = _are_constructors(snapshot, methods)
    found = [_find_users(snapshot, nodes), _find_definers(snapshot, inside[_FUNCTIONS[kinds]])]
    if are_built.any():
        found.append(_find_constructing(snapshot, methods[are_built]))
        found.append(_find_of_metaclass(snapshot, methods[are_built]))
    if not are_built.all():
        found.append(_find_dispatching(snapshot, methods[~are_built]))
        found.append(_find_makers_for_outside(snapshot, methods[~are_built]))
        found.append(_find_heirs(snapshot, methods[~are_built]))
    found.append(_find_undecided(snapshot, inside))
    found += _find_listed(INJECTED_USERS.of(snapshot), inside, How.INJECTED)
    found += _find_listed(ASKERS.of(snapshot), methods, How.DISPATCHES)
    return joined(found)


def importing(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """The imports and re-exports of some files and definitions: what fails when those are gone."""
    return _find_edges(snapshot, nodes, _IMPORTS)


def overriding(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """The methods that override some."""
    inside = nodes[nodes < snapshot.first_external]
    methods = inside[ARE_METHODS[columns_of(snapshot).kind[inside]]]
    methods = methods[~_are_constructors(snapshot, methods)]
    own, others = overrides(snapshot, methods, downwards=True)
    return _make_arrivals(others, own, np.full(len(own), -1, np.int32), How.OVERRIDES, Tier.LIKELY)


def _find_users(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    return _find_edges(snapshot, nodes, _USES)


def _find_edges(snapshot: Snapshot, nodes: Ints, wanted: Mask) -> Arrivals:
    table = snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, nodes)
    chosen = wanted[table.kind[rows]] & (table.source[rows] != nodes[of])
    rows, of = rows[chosen], of[chosen]
    return Arrivals(table.source[rows], nodes[of], rows, table.kind[rows], _TIERS[table.confidence[rows]])


def _find_definers(snapshot: Snapshot, functions: Ints) -> Arrivals:
    """The functions that some functions are in: they define them to have them run."""
    columns = columns_of(snapshot)
    parents = columns.parent[functions]
    chosen = np.flatnonzero(parents >= 0)
    chosen = chosen[_FUNCTIONS[columns.kind[parents[chosen]]]]
    return _make_arrivals(
        parents[chosen], functions[chosen], np.full(len(chosen), -1, np.int32), How.CONTAINS, Tier.LIKELY
    )


def _find_constructing(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """The calls of the classes of some constructors, and of heirs that have none of their own."""
    have_own = distinct(columns_of(snapshot).parent[_CONSTRUCTORS.of(snapshot)])
    return _find_makers(snapshot, methods, have_own, Tier.CERTAIN)


def _find_makers(snapshot: Snapshot, methods: Ints, without: Ints, least: Tier) -> Arrivals:
    """The calls of the classes of some methods, and of their heirs but for some and what is below these."""
    table = snapshot.edges
    types, via = columns_of(snapshot).parent[methods], methods
    found = []
    for _ in range(LEVELS_MAX):
        if not len(types):
            break
        rows, of = gathered(table.by_target, table.in_start, types)
        called = table.kind[rows] == _CALLS
        rows, of = rows[called], of[called]
        tier = np.maximum(_TIERS[table.confidence[rows]], int(least))
        found.append(Arrivals(table.source[rows], via[of], rows, np.full(len(rows), How.CONSTRUCTS, np.int32), tier))
        heirs, of = inheritance(snapshot, types, downwards=True)
        below = table.source[heirs]
        inherits = ~are_among(below, without)
        types, via = below[inherits], via[of[inherits]]
    return joined(found)


def _find_of_metaclass(snapshot: Snapshot, constructors: Ints) -> Arrivals:
    """The classes that name the class of some constructors, as they name their metaclass."""
    columns, table = columns_of(snapshot), snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, columns.parent[constructors])
    source = table.source[rows]
    chosen = (table.kind[rows] == _REFERENCES) & (columns.parent[source] >= 0) & ARE_TYPES[columns.kind[source]]
    rows, of = rows[chosen], of[chosen]
    return _make_arrivals(table.source[rows], constructors[of], rows, How.REFERENCES, Tier.POSSIBLE)


def _find_heirs(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """The classes whose definition runs some methods of their bases."""
    methods = methods[[snapshot.name_of(method) == _RUN_BY_HEIRS for method in methods.tolist()]]
    rows, of = inheritance(snapshot, columns_of(snapshot).parent[methods], downwards=True)
    return _make_arrivals(snapshot.edges.source[rows], methods[of], rows, How.EXTENDS, Tier.CERTAIN)


def _find_makers_for_outside(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """Who makes what code outside of the repository may call some methods of: those that a runtime calls by their names
    (`__enter__`) where nothing here is known to call them, and those that no product code is known to call where their
    class has a base outside, or where the product has a shared object of it, made outside of functions."""
    columns, table = columns_of(snapshot), snapshot.edges
    methods = methods[columns.parent[methods] >= 0]
    rows, of = gathered(table.by_target, table.in_start, methods)
    is_call = table.kind[rows] == _CALLS
    by_product = is_call & _are_product(snapshot, table.source[rows])
    are_called, are_called_by_product = np.zeros((2, len(methods)), dtype=bool)
    are_called[of[is_call]] = True
    are_called_by_product[of[by_product]] = True
    rows, of = places(table.out_start, columns.parent[methods])
    may_override = np.zeros(len(methods), dtype=bool)
    may_override[of[_INHERITS[table.kind[rows]] & (table.target[rows] >= snapshot.first_external)]] = True
    are_special = _are_named(snapshot, methods, _SPECIAL)
    may_override |= _are_named(snapshot, methods, _BY_VALUE)
    may_run = (are_special & ~are_called) | (may_override & ~are_called_by_product)
    shared = _find_makers(
        snapshot, methods[~(are_special | may_override | are_called_by_product)], _NONE, Tier.POSSIBLE
    )
    is_shared = ~_FUNCTIONS[columns.kind[shared.source]] & _are_product(snapshot, shared.source)
    return joined((_find_makers(snapshot, methods[may_run], _NONE, Tier.POSSIBLE), shared.where(is_shared)))


def _are_named(snapshot: Snapshot, methods: Ints, pattern: re.Pattern[str]) -> Mask:
    _, first, which = np.unique(snapshot.node_names.of_node[methods], return_index=True, return_inverse=True)
    found = [pattern.match(snapshot.name_of(node)) is not None for node in methods[first].tolist()]
    return np.array(found, dtype=bool)[which]


def _are_product(snapshot: Snapshot, nodes: Ints) -> Mask:
    """Which nodes are in files of the product."""
    found: Mask = FILE_ROLES.of(snapshot)[columns_of(snapshot).file[nodes]] == int(Role.PRODUCT)
    return found


def _find_dispatching(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """The calls of what some methods override; a call by a method of the name is one of `super`."""
    own, bases = overrides(snapshot, methods, downwards=False)
    table, names = snapshot.edges, snapshot.node_names.of_node
    rows, of = gathered(table.by_target, table.in_start, bases)
    source = table.source[rows]
    chosen = (table.kind[rows] == _CALLS) & (names[source] != names[own[of]])
    rows, of, source = rows[chosen], of[chosen], source[chosen]
    tier = np.maximum(_TIERS[table.confidence[rows]], int(Tier.LIKELY))
    return Arrivals(source, own[of], rows, np.full(len(rows), How.DISPATCHES, np.int32), tier)


def _find_listed(users: Mapping[int, Users], nodes: Ints, how: How) -> Iterator[Arrivals]:
    for node in nodes.tolist() if users else ():
        if (found := users.get(node)) is not None:
            via, none = np.full((2, len(found.nodes)), ((node,), (-1,)), np.int32)
            tier = Tier.POSSIBLE if found.is_guess else Tier.LIKELY
            yield _make_arrivals(found.nodes, via, none, how, tier)


def _find_undecided(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    rows, via = undecided_uses_of(snapshot, nodes, CANDIDATES_MAX)
    source = snapshot.unresolved.source[rows]
    chosen = source != via
    return _make_arrivals(source[chosen], via[chosen], rows[chosen], How.UNDECIDED, Tier.POSSIBLE)


def _make_arrivals(source: Ints, via: Ints, row: Ints, how: How, tier: Tier) -> Arrivals:
    count = len(source)
    return Arrivals(source, via, row, np.full(count, how, np.int32), np.full(count, tier, np.int32))


def _find_constructors(snapshot: Snapshot) -> Ints:
    columns = columns_of(snapshot)
    found = []
    for language in by_name().values():
        files = {file.number for file in snapshot.files if file.lang == language.name}
        named = [snapshot.node_names.named(name) for name in language.constructors]
        for nodes in named if files else ():
            owners = columns.parent[nodes]
            nodes = nodes[(owners >= 0) & ARE_TYPES[columns.kind[owners]]]
            found.append(nodes[np.isin(columns.file[nodes], list(files))])
    return distinct(np.concatenate([*found, _NONE]))


_CONSTRUCTORS = Slot[Ints](_find_constructors, carry=reuse_for_contents, rescore=reuse)
"""The constructors of all classes by their names, in node order."""


def _are_constructors(snapshot: Snapshot, methods: Ints) -> Mask:
    return are_among(methods, _CONSTRUCTORS.of(snapshot))
