"""All files of a graph, each with its views made when it is first asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.indexed_file import IndexedFile


class GraphFiles:
    """The files of a build by path and by node, each made when it is first needed."""

    def __init__(self, files: Sequence[IndexedFile], by_path: Mapping[str, IndexedFile], bases: Sequence[int]) -> None:
        """`bases` are the nodes of the files, in order; more may follow."""
        self._files = files
        self._by_path = by_path
        self._bases = bases
        self._made: dict[int, GraphFile] = {}
        self._of_node: dict[int, GraphFile] = {}
        self._of_path: dict[str | None, GraphFile] = {}

    def __getitem__(self, path: str) -> GraphFile:
        return self.numbered(self._by_path[path].number)

    def get(self, path: str | None) -> GraphFile | None:
        known = self._of_path.get(path)
        if known is None and path is not None and (file := self._by_path.get(path)) is not None:
            known = self._of_path[path] = self.numbered(file.number)
        return known

    def of_node(self, node: int) -> GraphFile:
        known = self._of_node.get(node)
        if known is None:
            number = bisect_right(self._bases, node, hi=len(self._files)) - 1
            known = self._of_node[node] = self.numbered(number)
        return known

    def __contains__(self, path: object) -> bool:
        return path in self._by_path

    def made(self) -> list[GraphFile]:
        """Those that something was asked of."""
        return list(self._made.values())

    def number_of(self, file: GraphFile) -> int:
        """Its place among all files."""
        return self._by_path[file.path].number

    def numbered(self, number: int) -> GraphFile:
        made = self._made.get(number)
        if made is None:
            made = self._made[number] = self._make(self._files[number])
        return made

    def _make(self, file: IndexedFile) -> GraphFile:
        return GraphFile.of(file, file.base)
