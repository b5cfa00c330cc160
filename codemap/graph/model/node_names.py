"""The bare names of all nodes of files, each distinct name stored once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np

from codemap.graph.model.edges import Ints, starts
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.renumbering import KeptRun
from codemap.occurrences.words import MARKED

MANY = 64
"""Changed files whose names are looked up as quickly one by one as in a table of all."""


FILES_A_STEP = 500
"""Files whose names are read in one step: some milliseconds."""


class NodeNames(msgspec.Struct, frozen=True, dict=True):
    names: Sequence[str]
    """Distinct, ordered as in lower case, and those that are the same there by themselves."""
    of_node: Ints
    """Of each node, external packages excluded: its place in `names`."""

    def install(self, nodes: Ints, start: Ints) -> None:
        """Gives it what was derived from it before."""
        vars(self).update(nodes=nodes, start=start)

    @cached_property
    def nodes(self) -> Ints:
        """All nodes in order of name, then by themselves."""
        return np.argsort(self.of_node, kind="stable").astype(np.int32)

    @cached_property
    def start(self) -> Ints:
        """Element n: where the nodes of name n begin in `nodes`; one longer than there are names."""
        return starts(self.of_node[self.nodes], len(self.names))

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What marks a variable (`$name`, `@name`) at the beginning of any name; nothing among them."""
        return ("", *filter(self._has_from, MARKED))

    def _has_from(self, beginning: str) -> bool:
        first = bisect_left(self.names, _order(beginning), key=_order)
        return first < len(self.names) and self.names[first].startswith(beginning)

    def name_of(self, node: int) -> str:
        """Of a node that is not external, without a look at the facts of its file, which may not be read yet."""
        return self.names[int(self.of_node[node])]

    def named(self, name: str) -> Ints:
        """The nodes of that exact name, in order."""
        place = self.place(name)
        return self.nodes[:0] if place is None else self.nodes[self.start[place] : self.start[place + 1]]

    def namesakes(self, node: int) -> Ints:
        """The nodes of the name of one that is not external, itself among them, in order."""
        place = self.of_node[node]
        return self.nodes[self.start[place] : self.start[place + 1]]

    def place(self, name: str) -> int | None:
        """Of a name in `names`; None where no node has it."""
        names, lower = self.names, name.lower()
        place = bisect_left(names, lower, key=str.lower)
        while place < len(names) and (found := names[place]).lower() == lower:
            if found == name:
                return place
            place += 1
        return None


class Renamed(NamedTuple):
    """Names after an edit."""

    found: NodeNames
    order: Sequence[int]
    """Of each name, its place before; of those that are new, one beyond all of these."""
    number: Ints
    """Of each name before, its place now; -1 where no node has it any more."""
    added: Sequence[int]
    """Places of those that are new."""


def node_names(files: Sequence[IndexedFile]) -> Generator[None, None, NodeNames]:
    """The names of symbols, and the base names of files, in steps. About half a microsecond a symbol."""
    name_of_node: list[str] = []
    for first in range(0, len(files), FILES_A_STEP):
        name_of_node += [name for file in files[first : first + FILES_A_STEP] for name in _names_of(file)]
        yield
    names = sorted(set(name_of_node))
    yield
    names.sort(key=str.lower)
    yield
    number = {name: place for place, name in enumerate(names)}
    of_node = np.fromiter(map(number.__getitem__, name_of_node), np.int32, count=len(name_of_node))
    return NodeNames(names, of_node)


def node_names_after(
    before: NodeNames, files: Sequence[IndexedFile], runs: Iterable[KeptRun | int]
) -> Generator[None, None, Renamed]:
    """The same after an edit, in steps; `runs` are those of `renumbering.split_runs`. Cost: the changed files, and few
    passes over columns."""
    known = len(before.names)
    added: dict[str, int] = {}
    runs = list(runs)
    are_many = sum(not isinstance(run, KeptRun) for run in runs) > MANY
    table = {name: place for place, name in enumerate(before.names)} if are_many else None
    pieces: list[Ints] = []
    for count, run in enumerate(runs):
        if count % MANY == MANY - 1:
            yield
        if isinstance(run, KeptRun):
            pieces.append(before.of_node[run.nodes])
        else:
            places = [
                (name, before.place(name) if table is None else table.get(name)) for name in _names_of(files[run])
            ]
            its = [added.setdefault(name, known + len(added)) if place is None else place for name, place in places]
            pieces.append(np.array(its, dtype=np.int32))
    if are_many:
        yield
    of_node = np.concatenate(pieces)
    is_used = np.bincount(of_node, minlength=known + len(added)) > 0
    if not added and is_used.all():
        return Renamed(NodeNames(before.names, of_node), range(known), np.arange(known, dtype=np.int32), ())
    new = sorted(added, key=_order)
    order = np.flatnonzero(is_used[:known])
    before_which = [bisect_left(before.names, _order(name), key=_order) for name in new]
    order = np.insert(order, np.searchsorted(order, before_which), [added[name] for name in new])
    if are_many:
        yield
    number = np.full(len(is_used), -1, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    all_names, ordered = [*before.names, *added], order.tolist()
    names = list(map(all_names.__getitem__, ordered))
    places_added = [int(number[added[name]]) for name in new]
    return Renamed(NodeNames(names, number[of_node]), ordered, number[:known], places_added)


def _order(name: str) -> tuple[str, str]:
    return name.lower(), name


def _names_of(file: IndexedFile) -> Iterator[str]:
    """In node order."""
    yield file.path.rpartition("/")[2]
    yield from file.symbol_names
