"""Paths of the repository: joining them, and the file that a module path without its real suffix means.

Paths are relative to the root, with `/`; the root itself is the empty string.
"""

from __future__ import annotations

import posixpath
from collections.abc import Set

PATH_MAX = 4096
"""Characters; no file has a longer path."""
SOURCE_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts")
"""In the order tried. A declaration file comes after the source that it describes."""
DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_WRITTEN_FOR = {
    ".js": (".ts", ".tsx", ".js", ".jsx", ".d.ts"),
    ".jsx": (".tsx", ".jsx", ".d.ts"),
    ".mjs": (".mts", ".mjs", ".d.mts"),
    ".cjs": (".cts", ".cjs", ".d.cts"),
}
"""Suffix in a specifier -> suffixes of the files that it can mean (TypeScript names the file that it will emit)."""


def join(folder: str, path: str) -> str | None:
    """`path` seen from `folder`, or None when it leaves the root."""
    joined = posixpath.normpath(f"{folder}/{path}" if folder else path)
    if joined == ".":
        return ""
    return None if joined.startswith(("..", "/")) else joined


def parent(path: str) -> str:
    return path.rpartition("/")[0]


def ancestors(folder: str) -> list[str]:
    """A folder and those around it, up to the root."""
    found = [folder]
    while folder:
        folder = parent(folder)
        found.append(folder)
    return found


def file_at(files: Set[str], path: str) -> str | None:
    """The file that a module path means: itself, the source it is emitted from, or itself with a suffix."""
    stem, dot, suffix = path.rpartition(".")
    written_for = _WRITTEN_FOR.get(dot + suffix)
    if written_for is not None and stem:
        for each in written_for:
            if stem + each in files:
                return stem + each
    elif path in files and path.endswith(SOURCE_SUFFIXES):
        return path
    for each in SOURCE_SUFFIXES:
        if path + each in files:
            return path + each
    return None


def declaration_at(files: Set[str], path: str) -> str | None:
    """The declaration file that a module path means where only declarations count, or None."""
    stem = without_suffix(path) if path.endswith(tuple(_WRITTEN_FOR)) else path
    for start in (stem, f"{stem}/index" if stem else "index"):
        for suffix in DECLARATIONS:
            if start + suffix in files:
                return start + suffix
    return None


def index_at(files: Set[str], folder: str) -> str | None:
    """The index file of a folder."""
    return file_at(files, f"{folder}/index" if folder else "index")


def without_suffix(path: str) -> str:
    """A built file's path without its suffixes (`a.d.ts`, `a.min.js` keep only what a source would share)."""
    for suffix in (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"):
        if path.endswith(suffix):
            return path.removesuffix(suffix)
    return path
