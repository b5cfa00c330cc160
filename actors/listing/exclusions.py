"""Excludes files beyond ignore files: by the user's patterns, and folders of derived files.

The folders go by rules that hardly any sources break: `venv`, `coverage` or `build` are packages of real projects, so
their names alone say nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from actors.listing.inherited import find_inherited
from codemap.ignore import Kind, Rules, Verdict, rules_of

DERIVED_FOLDERS = frozenset(
    b"node_modules bower_components jspm_packages .venv .virtualenv __pycache__ .tox .nox .mypy_cache .ruff_cache "
    b".pytest_cache .hypothesis .eggs site-packages .git .hg .svn .jj .cache .yarn .pnpm-store .next .nuxt .svelte-kit "
    b".turbo .parcel-cache .gradle .terraform .idea .vs .direnv .ipynb_checkpoints htmlcov".split()
)
"""Folders of installed packages, caches and tools, which nearly every ignore file names and which contain no
sources."""


def is_environment(entries: Iterable[os.DirEntry[bytes]]) -> bool:
    """Whether a folder with these entries is a Python environment, whatever its name (PEP 405)."""
    return any(entry.name == b"pyvenv.cfg" for entry in entries)


class Selection:
    """The user's patterns: they cover paths that match, and everything in a folder that matches."""

    def __init__(self, patterns: Iterable[str]) -> None:
        patterns = tuple(patterns)
        self._rules = rules_of(pattern.encode("utf-8", "surrogateescape") for pattern in patterns)
        self._takes_back = any(pattern.startswith("!") for pattern in patterns)
        self._folders: dict[bytes, bool] = {b"": False}

    def covers(self, path: bytes) -> bool:
        return self._rules is not None and self._decide(self._rules, path, Kind.FILE)

    def covers_whole(self, folder: bytes) -> bool:
        """Whether everything that can be in a folder is covered."""
        return self._rules is not None and not self._takes_back and self._decide(self._rules, folder, Kind.FOLDER)

    def _decide(self, rules: Rules, path: bytes, kind: Kind) -> bool:
        folder, _, name = path.rpartition(b"/")
        verdict = rules.verdict(path, name, kind)
        return self._covers_folder(rules, folder) if verdict is None else verdict is Verdict.IGNORED

    def _covers_folder(self, rules: Rules, folder: bytes) -> bool:
        def decide(inner: bytes, is_covered: bool) -> bool:
            verdict = rules.verdict(inner, inner.rpartition(b"/")[2], Kind.FOLDER)
            return is_covered if verdict is None else verdict is Verdict.IGNORED

        return find_inherited(self._folders, folder, decide)
