"""Who asks each recorded question, and which files others answer by asking them back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

from codemap.graph.model.edges import Ints, distinct, find_run
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.records import NODE, Records

FILES_LOOKED_THROUGH = 8
"""Files for which all questions are looked through: for more, it pays to sort them."""

LEVELS_MAX = 64
"""Of askers of askers: those of a longer chain are not looked up, since each level is a step of its own."""

Owner = str | int
"""Who asks: the path of a file, or the number of a question that is of no single file."""


class DependencyGraph:
    """The questions of one state as a graph of who depends on whom."""

    def __init__(self, records: Records, files: Sequence[IndexedFile], bases: Sequence[int]) -> None:
        """`bases` are the nodes of the files, in order; more may follow."""
        self._records = records
        self._files = files
        self._bases = bases
        self._looked_through = 0

    @cached_property
    def _askers(self) -> Ints:
        """Who asks, ascending, for each pair of who asks what."""
        asks = self._records.asks
        return np.repeat(asks.firsts, asks.counts)

    @property
    def _asked(self) -> Ints:
        """What each of those asks."""
        return self._records.asks.seconds

    @cached_property
    def _by_question(self) -> tuple[Ints, Ints]:
        """The questions, ascending, and who asks each."""
        order = np.argsort(self._asked, kind="stable")
        return self._asked[order], self._askers[order]

    @cached_property
    def _by_node(self) -> tuple[Ints, Ints]:
        """The questions in order of the nodes that they are about, and those."""
        order = np.argsort(self._records.cells[:, NODE], kind="stable").astype(np.int32)
        return order, self._records.cells[order, NODE]

    def owned_by(self, file: IndexedFile) -> Ints:
        """The questions about a file and its definitions, ascending."""
        if self._looked_through < FILES_LOOKED_THROUGH:
            self._looked_through += 1
            rows = self._records.cells[:, NODE] - np.int32(file.base)
            return np.flatnonzero(rows.view(np.uint32) < file.symbol_count).astype(np.int32)
        order, nodes = self._by_node
        return np.sort(order[find_run(nodes, file.base, file.base + file.symbol_count)])

    def _asker_numbers(self, question: int) -> list[int]:
        asked, askers = self._by_question
        return list(askers[find_run(asked, question, question + 1)].tolist())

    def askers(self, question: int) -> list[Owner]:
        """Who asks a question."""
        return [self._files[asker].path if asker >= 0 else ~asker for asker in self._asker_numbers(question)]

    @cached_property
    def _owners(self) -> Ints:
        """Who answers what each pair asks, as askers are numbered."""
        nodes = self._records.cells[self._asked, NODE]
        number = np.searchsorted(np.array(self._bases[: len(self._files)], np.int32), nodes, side="right") - 1
        found: Ints = np.where(nodes >= 0, number, ~self._asked)
        return found

    @cached_property
    def _links(self) -> tuple[Ints, Ints]:
        """The owners, ascending, and who asks each, each pair once."""
        pairs = distinct(self._owners.astype(np.int64) << 32 | self._askers.astype(np.int64) & 0xFFFFFFFF)
        return (pairs >> 32).astype(np.int32), pairs.astype(np.int32)

    def _find_askers(self, of: Ints) -> Ints:
        """Who asks any of some owners."""
        owners, askers = self._links
        first, end = (np.searchsorted(owners, of, side=side).astype(np.int32) for side in ("left", "right"))
        found: Ints = distinct(askers[expand_ranges(first, end - first)[0]])
        return found

    def find_returning(self, file: IndexedFile, own: Collection[int]) -> list[int]:
        """The questions of a file that may be answered with what others learn by its `own` questions: those of owners
        who ask one of these, or ask somebody who does, and so on. More, where that takes over `LEVELS_MAX` levels."""
        its = find_run(self._askers, file.number, file.number + 1)
        asked = set(self._owners[its].tolist()) - {file.number}
        more = {asker for question in own for asker in self._asker_numbers(question)} - {file.number}
        learning: set[int] = set()
        levels = 0
        while more and not asked <= learning:
            learning |= more if levels < LEVELS_MAX else asked
            more = set(self._find_askers(np.array([*more], np.int32)).tolist()) - learning - {file.number}
            levels += 1
        is_learning = np.isin(self._owners[its], np.array([*learning & asked], np.int32))
        found: list[int] = self._asked[its][is_learning].tolist()
        return found
