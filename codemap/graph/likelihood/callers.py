"""The calls of a function in a finished snapshot, with the arguments of each.

Rules of the file:
- The calls of a method are those of the methods that it overrides, too; those of a constructor are the calls of its
  class, and of the classes below it that have none.
- A method that a class has not is called on `self` in it where a class that extends it has that from another.
- Of a function with more callers than `CALLERS_MAX`, those of the first count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from codemap.facts import EXPR_WIDTH, Symbol
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.index.columns import columns_of
from codemap.graph.index.overrides import overrides
from codemap.graph.likelihood.flow_files import followed, keep
from codemap.graph.model.edges import EdgeKind, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS

CALLERS_MAX = 40
HEIRS_MAX = 40
_CALLS, _EXTENDS = int(EdgeKind.CALLS), int(EdgeKind.EXTENDS)


class Callers:
    """Those of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def list_callers(self, ev: Evaluator, file: GraphFile, function: int) -> tuple[tuple[int, int], ...]:
        """The numbers of the files and the callees' expressions of all calls of a function."""
        kept = _CALLERS.of(self._snapshot)
        return keep(kept, file.base + function, lambda: tuple(self._find_callers(ev, file, function)))

    def list_heirs(self, cls: int) -> tuple[int, ...]:
        """The classes below a class; none where there are many."""
        return keep(_HEIRS.of(self._snapshot), cls, lambda: tuple(self._find_heirs(cls)))

    def list_names(self, ev: Evaluator, file: GraphFile, function: int) -> list[int]:
        """The nodes by which a function is called."""
        node, owner = file.base + function, file.cell(function, Symbol.PARENT)
        if file.cell(owner, Symbol.KIND) not in CLASS_KINDS:
            return [node]
        if file.name_of(function) in file.language.constructors:
            return [node, *self._list_constructed(ev, file.base + owner)]
        above = overrides(self._snapshot, np.array([node], dtype=np.int32), downwards=False)[1]
        return [node, *above.tolist()]

    def _find_callers(self, ev: Evaluator, file: GraphFile, function: int) -> Iterator[tuple[int, int]]:
        table, numbers = self._snapshot.edges, columns_of(self._snapshot).file
        for target in self.list_names(ev, file, function):
            rows = table.arriving(target)
            rows = rows[table.kind[rows] == _CALLS][:CALLERS_MAX]
            columns = table.source[rows], table.first[rows], table.count[rows]
            for source, first, count in zip(*(column.tolist() for column in columns), strict=True):
                caller = followed(ev.file_of_node(source))
                sites = {(line, col) for line, col in table.sites[first : first + count].tolist()}
                number = int(numbers[source])
                yield from ((number, expr) for expr in caller.find_callees_at(source - caller.base, sites))
        if file.cell(file.cell(function, Symbol.PARENT), Symbol.KIND) in CLASS_KINDS:
            yield from self._find_calls_of_mixins(ev, file, function)

    def _find_calls_of_mixins(self, ev: Evaluator, file: GraphFile, method: int) -> Iterator[tuple[int, int]]:
        """The calls on `self` in classes that only a class which extends both them and its own gives a method to."""
        snapshot, cls = self._snapshot, file.base + file.cell(method, Symbol.PARENT)
        number = snapshot.unresolved_names.get(file.name_of(method))
        if number is None:
            return
        table, numbers = snapshot.unresolved, columns_of(snapshot).file
        rows = table.by_name[table.name_start[number] : table.name_start[number + 1]]
        having = {cls, *self.list_heirs(cls)}
        for row in rows[table.kind[rows] == _CALLS][:CALLERS_MAX].tolist():
            use = snapshot.unresolved_use(row)
            caller = followed(ev.file_of_node(use.source))
            for expr in caller.find_callees_at(use.source - caller.base, set(snapshot.sites(use))):
                mixin = caller.find_self_class(caller.exprs[expr * EXPR_WIDTH + 1])
                if mixin >= 0 and not having.isdisjoint(self.list_heirs(caller.base + mixin)):
                    yield int(numbers[use.source]), expr

    def _find_heirs(self, cls: int) -> list[int]:
        table, found = self._snapshot.edges, [cls]
        for above in found:
            rows = table.arriving(above)
            heirs = table.source[rows[table.kind[rows] == _EXTENDS]]
            if len(heirs) > HEIRS_MAX and len(distinct(heirs)) > HEIRS_MAX:
                return []
            found += (heir for heir in heirs.tolist() if heir not in found)
            if len(found) > HEIRS_MAX:
                return []
        return found[1:]

    def _list_constructed(self, ev: Evaluator, cls: int) -> list[int]:
        """A class and those below it that have no constructor of their own."""
        snapshot, table = self._snapshot, self._snapshot.edges
        found = [cls]
        for one in found:
            rows = table.arriving(one)
            for heir in table.source[rows[table.kind[rows] == _EXTENDS]].tolist():
                constructors = ev.file_of_node(heir).language.constructors
                names = {snapshot.name_of(child) for child in columns_of(snapshot).children_of(heir).tolist()}
                if heir not in found and names.isdisjoint(constructors) and len(found) < CALLERS_MAX:
                    found.append(heir)
        return found


_CALLERS = Slot[dict[int, tuple[tuple[int, int], ...]]](lambda _: {}, rescore=reuse)
"""Function -> the numbers of files and the callees' expressions of all its calls."""
_HEIRS = Slot[dict[int, tuple[int, ...]]](lambda _: {}, rescore=reuse)
"""Class -> those below it."""
