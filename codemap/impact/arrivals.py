"""Follows one step of impact: from changed definitions to the uses through which they affect others.

A step is an edge, or follows from one: who calls a class depends on its constructor, who calls a method that another
one overrides may run the override. A use that could not be decided may mean any definition of its name; where these
are more than `CANDIDATES_MAX`, it says too little about each of them, and is counted instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.frameworks.event_handlers import senders_of
from codemap.graph.frameworks.injected_parameters import INJECTED_USERS, Users
from codemap.graph.index.assigned_functions import ASSIGNED
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.index.inheritance import inheritance
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.index.overrides import overrides
from codemap.graph.index.type_methods import ARE_METHODS, constructors_of
from codemap.graph.likelihood.candidates import undecided_uses_of
from codemap.graph.model.edges import ARE_FUNCTIONS, USES, EdgeKind, Ints, Mask
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.impact.makers import (
    are_run_for_classes,
    find_constructing,
    find_makers_for_outside,
    find_of_metaclass,
)
from codemap.impact.prefix_dispatch import ASKERS
from codemap.impact.steps import TIERS, Arrivals, How, Tier, joined, make_arrivals

CANDIDATES_MAX = 8
"""Definitions of one name up to which an undecided use of the name counts for each of them."""
FEW = 5
"""Functions registered for one event up to which each of them is likely to run."""
_USES = np.array([kind in USES for kind in sorted(EdgeKind)])
_IMPORTS = np.array([kind in (EdgeKind.IMPORTS, EdgeKind.EXPORTS) for kind in sorted(EdgeKind)])
"""By EdgeKind."""
_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)
_HAVE_BODIES = np.array([kind in (SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.MODULE) for kind in SymbolKind])
"""By SymbolKind: whether what uses something in it may be the code of a member that has no name of its own."""
_RUN_BY_HEIRS = "__init_subclass__"


def arrivals(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """The uses of some definitions. Cost: the edges that arrive there, and a search for bases."""
    inside = nodes[nodes < snapshot.first_external]
    kinds = columns_of(snapshot).kind[inside]
    methods = inside[ARE_METHODS[kinds]]
    are_built = constructors_of(snapshot)[methods]
    found = [_find_users(snapshot, nodes), _find_definers(snapshot, inside[ARE_FUNCTIONS[kinds]])]
    found.append(_find_holding(snapshot, inside[ARE_FUNCTIONS[kinds]]))
    if are_built.any():
        found.append(find_constructing(snapshot, methods[are_built]))
    if (for_classes := are_built | are_run_for_classes(snapshot, methods)).any():
        found.append(find_of_metaclass(snapshot, methods[for_classes]))
    if not are_built.all():
        found.append(_find_dispatching(snapshot, methods[~are_built]))
        found.append(find_makers_for_outside(snapshot, methods[~are_built]))
        found.append(_find_heirs(snapshot, methods[~are_built]))
    found.append(find_undecided(snapshot, inside))
    found += _find_listed(INJECTED_USERS.of(snapshot), inside, How.INJECTED)
    found += _find_sending(snapshot, inside[ARE_FUNCTIONS[kinds]])
    found += _find_listed(ASKERS.of(snapshot), methods, How.DISPATCHES)
    return joined(found)


def weaken(snapshot: Snapshot, found: Arrivals) -> Arrivals:
    """The same where what is used is reached and not changed itself. Then a class is as it was for who only names it,
    and a test says nothing of product code that may call it by a base or a name."""
    columns = columns_of(snapshot)
    tier, inside = found.tier.copy(), np.flatnonzero(found.via < snapshot.first_external)
    via = found.via.take(inside)
    are_named = (found.how.take(inside) == _REFERENCES) & _HAVE_BODIES.take(columns.kind.take(via))
    from_test = are_in_files_of(snapshot, via, Role.TEST) & (found.tier.take(inside) > int(Tier.CERTAIN))
    from_test &= are_in_files_of(snapshot, found.source.take(inside), Role.PRODUCT)
    tier[inside.compress(are_named | from_test)] = int(Tier.REMOTE)
    return msgspec.structs.replace(found, tier=tier)


def importing(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """The imports and re-exports of some files and definitions: what fails when those are gone."""
    return _find_edges(snapshot, nodes, _IMPORTS)


def overriding(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """The methods that override some."""
    inside = nodes[nodes < snapshot.first_external]
    methods = inside[ARE_METHODS[columns_of(snapshot).kind[inside]]]
    methods = methods[~constructors_of(snapshot)[methods]]
    own, others = overrides(snapshot, methods, downwards=True)
    return make_arrivals(others, own, np.full(len(own), -1, np.int32), How.OVERRIDES, Tier.LIKELY)


def _find_users(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    return _find_edges(snapshot, nodes, _USES)


def _find_edges(snapshot: Snapshot, nodes: Ints, wanted: Mask) -> Arrivals:
    table = snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, nodes)
    chosen = wanted[table.kind[rows]] & (table.source[rows] != nodes[of])
    rows, of = rows[chosen], of[chosen]
    return Arrivals(table.source[rows], nodes[of], rows, table.kind[rows], TIERS[table.confidence[rows]])


def _find_definers(snapshot: Snapshot, functions: Ints) -> Arrivals:
    """The functions that some functions are in: they define them to have them run."""
    columns = columns_of(snapshot)
    parents = columns.parent[functions]
    chosen = np.flatnonzero(parents >= 0)
    chosen = chosen[ARE_FUNCTIONS[columns.kind[parents[chosen]]]]
    return make_arrivals(
        parents[chosen], functions[chosen], np.full(len(chosen), -1, np.int32), How.CONTAINS, Tier.LIKELY
    )


def _find_holding(snapshot: Snapshot, functions: Ints) -> Arrivals:
    """The calls of places that some functions are assigned to."""
    places, held = ASSIGNED.of(snapshot).of_functions(functions)
    table = snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, places)
    source, via = table.source[rows], held[of]
    chosen = (table.kind[rows] == _CALLS) & (source != via)
    rows, source, via = rows[chosen], source[chosen], via[chosen]
    tier = np.maximum(TIERS[table.confidence[rows]], int(Tier.LIKELY))
    return Arrivals(source, via, rows, np.full(len(rows), How.HELD, np.int32), tier)


def _find_heirs(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """The classes whose definition runs some methods of their bases."""
    name = snapshot.node_names.place(_RUN_BY_HEIRS)
    if name is None:
        return joined(())
    methods = methods[snapshot.node_names.of_node[methods] == name]
    rows, of = inheritance(snapshot, columns_of(snapshot).parent[methods], downwards=True)
    return make_arrivals(snapshot.edges.source[rows], methods[of], rows, How.EXTENDS, Tier.CERTAIN)


def _find_dispatching(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """The calls of what some methods override, and the reads of what properties do; an exact one by a method of the
    name is one of `super`."""
    own, bases = overrides(snapshot, methods, downwards=False)
    table, names, columns = snapshot.edges, snapshot.node_names.of_node, columns_of(snapshot)
    are_read = (columns.kind[own] == SymbolKind.PROPERTY) | (columns.flags[own] & SymbolFlag.ACCESSOR != 0)
    rows, of = gathered(table.by_target, table.in_start, bases)
    source = table.source[rows]
    is_super = (names[source] == names[own[of]]) & (table.confidence[rows] == int(Confidence.EXACT))
    kinds = table.kind[rows]
    chosen = ((kinds == _CALLS) | (kinds == _REFERENCES) & are_read[of]) & ~is_super
    rows, of, source = rows[chosen], of[chosen], source[chosen]
    tier = np.maximum(TIERS[table.confidence[rows]], int(Tier.LIKELY))
    return Arrivals(source, own[of], rows, np.full(len(rows), How.DISPATCHES, np.int32), tier)


def _find_listed(users: Mapping[int, Users], nodes: Ints, how: How) -> Iterator[Arrivals]:
    for node in nodes[np.isin(nodes, list(users))].tolist() if users else ():
        found = users[node]
        via, none = np.full((2, len(found.nodes)), ((node,), (-1,)), np.int32)
        tier = Tier.POSSIBLE if found.is_guess else Tier.LIKELY
        yield make_arrivals(found.nodes, via, none, how, tier)


def _find_sending(snapshot: Snapshot, functions: Ints) -> Iterator[Arrivals]:
    """Who sends what some functions are registered for."""
    senders = senders_of(snapshot, functions)
    for node in functions.tolist() if senders else ():
        if sent := senders.get(node):
            columns = [
                (one.sender, node, one.row, Tier.LIKELY if one.handlers <= FEW else Tier.POSSIBLE) for one in sent
            ]
            source, via, row, tier = np.array(columns, dtype=np.int32).T
            yield Arrivals(source, via, row, np.full(len(sent), How.SENDS, np.int32), tier)


def find_undecided(snapshot: Snapshot, nodes: Ints) -> Arrivals:
    """The uses that may mean one of some definitions, of names that few have."""
    rows, via = undecided_uses_of(snapshot, nodes, CANDIDATES_MAX)
    source = snapshot.unresolved.source[rows]
    chosen = source != via
    return make_arrivals(source[chosen], via[chosen], rows[chosen], How.UNDECIDED, Tier.POSSIBLE)
