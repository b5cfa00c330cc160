"""Who asks each recorded question, and which files others answer by asking them back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

from codemap.graph.model.edges import Ints
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.records import ASKED, ASKER, NODE, Records

FILES_LOOKED_THROUGH = 8
"""For so many files, to look through all questions takes less time than to sort them."""

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
    def _asks(self) -> Ints:
        return self._records.asks.rows()

    @cached_property
    def _by_question(self) -> tuple[Ints, Ints]:
        """The questions, ascending, and who asks each."""
        asks = self._asks
        order = np.argsort(asks[:, ASKED], kind="stable")
        return asks[order, ASKED], asks[order, ASKER]

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
        first, last = np.searchsorted(nodes, (file.base, file.base + file.symbol_count)).tolist()
        return np.sort(order[first:last])

    def _asker_numbers(self, question: int) -> list[int]:
        asked, askers = self._by_question
        first, last = np.searchsorted(asked, (question, question + 1)).tolist()
        return list(askers[first:last].tolist())

    def askers(self, question: int) -> list[Owner]:
        """Who asks a question."""
        return [self._files[asker].path if asker >= 0 else ~asker for asker in self._asker_numbers(question)]

    @cached_property
    def _owners(self) -> Ints:
        """Who answers what each pair asks, as askers are numbered."""
        nodes = self._records.cells[self._asks[:, ASKED], NODE]
        number = np.searchsorted(np.array(self._bases[: len(self._files)], np.int32), nodes, side="right") - 1
        found: Ints = np.where(nodes >= 0, number, ~self._asks[:, ASKED])
        return found

    @cached_property
    def _links(self) -> tuple[Ints, Ints]:
        """Who asks whom, each pair once."""
        pairs = np.unique(self._asks[:, ASKER].astype(np.int64) << 32 | self._owners.astype(np.int64) & 0xFFFFFFFF)
        return (pairs >> 32).astype(np.int32), pairs.astype(np.int32)

    def find_returning(self, file: IndexedFile, own: Collection[int]) -> list[int]:
        """The questions of a file that may be answered with what others learn by its `own` questions: those of owners
        who ask one of these, or ask somebody who does, and so on."""
        learning = {asker for question in own for asker in self._asker_numbers(question)} - {file.number}
        if not learning:
            return []
        askers, owners = self._links
        while more := set(askers[np.isin(owners, [*learning])].tolist()) - learning - {file.number}:
            learning |= more
        own = np.flatnonzero(self._asks[:, ASKER] == file.number)
        found: list[int] = self._asks[own[np.isin(self._owners[own], [*learning])], ASKED].tolist()
        return found
