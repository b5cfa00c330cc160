"""Finds submodules whose checkout stands at another commit than the index of the repository around them names.

git reads the refs of a submodule for that, and neither its configuration's programs nor its files: these are not looked
at (`--ignore-submodules=dirty`), and no path of the repository itself is asked about.

Source: git-diff-files(1), gitformat-diff(5), "Raw output format".
"""

from __future__ import annotations

import os

from actors.ports import NoGit, Ports
from actors.revisions.trees import Index

PATHS_A_RUN = 500
"""Submodules that git is asked about at once: the system limits the length of a command."""
_WORDS = ("diff-files", "--name-only", "-z", "--no-relative", "--ignore-submodules=dirty", "--")


async def moved_submodules(ports: Ports, index: Index) -> frozenset[str]:
    """Finds the paths of such submodules under the root; those that are not checked out are none."""
    paths = sorted(index.tree.submodules)
    found: set[str] = set()
    for begin in range(0, len(paths), PATHS_A_RUN):
        some = paths[begin : begin + PATHS_A_RUN]
        said = await ports.ask_git([*_WORDS, *(f":(top,literal){index.above}{path}" for path in some)])
        if not isinstance(said, NoGit):
            named = {os.fsdecode(name) for name in said.text.split(b"\0")}
            found |= {path for path in some if f"{index.above}{path}" in named}
    return frozenset(found)
