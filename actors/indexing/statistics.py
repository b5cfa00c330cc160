"""What the actors of the index report of themselves: written by them, read by the service.

What is read here is of this moment; None before an actor's first report.
"""

from __future__ import annotations

import msgspec


class PoolStatistics(msgspec.Struct, frozen=True, rename="camel"):
    capacity: int
    running: int
    """Batches with a worker now."""
    batches: int
    """Batches answered in this life of the pool, as are the next ones."""
    files: int
    parsed: int
    stored: int
    """Files whose facts were in the store."""
    deaths: int
    timeouts: int


class ResolverStatistics(msgspec.Struct, frozen=True, rename="camel"):
    rounds: int
    """Comparisons with the disk in this life."""
    files_extracted: int
    files_same: int
    """Files that were read and had the known content."""


class StoreStatistics(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    facts_kept: int
    """Contents written in this life, as are the maps."""
    maps_saved: int
    is_loaded: bool
    """Whether the map of an earlier run could be used."""
    saved_version: int
    """Of what is published, the version that is kept; 0: none."""
    bytes: int
    """Of the file, when the last map was written."""
    trouble: str | None
    """Why nothing is kept for now."""
    set_aside: str | None
    """What became of a file that could not be trusted."""


class IndexStatistics:
    """The latest report of each actor."""

    def __init__(self) -> None:
        self.pool: PoolStatistics | None = None
        self.resolver: ResolverStatistics | None = None
        self.store: StoreStatistics | None = None

    def report_pool(self, statistics: PoolStatistics) -> None:
        self.pool = statistics

    def report_resolver(self, statistics: ResolverStatistics) -> None:
        self.resolver = statistics

    def report_store(self, statistics: StoreStatistics) -> None:
        self.store = statistics
