"""What is put into the containers that attributes and variables hold: `self.hooks.append(f)`.

Rules of the file:
- Calls in the file that defines the attribute or variable count, and those in the other files that have its name, where
  these are few.
- What a place is assigned counts, too, where its stated type says no more of the elements than that they can be called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec

from codemap.facts import EXPR_WIDTH, Binding, Op, SourceKind, Symbol
from codemap.file_roles import Role
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.likelihood.called_values import says_only_callable
from codemap.graph.likelihood.flow_files import Store, followed, keep
from codemap.graph.model.edges import ARE_VARIABLES
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Definition,
    Meaning,
    Value,
    join,
    make_container,
    weaken,
)
from codemap.graph.words.word_files import files_with

_NAME, _VALUE = int(Op.NAME), int(SourceKind.VALUE)
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
        for each, stores in self._list_stores(ev, file, name):
            for place, given, deep in stores:
                if any(isinstance(value, Definition) and value.node == node for value in ev.expr(each, place).values):
                    result = join(result, _contain(ev, each, given, deep))
        return result

    def _list_stores(self, ev: Evaluator, file: GraphFile, name: str) -> Iterator[tuple[GraphFile, Sequence[Store]]]:
        """What is put under a name in the file that defines a place, and in the others that have the name, where these
        are few."""
        yield file, followed(file).stores.get(name, ())
        kept, key = _STORES.of(self._snapshot), (name, self._within)
        found = kept.get(key)
        if found is None:
            files = files_with(self._snapshot, name)
            find = partial(self._find_stores, ev, files, name)
            # not kept while the index of words is not made
            found = keep(kept, key, find) if len(files) < len(self._snapshot.files) else find()
        own = self._snapshot.by_path[file.path].number
        if len(found.numbers) - (own in found.numbers) <= FILES_MAX:
            yield from ((ev.files.numbered(number), stores) for number, stores in found.stores if number != own)

    def _find_stores(self, ev: Evaluator, files: Sequence[IndexedFile], name: str) -> _Stores:
        if self._within is not None:
            files = [file for file in files if role_of_file(file) is self._within]
        numbers = [file.number for file in files[: FILES_MAX + 2]]
        are_few = len(numbers) <= FILES_MAX + 1
        stores = ((number, followed(ev.files.numbered(number)).stores.get(name)) for number in numbers if are_few)
        return _Stores(tuple(numbers), tuple((number, listed) for number, listed in stores if listed))


class _Stores(msgspec.Struct, frozen=True):
    """What is put under a name."""

    numbers: tuple[int, ...]
    """Of the files that have it; of more than `FILES_MAX` and the one that defines the place, so many that it shows."""
    stores: tuple[tuple[int, Sequence[Store]], ...]
    """By file, where there are few."""


_STORES = Slot[dict[tuple[str, Role | None], _Stores]](lambda _: {}, rescore=reuse)
"""By name, and the role of the files that count."""


def _read_assigned(ev: Evaluator, value: Definition, held: Meaning) -> Meaning:
    """What a place is assigned whose stated type says no more than that it, or something in it, can be called."""
    file = ev.file_of_node(value.node)
    row = value.node - file.base
    if not ARE_VARIABLES[file.cell(row, Symbol.KIND)] or not held.values or not says_only_callable(file, held):
        return NOTHING
    result = NOTHING
    for assigned in _list_assigned(ev, file, row):
        result = join(result, weaken(ev.value_of(ev.expr(file, assigned)), Confidence.TYPE))
    return result


def _list_assigned(ev: Evaluator, file: GraphFile, row: int) -> Iterator[int]:
    """The expressions that a place is assigned in its file."""
    yield file.cell(row, Symbol.VALUE)
    binding = file.members.get(file.cell(row, Symbol.PARENT), {}).get(file.name_of(row))
    for kind, a, _ in ev.sources(file, binding) if binding is not None else ():
        if kind == _VALUE:
            yield a


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
