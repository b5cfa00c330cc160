"""What is put into the containers that attributes and module variables hold: `self.hooks.append(f)`.

Rules of the file:
- Calls in the file that defines the attribute or variable count, and those in the other files that have its name, where
  these are few.
- `self.hooks[name].append(f)` and `self.hooks.setdefault(name, []).append(f)` put something into what is held.
- What a place is assigned counts, too, where its stated type says no more of the elements than that they can be called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codemap.facts import EXPR_WIDTH, Binding, Op, Symbol
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.likelihood.flow_files import followed
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    ContainerInstance,
    Definition,
    Meaning,
    Value,
    join,
    make_container,
    weaken,
)
from codemap.graph.resolve.outside.unknown_receivers import is_of_held
from codemap.graph.words.word_files import files_with

_ATTR, _CALL, _INDEX, _NAME = int(Op.ATTR), int(Op.CALL), int(Op.INDEX), int(Op.NAME)
DEPTH_MAX = 2
"""Containers in containers that are looked into."""
FILES_MAX = 20
"""Files with the name of a place that are looked through; where more have it, the one that defines it is."""
Stores = Mapping[str, list[tuple[int, int, int]]]
"""Last name of a place -> of each call that puts something into what it holds: the expression of the place, that of
what is put there, and how deep."""


class StoredElements:
    """What is put into containers, of one snapshot, for one question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stores: dict[str, Stores] = {}

    def find(self, ev: Evaluator, value: Value, held: Meaning) -> Meaning:
        """The containers of what is put into the one that an attribute or variable holds, by its type `held`."""
        if not isinstance(value, Definition):
            return NOTHING
        return join(_read_assigned(ev, value, held), self._find_put(ev, value))

    def _find_put(self, ev: Evaluator, value: Definition) -> Meaning:
        file = ev.file_of_node(value.node)
        name = file.name_of(value.node - file.base)
        calls = [
            (each, *call)
            for each in self._list_files(ev, file, name)
            for call in self._stores_in(ev, each).get(name, ())
        ]
        if not calls:
            return NOTHING
        return ev.ask(file, ("stored", value.node), lambda: _evaluate(ev, value.node, calls))

    def _list_files(self, ev: Evaluator, file: GraphFile, name: str) -> list[GraphFile]:
        """The file that defines a place, and the others that have its name, where these are few."""
        near = [each.number for each in files_with(self._snapshot, name) if each.path != file.path]
        return [file, *(ev.files.numbered(number) for number in near if len(near) <= FILES_MAX)]

    def _stores_in(self, ev: Evaluator, file: GraphFile) -> Stores:
        stores = self._stores.get(file.path)
        if stores is None:
            stores = self._stores[file.path] = _find_stores(ev, file)
        return stores


def _read_assigned(ev: Evaluator, value: Definition, held: Meaning) -> Meaning:
    """What a place is assigned that is stated to hold a container of functions, which says no more than that its
    elements can be called."""
    containers = [each for each in held.values if isinstance(each, ContainerInstance)]
    file = ev.file_of_node(value.node)
    row = value.node - file.base
    assigned = file.cell(row, Symbol.VALUE)
    if file.cell(row, Symbol.TYPE) < 0 or assigned < 0:
        return NOTHING
    if not any(each.parts.element.values and is_of_held(file, each.parts.value) for each in containers):
        return NOTHING
    return weaken(ev.value_of(ev.expr(file, assigned)), Confidence.TYPE)


def _evaluate(ev: Evaluator, node: int, calls: Iterable[tuple[GraphFile, int, int, int]]) -> Meaning:
    result = NOTHING
    for file, place, given, deep in calls:
        if any(isinstance(value, Definition) and value.node == node for value in ev.expr(file, place).values):
            stored = ev.value_of(ev.expr(file, given))
            for _ in range(deep + 1 if stored.values else 0):
                stored = Meaning(Confidence.TYPE, (make_container(stored, stored, NOTHING),))
            result = join(result, weaken(stored, Confidence.TYPE))
    return result


def _find_stores(ev: Evaluator, file: GraphFile) -> Stores:
    """The calls in a file that put something into a container."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    methods = file.language.container_stores
    for of, method, listed in followed(file).calls_of_members:
        position = methods.get(file.names[method])
        given = ev.arguments(file, listed) if position is not None else []
        if position is not None and position < len(given) and given[position] >= 0:
            place, deep = _find_place(file, of)
            name = _name_of(file, place)
            if name and deep <= DEPTH_MAX:
                found.setdefault(name, []).append((place, given[position], deep))
    return found


def _find_place(file: GraphFile, expr: int) -> tuple[int, int]:
    """The place whose value an expression is, or is an element of, and how deep."""
    exprs, deep = file.exprs, 0
    while True:
        at = expr * EXPR_WIDTH
        if exprs[at] == _INDEX:
            expr = exprs[at + 1]
        elif exprs[at] == _CALL and exprs[exprs[at + 1] * EXPR_WIDTH] == _ATTR:
            callee = exprs[at + 1] * EXPR_WIDTH
            if file.language.container_methods.get(file.names[exprs[callee + 2]]) != "value":
                return expr, deep
            expr = exprs[callee + 1]
        else:
            return expr, deep
        deep += 1


def _name_of(file: GraphFile, expr: int) -> str:
    op, a, b = file.exprs[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
    if op == _ATTR:
        return file.names[b]
    return file.names[file.bindings[a * Binding.WIDTH + Binding.NAME]] if op == _NAME else ""
