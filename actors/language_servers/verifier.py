"""The verifier: asks language servers about uses of the map while nothing else is asked, and confirms edges by their
answers.

Files are taken in order, several uses at a time. What was said once of a content is not asked again: after an edit, and
after a start that finds the confirmations of an earlier run, only what is new or leads to a content that is gone is.

Rules of the file:
- A quick server is asked about every call, a slow one about what is uncertain, and it rests most of the time.
- An answer counts only where the files that it is about, and leads to, have been on disk as they are indexed.
- A server that is not there, or fails, is left alone for a while, longer and longer.

The file is long because one life of it is one state: what is kept, what is left to ask, and how.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Never

import msgspec
import trio

from actors.indexing.latest_snapshot import FileRecord, Latest
from actors.language_servers.verification_progress import AskLive, Stage, Verification
from actors.messaging.inbox import ActorDied, Address, Inbox
from actors.messaging.log import log
from actors.messaging.messages import Confirm, Lane, Recall, ResolverMessage, StoreMessage, Unavailable
from actors.ports import Ports
from codemap.graph.build.build import UNRANKED
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.confirmations import Confirmation, Confirmed, pack_confirmations
from codemap.graph.verified.overlay import find_lapsed_files, without_overlay
from codemap.graph.verified.target_mapping import TargetMap
from codemap.graph.verified.unverified_sites import Site, SiteSelection, find_sites, select_unasked
from codemap.languages import by_name
from codemap.live_queries import Because, Definition, Fact, Found, Missed
from codemap.persistent import PersistentMap

QUIET_S = 5.0
"""How long the map must not change before servers are asked: an edit is followed by others."""

AT_ONCE = 8
"""Questions sent at a time: what a server works on, and the next ones."""

CHUNK = 256
"""Uses between two checks whether the map has changed."""

LAY_EVERY_S = 2.0
"""Interval at which confirmations are published while more come."""

ANSWER_S = 30.0
"""Time limit of one answer, the server's start included."""

DUTY = 0.3
"""Share of the time in which a slow server is asked."""

REST_MIN_S, REST_MAX_S = 15.0, 900.0
"""How long a missing or failing server is not asked; doubled each time."""

RECALLED_AT_ONCE = 2_000
"""Files whose confirmations are looked up together."""


class Manner(msgspec.Struct, frozen=True):
    """How a family's server is asked, by its speed."""

    server: str
    """Name and version."""
    wanted: SiteSelection
    duty: float
    """Share of the time in which it is asked."""


class Rest(msgspec.Struct, frozen=True):
    until: float
    seconds: float


async def verifier(
    inbox: Inbox[Never],
    *,
    latest: Latest[Snapshot],
    live: AskLive,
    resolver: Address[ResolverMessage],
    store: Address[StoreMessage] | None,
    ports: Ports,
    verify: str,
    verification: Verification,
) -> None:
    """Runs until cancelled. `verify` is the setting of that name: what is kept is recalled whatever it says."""
    assert inbox.statistics().queued == 0, "nobody sends it anything"
    work = _Work(latest, live, resolver, store, ports, verify, verification)
    while True:
        contents = await work.recall_latest()
        rest_s = math.inf
        if verify != "off":
            work.tell_waiting()
            if not await work.changes_within(contents, QUIET_S):
                rest_s = await work.verify()
        await work.changes_within(contents, rest_s)


class _Work:
    """One life of the verifier."""

    def __init__(
        self,
        latest: Latest[Snapshot],
        live: AskLive,
        resolver: Address[ResolverMessage],
        store: Address[StoreMessage] | None,
        ports: Ports,
        verify: str,
        verification: Verification,
    ) -> None:
        self._latest = latest
        self._live = live
        self._resolver = resolver
        self._store = store
        self._ports = ports
        self._verify = verify
        self._verification = verification
        self._recalled = PersistentMap[str, FileRecord]()
        """The files whose confirmations were looked up."""
        self._settled: dict[str, bytes] = {}
        """Path -> the content of which nothing is left to ask."""
        self._rests: dict[str, Rest] = {}
        self._found: dict[str, Confirmed] = {}
        """What is not laid yet."""
        self._laid_at = -math.inf

    async def changes_within(self, contents: str, seconds: float) -> bool:
        """Waits; whether a map of other contents is published in that time."""
        with trio.move_on_after(max(0.0, seconds)):
            await self._latest.wait_until(lambda published: _contents(published.snapshot) != contents)
            return True
        return False

    # -- what is kept -----------------------------------------------------------------------------------------------

    async def recall_latest(self) -> str:
        """Applies the confirmations that the store has of the latest map, once there is one; returns what identifies
        its contents. The map itself is not held: it may be replaced by one that takes less memory."""
        published = await self._latest.wait_version_above(0)
        snapshot, records, known = published.snapshot, published.files, self._recalled
        fresh = [
            (path, records[path].digest)
            for path in records.differing(known)
            if path in snapshot.by_path and not (path in known and known[path].digest == records[path].digest)
        ]
        for at in range(0, len(fresh), RECALLED_AT_ONCE):
            self._found.update(await self._kept(tuple(fresh[at : at + RECALLED_AT_ONCE])))
        self._recalled = records
        if self._found:
            log("confirmations-recalled", files=len(self._found))
            await self._lay()
        return _contents(snapshot)

    async def _kept(self, contents: tuple[tuple[str, bytes], ...]) -> Mapping[str, Confirmed]:
        if self._store is None:
            return {}
        try:
            kept = await self._store.ask(Recall(contents))
        except ActorDied:
            return {}
        return {} if isinstance(kept, Unavailable) else kept

    async def _lay(self) -> None:
        """Has the resolver publish new confirmations; those that a failing resolver loses are asked for again."""
        found, self._found = self._found, {}
        try:
            await self._resolver.ask(Confirm(found))
        except ActorDied:
            for path in found:
                self._settled.pop(path, None)
        self._laid_at = trio.current_time()

    # -- asking -----------------------------------------------------------------------------------------------------

    def tell_waiting(self) -> None:
        for family in set(self._now().families.names) - self._rests.keys():
            self._report(family, Stage.WAITING)

    async def verify(self) -> float:
        """Asks until nothing is left, or the map has other contents; returns in how many seconds to try again."""
        snapshot = self._now()
        for family in sorted({file.family for file in snapshot.files}):
            rest = self._rests.get(family)
            if rest is None or rest.until <= trio.current_time():
                await self._verify_family(snapshot, family)
        if self._found:
            await self._lay()
        now = trio.current_time()
        rests = [rest.until - now for rest in self._rests.values()]
        is_left = any(self._left(snapshot, family) for family, stage in self._stages() if stage is Stage.DONE)
        return min([*rests, REST_MIN_S] if is_left else rests, default=math.inf)

    def _stages(self) -> list[tuple[str, Stage]]:
        return list(self._verification.stages.items())

    async def _verify_family(self, snapshot: Snapshot, family: str) -> None:
        first = await self._next_part(snapshot, iter(self._left(snapshot, family)), SiteSelection.ALL, "")
        if not first:
            self._report(family, Stage.DONE)
            return
        self._report(family, Stage.RUNNING)
        manner = await self._manner(family, first[0][1][0])
        if manner is None:
            return
        files = iter(self._left(snapshot, family))
        while part := await self._next_part(snapshot, files, manner.wanted, manner.server):
            if _contents(self._now()) != _contents(snapshot):
                self._report(family, Stage.WAITING)
                return
            began = trio.current_time()
            if not await self._ask_part(snapshot, family, part):
                return
            if trio.current_time() >= self._laid_at + LAY_EVERY_S:
                await self._lay()
            await trio.sleep((trio.current_time() - began) * (1 / manner.duty - 1))
        self._rests.pop(family, None)
        self._report(family, Stage.DONE)

    async def _manner(self, family: str, site: Site) -> Manner | None:
        """Decides how the server is asked, by its answer to a first question; None without an answer."""
        fact = await self._fact(site)
        if not isinstance(fact, Found):
            self._leave_alone(family, fact)
            return None
        name = fact.server.partition(" ")[0]
        records = [server for language in by_name().values() for server in language.servers if server.name == name]
        verifies = records[0].verifies if records else "none"
        if verifies == "none":
            self._report(family, Stage.OFF)
            return None
        is_quick = verifies == SiteSelection.ALL.value
        wanted = SiteSelection.ALL if is_quick or self._verify == "on" else SiteSelection.UNCERTAIN
        return Manner(fact.server, wanted, 1.0 if is_quick else DUTY)

    async def _next_part(
        self, snapshot: Snapshot, files: Iterator[IndexedFile], wanted: SiteSelection, server: str
    ) -> list[tuple[IndexedFile, list[Site]]]:
        """The next few of some files, with the uses in them that are left to ask about; nothing at the end. The uses of
        all files of a large map are millions."""
        part: list[tuple[IndexedFile, list[Site]]] = []
        size = 0
        for file in files:
            await trio.lowlevel.checkpoint()
            sites = select_unasked(snapshot, find_sites(snapshot, file, wanted), server)
            if not sites:
                self._settled[file.path] = file.stamp.digest
                continue
            part.append((file, sites))
            size += len(sites)
            if size >= CHUNK:
                break
        return part

    def _left(self, snapshot: Snapshot, family: str) -> list[IndexedFile]:
        """Finds files that may have uses that were not asked about."""
        lapsed = find_lapsed_files(self._now())
        return [
            file
            for file in snapshot.files
            if file.family == family and (file.path in lapsed or self._settled.get(file.path) != file.stamp.digest)
        ]

    async def _ask_part(self, snapshot: Snapshot, family: str, part: Sequence[tuple[IndexedFile, list[Site]]]) -> bool:
        """Asks about the uses in some files and keeps valid answers; whether to go on with this server."""
        facts: dict[Site, Fact] = {}
        todo = iter([site for _, sites in part for site in sites])

        async def ask() -> None:
            for site in todo:
                facts[site] = await self._fact(site)
                if _is_over(facts[site]):
                    nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for _ in range(AT_ONCE):
                nursery.start_soon(ask)
        current = await self._current(facts)
        meanings = TargetMap(snapshot)
        for file, sites in part:
            said: list[Confirmation] = []
            server = ""
            for site in sites:
                fact = facts.get(site)
                if isinstance(fact, Found) and not fact.incomplete and _is_current(snapshot, site, fact, current):
                    said.append(meanings.confirmation(site, fact.value))
                    server = fact.server
                elif isinstance(fact, Missed) and fact.because is Because.REFUSED:
                    said.append(Confirmation(site.line, site.col, site.owner, site.kind, ()))
            if said and server:
                self._found[file.path] = pack_confirmations(file.stamp.digest, server, said)
            if len(said) == len(sites):
                self._settled[file.path] = file.stamp.digest
            await trio.lowlevel.checkpoint()
        over = next((fact for fact in facts.values() if _is_over(fact)), None)
        if over is not None:
            self._leave_alone(family, over)
        return over is None

    async def _fact(self, site: Site) -> Fact:
        with trio.move_on_after(ANSWER_S):
            try:
                return await self._live(Definition(site.at), Lane.BACKGROUND)
            except ActorDied as death:
                return Missed(Because.FAILED, f"{death.actor} ended before it answered")
        return Missed(Because.TIMEOUT, "there was no answer in time")

    async def _current(self, facts: Mapping[Site, Fact]) -> frozenset[str]:
        """Finds the files of questions and answers that are on disk as they were indexed."""
        published = self._latest.get()
        assert published is not None, "there was one"
        paths = {site.path for site in facts}
        paths |= {place.file for fact in facts.values() if isinstance(fact, Found) for place in fact.value}
        records = {path: published.files[path] for path in paths if path in published.files}
        stats = await self._ports.stat_files(records)
        return frozenset(
            path for path, record in records.items() if record.is_settled and stats.get(path) == record.stat
        )

    def _leave_alone(self, family: str, fact: Fact) -> None:
        before = self._rests.get(family)
        seconds = REST_MIN_S if before is None else min(2 * before.seconds, REST_MAX_S)
        self._rests[family] = Rest(trio.current_time() + seconds, seconds)
        self._report(family, Stage.RESTING, fact.message if isinstance(fact, Missed) else "")

    def _report(self, family: str, stage: Stage, reason: str = "") -> None:
        self._verification.stages[family] = stage
        self._verification.reasons[family] = reason

    def _now(self) -> Snapshot:
        published = self._latest.get()
        assert published is not None, "there was one"
        return published.snapshot


def _contents(snapshot: Snapshot) -> str:
    """Identifies the contents of a map, regardless of confirmations and scores."""
    return without_overlay(snapshot).token.removesuffix(UNRANKED)


def _is_over(fact: Fact) -> bool:
    """Whether the next question would get no answer either."""
    return isinstance(fact, Missed) and fact.because not in (Because.REFUSED, Because.NO_FILE)


def _is_current(snapshot: Snapshot, site: Site, fact: Found, current: Collection[str]) -> bool:
    return site.path in current and all(place.file in current for place in fact.value if place.file in snapshot.by_path)
