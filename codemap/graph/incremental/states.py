"""The files before an edit and after it, as the search for what it affects reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from codemap.facts import Import, ImportFlag, Symbol, rows
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile, GraphFiles
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.indexed import IndexedFile
from codemap.graph.model.surface import Path, Star, path_of
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.resolve import import_resolution
from codemap.graph.resolve.rules import make_evaluator
from codemap.languages.project import Module, ModuleResolver, Resolution
from codemap.persistent import PersistentMap

SEVERAL = frozenset({""})
"""In place of the files of a module that has several."""


class State:
    """One of the two."""

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
        self._classes: dict[str, dict[Path, int]] = {}

    @cached_property
    def evaluator(self) -> Evaluator:
        """Answers questions about this state, and remembers the answers."""
        return make_evaluator(GraphFiles(self.files, self.by_path, self.bases), self._resolvers, self.definitions)

    def resolve(self, file: IndexedFile, specifier: str) -> Resolution | None:
        """The module that a specifier means in a file; None where the state has no file of its language."""
        resolver = self._resolvers.get(file.lang)
        return None if resolver is None else resolver.resolve(specifier, file.path)

    def file_meant(self, file: IndexedFile, specifier: str) -> IndexedFile | None:
        """The file that a specifier means in a file, the first of several."""
        return next(iter(self._files_meant(file, specifier)), None)

    def _files_meant(self, file: IndexedFile, specifier: str) -> list[IndexedFile]:
        module = self.resolve(file, specifier)
        if not isinstance(module, Module) or module.file is None:
            return []
        paths = [module.file, *(path for path in module.files if path != module.file)]
        return [self.by_path[path] for path in paths if path in self.by_path]

    def _on_paths(self, file: IndexedFile) -> list[IndexedFile]:
        """The files that hold what a file's star imports ask by paths."""
        graph_file = self.evaluator.files[file.path]
        found: list[str | None] = []
        for row in path_stars(graph_file):
            meant = import_resolution.evaluate_path(self.evaluator, graph_file, row)
            for value in meant.values if meant is not None else ():
                if isinstance(value.a, Module):
                    found += [value.a.file, *value.a.files]
                elif isinstance(value.a, int):
                    found.append(self.evaluator.file_of_node(value.a).path)
        return [self.by_path[path] for path in dict.fromkeys(found) if path is not None and path in self.by_path]

    def node_of_class(self, path: str, names: Path) -> int | None:
        """The node of a class by the path of its file and its own in it."""
        if path not in self.by_path:
            return None
        found = self._classes.get(path)
        if found is None:
            file = self.evaluator.files[path]
            found = self._classes[path] = {_path(file, row): file.base + row for row in class_rows(file)}
        return found.get(names)

    def offered(self, file: IndexedFile, stars: Iterable[Star]) -> set[str]:
        """Every name that some modules, as a file asks for them, may offer, through their own stars too."""
        names: set[str] = set()
        todo = [(file, star) for star in stars]
        seen: set[str] = set()
        while todo:
            importer, (specifier, path) = todo.pop()
            for module in self._files_meant(importer, specifier) if path is None else self._on_paths(importer):
                if module.path not in seen:
                    seen.add(module.path)
                    names |= module.surface.shown.keys()
                    todo += [(module, star) for star in module.surface.stars]
        return names


def class_rows(file: GraphFile) -> Iterator[int]:
    """Symbol rows of the classes of a file."""
    for row in range(1, file.symbol_count):
        if file.cell(row, Symbol.KIND) in CLASS_KINDS:
            yield row


def path_stars(file: GraphFile) -> list[int]:
    """Rows of the imports that ask for everything of what a path means."""
    cells = file.imports
    starts = range(0, len(cells), Import.WIDTH)
    stars = [at for at in starts if cells[at + Import.IMPORTED] == Import.STAR and cells[at + Import.PATH] >= 0]
    return [at // Import.WIDTH for at in stars]


def specifiers_of(file: IndexedFile) -> dict[str, bool]:
    """Specifier of an import -> whether every exported name is asked for; without the star imports of no statement."""
    cells, names = rows(file.facts.imports), file.facts.names
    found: dict[str, bool] = {}
    for at in range(0, len(cells), Import.WIDTH):
        is_star = cells[at + Import.IMPORTED] == Import.STAR
        if is_star and cells[at + Import.FLAGS] & ImportFlag.IMPLICIT:
            continue
        specifier = names[cells[at + Import.SPECIFIER]]
        found[specifier] = found.get(specifier, False) or is_star
    return found


def apart_from_files(resolution: Resolution | None) -> Resolution | None:
    """A resolution but for which files the module has besides the first: an import leads to those that it uses."""
    if isinstance(resolution, Module) and resolution.files:
        return msgspec.structs.replace(resolution, files=SEVERAL)
    return resolution


def _path(file: GraphFile, row: int) -> Path:
    return path_of(file.names, file.symbols, row)
