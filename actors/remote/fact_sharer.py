"""The sharer of facts: the actor between the parser pool and a store that several machines share.

Facts that this machine's store lacks are looked up there before files are parsed, and what is parsed here is written
there where that is allowed.

Rules of the file:
- Nobody waits for the store for longer than he said, and nobody at all while it is down: see `CircuitBreaker`.
- What comes counts only if it is whole and signed (`entries`), and facts by their form; all else is as good as missing.
- Writing is in the background; what there is no room for is not written, and counted.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import assert_never

import trio

from actors.database.stored_facts import facts_key
from actors.indexing.statistics import SharingStatistics
from actors.messaging.inbox import Delivery, Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    FindShared,
    Flush,
    MayAsk,
    Parsed,
    Shared,
    ShareFacts,
    SharerMessage,
    Unparsed,
    Willing,
)
from actors.messaging.yielding import Turns
from actors.remote.opening import Sharing
from actors.remote.remote import RemoteTrouble
from codemap.extract.extract import dialect_of
from codemap.facts import FileFacts
from codemap.packed.packed_facts import pack_facts
from codemap.shared_facts.acceptance import accept_facts
from codemap.shared_facts.circuit_breaker import CircuitBreaker
from codemap.shared_facts.entries import Content, Refusal, entry_name, seal
from codemap.shared_facts.names_only import names_only, with_marks

PARSED_BYTES_A_SECOND = 1_000_000
"""Source bytes that a core parses in a second, in the slower languages."""

PATIENCE = 2.0
"""A batch is left after so many times what it may take; what takes longer than that once is used, and counts as a
failure."""

PROBE_MAX_S = 5.0
"""How long a probe, which nobody waits for, may take."""

WRITE_MAX_S = 30.0
"""How long writing some entries may take."""

WRITTEN_AT_ONCE = 64

UNWRITTEN_MAX = 100_000
"""Files that may wait to be written. Their facts are the map's: each costs its place in the queue."""

UNPACKED_AT_ONCE = 8
"""Facts unpacked between two checkpoints: about a millisecond."""

_PROBE = entry_name(Content.FACTS, b"probe")


async def fact_sharer(
    inbox: Inbox[SharerMessage], *, sharing: Sharing, maker: bytes, report: Callable[[SharingStatistics], None]
) -> None:
    """Runs until cancelled. `maker` identifies the code that extracts."""
    try:
        async with trio.open_nursery() as nursery:
            sharer = _Sharer(sharing, maker, report)
            nursery.start_soon(sharer.probe_when_due)
            nursery.start_soon(sharer.write_what_waits)
            while True:
                delivery = await inbox.receive()
                match delivery.message:
                    case ShareFacts(parsed):
                        sharer.queue(parsed)
                    case MayAsk() | FindShared() | Flush():
                        nursery.start_soon(sharer.serve, delivery)
                    case _:
                        assert_never(delivery.message)
    finally:
        with trio.CancelScope(shield=True):
            await sharing.remote.aclose()


class _Sharer:
    """One life of the actor."""

    def __init__(self, sharing: Sharing, maker: bytes, report: Callable[[SharingStatistics], None]) -> None:
        self._sharing = sharing
        self._maker = maker
        self._report = report
        self._breaker = CircuitBreaker()
        self._first_answer = trio.Event()
        self._failed = trio.Event()
        self._began = trio.current_time()
        self._waiting: deque[tuple[str, Parsed]] = deque()
        self._is_writing = False
        self._changed = trio.lowlevel.ParkingLot()
        self._counts: Counter[str] = Counter()
        self._refused: Counter[Refusal] = Counter()
        self._trouble: str | None = None
        self._publish()

    async def serve(self, delivery: Delivery[SharerMessage]) -> None:
        """Answers an ask."""
        match delivery.message:
            case MayAsk():
                delivery.answer(delivery.message, await self._may_ask())
            case FindShared(wanted):
                delivery.answer(delivery.message, Shared(await self._find(wanted)))
            case Flush():
                delivery.answer(delivery.message, await self._flush())
            case ShareFacts():
                pass

    async def _may_ask(self) -> Willing:
        with trio.move_on_at(self._began + self._sharing.first_answer_s):
            await self._first_answer.wait()
        return Willing(self._breaker.may_ask(trio.current_time()), self._sharing.content is Content.NAMES)

    async def probe_when_due(self) -> None:
        """Asks for an entry that is never there, whenever it is not known whether the store answers; runs for ever."""
        while True:
            if self._breaker.probe_at > trio.current_time():
                with trio.move_on_at(self._breaker.probe_at):
                    await self._failed.wait()
                self._failed = trio.Event()
                continue
            with trio.move_on_after(PROBE_MAX_S) as scope:
                try:
                    await self._sharing.remote.get_many([_PROBE], _ignore)
                    self._breaker.note_probe()
                    self._trouble = None
                except RemoteTrouble as trouble:
                    self._note_trouble(str(trouble))
            if scope.cancelled_caught:
                self._note_trouble(f"it did not answer in {PROBE_MAX_S:g} s")
            self._first_answer.set()
            self._publish()

    async def _find(self, wanted: Mapping[str, Unparsed]) -> dict[str, FileFacts]:
        """Looks facts up, by path, for not much longer than parsing would take."""
        content = self._sharing.content
        worth_s = self._sharing.batch_s + sum(one.stat.size for one in wanted.values()) / PARSED_BYTES_A_SECOND
        began, took_s = trio.current_time(), None
        paths: dict[str, list[str]] = {}
        for path, one in wanted.items():
            paths.setdefault(self._name(path, one.digest), []).append(path)
        came: dict[str, bytes] = {}
        with trio.move_on_after(PATIENCE * worth_s) as scope:
            try:
                await self._sharing.remote.get_many(list(paths), came.__setitem__)
                took_s = trio.current_time() - began
            except RemoteTrouble as trouble:
                self._note_trouble(str(trouble))
        if scope.cancelled_caught:
            self._counts["late"] += len(paths) - len(came)
            self._note_trouble(f"it did not answer in {PATIENCE * worth_s:.2g} s")
        found: dict[str, FileFacts] = {}
        turns = Turns()
        for count, (name, sealed) in enumerate(came.items()):
            if count % UNPACKED_AT_ONCE == UNPACKED_AT_ONCE - 1:
                await turns.step()
            facts = self._accepted(name, sealed)
            for path in paths.get(name, ()) if facts is not None else ():
                assert facts is not None
                found[path] = with_marks(facts, wanted[path].marks) if content is Content.NAMES else facts
        if took_s is not None:
            self._note_answer(len(found), took_s, worth_s)
        self._counts["asked"] += len(wanted)
        self._counts["found"] += len(found)
        self._publish()
        return found

    def _accepted(self, name: str, sealed: bytes) -> FileFacts | None:
        facts = accept_facts(name, self._sharing.content, sealed, self._sharing.key)
        if isinstance(facts, Refusal):
            self._refused[facts] += 1
            return None
        return facts

    # -- writing ----------------------------------------------------------------------------------------------------

    def queue(self, parsed: tuple[tuple[str, Parsed], ...]) -> None:
        """Queues facts to be written."""
        if not self._sharing.pushes:
            return
        room = UNWRITTEN_MAX - len(self._waiting)
        self._waiting += parsed[:room]
        self._counts["unwritten"] += len(parsed[room:])
        self._changed.unpark_all()

    async def write_what_waits(self) -> None:
        """Writes what is queued, some at a time; runs for ever. What fails is not tried again, and what is queued while
        the store does not answer is not tried."""
        await self._first_answer.wait()
        while True:
            while not self._waiting:
                await self._changed.park()
            if not self._breaker.is_answering:
                self._counts["unwritten"] += len(self._waiting)
                self._waiting.clear()
                self._publish()
                self._changed.unpark_all()
                continue
            some = [self._waiting.popleft() for _ in range(min(WRITTEN_AT_ONCE, len(self._waiting)))]
            self._is_writing = True
            with trio.move_on_after(WRITE_MAX_S) as scope:
                try:
                    written, there = await self._write(some)
                    self._counts["written"] += written
                    self._counts["there"] += there
                except RemoteTrouble as trouble:
                    self._counts["unwritten"] += len(some)
                    self._note_trouble(str(trouble))
            if scope.cancelled_caught:
                self._counts["unwritten"] += len(some)
                self._note_trouble(f"it took nothing in {WRITE_MAX_S:g} s")
            self._is_writing = False
            self._publish()
            self._changed.unpark_all()

    async def _write(self, some: list[tuple[str, Parsed]]) -> tuple[int, int]:
        """Writes what the store has not; how many entries were written, and how many were there. Raises
        RemoteTrouble."""
        by_name = {self._name(path, one.digest): one.facts for path, one in some}
        there = await self._sharing.remote.having(list(by_name))
        missing = {name: facts for name, facts in by_name.items() if name not in there}
        if missing:
            values = await trio.to_thread.run_sync(partial(self._sealed, missing))
            await self._sharing.remote.put_many(values)
        return len(missing), len(there)

    def _sealed(self, facts_of: Mapping[str, FileFacts]) -> dict[str, bytes]:
        content, key = self._sharing.content, self._sharing.key
        is_bare = content is Content.NAMES
        return {
            name: seal(name, content, pack_facts(names_only(facts) if is_bare else facts), key)
            for name, facts in facts_of.items()
        }

    async def _flush(self) -> bool:
        """Waits until nothing waits to be written; whether all was."""
        while self._waiting or self._is_writing:
            await self._changed.park()
        return not self._counts["unwritten"]

    # -- accounts ---------------------------------------------------------------------------------------------------

    def _name(self, path: str, digest: bytes) -> str:
        return entry_name(self._sharing.content, facts_key(self._maker, dialect_of(path), digest))

    def _note_answer(self, found: int, took_s: float, worth_s: float) -> None:
        if took_s > worth_s:
            self._note_trouble(f"it took {took_s:.2g} s where parsing takes less")
        else:
            self._breaker.note_answer(found, trio.current_time())

    def _note_trouble(self, why: str) -> None:
        if why != self._trouble:
            log("shared-facts-trouble", Severity.WARNING, place=self._sharing.remote.place, detail=why)
        self._trouble = why
        self._counts["failures"] += 1
        self._breaker.note_failure(trio.current_time())
        self._failed.set()
        self._publish()

    def _publish(self) -> None:
        counts = self._counts
        self._report(
            SharingStatistics(
                self._sharing.remote.place,
                self._breaker.may_ask(trio.current_time()),
                counts["asked"],
                counts["found"],
                counts["late"],
                {refusal.value: number for refusal, number in sorted(self._refused.items(), key=lambda x: x[0].value)},
                counts["failures"],
                counts["written"],
                counts["there"],
                counts["unwritten"],
                len(self._waiting),
                self._trouble,
            )
        )


def _ignore(_name: str, _value: bytes) -> None:
    """Receives what nobody wants."""
