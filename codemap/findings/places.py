"""Where in the map a finding is: the file that its URI means, and the innermost definition around its line.

A report may have been written on another machine, so that an absolute path is of another folder: then the file is the
only one in the map whose path ends so, and that is said.
"""

from __future__ import annotations

import posixpath
from functools import cache

import msgspec

from codemap.findings.finding import Finding
from codemap.findings.sarif import path_of
from codemap.graph.model.snapshot import Snapshot

SUFFIX_PARTS_MIN = 2
"""A base name alone is no place."""


class Spot(msgspec.Struct, frozen=True):
    """A finding in the map, or why it is not."""

    finding: Finding
    path: str = ""
    """Of the file, relative to the root; empty where it is no file of the map."""
    node: int = -1
    is_guess: bool = False
    """Whether the file was found by the end of its path."""
    why: str = ""
    """Why it is not in the map, as a clause."""


class Finder:
    """Finds the files of one map; see `spot`."""

    def __init__(self, snapshot: Snapshot, root: str) -> None:
        self._snapshot = snapshot
        self._root = root.rstrip("/")
        self._path = cache(self._find)
        self._by_name: dict[str, list[str]] = {}
        for path in snapshot.by_path:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def spot(self, finding: Finding) -> Spot:
        path, is_guess, why = self._path(finding.uri)
        if not path or path not in self._snapshot.by_path:
            return Spot(finding, path, why=why)
        file = self._snapshot.by_path[path]
        row = file.innermost_row(finding.line) if finding.line else 0
        return Spot(finding, path, file.base + row, is_guess)

    def scanned(self, uris: tuple[str, ...]) -> frozenset[str]:
        """The files of the map among some URIs."""
        found = {self._path(uri)[0] for uri in uris}
        return frozenset(path for path in found if path in self._snapshot.by_path)

    def _find(self, uri: str) -> tuple[str, bool, str]:
        """(path, whether it is a guess, why there is none)."""
        if not uri:
            return "", False, "it names no file"
        given = path_of(uri)
        if not given:
            return "", False, "it is about something that is no file"
        if "\0" in given:
            return "", False, "its path is none"
        path = posixpath.normpath(given)
        if path.startswith("/") or path[1:3] == ":/":
            if self._root and path.startswith(f"{self._root}/"):
                return self._known(path[len(self._root) + 1 :])
            return self._by_suffix(path)
        if path.startswith("../") or path == "..":
            return "", False, "its path leads out of the repository"
        return self._known(path)

    def _known(self, path: str) -> tuple[str, bool, str]:
        return path, False, "" if path in self._snapshot.by_path else "the map has no such file"

    def _by_suffix(self, path: str) -> tuple[str, bool, str]:
        parts = path.split("/")
        same = self._by_name.get(parts[-1], [])
        for start in range(1, len(parts)):
            end = "/".join(parts[start:])
            found = [one for one in same if one == end or one.endswith(f"/{end}")]
            if len(found) == 1 and (found[0] == end or len(parts) - start >= SUFFIX_PARTS_MIN):
                return found[0], True, ""
        return "", False, "it lies outside of the repository"
