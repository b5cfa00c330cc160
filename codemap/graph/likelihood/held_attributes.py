"""Functions that attributes hold which a member of a value of unknown type may be: `route.generate(path)`.

They may be what attributes of that name hold; where the receiver alone has the name of a class
(`field.widget()`), those of it and of the classes below.

Rules of the file:
- All attributes of the name count, in classes of the language family; for a use in the product those of the product.
- What they hold is evaluated along the calls of a finished snapshot, once a snapshot for each name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from codemap.facts import EXPR_WIDTH, Op, SymbolFlag
from codemap.file_roles import Role
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.index.columns import columns_of, places
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.node_roles import role_of_node, roles_of_nodes
from codemap.graph.index.overrides import overrides
from codemap.graph.likelihood.called_values import find_name, list_called
from codemap.graph.likelihood.callers import CALLERS_MAX, Callers
from codemap.graph.likelihood.composed_names import list_prefixes
from codemap.graph.likelihood.data_flow import FlowEvaluator, OutOfSteps
from codemap.graph.likelihood.decorators import has_decorator
from codemap.graph.likelihood.name_likeness import words_of
from codemap.graph.likelihood.stored_elements import StoredElements
from codemap.graph.model.edges import (
    ARE_VARIABLES,
    CALLABLE_KINDS,
    FUNCTION_KINDS,
    EdgeKind,
    Ints,
    Mask,
    Unresolved,
    among,
    distinct,
)
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence, Instance, Meaning
from codemap.graph.resolve import stored_values
from codemap.graph.resolve.members import find_attribute
from codemap.graph.resolve.outside.unknown_receivers import is_unknown
from codemap.languages import by_name

ATTRIBUTES_MAX = 8
"""Of a name that more attributes have, nothing is said."""
STEPS_MAX = 100
"""Names that are looked at for one attribute; where that is not enough, nothing is said of it."""
STEPS_OF_RECEIVERS = 150
"""The same for one use by the names of its receivers."""
REACHED_MAX = 400
REACHED_KEPT = 20
"""Definitions for which it is kept: some kB each."""
_ATTR, _REFERENCES = int(Op.ATTR), int(EdgeKind.REFERENCES)
_USES = among((EdgeKind.CALLS, EdgeKind.REFERENCES))
_CALLS_OR_BASES, _BASES = among((EdgeKind.CALLS, EdgeKind.EXTENDS)), among((EdgeKind.EXTENDS,))


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
        near = np.concatenate((users, _list_made(snapshot, node)))
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
            yield from list_called(ev, ev.value_of(stored_values.evaluate_variable(ev, node)))
        except (OutOfSteps, RecursionError):
            continue


def _select_attributes(snapshot: Snapshot, nodes: Ints) -> Ints:
    """Those of some nodes that are attributes of classes."""
    columns = columns_of(snapshot)
    nodes = nodes[ARE_VARIABLES[columns.kind[nodes]] & (columns.flags[nodes] & int(SymbolFlag.ACCESSOR) == 0)]
    nodes = nodes[columns.parent[nodes] >= 0]
    found: Ints = nodes[ARE_TYPES[columns.kind[columns.parent[nodes]]]]
    return found


def find_by_receivers(snapshot: Snapshot, file: GraphFile, callees: Sequence[int], user: int) -> set[int]:
    """The functions that the calls of some expressions in a file may mean by the names of their receivers."""
    found = set[int]()
    ev = FlowEvaluator(snapshot, StoredElements(snapshot))
    ev.steps = STEPS_OF_RECEIVERS
    file = ev.files.numbered(snapshot.by_path[file.path].number)  # of this evaluation
    for callee in callees:
        op, of, name = file.exprs[callee * EXPR_WIDTH : (callee + 1) * EXPR_WIDTH].tolist()
        if op != _ATTR:
            continue
        receiver, is_element = find_name(file, of)
        classes = [] if is_element or not receiver else _list_named(snapshot, file, receiver, user)
        try:
            if not all(map(is_unknown, ev.value_of(ev.expr(file, of)).values)):
                continue
            for cls in classes:
                values = tuple(map(Instance, (cls, *Callers(snapshot).list_heirs(cls))))
                held = find_attribute(ev, Meaning(Confidence.CANDIDATE, values), file.names[name], file)
                found |= set(list_called(ev, ev.value_of(held)))
        except (OutOfSteps, RecursionError):
            return set()
    return found


def _list_named(snapshot: Snapshot, file: GraphFile, name: str, user: int) -> list[int]:
    """The classes that a value has the name of; for a use in the product those of the product."""
    nodes = snapshot.node_names.named("".join(word.title() for word in words_of(name)))
    is_of_product = role_of_node(snapshot, user) is Role.PRODUCT
    return [
        node
        for node in nodes[ARE_TYPES[columns_of(snapshot).kind[nodes]]].tolist()
        if snapshot.file_of(node).family == file.language.family  # type: ignore[union-attr]
        and (not is_of_product or role_of_node(snapshot, node) is Role.PRODUCT)
    ]


def find_users(snapshot: Snapshot, node: int) -> Ints:
    """The definitions that use one as a value, which is itself where it has a decorator; where it is what runs when an
    instance is called, those that make instances."""
    table = snapshot.edges
    arriving = table.arriving(node)
    users = [table.source[arriving[table.kind[arriving] == _REFERENCES][:CALLERS_MAX]]] if len(arriving) else []
    file, row = snapshot.row_of(node)
    if has_decorator(file.facts, row):
        users.append(np.array([node], dtype=np.int32))
    owner, name = snapshot.parent_of(node), snapshot.name_of(node)
    is_called = name == by_name()[file.lang].protocols.get("call")
    if owner is not None and (is_called or (not len(arriving) and name.startswith(list_prefixes(snapshot)))):
        users.append(table.source[table.arriving(owner)][:CALLERS_MAX])
    return distinct(np.concatenate(users)) if any(map(len, users)) else arriving[:0]


def find_reached(snapshot: Snapshot, node: int) -> Ints:
    """What the users of a definition use, what that uses, and what is around these."""
    kept = _REACHED.of(snapshot)
    found = kept.get(node)
    if found is None:
        while len(kept) >= REACHED_KEPT:
            kept.pop(next(iter(kept)), None)
        found = kept[node] = _reach(snapshot, find_users(snapshot, node))
    return found


def _reach(snapshot: Snapshot, users: Ints) -> Ints:
    table, columns = snapshot.edges, columns_of(snapshot)
    used = _follow(snapshot, users, _USES)
    held = users[ARE_VARIABLES[columns.kind[users]]]
    overridden = overrides(snapshot, held, downwards=False)[1]
    variables = np.concatenate((used[ARE_VARIABLES[columns.kind[used]]], held, overridden))
    readers = [table.source[table.arriving(variable)][:CALLERS_MAX] for variable in variables.tolist()]
    further = _follow(snapshot, used, _CALLS_OR_BASES)
    found = distinct(np.concatenate((used, further, _follow(snapshot, further, _BASES), *readers)))
    around = columns.parent[found]
    return np.concatenate((found, around[around >= 0]))


def _follow(snapshot: Snapshot, nodes: Ints, kinds: Mask) -> Ints:
    """What some definitions use in the repository, by some kinds of edges, in order. The nodes are in order, too."""
    table = snapshot.edges
    rows = places(table.out_start, nodes)[0]
    targets = table.target[rows[kinds[table.kind[rows]]]]
    return distinct(targets[targets < snapshot.first_external])[:REACHED_MAX]


_HELD = Slot[dict[tuple[str, str, bool], tuple[int, ...]]](lambda _: {}, rescore=reuse)
"""By family, name, and whether of the product alone. Threads may write to it at the same time: they write the same."""
_REACHED = Slot[dict[int, Ints]](lambda _: {}, rescore=reuse)
"""By node. Threads may write to it at the same time: they write the same."""
