"""The files that differ between two states of a repository, each in both versions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from codemap.changes.changed_definitions import Pair

WORK_TREE, INDEX = "work tree", "index"
"""What a change may lead to besides a commit."""


class Omitted(StrEnum):
    """Why a file that differs is not compared."""

    CONFLICT = "merge conflict"
    SUBMODULE = "submodule"
    NOT_FETCHED = "not in this partial clone"
    NOT_INDEXED = "not indexed (binary, generated, minified, too large or unreadable)"
    CHANGING = "on disk otherwise than in the map (changed since, or a link)"


class ChangeSet(msgspec.Struct, frozen=True):
    base: str
    """The commit that it begins at."""
    head: str
    """The commit that it leads to, or WORK_TREE or INDEX."""
    pairs: tuple[Pair, ...]
    """By path."""
    omitted: Mapping[str, Omitted] = {}
    others: int = 0
    """Files that differ and are in no language."""
    configs_before: Mapping[str, bytes | None] = {}
    """Configuration files that differ from those of the map, as they are at the base; None where there is none."""
    configs_after: Mapping[str, bytes | None] = {}
    """The same for the head."""
    beside: Mapping[str, Pair] = {}
    """Of files that are the same in both and differ from the map: both versions as in the head; none for the work
    tree."""
    inside_submodules: tuple[str, ...] = ()
    """Submodules whose files the map has: what is edited in them is not known."""
    is_shallow: bool = False
    """Whether the history ends early, so that the base may not be the one that the whole history has."""
