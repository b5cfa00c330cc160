"""Finds what code outside of a repository may use: the public definitions and files of its packages."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.model.edges import INHERITANCE, EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.languages.liveness import Publicity, is_found, is_name
from codemap.languages.manifest import Package
from codemap.unused.reading import Read

_EXPORTED = int(SymbolFlag.EXPORTED)
_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_LIBRARY = "library"


class Public:
    """What others may use."""

    def __init__(self, snapshot: Snapshot, packages: Sequence[Package], read: Mapping[int, Read]) -> None:
        self._snapshot = snapshot
        self._names = snapshot.node_names
        self._read = read
        self._packages = packages
        self._libraries: dict[tuple[str, str], bool] = {}
        self._opened = set(_passed_on(snapshot, read))
        entries = [entry.file for package in packages for entry in package.entries if entry.kind == _LIBRARY]
        entries += [path for package in packages for path in package.offered]
        self._entries = {snapshot.by_path[path].number for path in entries if path in snapshot.by_path}

    def nodes(self) -> Generator[None, None, list[int]]:
        """The definitions, in node order; found a file at a time."""
        found = set[int]()
        for file in self._snapshot.files:
            found.update(self._exported(file))
            yield
        return sorted(found.union(self._offered()))

    def is_library(self, file: IndexedFile) -> bool:
        """Whether code outside of the repository may use what is in a file."""
        liveness = by_name()[file.lang].liveness
        key = (file.lang, file.path.rpartition("/")[0])
        found = self._libraries.get(key)
        if found is None:
            around = self._around(file)
            found = bool(around) or not liveness.needs_package
            if liveness.library_roots:
                found = found and _has_root(self._snapshot, file, liveness.library_roots)
            if liveness.publicity is Publicity.ENTRIES:
                found = any(_is_offered(one) or not self._is_unpublished(one, liveness.unpublished) for one in around)
            self._libraries[key] = found
        return found and liveness.program_packages.isdisjoint(file.packages)

    def has_file(self, file: IndexedFile) -> bool:
        """Whether others may import a file by its path."""
        liveness = by_name()[file.lang].liveness
        if role_of_file(file) is not Role.PRODUCT or not self.is_library(file):
            return False
        if liveness.publicity is Publicity.ENTRIES and self._has_entry(file):
            return file.number in self._entries
        return not is_found(liveness.private_paths, file.path) or file.number in self._opened

    def is_private(self, node: int, name: str, language: Language) -> bool:
        """Whether nobody outside uses a member of a type, whatever the type is."""
        liveness = language.liveness
        if is_name(liveness.private_names, name):
            return True
        if liveness.publicity is Publicity.EXPORTED:
            return not self._snapshot.cell(node, Symbol.FLAGS) & _EXPORTED
        signature = self._snapshot.text_of(node, Symbol.SIGNATURE)
        return bool(liveness.private_signatures) and is_found(liveness.private_signatures, signature)

    def _has_entry(self, file: IndexedFile) -> bool:
        """Whether a package around a file says what importing it means."""
        return any(map(_is_offered, self._around(file)))

    def _around(self, file: IndexedFile) -> list[Package]:
        return [one for one in self._packages if not one.folder or file.path.startswith(f"{one.folder}/")]

    def _is_unpublished(self, package: Package, pattern: str) -> bool:
        text = self._snapshot.configs.get(package.manifest, b"").decode("utf-8", "replace")
        return is_found(pattern, text)

    def _exported(self, file: IndexedFile) -> Iterator[int]:
        """Exported definitions of a file that others import, of exported owners."""
        language = by_name()[file.lang]
        by_entries = language.liveness.publicity is Publicity.ENTRIES and self._has_entry(file)
        if by_entries or not self.has_file(file):
            return
        columns = columns_of(self._snapshot)
        end = file.base + file.symbol_count
        flags = (columns.flags[file.base : end] & _EXPORTED != 0).tolist()
        owners, kinds = columns.parent[file.base : end].tolist(), columns.kind[file.base : end].tolist()
        listed = self._read[file.number].listed
        is_open = {file.base}
        for row, owner in enumerate(owners):
            node = file.base + row
            if owner not in is_open or kinds[owner - file.base] in _FUNCTIONS:
                continue
            if flags[row] or (owner == file.base and self._names.name_of(node) in listed):
                is_open.add(node)
                yield node

    def _offered(self) -> Iterator[int]:
        """What entry files export, with the members that others see, and their bases."""
        snapshot, columns = self._snapshot, columns_of(self._snapshot)
        waiting = [snapshot.files[number].base for number in sorted(self._entries)]
        waiting = [base for base in waiting if self._is_by_entries(base)]
        seen = set(waiting)

        def meet(node: int) -> None:
            if node not in seen and not snapshot.is_external(node):
                seen.add(node)
                waiting.append(node)

        while waiting:
            node = waiting.pop()
            file, row = snapshot.row_of(node)
            language = by_name()[file.lang]
            if row:
                yield node
                for child in columns.children_of(node).tolist():
                    name = self._names.name_of(child)
                    if ARE_TYPES[columns.kind[node]] and not self.is_private(child, name, language):
                        meet(child)
                for edge in snapshot.edges_out(node, INHERITANCE):
                    meet(edge.target)
                continue
            known = self._read[file.number]
            for child in columns.children_of(node).tolist():
                if columns.flags[child] & _EXPORTED:
                    meet(child)
            for edge in snapshot.edges_out(node, (EdgeKind.EXPORTS, EdgeKind.REFERENCES, EdgeKind.IMPORTS)):
                is_file = not snapshot.is_external(edge.target) and snapshot.is_file(edge.target)
                places = known.starred if edge.kind is EdgeKind.IMPORTS and is_file else known.exported
                if edge.kind is EdgeKind.EXPORTS or not places.isdisjoint(snapshot.sites(edge)):
                    meet(edge.target)  # `export {a} from "./a"` imports the file at the same place as the name

    def _is_by_entries(self, base: int) -> bool:
        file = self._snapshot.row_of(base)[0]
        return by_name()[file.lang].liveness.publicity is Publicity.ENTRIES


def _is_offered(package: Package) -> bool:
    return bool(package.offered) or any(entry.kind == _LIBRARY and entry.file for entry in package.entries)


def _has_root(snapshot: Snapshot, file: IndexedFile, names: frozenset[str]) -> bool:
    """Whether a folder above a file has one of the files that make it a library."""
    folder = file.path.rpartition("/")[0]
    while True:
        before = f"{folder}/" if folder else ""
        if any(f"{before}{name}" in snapshot.by_path for name in names):
            return True
        if not folder:
            return False
        folder = folder.rpartition("/")[0]


def _passed_on(snapshot: Snapshot, read: Mapping[int, Read]) -> Iterator[int]:
    """Numbers of the files of which another brings, or passes on, all names."""
    columns = columns_of(snapshot)
    for number, known in read.items():
        if known.starred:
            for edge in snapshot.edges_out(snapshot.files[number].base, (EdgeKind.IMPORTS, EdgeKind.EXPORTS)):
                if not snapshot.is_external(edge.target) and not known.starred.isdisjoint(snapshot.sites(edge)):
                    yield int(columns.file[edge.target])
