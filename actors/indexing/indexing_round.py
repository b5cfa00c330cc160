"""One indexing round: lists the disk, parses what changed, and builds the next snapshot.

What is listed is compared with the records of what was published, what differs is parsed, and the builder makes the
next snapshot; where only times differ, the records are published with the same snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Generic, TypeVar

import msgspec
import trio

from actors.indexing.batch_extraction import BatchExtraction
from actors.indexing.config_files import read_config_files
from actors.indexing.disk_diff import Changes, Known, changes_of, compare, unlisted_after
from actors.indexing.freed_memory import FreedMemory
from actors.indexing.latest_snapshot import Building, FileRecord, Latest, Published
from actors.indexing.map_builder import MapBuilder
from actors.indexing.racy_timestamps import Unsettled
from actors.indexing.statistics import ResolverStatistics
from actors.indexing.step_runner import run_steps
from actors.messaging.log import log
from actors.messaging.messages import (
    FileJob,
    FileStat,
    Looked,
    Parsed,
    Prepare,
    Rebuilt,
    Same,
)
from actors.messaging.supervise import Outage
from actors.ports import Listing, RootIdentity, away_because
from codemap.extract.skipped_files import SkipReason
from codemap.graph.build.rebinding import Progress
from codemap.persistent import PersistentMap

S = TypeVar("S")


class _OnDisk(msgspec.Struct, frozen=True):
    """What a round found besides the files to index, see `Published`."""

    configs: Mapping[str, bytes]
    config_files: PersistentMap[str, FileRecord]
    unlisted: Mapping[str, SkipReason]
    others: Mapping[str, int]
    warnings: tuple[str, ...]
    unknown: Mapping[str, FileStat] | None


class Rounds(Generic[S]):
    """Runs the rounds of one life of the resolver."""

    def __init__(
        self,
        extraction: BatchExtraction[S],
        latest: Latest[S],
        builder: MapBuilder[S],
        freed: FreedMemory,
        report: Callable[[ResolverStatistics], None],
    ) -> None:
        self.unsettled = Unsettled()
        """What the rounds so far have left to look at again."""
        self._extraction = extraction
        self._ports = extraction.ports
        self._publisher = extraction.publisher
        self._latest = latest
        self._builder = builder
        self._freed = freed
        self._report = report
        self._rounds = self._extracted = self._same = 0
        self._root: RootIdentity | None = None

    async def run(self, extent: str | frozenset[str]) -> tuple[Rebuilt, Looked]:
        """Brings the snapshot up to the disk as it is now, or later: a scope (empty: everything), or some paths."""
        try:
            return await self._round(extent)
        finally:
            self._publisher.report(None)

    async def _round(self, extent: str | frozenset[str]) -> tuple[Rebuilt, Looked]:
        started = trio.current_time()
        self._check_root()
        previous = self._latest.get()
        if previous is not None and previous.is_partial:
            previous = None  # of a life that ended in its first build
        listing, extent, ignored = await self._list(previous, extent)
        self._check_root()
        old: PersistentMap[str, FileRecord] = previous.files if previous is not None else PersistentMap()
        delta = await compare(old, listing.files, extent)
        disk = await self._read(previous, listing, extent)
        jobs = [FileJob(path, stat, old[path].digest if path in old else b"") for path, stat in delta.changed.items()]
        show = partial(self._show, disk) if previous is None else None
        outcomes = await self._extraction.outcomes(jobs, show)
        self._check_root()
        changes = changes_of(delta, outcomes, old)
        looked_at, same = tuple(outcomes), sum(isinstance(outcome, Same) for outcome in outcomes.values())
        del outcomes  # the build takes the facts in it
        count = len(changes.parsed)
        published = await self._publish(previous, disk, changes)
        self.unsettled.update(changes.records, looked_at, self._ports.wall_ns())

        self._rounds += 1
        self._extracted += count
        self._same += same
        self._publisher.note_compared()
        self._report(ResolverStatistics(self._rounds, self._extracted, self._same))
        rebuilt = Rebuilt(
            version=published.version,
            files_scanned=len(listing.files),
            files_extracted=count,
            files_deleted=sum(path not in changes.records for path in changes.removed),
            duration_ms=round((trio.current_time() - started) * 1000),
            is_cold=previous is None,
        )
        log(
            "round",
            version=rebuilt.version,
            scanned=rebuilt.files_scanned,
            extracted=rebuilt.files_extracted,
            deleted=rebuilt.files_deleted,
            duration_ms=rebuilt.duration_ms,
        )
        return rebuilt, Looked(ignored)

    async def _list(
        self, previous: Published[S] | None, extent: str | frozenset[str]
    ) -> tuple[Listing, str | frozenset[str], frozenset[str]]:
        """Lists the extent: the listing, the extent that it covers (everything where less is impossible), and which of
        some paths are ignored."""
        if previous is None:
            self._extraction.pool.offer(Prepare())
            extent = ""
        elif isinstance(extent, frozenset):
            known = Known(previous.files, previous.config_files, previous.unlisted)
            glance = await self._ports.list_paths(extent, known)
            if glance is not None:
                return glance, extent, glance.ignored
            extent = ""
        self._publisher.report(Building("list"))
        return await self._ports.list_files(extent), extent, frozenset()

    async def _read(self, previous: Published[S] | None, listing: Listing, extent: str | frozenset[str]) -> _OnDisk:
        """Reads what a round needs besides the files to index; what was not listed is carried over."""
        configs, config_files = await read_config_files(previous, listing.configs, extent, self._ports)
        if previous is None or not extent:
            return _OnDisk(configs, config_files, listing.skipped, listing.others, listing.warnings, listing.unknown)
        unlisted = unlisted_after(previous.unlisted, listing.skipped, extent)
        warnings = listing.warnings if isinstance(extent, str) else previous.warnings
        return _OnDisk(configs, config_files, unlisted, previous.others, warnings, previous.unknown)

    def _check_root(self) -> None:
        """Raises Outage where the root is not the folder that this life began with: what is missing there is not
        deleted."""
        why = away_because(self._ports, self._root)
        if why:
            raise Outage(why)
        self._root = self._ports.root_identity()
        self._publisher.compare_with(self._root)

    async def _show(self, disk: _OnDisk, parsed: Mapping[str, Parsed]) -> None:
        """Publishes a partial map of what was parsed so far."""
        built_ns = self._ports.wall_ns()
        steps = self._builder.sketch(parsed, disk.configs, built_ns=built_ns)
        if steps is None:
            return
        snapshot = await run_steps(steps)
        records = PersistentMap(
            {path: FileRecord(one.stat, one.digest, one.is_settled) for path, one in parsed.items()}
        )
        self._publisher.publish(self._new(snapshot, records, disk, built_ns, is_partial=True))

    async def _publish(self, previous: Published[S] | None, disk: _OnDisk, changes: Changes) -> Published[S]:
        """Publishes the result: a new snapshot where contents changed, new records where only stats did."""
        records, count = changes.records, len(changes.parsed)
        if previous is not None and not count and not changes.removed and disk.configs is previous.configs:
            published = msgspec.structs.replace(previous, files=records, **msgspec.structs.asdict(disk))
        else:
            built_ns = self._ports.wall_ns()
            self._publisher.report(Building("graph", 0, count))
            before = previous.snapshot if previous is not None else None
            steps = self._builder.build(before, changes.parsed, changes.removed, disk.configs, built_ns=built_ns)
            snapshot = await run_steps(steps, partial(self._note_step, count))
            published = self._new(snapshot, records, disk, built_ns, is_partial=False)
        self._publisher.publish(published)
        self._freed.note_built(count)
        return published

    def _new(
        self,
        snapshot: S,
        records: PersistentMap[str, FileRecord],
        disk: _OnDisk,
        built_ns: int,
        *,
        is_partial: bool,
    ) -> Published[S]:
        """Makes the state to publish next."""
        return Published(
            version=self._latest.last_version + 1,
            snapshot=snapshot,
            files=records,
            built_ns=built_ns,
            is_partial=is_partial,
            **msgspec.structs.asdict(disk),
        )

    def _note_step(self, changed: int, step: object) -> None:
        """Reports the progress of binding; steps before it count no files, steps after it all of them."""
        if not isinstance(step, Progress):
            return
        if 0 < step.done < step.total:
            self._publisher.report(Building("graph", step.done, step.total))
        if step.is_free:
            self._freed.note_bound(changed)
