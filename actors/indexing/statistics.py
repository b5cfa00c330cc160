"""Statistics of the indexing actors: written by them, read by the service.

What is read here is of this moment; None before an actor's first report.
"""

from __future__ import annotations

import msgspec


class PoolStatistics(msgspec.Struct, frozen=True, rename="camel"):
    capacity: int
    running: int
    """Batches that have a worker now."""
    batches: int
    """Batches answered in this life of the pool; the following counts are of this life, too."""
    files: int
    parsed: int
    stored: int
    """Files whose facts were in the store."""
    deaths: int
    timeouts: int


class ResolverStatistics(msgspec.Struct, frozen=True, rename="camel"):
    rounds: int
    """Rounds in this life."""
    files_extracted: int
    files_same: int
    """Files that were read and had the known content."""


class StoreStatistics(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    facts_kept: int
    """Contents written in this life; the number of maps is of this life, too."""
    maps_saved: int
    is_loaded: bool
    """Whether the map of an earlier run was loaded."""
    saved_version: int
    """Version of the map that was saved; 0: none."""
    bytes: int
    """Size of the file when the last map was saved."""
    trouble: str | None
    """Why nothing can be stored for now."""
    set_aside: str | None
    """What happened to a file that could not be trusted."""


class SharingStatistics(msgspec.Struct, frozen=True, rename="camel"):
    """Counts of this life of the sharer of facts."""

    place: str
    is_answering: bool
    asked: int
    """Files whose facts were asked for."""
    found: int
    """Files whose facts came from the shared store, and were accepted."""
    late: int
    """Entries that had not come when the time was up."""
    refused: dict[str, int]
    """Entries that were not accepted, by reason (`Refusal`)."""
    failures: int
    written: int
    """Entries that were written."""
    there: int
    """Entries that were not written, as they were there."""
    unwritten: int
    """Entries that could not be written."""
    waiting: int
    """Entries still to be written."""
    trouble: str | None
    """Why the store is not used for now, or was not when it was asked last, as a clause."""


class ClusterStatistics(msgspec.Struct, frozen=True, rename="camel"):
    """Counts of this life of the actor that asks a cluster."""

    place: str
    batches: int
    """Batches that it works on at the same time; 0: it is not asked now."""
    asked: int
    """Files that it was asked to parse."""
    parsed: int
    """Files whose facts came from it, and were accepted."""
    late: int
    """Files that it had not parsed when the time was up."""
    absent: int
    """Files that its workers did not have with the content that was meant."""
    refused: dict[str, int]
    """Facts that were not accepted, by reason (`Refusal`)."""
    failures: int
    trouble: str | None
    """Why it is not asked for now, or failed last, as a clause."""


class IndexStatistics:
    """The latest report of each actor."""

    def __init__(self) -> None:
        self.pool: PoolStatistics | None = None
        self.resolver: ResolverStatistics | None = None
        self.store: StoreStatistics | None = None
        self.sharing: SharingStatistics | None = None
        self.cluster: ClusterStatistics | None = None

    def report_pool(self, statistics: PoolStatistics) -> None:
        self.pool = statistics

    def report_resolver(self, statistics: ResolverStatistics) -> None:
        self.resolver = statistics

    def report_store(self, statistics: StoreStatistics) -> None:
        self.store = statistics

    def report_sharing(self, statistics: SharingStatistics) -> None:
        self.sharing = statistics

    def report_cluster(self, statistics: ClusterStatistics) -> None:
        self.cluster = statistics
