"""The names that instances of a class have, inherited ones included."""

from __future__ import annotations

import msgspec

from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.likelihood.name_likeness import words_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot

CLASSES_MAX = 64
"""Classes above a class that are looked at."""
_INHERITED = (int(EdgeKind.EXTENDS), int(EdgeKind.IMPLEMENTS))


class ClassNames(msgspec.Struct, frozen=True):
    name: str
    """Its own."""
    spelled: str
    """See `ClassesNames.spell`."""
    names: frozenset[int]
    """Places in the node names of the snapshot."""
    above: frozenset[int]
    """The classes that it inherits from, in the repository, and itself."""
    is_open: bool
    """Whether it may have more: a base lies outside, or is not known."""


class ClassesNames:
    """The same of all classes of a snapshot, remembered for one question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._columns = columns_of(snapshot)
        self._known: dict[int, ClassNames] = {}
        self._spelled: dict[int, str] = {}

    def of(self, cls: int) -> ClassNames:
        found = self._known.get(cls)
        if found is None:
            found = self._known[cls] = self._of(cls)
        return found

    def spell(self, cls: int) -> str:
        """The words of the name of a class, in lower case and run together."""
        names = self._snapshot.node_names
        name = int(names.of_node[cls])
        found = self._spelled.get(name)
        if found is None:
            found = self._spelled[name] = "".join(words_of(names.names[name]))
        return found

    def _of(self, cls: int) -> ClassNames:
        table, columns, snapshot = self._snapshot.edges, self._columns, self._snapshot
        of_node = snapshot.node_names.of_node
        seen, waiting, names, is_open = {cls}, [cls], set[int](), False
        while waiting:
            one = waiting.pop()
            names.update(of_node[columns.children_of(one)].tolist())
            start, end = int(table.out_start[one]), int(table.out_start[one + 1])
            kinds, targets = table.kind[start:end].tolist(), table.target[start:end].tolist()
            for kind, base in zip(kinds, targets, strict=True):
                if kind not in _INHERITED:
                    continue
                if base >= snapshot.first_external or not ARE_TYPES[columns.kind[base]] or len(seen) > CLASSES_MAX:
                    is_open = True
                elif base not in seen:
                    seen.add(base)
                    waiting.append(base)
        return ClassNames(snapshot.name_of(cls), self.spell(cls), frozenset(names), frozenset(seen), is_open)
