"""Functions that attributes hold which a member of a value of unknown type may be: `route.generate(path)`.

Rules of the file:
- All attributes of the name count, in classes of the language family; for a use in the product those of the product.
- What they hold is evaluated along the calls of a finished snapshot, once a snapshot for each name.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from codemap.facts import SymbolFlag
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.node_roles import role_of_node, roles_of_nodes
from codemap.graph.likelihood.called_values import list_called
from codemap.graph.likelihood.callers import CALLERS_MAX
from codemap.graph.likelihood.data_flow import FlowEvaluator, OutOfSteps
from codemap.graph.likelihood.held_functions import find_users, reach
from codemap.graph.likelihood.stored_elements import StoredElements
from codemap.graph.model.edges import (
    ARE_VARIABLES,
    CALLABLE_KINDS,
    FUNCTION_KINDS,
    EdgeKind,
    Ints,
    Unresolved,
    distinct,
)
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.resolve import stored_values
from codemap.languages import by_name

ATTRIBUTES_MAX = 20
"""Of a name that more attributes have, nothing is said."""
STEPS_MAX = 200
"""Names that are looked at for one attribute; where that is not enough, nothing is said of it."""


def find_in_attributes(snapshot: Snapshot, use: Unresolved) -> Ints:
    """The functions and classes that attributes of the name of a member hold which is called, in node order."""
    is_of_product = role_of_node(snapshot, use.source) is Role.PRODUCT
    file = snapshot.files[int(columns_of(snapshot).file[use.source])]
    return np.array(_find_held(snapshot, file.family, use.name, is_of_product), dtype=np.int32)


def _find_held(snapshot: Snapshot, family: str, name: str, is_of_product: bool) -> tuple[int, ...]:
    known = _HELD.of(snapshot)
    key = family, name, is_of_product
    if key not in known:
        known[key] = tuple(sorted(set(_find(snapshot, *key))))
    return known[key]


def list_attribute_names(snapshot: Snapshot, node: int) -> Iterator[str]:
    """The names of the attributes that hold a function or class."""
    file = snapshot.file_of(node)
    if file is None or snapshot.kind_of(node) not in CALLABLE_KINDS or not by_name()[file.lang].holds_functions:
        return
    users = find_users(snapshot, node)
    if len(users):
        near = np.concatenate((users, reach(snapshot, users), _list_made(snapshot, node)))
        names = dict.fromkeys(map(snapshot.name_of, _select_attributes(snapshot, near).tolist()))
        for name in names:
            if name in snapshot.unresolved_names and any(
                node in _find_held(snapshot, file.family, name, each) for each in (False, True)
            ):
                yield name


def _list_made(snapshot: Snapshot, node: int) -> Ints:
    """The members of the classes whose methods call the function that a function is in: they may hold what it gives."""
    parent, table, columns = snapshot.parent_of(node), snapshot.edges, columns_of(snapshot)
    if parent is None or snapshot.kind_of(parent) not in FUNCTION_KINDS:
        return table.target[:0]
    rows = table.arriving(parent)
    callers = table.source[rows[table.kind[rows] == EdgeKind.CALLS][:CALLERS_MAX]]
    classes = distinct(columns.parent[callers])
    members = [columns.children_of(cls) for cls in classes[classes >= 0].tolist()]
    return np.concatenate(members) if members else table.target[:0]


def _find(snapshot: Snapshot, family: str, name: str, is_of_product: bool) -> Iterator[int]:
    nodes = _select_attributes(snapshot, snapshot.node_names.named(name))
    if is_of_product:
        nodes = nodes[roles_of_nodes(snapshot, nodes) == Role.PRODUCT]
    if len(nodes) > ATTRIBUTES_MAX:
        return
    for node in nodes.tolist():
        file = snapshot.file_of(node)
        if file is None or file.family != family or not by_name()[file.lang].holds_functions:
            continue
        ev = FlowEvaluator(snapshot, StoredElements(snapshot))
        ev.steps = STEPS_MAX
        try:
            yield from list_called(ev, ev.value_of(stored_values.evaluate_held(ev, node)))
        except (OutOfSteps, RecursionError):
            continue


def _select_attributes(snapshot: Snapshot, nodes: Ints) -> Ints:
    """Those of some nodes that are attributes of classes."""
    columns = columns_of(snapshot)
    nodes = nodes[ARE_VARIABLES[columns.kind[nodes]] & (columns.flags[nodes] & int(SymbolFlag.ACCESSOR) == 0)]
    nodes = nodes[columns.parent[nodes] >= 0]
    found: Ints = nodes[ARE_TYPES[columns.kind[columns.parent[nodes]]]]
    return found


_HELD = Slot[dict[tuple[str, str, bool], tuple[int, ...]]](lambda _: {}, rescore=reuse)
"""By family, name, and whether of the product alone. Threads may write to it at the same time: they write the same."""
