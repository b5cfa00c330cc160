"""The store: the actor that saves facts and maps for the next start.

It is asked once, before the first build, and works behind the build from then on. Facts are written as they come; the
map when nothing has changed for a while, and never so often that writing it takes more than a small share of the time,
and once more when the service ends.

Rules of the file:
- Nothing waits for the store. What it is offered and has no room for is written with the next map.
- A store that cannot be used is reported, and tried again later; the service goes on without.
- Contents of files are not kept: facts are, and digests of configuration files, which are read again and compared.

The file is long because everything that is kept goes through one life with one state of trouble.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Generic, Protocol, TypeVar, assert_never
from weakref import ref

import msgspec
import trio

from actors.database.store_file import StoreFile
from actors.database.stored_facts import facts_key
from actors.database.stored_history import keep_history, recall_history
from actors.database.stored_map import StoredMap
from actors.database.tables import StoreTrouble
from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import FileRecord, Latest, Published
from actors.indexing.statistics import StoreStatistics
from actors.indexing.stored_metadata import Meta, decoded, encoded, meta_of, split
from actors.messaging.inbox import Inbox
from actors.messaging.log import Severity, log
from actors.messaging.messages import (
    KeepConfirmed,
    KeepFacts,
    KeepHistory,
    Load,
    Parsed,
    Recall,
    RecallHistory,
    Reopen,
    Save,
    SaveRicher,
    StoreMessage,
)
from actors.ports import Ports
from codemap.extract.extract import dialect_of
from codemap.extract.skipped_files import SkipReason
from codemap.graph.model.lost_map import LostMap
from codemap.graph.verified.confirmations import Confirmed
from codemap.packed.texts import Octets
from codemap.persistent import PersistentMap

S = TypeVar("S")
T = TypeVar("T")

QUIET_S = 2.0
"""How long the map must not change before it is written."""

REST_FACTOR = 50.0
"""Pause between two writes of the map, as a multiple of the last one's time: at most 2 % of one core."""

SAVE_AT_END_S = 1.0
"""How long the end of the service waits for the map to be written: facts are stored as they come, so that what a longer
write loses is done again in seconds."""

RETRY_S = 60.0
"""Pause after a failure until the file is tried again."""

TRIED_AGAIN = frozenset((SkipReason.TIMEOUT, SkipReason.MEMORY, SkipReason.UNPARSABLE))
"""Reasons to skip a file that may have been the machine's fault: such files are tried again in each run."""

NANOSECONDS = 1_000_000_000


class Codec(Protocol[S]):
    """Packs and unpacks snapshots. Pure; called on threads."""

    def pack(self, snapshot: S) -> Iterable[bytes]:
        """Packs all but facts and configuration files, part by part as they are gone through, which may be again."""
        ...

    def unpack(self, parts: Sequence[Octets], facts: Sequence[bytes], configs: Mapping[str, bytes]) -> S:
        """Unpacks a snapshot, given the facts of its files in their order. Raises ValueError."""
        ...

    def contents(self, snapshot: S) -> list[tuple[str, bytes]]:
        """Lists path and digest of each file, in their order."""
        ...

    def facts(self, snapshot: S, number: int) -> bytes:
        """Packs the facts of one file, by its place in that order."""
        ...

    def is_in_memory(self, snapshot: S) -> bool:
        """Tells whether a snapshot is in memory and would take much less if it were opened from the store. Cheap."""
        ...

    def reopen(self, snapshot: S, stored: S) -> S | None:
        """Returns a snapshot as it was stored, to be used in place of the one in memory; None where it is another
        one."""
        ...


async def store(
    inbox: Inbox[StoreMessage],
    *,
    file: StoreFile,
    ports: Ports,
    latest: Latest[S],
    codec: Codec[S],
    report: Callable[[StoreStatistics], None],
) -> None:
    """Runs until cancelled, and then writes the map once more, where that takes no longer than SAVE_AT_END_S.

    A write that is cancelled leaves the file as it was before.
    """
    file.on_lost = partial(_withdraw, latest, trio.lowlevel.current_trio_token())
    work = _Work(file, ports, latest, codec, report)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(work.save_when_quiet)
            nursery.start_soon(work.forget_lost)
            while True:
                delivery = await inbox.receive()
                match delivery.message:
                    case KeepFacts(parsed):
                        await work.keep(parsed)
                    case Load():
                        delivery.answer(delivery.message, await work.load())
                        await work.see_to_loaded()
                    case Save():
                        delivery.answer(delivery.message, await work.save())
                    case SaveRicher():
                        await work.save(is_richer=True)
                    case Reopen():
                        delivery.answer(delivery.message, await work.reopen())
                    case KeepConfirmed(found):
                        await work.keep_confirmed(found)
                    case Recall(contents):
                        delivery.answer(delivery.message, await work.recall(contents))
                    case KeepHistory(body):
                        await work.keep_history(body)
                    case RecallHistory():
                        delivery.answer(delivery.message, await work.recall_history())
                    case _:
                        assert_never(delivery.message)
    finally:
        if trio.current_effective_deadline() == -math.inf:
            with trio.move_on_after(SAVE_AT_END_S, shield=True):
                await work.forget()
                await work.save()


class _Work(Generic[S]):
    """One life of the store."""

    def __init__(
        self,
        file: StoreFile,
        ports: Ports,
        latest: Latest[S],
        codec: Codec[S],
        report: Callable[[StoreStatistics], None],
    ) -> None:
        self._file = file
        self._ports = ports
        self._latest = latest
        self._codec = codec
        self._report = report
        self._saving = trio.Lock()
        self._trouble: str | None = None
        self._set_aside: str | None = None
        self._retry_at = -math.inf
        self._kept = self._maps = self._saved = self._bytes = 0
        self._is_loaded = False
        self._loaded: StoredMap | None = None
        self._rest_s = 0.0
        self._reopened: Callable[[], Published[S] | None] = lambda: None
        """The published map as it was stored, where it was asked for."""
        self._publish()

    async def keep(self, parsed: Sequence[tuple[str, Parsed]]) -> None:
        """Writes facts that were parsed."""
        if trio.current_time() < self._retry_at:
            return
        now_s = self._ports.wall_ns() // NANOSECONDS
        maker = self._file.place.facts_maker

        def write() -> int:
            self._file.keep([_packed(maker, path, one) for path, one in parsed], now_s)
            return len(parsed)

        self._kept += await self._attempt(write) or 0
        self._publish()

    async def keep_confirmed(self, found: Mapping[str, Confirmed]) -> None:
        """Writes confirmations of language servers."""
        if trio.current_time() >= self._retry_at:
            now_s = self._ports.wall_ns() // NANOSECONDS
            await self._attempt(partial(self._file.keep_confirmed, found, now_s))

    async def recall(self, contents: Sequence[tuple[str, bytes]]) -> Mapping[str, Confirmed]:
        """Reads the confirmations of some contents, by path."""
        return await self._attempt(partial(self._file.recall, contents)) or {}

    async def keep_history(self, body: bytes) -> None:
        """Writes the history of the repository."""
        if trio.current_time() >= self._retry_at:
            now_s = self._ports.wall_ns() // NANOSECONDS
            await self._attempt(
                partial(self._file.run, lambda connection: keep_history(connection, self._file.place, body, now_s))
            )

    async def recall_history(self) -> bytes | None:
        """Reads the history that was kept."""
        return await self._attempt(partial(self._file.run, recall_history))

    async def load(self) -> Published[S] | None:
        """Loads the map that was saved; configuration files that changed since are left out."""
        stored = await self._attempt(self._file.load)
        if stored is None:
            return None
        try:
            meta = decoded(stored.head)
            configs, config_files = await self._configs(meta)
            published = await self._ports.run_in_thread(partial(self._unpacked, stored, meta, configs, config_files))
        except (ValueError, LostMap) as error:
            log("store-unreadable", Severity.WARNING, path=self._file.place.path, detail=error)
            return None
        self._saved, self._is_loaded, self._loaded = published.version, True, stored
        self._publish()
        return published

    async def reopen(self) -> Published[S] | None:
        """Saves the published map and opens it as it was stored; None where that makes no difference, or fails."""
        published = self._latest.get()
        if published is None or not self._codec.is_in_memory(published.snapshot) or not await self.save():
            return None
        stored = await self._attempt(self._file.load)
        if stored is None:
            return None

        def unpacked() -> S:
            return self._codec.unpack(stored.parts, stored.facts, published.configs)

        try:
            snapshot = self._codec.reopen(published.snapshot, await self._ports.run_in_thread(unpacked))
        except (ValueError, LostMap) as error:
            log("store-unreadable", Severity.WARNING, path=self._file.place.path, detail=error)
            return None
        if snapshot is None:
            return None
        again = msgspec.structs.replace(published, version=self._latest.last_version + 1, snapshot=snapshot)
        self._reopened = ref(again)
        return again

    async def see_to_loaded(self) -> None:
        """Notes in the file that the map which was just loaded is in use, and has it checked where it was not yet."""
        stored, self._loaded = self._loaded, None
        if stored is not None:
            now_s = self._ports.wall_ns() // NANOSECONDS
            await self._attempt(partial(self._file.mark_used, stored, now_s))
            await self._attempt(partial(self._file.check, stored))

    async def forget_lost(self) -> None:
        """Has a map deleted whenever it is lost; runs for ever."""
        losses = self._latest.losses
        while True:
            losses = await self._latest.wait_lost(losses)
            await self.forget()

    async def forget(self) -> None:
        """Has the map deleted that was lost, if one was."""
        await self._attempt(self._file.forget_lost)

    async def save_when_quiet(self) -> None:
        """Writes the map whenever it has not changed for a while; runs for ever."""
        while True:
            version = (await self._latest.wait_version_above(self._saved)).version
            await trio.sleep(max(QUIET_S, self._rest_s, self._retry_at - trio.current_time()))
            if self._latest.version == version and not await self.save():
                await trio.sleep(RETRY_S)

    async def save(self, *, is_richer: bool = False) -> bool:
        """Writes the published map, unless what is stored has its version and it is no richer; whether that
        succeeded."""
        async with self._saving:
            published = self._latest.get()
            if published is None or getattr(published.snapshot, "is_partial", False):
                return False
            if published is self._reopened():
                self._saved = published.version
            if published.version == self._saved and not is_richer:
                return True
            started = trio.current_time()
            saved = await self._attempt(partial(self._write, published, self._ports.wall_ns() // NANOSECONDS))
            self._rest_s = REST_FACTOR * (trio.current_time() - started)
            if saved is not None:
                self._maps += 1
                self._saved, self._bytes = published.version, saved
                log(
                    "stored",
                    version=published.version,
                    bytes=saved,
                    duration_ms=round(self._rest_s * 1000 / REST_FACTOR),
                )
            self._publish()
            return saved is not None

    async def _attempt(self, work: Callable[[], T]) -> T | None:
        """Runs a function on the file: its result; None when it fails, which is reported."""
        try:
            result = await self._ports.run_in_thread(work)
        except StoreTrouble as trouble:
            self._retry_at = trio.current_time() + RETRY_S
            if self._trouble != str(trouble):
                log("store-trouble", Severity.WARNING, detail=trouble)
            self._trouble = str(trouble)
            return None
        finally:
            if self._file.set_aside != self._set_aside:
                self._set_aside = self._file.set_aside
                log("store-set-aside", Severity.WARNING, detail=self._set_aside)
            self._publish()
        self._trouble = None
        return result

    async def _configs(self, meta: Meta) -> tuple[dict[str, bytes], dict[str, FileRecord]]:
        """Reads the configuration files: contents and records of the unchanged ones; others count as unknown.

        What has no record is read again, and what differs then is a change: a file that is gone, too.
        """
        paths = split(meta.configs)
        read = await self._ports.read_files(paths) if paths else {}
        configs: dict[str, bytes] = {}
        records: dict[str, FileRecord] = {}
        for path, digest, record in zip(paths, meta.config_digests, meta.config_records, strict=True):
            if path in read and digest_of(read[path].content) == digest:
                configs[path], records[path] = read[path].content, record
            elif digest:
                configs[path] = b"\0" + digest
        return configs, records

    def _unpacked(
        self, stored: StoredMap, meta: Meta, configs: dict[str, bytes], config_files: dict[str, FileRecord]
    ) -> Published[S]:
        return Published(
            version=self._latest.last_version + 1,
            snapshot=self._codec.unpack(stored.parts, stored.facts, configs),
            files=PersistentMap(
                {
                    path: record
                    for path, record in zip(split(meta.files), meta.records, strict=True)
                    if record.skipped not in TRIED_AGAIN
                }
            ),
            configs=configs,
            config_files=PersistentMap(config_files),
            unlisted=dict(zip(split(meta.unlisted), meta.reasons, strict=True)),
            others=dict(zip(split(meta.others), meta.other_counts, strict=True)),
            warnings=tuple(split(meta.warnings)),
            built_ns=meta.built_ns,
        )

    def _write(self, published: Published[S], now_s: int) -> int:
        """Writes the map and returns the size of the file in bytes. Blocks."""
        codec, snapshot = self._codec, published.snapshot
        maker = self._file.place.facts_maker
        keys = [facts_key(maker, dialect_of(path), digest) for path, digest in codec.contents(snapshot)]
        head = encoded(meta_of(published))
        try:
            self._file.save(head, codec.pack(snapshot), keys, partial(codec.facts, snapshot), now_s)
        except LostMap as lost:
            raise StoreTrouble(f"the map cannot be written: {lost}") from lost
        return self._file.size_bytes()

    def _publish(self) -> None:
        self._report(
            StoreStatistics(
                self._file.place.path,
                self._kept,
                self._maps,
                self._is_loaded,
                self._saved,
                self._bytes,
                self._trouble,
                self._set_aside,
            )
        )


def _withdraw(latest: Latest[S], token: trio.lowlevel.TrioToken) -> None:
    """Has a map withdrawn that turned out to lack a part; called on any thread."""
    with suppress(trio.RunFinishedError):
        token.run_sync_soon(latest.withdraw)


def _packed(maker: bytes, path: str, parsed: Parsed) -> tuple[bytes, bytes]:
    return facts_key(maker, dialect_of(path), parsed.digest), parsed.packed
