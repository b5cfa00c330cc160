"""Paths in a map of several roots: a file of another root than the one that is asked has `@name/` before its own path.

A folder of the asked root that is called `@name` itself is taken for that root, where one of that name is served.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

MARK = "@"
OWN = ""
"""The prefix of the root that is asked."""


class Roots(msgspec.Struct, frozen=True):
    """The roots behind a map of several."""

    own: str
    """The prefix that the root which is asked has in maps of others."""
    others: tuple[str, ...]
    """The prefixes of the others."""
    publishers: Mapping[str, Mapping[str, Sequence[str]]]
    """Family -> package -> the prefixes of the roots that publish it, the first of which is meant."""


def prefix_of(name: str) -> str:
    """What the paths of another root begin with."""
    return f"{MARK}{name}/"


def name_of(prefix: str) -> str:
    """The name of another root by its prefix."""
    return prefix[len(MARK) : -1]


def split_path(path: str, prefixes: Collection[str]) -> tuple[str, str]:
    """The prefix of a path, one of `prefixes` or OWN, and what its own root calls the file."""
    if path.startswith(MARK):
        head, slash, rest = path.partition("/")
        if head + slash in prefixes:
            return head + slash, rest
    return OWN, path


def path_in_root(path: str) -> str:
    """What its own root calls a file, whichever that is."""
    return path.partition("/")[2] if is_of_other_root(path) else path


def is_of_other_root(path: str) -> bool:
    """Whether a path is written like one of another root."""
    return path.startswith(MARK) and "/" in path
