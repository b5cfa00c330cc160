"""What an edit changes in where members of classes are looked up: the order of a class and its bases.

Rules of the file:
- A class below another is found by the edges of the previous state; one that stands on something else than a class,
  a variable or the result of a call, by asking it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import numpy as np

from codemap.facts import SymbolKind, plain_name
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.incremental.worlds import Worlds
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.surface import Path, path_of
from codemap.graph.model.values import CLASS_KINDS, NOTHING, Confidence, Meaning, Tag, Value, one
from codemap.graph.resolve import method_resolution_order

_INHERITANCE = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)

Definers = dict[str, tuple[Hashable, ...]]
"""Member -> the classes above a class that have one of that name, in the order in which they are asked."""


def is_same_order(worlds: Worlds, before: int, after: int) -> bool:
    """Whether a class, by its nodes in the two states, has the bases that it had, in the same order."""
    left = method_resolution_order.compute_order(worlds.before, before).values
    right = method_resolution_order.compute_order(worlds.after, after).values
    return [_place(worlds, worlds.before, value) for value in left] == [
        _place(worlds, worlds.after, value) for value in right
    ]


def changed_lookups(worlds: Worlds, before: int, after: int) -> set[str] | None:
    """Members that are found elsewhere above a class; None where that may be any, as a base lies outside now or did."""
    left, left_open = _definers(worlds, worlds.before, before)
    right, right_open = _definers(worlds, worlds.after, after)
    if left_open != right_open:
        return None
    return {name for name in left.keys() | right.keys() if left.get(name) != right.get(name)}


def _place(worlds: Worlds, world: Evaluator, value: Value) -> Hashable:
    return _key(worlds, world, value.a) if isinstance(value.a, int) else value


def _key(worlds: Worlds, world: Evaluator, cls: int) -> Hashable:
    """A class above another one, and whether that inherits what the class has itself."""
    file = world.file_of_node(cls)
    return worlds.key(world, cls), cls - file.base in file.mixins


def _definers(worlds: Worlds, world: Evaluator, cls: int) -> tuple[Definers, bool]:
    found: Definers = {}
    is_open = False
    for value in method_resolution_order.compute_order(world, cls).values[1:]:
        if value.tag == Tag.OUTSIDE:
            is_open = True
            continue
        assert isinstance(value.a, int)
        file = world.file_of_node(value.a)
        row = value.a - file.base
        key = _key(worlds, world, value.a)
        for name in {*file.members.get(row, ()), *file.children.get(row, ())}:
            found[name] = (*found.get(name, ()), key)
    return found, is_open


def members_of(world: Evaluator, cls: int) -> set[str]:
    """The names of all members of a class, its own and those of its bases."""
    names: set[str] = set()
    for value in method_resolution_order.compute_order(world, cls).values:
        if isinstance(value.a, int):
            file = world.file_of_node(value.a)
            row = value.a - file.base
            names |= {*file.members.get(row, ()), *file.children.get(row, ())}
    return names | {plain_name(name) for name in names}


def type_arguments(cls: Path, world: Evaluator, file: GraphFile) -> Meaning:
    """The type arguments of the bases of a class, by its names."""
    given = NOTHING
    for row, bases in file.generic_bases.items():
        if path_of(file.names, file.symbols, row) == cls:
            stated = [world.evaluate_type(file, argument) for _, listed in bases for argument in listed]
            given = one(Confidence.TYPE, Value(Tag.TUPLE, tuple(stated)))
    return given


def below(previous: Snapshot, before: Evaluator, cls: int, indirect: Iterable[int]) -> Iterator[int]:
    """Classes that may stand directly on a class, in the previous state; `indirect` as `indirect_classes` gives."""
    table = previous.edges
    for row in table.in_rows(cls):
        if table.kind[row] in _INHERITANCE:
            yield int(table.source[row])
    for other in indirect:
        if any(value.a == cls for value in method_resolution_order.compute_order(before, other).values[1:]):
            yield other


def indirect_classes(previous: Snapshot) -> list[int]:
    """Classes one of whose bases is written as something that is no class."""
    table = previous.edges
    targets = table.target
    inherits = np.isin(table.kind, _INHERITANCE) & (targets < previous.first_external)
    rows = np.flatnonzero(inherits)
    kinds = columns_of(previous).kind[targets[rows]]
    is_class = np.isin(kinds, [int(kind) for kind in CLASS_KINDS])
    found: list[int] = np.unique(table.source[rows[~is_class]]).tolist()
    return [node for node in found if previous.kind_of(node) in (*CLASS_KINDS, SymbolKind.FUNCTION)]
