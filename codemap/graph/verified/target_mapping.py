"""Maps the places that a language server gives to definitions of the map, or to packages outside.

Rules of the file:
- Only contents that are indexed count, as they were when the server looked: whoever asks makes sure of it.
- A file outside the repository that is a copy of one inside (a package that is also installed) says nothing.
- A class stands for its constructor, unless the constructor itself is named.
"""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile, W
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.verified.confirmations import Confirmation, Inside, Meant, Outside, Unmapped
from codemap.graph.verified.unverified_sites import Site
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.live_queries import Place


class TargetMap:
    """Maps places to the definitions of one snapshot, and caches the results."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._by_place: dict[str, dict[tuple[int, int], int]] = {}
        self._by_line: dict[str, dict[int, list[int]]] = {}
        self._outside: dict[tuple[str, str], Meant] = {}
        self._tails: dict[str, list[str]] | None = None

    def confirmation(self, site: Site, places: Sequence[Place]) -> Confirmation:
        """The confirmation of a use whose definition a server places here.

        The use itself among them is nothing said.
        """
        meant: dict[Meant, None] = {}
        for place in places:
            if place.file != site.path or (place.line, place.col) != (site.line, site.col):
                meant[self._find_meant(site, place)] = None
        return Confirmation(site.line, site.col, site.owner, site.kind, tuple(meant))

    def _find_meant(self, site: Site, place: Place) -> Meant:
        file = None if place.is_external else self._snapshot.by_path.get(place.file)
        asking = self._snapshot.by_path.get(site.path)
        assert asking is not None, "a site is of the snapshot"
        if file is None:
            known = self._outside.get((asking.lang, place.file))
            if known is None:
                known = self._outside_of(by_name()[asking.lang], place)
                self._outside[asking.lang, place.file] = known
            return known
        row = self._find_row(file, place)
        if row is None:
            return Unmapped()
        if not site.is_constructor and file.name_of(row) in by_name()[file.lang].constructors:
            parent = file.symbols[row * W + Symbol.PARENT]
            if file.symbols[parent * W + Symbol.KIND] in CLASS_KINDS:
                row = parent
        return Inside(file.path, file.stamp.digest, row)

    def _find_row(self, file: IndexedFile, place: Place) -> int | None:
        """The definition whose name is there, or the only one whose name is in a place that is wider."""
        rows = self._by_place.get(file.path)
        if rows is None:
            lines, cols = file.symbols[Symbol.LINE :: W].tolist(), file.symbols[Symbol.COL :: W].tolist()
            rows = self._by_place[file.path] = {}
            by_line = self._by_line[file.path] = {}
            for row in range(1, len(lines)):
                rows.setdefault((lines[row], cols[row]), row)
                by_line.setdefault(lines[row], []).append(row)
        exact = rows.get((place.line, place.col))
        if exact is not None:
            return exact
        starts = file.symbols[Symbol.START_LINE :: W]
        first, last = (place.line, place.col), (place.end_line, place.end_col)
        inside = [
            row
            for line in self._by_line[file.path]
            if place.line <= line <= place.end_line
            for row in self._by_line[file.path][line]
            if first <= (line, file.symbols[row * W + Symbol.COL]) < last and starts[row] == place.line
        ]
        outermost = [row for row in inside if file.symbols[row * W + Symbol.PARENT] not in inside]
        return outermost[0] if len(outermost) == 1 else None

    def _outside_of(self, language: Language, place: Place) -> Meant:
        """A place in a file that the map does not have."""
        package = language.packaging.package_of(place.file) if language.packaging.package_of is not None else ""
        if not package:
            return Outside("") if place.is_external else Unmapped()
        tail = place.file[place.file.rindex(f"/{package}") + 1 :] if f"/{package}" in place.file else ""
        return Unmapped() if tail and self._is_copied(tail) else Outside(package)

    def _is_copied(self, tail: str) -> bool:
        """Whether the repository has a file whose path ends so."""
        if self._tails is None:
            self._tails = {}
            for file in self._snapshot.files:
                self._tails.setdefault(file.path.rpartition("/")[2], []).append(file.path)
        return any(path == tail or path.endswith(f"/{tail}") for path in self._tails.get(tail.rpartition("/")[2], ()))
