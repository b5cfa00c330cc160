"""Finds the folder that a language server serves for a file: the root, or the folder of one project under it.

A server's record names what a project's folder holds, in tiers (`Server.root_markers`): a lock file or an environment
says what is installed together, a project file alone says less.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence


def project_folder(root: str, folder: str, tiers: Sequence[Sequence[str]]) -> str:
    """Finds the project's folder for files of `folder`; both relative to the absolute root, with `/`, empty for the
    root.

    A few looks at the disk for each folder upward.
    """
    folders = list(upward(folder))
    for markers in tiers:
        for at in folders:
            if any(os.path.lexists(os.path.join(root, at, marker)) for marker in markers):
                return at
    return ""


def projects_of(root: str, files: Iterable[str], tiers: Sequence[Sequence[str]]) -> Counter[str]:
    """Counts the files (relative to the root) in each project. A few looks at the disk for each folder."""
    folders = Counter(path.rpartition("/")[0] for path in files)
    found: Counter[str] = Counter()
    for folder, count in folders.items():
        found[project_folder(root, folder, tiers)] += count
    return found


def upward(folder: str) -> Iterator[str]:
    """Yields a folder and those around it up to the root, relative to it."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""
