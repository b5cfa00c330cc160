"""The resolver: the only writer of the snapshot.

Every round compares what is on disk with what the snapshot was made from, has the difference parsed, and builds the
next snapshot in steps. The first round of each life does so without being asked, so that a crash loses no file: what
was published survives, what was under way is found again by the comparison.

The file is long because a round is one transaction: what it lists, reads, parses and publishes belongs together.

Rules of the file:
- A round that answers an ask began after the ask arrived. Asks that came while a round ran share the next one.
- A round publishes nothing of a root that went away or was replaced meanwhile.
- A file whose content is known (touched, or looked at again) is not parsed, and makes no new snapshot.
- A file that gives no facts any more leaves the snapshot; why is in its record.
- What language servers confirmed is applied to what is published, without a look at the disk.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Generic, TypeVar, assert_never

import msgspec
import trio

from actors.files.reading import COARSE_SETTLED_NS, settles_ns
from actors.indexing.batches import Queue
from actors.indexing.config_files import read_config_files
from actors.indexing.delta import Known, compare, record_of, unlisted_after
from actors.indexing.latest import Building, FileRecord, Latest, Published, Publisher
from actors.indexing.map_builder import MapBuilder
from actors.indexing.sketching import files_with, show_growing
from actors.messaging.inbox import ActorDied, Address, Delivery, Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    Confirm,
    Extract,
    FileJob,
    KeepConfirmed,
    KeepFacts,
    Load,
    Look,
    Looked,
    Outcome,
    Parsed,
    PoolMessage,
    Prepare,
    Rebuild,
    Rebuilt,
    ResolverMessage,
    Same,
    Skipped,
    StoreMessage,
    Unavailable,
)
from actors.messaging.supervise import Outage
from actors.messaging.turns import Turns
from actors.ports import Listing, Ports, RootIdentity, away_because
from codemap.extract.skip import SkipReason
from codemap.graph.build.link import Progress
from codemap.graph.verified.confirmed import Confirmed, merged
from codemap.persistent import PersistentMap

S = TypeVar("S")

SETTLED_MARGIN_S = 0.001
"""So long after a file has settled it is looked at again; clocks are not that precise."""

LARGE_ROUND = 200
"""Files; a build of so many leaves a third of the process's memory free and unreturned."""

LOAD_MAX_S = 30.0
"""A store that takes longer to give the last map is not waited for: its disk hangs. Sixty thousand files of 18 kB take
three seconds, and several times as long where other programs want the processor; their first build, minutes."""


RETURN_S = 10.0
"""So often small rounds give back what they have freed: each makes arrays anew, and what the old ones leave between
what stays would come to 3 MB in a hundred edits, for ever."""

POLISH_IDLE_S = 1.0
"""So long nothing is asked before there is time for it."""


FULL = "the map takes all the memory that it may"


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
    builder: MapBuilder[S],
    parallel: int,
    report: Callable[[ResolverStatistics], None],
    store: Address[StoreMessage] | None = None,
) -> None:
    """Runs until cancelled; a round that is cancelled publishes nothing but partial maps of a first build. The pool
    has `parallel` batches at once."""
    work = _Rounds(pool, latest, publisher, ports, builder, parallel, report, store)
    await work.load()
    waiting = inbox.take_queued()
    extent: str | frozenset[str] = ""
    is_due = True
    while True:
        if is_due:
            rebuilt, looked = await work.round(extent)
        confirmed = work.confirm([one.message.found for one in waiting if isinstance(one.message, Confirm)])
        for delivery in waiting:
            match delivery.message:
                case Rebuild():
                    delivery.answer(delivery.message, rebuilt)
                case Look():
                    delivery.answer(delivery.message, looked)
                case Confirm():
                    delivery.answer(delivery.message, confirmed)
                case _:
                    assert_never(delivery.message)
        work.return_free()
        waiting = inbox.take_queued()
        if not waiting:
            waiting = await work.polish(inbox)
        if not waiting:
            waiting = await work.wait_for(inbox)
        is_due = not waiting or not all(isinstance(delivery.message, Confirm) for delivery in waiting)
        extent = _common_extent(waiting, work.unsettled)


def _common_extent(waiting: list[Delivery[ResolverMessage]], unsettled: frozenset[str]) -> str | frozenset[str]:
    """What all ask for: a scope (empty: everything), or some paths."""
    scopes: set[str] = set()
    paths: set[str] = set()
    for delivery in waiting:
        match delivery.message:
            case Rebuild(scope):
                scopes.add(scope.strip("/"))
            case Look(some):
                paths |= some
            case Confirm():
                pass
            case _:
                assert_never(delivery.message)
    if not scopes:
        return frozenset(paths | unsettled)
    return scopes.pop() if len(scopes) == 1 and not paths else ""


class _Rounds(Generic[S]):
    """One life of the resolver."""

    def __init__(
        self,
        pool: Address[PoolMessage],
        latest: Latest[S],
        publisher: Publisher[S],
        ports: Ports,
        builder: MapBuilder[S],
        parallel: int,
        report: Callable[[ResolverStatistics], None],
        store: Address[StoreMessage] | None,
    ) -> None:
        self._store = store
        self._pool = pool
        self._latest = latest
        self._publisher = publisher
        self._ports = ports
        self._builder = builder
        self._parallel = parallel
        self._report = report
        self._rounds = self._extracted = self._same = 0
        self._return_at_s = math.inf
        """When memory is given back next, at the earliest; never, where nothing was built since it was."""
        self._root: RootIdentity | None = None
        self._settling: dict[str, int] = {}
        """Unsettled files, with the wall clock at which they settle, in nanoseconds."""

    @property
    def unsettled(self) -> frozenset[str]:
        """Files that were read so shortly after they changed that another change might not show."""
        return frozenset(self._settling)

    async def wait_for(self, inbox: Inbox[ResolverMessage]) -> list[Delivery[ResolverMessage]]:
        """The next messages; none, when it is time to look at unsettled files again."""
        left_s = (max(self._settling.values()) - self._ports.wall_ns()) / 1e9 if self._settling else math.inf
        with trio.move_on_after(max(left_s, 0.0) + SETTLED_MARGIN_S):
            return [await inbox.receive(), *inbox.take_queued()]
        return []

    async def polish(self, inbox: Inbox[ResolverMessage]) -> list[Delivery[ResolverMessage]]:
        """Publishes a better snapshot of the same contents when nothing is asked for a while; gives what was asked.

        It is given up when something is asked meanwhile: whoever waits for an edit waits for no scores.
        """
        published = self._latest.get()
        steps = self._builder.polish(published.snapshot) if published is not None else None
        if published is None or steps is None:
            return []
        with trio.move_on_after(POLISH_IDLE_S):
            return [await inbox.receive(), *inbox.take_queued()]
        snapshot = await _run_steps(_while_idle(steps, inbox))
        if snapshot is published.snapshot:
            gc.freeze()  # what edits need of all files was read, once
        elif snapshot is not None:
            version = published.version + 1
            self._publisher.publish(msgspec.structs.replace(published, version=version, snapshot=snapshot))
            self._return_at_s = -math.inf  # there is time for it, too
        self.return_free()
        return inbox.take_queued()

    def return_free(self) -> None:
        """Gives memory back where it is time for that; for when nobody waits for an answer."""
        if trio.current_time() >= self._return_at_s:
            self._return_at_s = math.inf
            self._ports.return_free()

    def confirm(self, found: Sequence[Mapping[str, Confirmed]]) -> int:
        """Publishes the map with what was confirmed, in the order in which it came; gives the version that has it."""
        published = self._latest.get()
        if published is None:
            return 0
        all_found: dict[str, Confirmed] = {}
        for some in found:
            for path, one in some.items():
                all_found[path] = merged(all_found.get(path), one)
        if not all_found:
            return published.version
        snapshot = self._builder.apply_confirmations(published.snapshot, all_found)
        if snapshot is published.snapshot:
            return published.version
        if self._store is not None:
            self._store.offer(KeepConfirmed(all_found))
        self._publisher.publish(msgspec.structs.replace(published, version=published.version + 1, snapshot=snapshot))
        return published.version + 1

    async def load(self) -> None:
        """Publishes what an earlier run kept, where nothing is published yet; the first round then compares it."""
        if self._store is None or self._latest.get() is not None:
            return
        with trio.move_on_after(LOAD_MAX_S):
            try:
                stored = await self._store.ask(Load())
            except ActorDied:
                return
            if isinstance(stored, Published):
                self._publisher.publish(stored)
                gc.freeze()  # it stays: the collector need not look at it
                log("loaded", files=len(stored.files))

    async def round(self, extent: str | frozenset[str]) -> tuple[Rebuilt, Looked]:
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
        if previous is None:
            extent = ""
        listing: Listing | None = None
        ignored: frozenset[str] = frozenset()
        if previous is not None and isinstance(extent, frozenset):
            known = Known(previous.files, previous.config_files, previous.unlisted)
            glance = await self._ports.list_paths(extent, known)
            if glance is not None:
                listing, ignored = glance, glance.ignored
            else:
                extent = ""
        if listing is None:
            assert isinstance(extent, str)
            if previous is None:
                self._pool.offer(Prepare())
            self._publisher.report(Building("list"))
            listing = await self._ports.list_files(extent)
        old: PersistentMap[str, FileRecord] = previous.files if previous is not None else PersistentMap()
        self._check_root()
        delta = await compare(old, listing.files, extent)
        configs, config_files = await read_config_files(previous, listing.configs, extent, self._ports)
        jobs = [FileJob(path, stat, old[path].digest if path in old else b"") for path, stat in delta.changed.items()]
        show = partial(self._show, listing, configs, config_files) if previous is None else None
        outcomes = await self._extract(jobs, show)
        self._check_root()
        changed: dict[str, Parsed] = {}
        removed = {path for path in delta.removed if old[path].skipped is None}
        read: dict[str, FileRecord] = {}
        for path in sorted(outcomes):
            outcome, before = outcomes[path], old.get(path)
            record = record_of(outcome, before)
            if record is not None:
                read[path] = record
            if isinstance(outcome, Parsed):
                changed[path] = outcome
            elif isinstance(outcome, Skipped) and before is not None and before.skipped is None:
                removed.add(path)
        records = old.updated(read, delta.removed | (delta.changed.keys() - read.keys()))
        published = await self._publish(previous, listing, extent, records, changed, removed, configs, config_files)
        self._remember_unsettled(records, outcomes)

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
        return rebuilt, Looked(ignored)

    def _check_root(self) -> None:
        """Raises Outage where the root is not the folder that this life began with: what is missing there is not
        deleted."""
        why = away_because(self._ports, self._root)
        if why:
            raise Outage(why)
        self._root = self._ports.root_identity()
        self._publisher.compare_with(self._root)

    def _remember_unsettled(self, records: Mapping[str, FileRecord], looked_at: Iterable[str]) -> None:
        """Notes when to look again at files that changed just before they were read.

        Those that would never settle by waiting, unreadable or with a time to come, are left to the next round.
        """
        now_ns = self._ports.wall_ns()
        for path in [*looked_at, *self._settling]:
            self._settling.pop(path, None)
            record = records.get(path)
            if record is not None and not record.is_settled and record.digest:
                at_ns = settles_ns(record.stat)
                if at_ns - now_ns <= COARSE_SETTLED_NS:
                    self._settling[path] = at_ns

    async def _extract(
        self, jobs: list[FileJob], show: Callable[[Mapping[str, Parsed]], Awaitable[None]] | None
    ) -> dict[str, Outcome]:
        """The outcome of every job; several batches are with the pool at a time. `show` is given what is there
        meanwhile. Raises ActorDied with the pool."""
        outcomes: dict[str, Outcome] = {}
        total = len(jobs)
        memory = self._ports.memory
        own_before, is_full = memory.own(), False
        todo = Queue(jobs)
        self._publisher.report(Building("extract", 0, total))

        async def ask_for_batches() -> None:
            nonlocal is_full
            for batch in todo:
                if not is_full and not memory.has_room_for_facts(own_before):
                    is_full = True
                    log("map-full", Severity.WARNING, files=len(outcomes), of=total, own_mb=memory.own() // 1_000_000)
                if is_full:
                    outcomes.update((job.path, Skipped(job.stat, b"", True, SkipReason.MEMORY, FULL)) for job in batch)
                    continue
                answer = await self._pool.ask(Extract(batch))
                if isinstance(answer, Unavailable):
                    raise ActorDied("parser pool", answer.reason)
                paths = [job.path for job in batch]
                outcomes.update(zip(paths, answer.outcomes, strict=True))
                self._offer(paths, answer.outcomes)
                self._publisher.report(Building("extract", len(outcomes), total))

        async def bring_forward(text: str) -> Set[str]:
            found = set(await files_with(text, todo.paths, self._ports.read_files))
            todo.bring_forward(found)
            return found

        async with trio.open_nursery() as showing:
            if show is not None:
                showing.start_soon(show_growing, outcomes, total, show, self._publisher.take_wanted, bring_forward)
            async with trio.open_nursery() as nursery:
                for _ in range(min(self._parallel, total)):
                    nursery.start_soon(ask_for_batches)
            showing.cancel_scope.cancel()
        return outcomes

    async def _show(
        self,
        listing: Listing,
        configs: Mapping[str, bytes],
        config_files: PersistentMap[str, FileRecord],
        parsed: Mapping[str, Parsed],
    ) -> None:
        """Publishes the definitions of what was parsed so far."""
        built_ns = self._ports.wall_ns()
        steps = self._builder.sketch(parsed, configs, built_ns=built_ns)
        if steps is None:
            return
        snapshot = await _run_steps(steps)
        records = PersistentMap(
            {path: FileRecord(one.stat, one.digest, one.is_settled) for path, one in parsed.items()}
        )
        unlisted, others, warnings = listing.skipped, listing.others, listing.warnings
        version = self._version + 1
        self._publisher.publish(
            Published(
                version, snapshot, records, configs, config_files, unlisted, others, warnings, built_ns, is_partial=True
            )
        )

    @property
    def _version(self) -> int:
        """Of what was published last; 0 where nothing was."""
        published = self._latest.get()
        return 0 if published is None else published.version

    def _offer(self, paths: Iterable[str], outcomes: Iterable[Outcome]) -> None:
        """Shows the store what was parsed; what it has no room for it finds in the next snapshot."""
        if self._store is not None:
            pairs = zip(paths, outcomes, strict=True)
            parsed = tuple((path, one) for path, one in pairs if isinstance(one, Parsed) and not one.is_stored)
            if parsed:
                self._store.offer(KeepFacts(parsed))

    async def _publish(
        self,
        previous: Published[S] | None,
        listing: Listing,
        extent: str | frozenset[str],
        records: PersistentMap[str, FileRecord],
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        config_files: PersistentMap[str, FileRecord],
    ) -> Published[S]:
        """Publishes what is new: the snapshot where contents changed, the records where only stats did."""
        unlisted, others, warnings = listing.skipped, listing.others, listing.warnings
        if previous is not None and extent:
            unlisted = unlisted_after(previous.unlisted, unlisted, extent)
            others = previous.others
            warnings = warnings if isinstance(extent, str) else previous.warnings
        if previous is not None and not changed and not removed and configs is previous.configs:
            published = msgspec.structs.replace(
                previous,
                files=records,
                config_files=config_files,
                unlisted=unlisted,
                others=others,
                warnings=warnings,
            )
        else:
            built_ns = self._ports.wall_ns()
            self._publisher.report(Building("graph", 0, len(changed)))
            before = previous.snapshot if previous is not None else None
            steps = self._builder.build(before, changed, removed, configs, built_ns=built_ns)
            snapshot = await _run_steps(steps, partial(self._bound, len(changed)))
            published = Published(
                self._version + 1, snapshot, records, configs, config_files, unlisted, others, warnings, built_ns
            )
        self._publisher.publish(published)
        if len(changed) >= LARGE_ROUND:
            self._ports.return_memory()
        else:
            self._return_at_s = min(self._return_at_s, trio.current_time() + RETURN_S)
        return published

    def _bound(self, changed: int, step: object) -> None:
        """Tells how far binding is; the steps before and after it count no files, or all of them. What binding needed
        goes back before anything is made that stays: else that would stand between what is free."""
        if not isinstance(step, Progress):
            return
        if 0 < step.done < step.total:
            self._publisher.report(Building("graph", step.done, step.total))
        if step.is_free and changed >= LARGE_ROUND:
            self._ports.return_memory()


def _while_idle(steps: Generator[object, None, S], inbox: Inbox[ResolverMessage]) -> Generator[object, None, S | None]:
    """The same steps, given up without a result as soon as something is asked."""
    while not inbox.statistics().queued:
        try:
            next(steps)
        except StopIteration as end:
            result: S = end.value
            return result
        yield None
    steps.close()
    return None


async def _run_steps(steps: Generator[object, None, S], tell: Callable[[object], None] = lambda _step: None) -> S:
    """What the generator returns; `tell` is given each step. Others run between them. When cancelled, it is closed.

    The collector rests meanwhile: a build makes millions of objects and no cycles, and each of its passes would walk
    them all (a third of the build's time). What a large round has made leaves its sight with `return_memory`, for its
    passes to stay short; nothing after a small one: all else that lives then (the clients' connections) would leave it
    too, and what holds itself would never be freed.
    """
    turns = Turns()
    gc.disable()
    try:
        while True:
            try:
                tell(next(steps))
            except StopIteration as end:
                result: S = end.value
                return result
            await turns.step()
    finally:
        steps.close()
        gc.enable()
