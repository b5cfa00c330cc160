"""The resolver: the actor that compares the disk with the map and publishes snapshots; nobody else does.

Every round compares what is on disk with what the snapshot was made from, has the difference parsed, and builds the
next snapshot in steps. The first round of each life does so without being asked, so that a crash loses no file: what
was published survives, what was under way is found again by the comparison.

Rules of the file:
- A round that answers an ask began after the ask arrived. Asks that came while a round ran share the next one.
- A round publishes nothing of a root that went away or was replaced meanwhile.
- A file whose content is known (touched, or looked at again) is not parsed, and makes no new snapshot.
- A file without facts leaves the snapshot; its record says why.
- What language servers confirmed is applied to what is published, without a look at the disk.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Generic, TypeVar, assert_never

import msgspec
import trio

from actors.indexing.batch_extraction import BatchExtraction
from actors.indexing.freed_memory import FreedMemory
from actors.indexing.indexing_round import Rounds
from actors.indexing.latest_snapshot import Latest, Published, Publisher
from actors.indexing.map_builder import MapBuilder
from actors.indexing.sources.fact_sources import ClusterOffer
from actors.indexing.statistics import ResolverStatistics
from actors.indexing.step_runner import run_steps, while_idle
from actors.messaging.inbox import ActorDied, Address, Delivery, Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    Confirm,
    KeepConfirmed,
    Load,
    Look,
    PoolMessage,
    Rebuild,
    Reopen,
    ResolverMessage,
    SaveRicher,
    SharerMessage,
    StoreMessage,
)
from actors.ports import Ports
from codemap.graph.verified.confirmations import Confirmed, merge_confirmations

S = TypeVar("S")

LOAD_MAX_S = 30.0
"""A store that takes longer to give the last map is not waited for: its disk hangs. Sixty thousand files of 18 kB take
three seconds, and several times as long where other programs want the processor; their first build, minutes."""

POLISH_IDLE_S = 1.0
"""How long nothing must be asked before a snapshot is completed."""


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
    sharer: Address[SharerMessage] | None = None,
    cluster: ClusterOffer | None = None,
) -> None:
    """Runs until cancelled; a round that is cancelled publishes nothing but partial maps of a first build. The pool
    has `parallel` batches at once."""
    freed = FreedMemory(ports)
    extraction = BatchExtraction(pool, store, sharer, cluster, ports, publisher, parallel)
    rounds = Rounds(extraction, latest, builder, freed, report)
    same = _SameContents(latest, publisher, builder, freed, store)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_rebuild_when_lost, latest, inbox.address)
        with publisher.life():
            await same.load()
            waiting = inbox.take_queued()
            extent: str | frozenset[str] = ""
            is_due = True
            while True:
                if is_due:
                    rebuilt, looked = await rounds.run(extent)
                confirmed = same.confirm([one.message.found for one in waiting if isinstance(one.message, Confirm)])
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
                freed.return_due()
                waiting = inbox.take_queued()
                if not waiting:
                    waiting = await same.polish(inbox)
                if not waiting:
                    waiting = await same.reopen(inbox)
                if not waiting:
                    waiting = await _wait_for(inbox, rounds.unsettled.due_s(ports.wall_ns()))
                is_due = not waiting or not all(isinstance(delivery.message, Confirm) for delivery in waiting)
                extent = _common_extent(waiting, rounds.unsettled.paths)


async def _rebuild_when_lost(latest: Latest[S], address: Address[ResolverMessage]) -> None:
    """Has a map built anew whenever one is withdrawn."""
    losses = latest.losses
    while True:
        losses = await latest.wait_lost(losses)
        log("map-lost", Severity.WARNING)
        address.offer(Rebuild(""))


def _common_extent(waiting: list[Delivery[ResolverMessage]], unsettled: frozenset[str]) -> str | frozenset[str]:
    """Combines what several messages ask for: a scope (empty: everything), or some paths."""
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


async def _wait_for(inbox: Inbox[ResolverMessage], due_s: float) -> list[Delivery[ResolverMessage]]:
    """Waits for messages; none come when it is time to look at unsettled files again."""
    with trio.move_on_after(due_s):
        return [await inbox.receive(), *inbox.take_queued()]
    return []


class _SameContents(Generic[S]):
    """Publishes improved snapshots of the same contents, without looking at the disk."""

    def __init__(
        self,
        latest: Latest[S],
        publisher: Publisher[S],
        builder: MapBuilder[S],
        freed: FreedMemory,
        store: Address[StoreMessage] | None,
    ) -> None:
        self._latest = latest
        self._publisher = publisher
        self._builder = builder
        self._freed = freed
        self._store = store
        self._seen: Published[S] | None = None
        """The map that was last asked of the store."""

    async def polish(self, inbox: Inbox[ResolverMessage]) -> list[Delivery[ResolverMessage]]:
        """Publishes a completed snapshot when nothing is asked for a while; returns the messages that came.

        It is given up when something is asked meanwhile: whoever waits for an edit waits for no scores.
        """
        published = self._latest.get()
        steps = self._builder.polish(published.snapshot) if published is not None else None
        if published is None or steps is None:
            return []
        with trio.move_on_after(POLISH_IDLE_S):
            return [await inbox.receive(), *inbox.take_queued()]
        snapshot = await run_steps(while_idle(steps, inbox))
        if snapshot is published.snapshot:
            gc.freeze()  # what was read of all files stays
            if self._store is not None:
                self._store.offer(SaveRicher())
        elif snapshot is not None:
            self._replace(published, snapshot)
            self._freed.note_idle()
        self._freed.return_due()
        return inbox.take_queued()

    async def reopen(self, inbox: Inbox[ResolverMessage]) -> list[Delivery[ResolverMessage]]:
        """Publishes a large map as the store has it, so that what can be read need not be in memory; returns the
        messages that came. It is given up when something is asked meanwhile."""
        published = self._latest.get()
        if self._store is None or published is None or published is self._seen:
            return []
        messages: list[Delivery[ResolverMessage]] = []
        async with trio.open_nursery() as nursery:

            async def listen() -> None:
                messages.append(await inbox.receive())
                nursery.cancel_scope.cancel()

            nursery.start_soon(listen)
            await trio.sleep(POLISH_IDLE_S)
            with suppress(ActorDied):
                stored = await self._store.ask(Reopen())
                if isinstance(stored, Published) and self._latest.get() is published and not messages:
                    self._publisher.publish(stored)
                    log("reopened", files=len(stored.files))
            self._seen = self._latest.get()
            nursery.cancel_scope.cancel()
        is_reopened = self._latest.get() is not published
        del published  # or its memory could not be returned
        if is_reopened:
            self._freed.note_replaced()
        return [*messages, *inbox.take_queued()]

    def confirm(self, found: Sequence[Mapping[str, Confirmed]]) -> int:
        """Publishes the map with confirmations, in the order in which they came; returns its version."""
        published = self._latest.get()
        if published is None:
            return 0
        all_found: dict[str, Confirmed] = {}
        for some in found:
            for path, one in some.items():
                all_found[path] = merge_confirmations(all_found.get(path), one)
        if not all_found:
            return published.version
        snapshot = self._builder.apply_confirmations(published.snapshot, all_found)
        if snapshot is published.snapshot:
            return published.version
        if self._store is not None:
            self._store.offer(KeepConfirmed(all_found))
        return self._replace(published, snapshot)

    def _replace(self, published: Published[S], snapshot: S) -> int:
        """Publishes another snapshot of the same contents; returns its version."""
        version = published.version + 1
        self._publisher.publish(msgspec.structs.replace(published, version=version, snapshot=snapshot))
        return version

    async def load(self) -> None:
        """Publishes the map that the store kept, where none is published yet; the first round then compares it with the
        disk."""
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
