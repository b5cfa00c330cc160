"""The record of a tool, and what a tool may know besides the snapshot.

A tool is one file: a `Params` struct (msgspec; it is the schema, with a description and bounds per field) and a pure
`answer(world, params)`. The shell gathers the world; nothing here reads a disk or a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from codemap.envelope.answer import Answer, Failure
from codemap.graph.snapshot import Snapshot


class BuildProgress(msgspec.Struct, frozen=True):
    """A build that is running."""

    files_done: int
    files_total: int


class Disk(msgspec.Struct, frozen=True):
    """What a stat of some files just said."""

    stale: frozenset[str] = frozenset()
    """Paths whose size or mtime differ from what was indexed."""
    deleted: frozenset[str] = frozenset()


class World(msgspec.Struct, frozen=True):
    """All that an answer may depend on."""

    snapshot: Snapshot | None
    """None before the first build has anything to show."""
    progress: BuildProgress | None = None
    disk: Disk = Disk()
    status: Mapping[str, Any] = {}
    """What the actors say of themselves, for `map_status`."""
    rebuilt: Mapping[str, Any] = {}
    """What a rebuild did, for `map_rebuild`."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """As clients call it: `map_search`."""
    command: str
    """As the command line calls it: `search`."""
    title: str
    description: str
    """For a model that has never seen the system: what it answers, when to prefer it."""
    params: type[msgspec.Struct]
    answer: Callable[[World, Any], Answer | Failure]
    needs_rebuild: bool = False
    """Whether the shell runs a rebuild first and puts its result into the world."""
    is_read_only: bool = True
