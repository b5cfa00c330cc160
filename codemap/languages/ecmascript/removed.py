"""Compiler options that TypeScript 7 no longer has, where they decide what a specifier means.

Which configuration governs a file is looked up as the compiler does it: the nearest upward, all that it extends, and
the projects that it refers to.

Source: the release notes of TypeScript 7; what each option does to answers was measured (see `server.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import dirname, normpath

from codemap.languages.ecmascript import jsonc

Read = Callable[[str], bytes | None]

_NAMES = ("tsconfig.json", "jsconfig.json")
_RESOLUTIONS = frozenset({"node", "node10", "classic"})
_FILES_MAX = 64
"""Projects that refer to one another in circles or crowds."""


def removed_option(read: Read, folder: str) -> str:
    """Why TypeScript 7 resolves imports of this folder differently, as a clause; empty where it does not."""
    for path in _governing(read, folder):
        options = _options(read, path, frozenset())
        if jsonc.text_of(options, "baseUrl") is not None:
            return f"{path} states baseUrl, which TypeScript 7 does not have"
        resolution = jsonc.text_of(options, "moduleResolution")
        if resolution is not None and resolution.lower() in _RESOLUTIONS:
            return f"{path} states moduleResolution {resolution}, which TypeScript 7 does not have"
    return ""


def _governing(read: Read, folder: str) -> Iterator[str]:
    """The nearest configuration upward, and those of the projects that it refers to."""
    nearest = _nearest(read, folder)
    pending = [] if nearest is None else [nearest]
    seen: set[str] = set()
    while pending and len(seen) < _FILES_MAX:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        yield path
        document = jsonc.parse(read(path) or b"")
        references = document.get("references") if jsonc.is_object(document) else None
        for reference in references if isinstance(references, list) else ():
            target = jsonc.text_of(reference, "path")
            found = None if target is None else _first(read, _spellings(normpath(f"{dirname(path)}/{target}")))
            pending += [] if found is None else [found]


def _options(read: Read, path: str, seen: frozenset[str]) -> dict[str, object]:
    """The `compilerOptions` in force: its own over those that it extends, the later over the earlier."""
    document = jsonc.parse(read(path) or b"")
    options: dict[str, object] = {}
    if jsonc.is_object(document):
        for extended in jsonc.texts_of(document.get("extends")):
            other = _extended(read, dirname(path), extended)
            if other is not None and other not in seen:
                options |= _options(read, other, seen | {path})
        own = document.get("compilerOptions")
        options |= own if jsonc.is_object(own) else {}
    return options


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
