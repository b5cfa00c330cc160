"""The files of one state of the repository, as binding reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.graph_files import GraphFiles
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.resolve.rules import make_evaluator
from codemap.persistent import PersistentMap
from codemap.project import ModuleResolver


class State:
    def __init__(
        self,
        by_path: PersistentMap[str, IndexedFile],
        bases: Sequence[int],
        definitions: Definitions,
        resolvers: Mapping[str, ModuleResolver],
    ) -> None:
        """`bases` are the nodes of the files, in order; more may follow."""
        self.files = by_path.in_order
        self.by_path = by_path
        self.bases = bases
        self.definitions = definitions
        self._resolvers = resolvers

    @property
    def first_external(self) -> int:
        """The node after those of the files."""
        return self.files[-1].base + self.files[-1].symbol_count if self.files else 0

    @cached_property
    def evaluator(self) -> Evaluator:
        """Answers questions about this state, and remembers the answers."""
        return make_evaluator(GraphFiles(self.files, self.by_path, self.bases), self._resolvers, self.definitions)

    def resolver(self, lang: str) -> ModuleResolver | None:
        """None where the state has no file of a language."""
        return self._resolvers.get(lang)
