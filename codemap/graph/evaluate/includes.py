"""The files that a file includes, transitively, and the definitions that are visible to it for that reason.

A name is looked up among the definitions of that name, not in the files one after the other: what is included is found
once for a file, and the lists of the files that were asked last are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from codemap.facts import Import
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.evaluate.graph_files import GraphFiles
from codemap.graph.model.places import Place
from codemap.project import Missing, Module, ModuleResolver, Resolution

_KEPT_MAX = 64
"""A list is a few thousand numbers, and the files that are bound one after the other ask for few others'."""


class Includes:
    """What the files of one state include."""

    def __init__(self, files: GraphFiles, resolvers: Mapping[str, ModuleResolver]) -> None:
        self._files = files
        self._resolvers = resolvers
        self._direct: dict[int, tuple[int, ...]] = {}
        self._reached: dict[int, set[int]] = {}
        self._perhaps: dict[int, set[int]] = {}

    def seen(self, file: GraphFile, places: Sequence[Place]) -> list[Place]:
        """Those of the definitions that a file includes."""
        if not places:
            return []
        reached = self._reach(self._files.number_of(file))
        return [place for place in places if place[0] in reached]

    def perhaps_seen(self, file: GraphFile, places: Sequence[Place]) -> list[Place]:
        """Those that a file may include: it includes one of several files, and only a build says which."""
        if not places:
            return []
        reached = self._reach_perhaps(self._files.number_of(file))
        return [place for place in places if place[0] in reached]

    def has(self, number: int, included: int) -> bool:
        """Whether a file includes another, both by number."""
        return included in self._reach(number)

    def _reach(self, number: int) -> set[int]:
        known = self._reached.get(number)
        if known is not None:
            return known
        reached, todo = {number}, [number]
        while todo:
            fresh = [each for each in self._included(todo.pop()) if each not in reached]
            reached.update(fresh)
            todo += fresh
        _keep(self._reached, number, reached)
        return reached

    def _reach_perhaps(self, number: int) -> set[int]:
        known = self._perhaps.get(number)
        if known is None:
            known = set()
            for included in self._reach(number):
                file = self._files.numbered(included)
                perhaps = (module.perhaps for module in self._resolve(file) if isinstance(module, Missing))
                for path in sorted({path for paths in perhaps for path in paths}):
                    known |= self._reach(self._files.number_of(self._files[path]))
            _keep(self._perhaps, number, known)
        return known

    def _included(self, number: int) -> tuple[int, ...]:
        known = self._direct.get(number)
        if known is None:
            found: dict[int, None] = {}
            for module in self._resolve(self._files.numbered(number)):
                target = self._files.get(module.file) if isinstance(module, Module) else None
                if target is not None:
                    found[self._files.number_of(target)] = None
            known = self._direct[number] = tuple(found)
        return known

    def _resolve(self, file: GraphFile) -> Iterator[Resolution]:
        resolve = self._resolvers[file.language.name].resolve
        for at in range(0, len(file.imports), Import.WIDTH):
            yield resolve(file.names[file.imports[at + Import.SPECIFIER]], file.path)


def _keep(lists: dict[int, set[int]], number: int, reached: set[int]) -> None:
    if len(lists) >= _KEPT_MAX:
        del lists[next(iter(lists))]
    lists[number] = reached
