"""Compiler options that TypeScript 7 no longer has, where they decide what a specifier means.

Which configuration governs a file is looked up as the compiler does it: the nearest upward, all that it extends, and
the projects that it refers to.

Source: the release notes of TypeScript 7; what each option does to answers was measured (see `server.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname, normpath

from codemap.config.document import Unreadable, find_list, find_table, find_text, texts_of
from codemap.languages.ecmascript.project import tsconfig

Read = Callable[[str], bytes | None]

_NAMES = ("tsconfig.json", "jsconfig.json")
_RESOLUTIONS = frozenset({"node", "node10", "classic"})
_FILES_MAX = 64
"""Projects that refer to one another in circles or crowds, and what they extend."""


def removed_option(read: Read, folder: str) -> str:
    """Why TypeScript 7 resolves imports of this folder differently, as a clause; empty where it does not."""
    documents = _Documents(read)
    for path in _governing(documents, folder):
        options = documents.options(path)
        if find_text(options, "baseUrl") is not None:
            return f"{path} states baseUrl, which TypeScript 7 does not have"
        resolution = find_text(options, "moduleResolution")
        if resolution is not None and resolution.lower() in _RESOLUTIONS:
            return f"{path} states moduleResolution {resolution}, which TypeScript 7 does not have"
    return ""


class _Documents:
    """Configurations, each read once, however often it is extended or referred to."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self._known: dict[str, Mapping[str, object]] = {}
        self._options: dict[str, Mapping[str, object]] = {}

    def of(self, path: str) -> Mapping[str, object]:
        """What a configuration says; nothing where it cannot be read."""
        if path not in self._known:
            document = tsconfig.read(self.read(path) or b"")
            self._known[path] = {} if isinstance(document, Unreadable) else document
        return self._known[path]

    def options(self, path: str, depth: int = 0) -> Mapping[str, object]:
        """The `compilerOptions` in force: its own over those that it extends, the later over the earlier."""
        if path not in self._options:
            self._options[path] = {}  # what one that extends itself adds to itself
            options: dict[str, object] = {}
            for extended in texts_of(self.of(path).get("extends")):
                other = _extended(self.read, dirname(path), extended)
                if other is not None and depth < tsconfig.EXTENDS_MAX and len(self._known) < _FILES_MAX:
                    options |= self.options(other, depth + 1)
            self._options[path] = options | find_table(self.of(path), "compilerOptions")
        return self._options[path]


def _governing(documents: _Documents, folder: str) -> Iterator[str]:
    """The nearest configuration upward, and those of the projects that it refers to."""
    nearest = _nearest(documents.read, folder)
    pending = [] if nearest is None else [nearest]
    seen: set[str] = set()
    while pending and len(seen) < _FILES_MAX:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        yield path
        for reference in find_list(documents.of(path), "references")[:_FILES_MAX]:
            target = find_text(reference, "path")
            if target is not None:
                found = _first(documents.read, _spellings(normpath(f"{dirname(path)}/{target}")))
                pending += [] if found is None else [found]


def _nearest(read: Read, folder: str) -> str | None:
    while True:
        found = _first(read, [f"{folder.rstrip('/')}/{name}" for name in _NAMES])
        if found is not None or folder in ("/", ""):
            return found
        folder = dirname(folder)


def _extended(read: Read, folder: str, extended: str) -> str | None:
    """The file that `extends` means: a path, or a file of an installed package."""
    if extended.startswith((".", "/")):
        return _first(read, _spellings(normpath(extended if extended[0] == "/" else f"{folder}/{extended}")))
    while True:
        found = _first(read, _spellings(f"{folder.rstrip('/')}/node_modules/{extended}"))
        if found is not None or folder in ("/", ""):
            return found
        folder = dirname(folder)


def _spellings(path: str) -> tuple[str, str, str]:
    return (path, f"{path}.json", f"{path}/tsconfig.json")


def _first(read: Read, paths: list[str] | tuple[str, ...]) -> str | None:
    return next((path for path in paths if read(path) is not None), None)
