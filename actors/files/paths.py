"""Finds the root folder, refuses folders that may not be one, and checks whether a path lies under it.

Rules of the file:
- A path lies under the root when its real path does, all links followed; the text of a path says nothing.
- Everything here asks the file system, a few times at most.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from functools import lru_cache

_NO_NAME = re.compile(r"(?:^|/)\.{0,2}(?:/|$)|\0")
_PATHS_REMEMBERED = 16_384
"""Relative paths that were judged: one answer asks for the same ones several times."""
_LINKS_MAX = 40
"""Links that the kernel follows in one path."""

_PROJECT_MARKERS = (
    "codemap.toml",
    "pyproject.toml",
    "package.json",
    "tsconfig.json",
    "go.mod",
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "setup.py",
    "setup.cfg",
    ".hg",
    ".svn",
)
"""Names of files and folders in the top folder of a project."""


class RefusedRoot(Exception):
    """Raised for a folder that may not be indexed; the message is a sentence that says why and what to do."""


def find_root(start: str) -> str:
    """Finds the root for a folder: the repository around it; else the nearest folder with a project file; else itself.

    The result is a real path.

    The home folder and the file system's root are no repositories, even where someone keeps dotfiles in git.
    """
    start = os.path.realpath(start)
    if not os.path.isdir(start):
        start = os.path.dirname(start)
    candidates = [folder for folder in _upward(start) if not refusal(folder)]
    for folder in candidates:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
    for folder in candidates:
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _PROJECT_MARKERS):
            return folder
    return start


def check_root(root: str) -> str:
    """Resolves the path of a root. Raises RefusedRoot for a home folder, a file system's root, or what is no folder."""
    real = os.path.realpath(root)
    if not os.path.isdir(real):
        what = "is not a folder" if os.path.lexists(real) else "does not exist"
        raise RefusedRoot(f"{root} {what}; name a folder with --root.")
    if reason := refusal(real):
        raise RefusedRoot(f"{real} is {reason}, which is never indexed; name a project in it with --root.")
    return real


@lru_cache(maxsize=_PATHS_REMEMBERED)
def is_canonical(path: str) -> bool:
    """Whether a relative path is written as a listing names it: no part is empty, `.` or `..`."""
    return _NO_NAME.search(path) is None


def inside(root_real: str, candidate: str) -> str | None:
    """Resolves a path that must lie under the root: its real path if it is `root_real` or under it, else None.

    A relative candidate is taken from the root. What does not exist is judged by the part that does.
    """
    if "\0" in candidate:
        return None
    real = os.path.realpath(os.path.join(root_real, candidate))
    return real if root_real in (real, *_upward(real)) else None


def refusal(real: str) -> str | None:
    """Says as a noun why a folder (a real path) cannot be a repository; None where it can."""
    if os.path.dirname(real) == real:
        return "the root of the file system"
    if real == os.path.realpath(os.path.expanduser("~")):
        return "a home folder"
    return None


def passes_through(root_real: str, path: str, but: Collection[str] = ()) -> bool:
    """Whether files of the root can decide where an absolute path leads: it lies there, or passes a link that does.

    What lies in the folders `but` (real paths) does not count. What does not exist is judged by its name.
    """
    if "\0" in path:
        return False
    at, pending, links = "/", path.split("/")[::-1], 0
    while pending:
        part = pending.pop()
        if part in ("", "."):
            continue
        at = os.path.dirname(at) if part == ".." else os.path.join(at, part)
        try:
            target = os.readlink(at)
        except OSError:
            continue  # no link, or nothing
        links += 1
        if links > _LINKS_MAX or (_is_under(root_real, at) and not any(_is_under(folder, at) for folder in but)):
            return True
        at, pending = os.path.dirname(at), [*pending, *target.split("/")[::-1]]
        if target.startswith("/"):
            at = "/"
    return _is_under(root_real, at) and not any(_is_under(folder, at) for folder in but)


def _is_under(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _upward(folder: str) -> list[str]:
    """Lists a folder and the folders around it, the innermost first."""
    folders = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        folders.append(parent)
        folder = parent
    return folders
