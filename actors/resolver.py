"""The resolver: the only writer of the snapshot.

Every round compares what is on disk with what the snapshot was made from, has the difference parsed, and builds the
next snapshot in steps. The first round of each life does so without being asked, so that a crash loses no file: what
was published survives, what was under way is found again by the comparison.

Rules of the file:
- A round that answers an ask began after the ask arrived. Asks that came while a round ran share the next one.
- A file whose content is known (touched, or looked at again) is not parsed, and makes no new snapshot.
- A file that gives no facts any more leaves the snapshot; why is in its record.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping, Set
from typing import Generic, Protocol, TypeVar, assert_never

import msgspec
import trio

from actors.batches import batches
from actors.delta import compare, is_in, record_of
from actors.inbox import ActorDied, Address, Delivery, Inbox
from actors.latest import Building, FileRecord, Latest, Published, Publisher
from actors.log import log
from actors.messages import (
    Extract,
    FileJob,
    Outcome,
    Parsed,
    PoolMessage,
    Rebuild,
    Rebuilt,
    ResolverMessage,
    Same,
    Skipped,
    Unavailable,
)
from actors.ports import Listing, Ports
from codemap.extract.skip import SkipReason

S = TypeVar("S")


class Build(Protocol[S]):
    """Makes the next snapshot from the previous one and what changed, in steps; never changes `previous`."""

    def __call__(
        self,
        previous: S | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[object, None, S]: ...


class ResolverStatistics(msgspec.Struct, frozen=True, rename="camel"):
    rounds: int
    """Comparisons with the disk in this life."""
    files_extracted: int
    files_same: int
    """Files that were read and had the known content."""


async def resolver(
    inbox: Inbox[ResolverMessage],
    *,
    pool: Address[PoolMessage],
    latest: Latest[S],
    publisher: Publisher[S],
    ports: Ports,
    build: Build[S],
    parallel: int,
    report: Callable[[ResolverStatistics], None],
) -> None:
    """Runs until cancelled; a round that is cancelled publishes nothing. The pool has `parallel` batches at once."""
    work = _Rounds(pool, latest, publisher, ports, build, parallel, report)
    waiting = inbox.take_queued()
    while True:
        rebuilt = await work.round(_common_scope(waiting))
        for delivery in waiting:
            match delivery.message:
                case Rebuild():
                    delivery.answer(delivery.message, rebuilt)
                case _:
                    assert_never(delivery.message)
        waiting = [await inbox.receive(), *inbox.take_queued()]


def _common_scope(waiting: list[Delivery[ResolverMessage]]) -> str:
    """The one scope that all ask for, or everything."""
    scopes = {delivery.message.scope.strip("/") for delivery in waiting}
    return scopes.pop() if len(scopes) == 1 else ""


class _Rounds(Generic[S]):
    """One life of the resolver."""

    def __init__(
        self,
        pool: Address[PoolMessage],
        latest: Latest[S],
        publisher: Publisher[S],
        ports: Ports,
        build: Build[S],
        parallel: int,
        report: Callable[[ResolverStatistics], None],
    ) -> None:
        self._pool = pool
        self._latest = latest
        self._publisher = publisher
        self._ports = ports
        self._build = build
        self._parallel = parallel
        self._report = report
        self._rounds = self._extracted = self._same = 0

    async def round(self, scope: str) -> Rebuilt:
        """Brings the snapshot up to the disk as it is now, or later."""
        try:
            return await self._round(scope)
        finally:
            self._publisher.report(None)

    async def _round(self, scope: str) -> Rebuilt:
        started = trio.current_time()
        previous = self._latest.get()
        if previous is None:
            scope = ""
        self._publisher.report(Building("list"))
        listing = await self._ports.list_files(scope)
        old = previous.files if previous is not None else {}
        delta = await compare(old, listing.files, scope)
        configs, config_files = await self._read_configs(previous, listing, scope)
        outcomes = await self._extract(
            [FileJob(path, stat, old[path].digest if path in old else b"") for path, stat in delta.changed.items()]
        )
        changed: dict[str, Parsed] = {}
        removed = {path for path in delta.removed if old[path].skipped is None}
        records = delta.records
        for path in sorted(outcomes):
            outcome, before = outcomes[path], old.get(path)
            record = record_of(outcome, before)
            if record is not None:
                records[path] = record
            if isinstance(outcome, Parsed):
                changed[path] = outcome
            elif isinstance(outcome, Skipped) and before is not None and before.skipped is None:
                removed.add(path)
        published = await self._publish(previous, listing, scope, records, changed, removed, configs, config_files)

        self._rounds += 1
        self._extracted += len(changed)
        self._same += sum(isinstance(outcome, Same) for outcome in outcomes.values())
        self._report(ResolverStatistics(self._rounds, self._extracted, self._same))
        rebuilt = Rebuilt(
            version=published.version,
            files_scanned=len(listing.files),
            files_extracted=len(changed),
            files_deleted=sum(path not in records for path in removed),
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
        return rebuilt

    async def _read_configs(
        self, previous: Published[S] | None, listing: Listing, scope: str
    ) -> tuple[Mapping[str, bytes], Mapping[str, FileRecord]]:
        """All configuration files: contents, the same object as before where none changed, and records."""
        old = previous.configs if previous is not None else {}
        delta = await compare(previous.config_files if previous is not None else {}, listing.configs, scope)
        read = await self._ports.read_files(delta.changed) if delta.changed else {}
        configs = {path: old[path] for path in delta.records if path in old}
        for path, stat in delta.changed.items():
            found = read.get(path)
            if found is None:
                delta.records[path] = FileRecord(stat, b"", False, SkipReason.UNREADABLE)
            else:
                configs[path] = found.content
                delta.records[path] = FileRecord(found.stat, b"", found.is_settled)
        return (old if previous is not None and configs == old else configs), delta.records

    async def _extract(self, jobs: list[FileJob]) -> dict[str, Outcome]:
        """The outcome of every job; several batches are with the pool at a time. Raises ActorDied with the pool."""
        outcomes: dict[str, Outcome] = {}
        total = len(jobs)
        todo = iter(batches(jobs))
        self._publisher.report(Building("extract", 0, total))

        async def ask_for_batches() -> None:
            for batch in todo:
                answer = await self._pool.ask(Extract(batch))
                if isinstance(answer, Unavailable):
                    raise ActorDied("parser pool", answer.reason)
                outcomes.update(zip((job.path for job in batch), answer.outcomes, strict=True))
                self._publisher.report(Building("extract", len(outcomes), total))

        async with trio.open_nursery() as nursery:
            for _ in range(min(self._parallel, total)):
                nursery.start_soon(ask_for_batches)
        return outcomes

    async def _publish(
        self,
        previous: Published[S] | None,
        listing: Listing,
        scope: str,
        records: Mapping[str, FileRecord],
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        config_files: Mapping[str, FileRecord],
    ) -> Published[S]:
        """Publishes what is new: the snapshot where contents changed, the records where only stats did."""
        unlisted, others = listing.skipped, listing.others
        if previous is not None and scope:
            unlisted = {path: why for path, why in previous.unlisted.items() if not is_in(path, scope)} | dict(unlisted)
            others = previous.others
        if previous is not None and not changed and not removed and configs is previous.configs:
            published = msgspec.structs.replace(
                previous,
                files=records,
                config_files=config_files,
                unlisted=unlisted,
                others=others,
                warnings=listing.warnings,
            )
        else:
            built_ns = self._ports.wall_ns()
            self._publisher.report(Building("graph", len(changed), len(changed)))
            before = previous.snapshot if previous is not None else None
            snapshot = await _run_steps(self._build(before, changed, removed, configs, built_ns=built_ns))
            version = (previous.version if previous is not None else 0) + 1
            published = Published(
                version, snapshot, records, configs, config_files, unlisted, others, listing.warnings, built_ns
            )
        self._publisher.publish(published)
        return published


async def _run_steps(steps: Generator[object, None, S]) -> S:
    """What the generator returns; other tasks run between its steps. When cancelled, it is closed.

    The collector rests meanwhile: a build makes millions of objects and no cycles, and each of its passes would walk
    them all (a third of the build's time). What has been built then leaves the collector's sight, for its passes to
    stay short.
    """
    gc.disable()
    try:
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: S = end.value
                return result
            await trio.lowlevel.checkpoint()
    finally:
        steps.close()
        gc.freeze()
        gc.enable()
