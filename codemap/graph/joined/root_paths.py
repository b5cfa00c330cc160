"""Paths in a map of several roots: a file of another root than the one that is asked has `@name/` before its own."""

from __future__ import annotations

from collections.abc import Collection

MARK = "@"
OWN = ""
"""The prefix of the root that is asked."""


def prefix_of(name: str) -> str:
    """What the paths of another root begin with."""
    return f"{MARK}{name}/"


def split_path(path: str, prefixes: Collection[str]) -> tuple[str, str]:
    """The prefix of a path, one of `prefixes` or OWN, and what its own root calls the file."""
    if path.startswith(MARK):
        head, slash, rest = path.partition("/")
        if head + slash in prefixes:
            return head + slash, rest
    return OWN, path
