"""Which folder is the root, which folders may not be one, and whether a path lies under it.

Rules of the file:
- A path lies under the root when its real path does, all links followed; the text of a path says nothing.
- Everything here asks the file system, a few times at most.
"""

from __future__ import annotations

import os

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
"""Files and folders that stand in the top folder of a project."""


class RefusedRoot(Exception):
    """The folder may not be indexed; the message is a sentence that says why and what to do."""


def find_root(start: str) -> str:
    """The real path of the repository around `start`; else of the nearest folder with a project file; else of `start`.

    The home folder and the file system's root are no repositories, even where someone keeps dotfiles in git.
    """
    start = os.path.realpath(start)
    if not os.path.isdir(start):
        start = os.path.dirname(start)
    candidates = [folder for folder in _upward(start) if not _refusal(folder)]
    for folder in candidates:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
    for folder in candidates:
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _PROJECT_MARKERS):
            return folder
    return start


def check_root(root: str) -> str:
    """The real path of a root. Raises RefusedRoot for a home folder, a file system's root, or what is no folder."""
    real = os.path.realpath(root)
    if not os.path.isdir(real):
        what = "is not a folder" if os.path.lexists(real) else "does not exist"
        raise RefusedRoot(f"{root} {what}; name a folder with --root.")
    if reason := _refusal(real):
        raise RefusedRoot(f"{real} is {reason}, which is never indexed; name a project in it with --root.")
    return real


def inside(root_real: str, candidate: str) -> str | None:
    """The real path of `candidate` when that is `root_real` or lies under it, else None.

    A relative candidate is taken from the root. What does not exist is judged by the part that does.
    """
    if "\0" in candidate:
        return None
    real = os.path.realpath(os.path.join(root_real, candidate))
    return real if root_real in (real, *_upward(real)) else None


def _upward(folder: str) -> list[str]:
    """The folder and all those around it, the innermost first."""
    folders = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        folders.append(parent)
        folder = parent
    return folders


def _refusal(real: str) -> str | None:
    if os.path.dirname(real) == real:
        return "the root of the file system"
    if real == os.path.realpath(os.path.expanduser("~")):
        return "a home folder"
    return None
