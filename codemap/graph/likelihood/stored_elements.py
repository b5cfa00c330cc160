"""What is put into the containers that attributes and variables hold: `self.hooks.append(f)`.

Rules of the file:
- Calls in the file that defines the attribute or variable count, and those in the other files that have its name, where
  these are few.
- What a place is assigned counts, too, where its stated type says no more of the elements than that they can be called.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from codemap.facts import EXPR_WIDTH, Binding, Op, Symbol
from codemap.file_roles import Role
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.likelihood.flow_files import followed
from codemap.graph.model.edges import ARE_VARIABLES
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

_NAME = int(Op.NAME)
FILES_MAX = 20
"""Files with the name of a place that are looked through; where more have it, the one that defines it is."""


class StoredElements:
    """What is put into containers, of one snapshot, for one question."""

    def __init__(self, snapshot: Snapshot, within: Role | None = None) -> None:
        """Files of the role `within` count, or all."""
        self._snapshot = snapshot
        self._within = within

    def find(self, ev: Evaluator, value: Value, held: Meaning) -> Meaning:
        """The containers of what is put into the one that an attribute or variable holds, by its type `held`."""
        if not isinstance(value, Definition):
            return NOTHING
        return join(_read_assigned(ev, value, held), self._find_put(ev, value))

    def _find_put(self, ev: Evaluator, value: Definition) -> Meaning:
        if not ARE_VARIABLES[ev.kind_of_node(value.node)]:
            return NOTHING
        file = ev.file_of_node(value.node)
        return ev.ask(file, ("stored", value.node), partial(self._evaluate, ev, file, value.node))

    def _evaluate(self, ev: Evaluator, file: GraphFile, node: int) -> Meaning:
        name = file.name_of(node - file.base)
        result = NOTHING
        for each in self._list_files(ev, file, name):
            for place, given, deep in followed(each).stores.get(name, ()):
                if any(isinstance(value, Definition) and value.node == node for value in ev.expr(each, place).values):
                    result = join(result, _contain(ev, each, given, deep))
        return result

    def _list_files(self, ev: Evaluator, file: GraphFile, name: str) -> list[GraphFile]:
        """The file that defines a place, and the others that have its name, where these are few."""
        near = [
            each.number
            for each in files_with(self._snapshot, name)
            if each.path != file.path and (self._within is None or role_of_file(each) is self._within)
        ]
        return [file, *(ev.files.numbered(number) for number in near if len(near) <= FILES_MAX)]


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


def list_local_stores(file: GraphFile, binding: int) -> list[tuple[int, int]]:
    """What is put into the container that a local variable holds, and how deep."""
    name = file.names[file.bindings[binding * Binding.WIDTH + Binding.NAME]]
    exprs = file.exprs
    return [
        (given, deep)
        for place, given, deep in followed(file).stores.get(name, ())
        if exprs[place * EXPR_WIDTH] == _NAME and exprs[place * EXPR_WIDTH + 1] == binding
    ]


def read_local_stores(ev: Evaluator, file: GraphFile, stores: Iterable[tuple[int, int]]) -> Meaning:
    """The containers of that."""
    result = NOTHING
    for given, deep in stores:
        result = join(result, _contain(ev, file, given, deep))
    return result


def _contain(ev: Evaluator, file: GraphFile, given: int, deep: int) -> Meaning:
    stored = ev.value_of(ev.expr(file, given))
    for _ in range(deep + 1 if stored.values else 0):
        stored = Meaning(Confidence.TYPE, (make_container(stored, stored, NOTHING),))
    return weaken(stored, Confidence.TYPE)
