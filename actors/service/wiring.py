"""The supervision tree and all wiring: the only place that knows every actor.

    service
    ├── index: watcher, parser pool, resolver      restart as one; the snapshot outlives them
    ├── store                                      restarts alone; nothing waits for it
    ├── language servers, by family                each supervisor restarts alone, with its servers
    ├── verifier                                   restarts alone; what it found is in the map
    └── renderer                                   keeps no state, needs no supervisor

A front gets a `Service` and reaches everything through it. The file is long as it is the only one of its kind.
"""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Generic, Never, Protocol, TypeVar

import msgspec
import trio

from actors.database.file import StoreFile
from actors.indexing.latest import Latest, Published, Publisher
from actors.indexing.map_builder import MapBuilder
from actors.indexing.parser_pool import parser_pool
from actors.indexing.recent import RecentDisk
from actors.indexing.resolver import resolver
from actors.indexing.statistics import PoolStatistics, ResolverStatistics, StoreStatistics
from actors.indexing.store import Codec, store
from actors.language_servers.programs.ports import LanguagePorts
from actors.language_servers.status import Stage
from actors.language_servers.verification import AskLive, Verification
from actors.language_servers.wiring import Speaking, Surroundings, speaking
from actors.listing.selection import DERIVED_FOLDERS
from actors.listing.walk import could_be_indexed
from actors.messaging.inbox import ActorDied, Address, Inbox
from actors.messaging.messages import (
    EVERYTHING,
    Confirm,
    Drain,
    Drained,
    Extract,
    Extracted,
    FileJob,
    Fresh,
    Freshen,
    Lane,
    Live,
    Noticed,
    PoolMessage,
    Rebuild,
    Rebuilt,
    ResolverMessage,
    Save,
    Scan,
    Scanned,
    StoreMessage,
    Unavailable,
    WatcherMessage,
)
from actors.messaging.supervise import Actor, Policy, Supervisor
from actors.ports import Ports, away_because
from actors.service.renderer import Renderer
from actors.service.usage import Usage
from actors.watch.pending import Pace
from actors.watch.watcher import WatchSettings, watcher
from actors.watch.watching import Watching
from codemap.graph.verified.confirmed import Confirmed
from codemap.languages import by_name, language_of
from codemap.live import Because, Fact, LiveQuestion, Missed, WorkspaceSymbols, file_asked_about
from codemap.settings import Settings

S = TypeVar("S")


SCANNED_AT_ONCE = 4_000
"""Files that a worker looks through for a word before others may have it: a tenth of a second."""

INDEX_POLICY = Policy(retry_after_s=2.0, retry_max_s=30.0)
"""A folder or disk that was away comes back without a word, and a map that is behind is of little use."""


class Verify(Protocol[S]):
    """See `verifier`."""

    async def __call__(
        self,
        inbox: Inbox[Never],
        *,
        latest: Latest[S],
        live: AskLive,
        resolver: Address[ResolverMessage],
        store: Address[StoreMessage] | None,
        ports: Ports,
        verify: str,
        verification: Verification,
    ) -> None: ...


class Keeping(msgspec.Struct, frozen=True):
    """What belongs to the store."""

    file: StoreFile
    inbox: Inbox[StoreMessage]
    supervisor: Supervisor


class Service(Generic[S]):
    """The handles of a running service."""

    def __init__(
        self,
        latest: Latest[S],
        resolver_address: Address[ResolverMessage],
        pool_address: Address[PoolMessage],
        watcher_address: Address[WatcherMessage],
        watching: Watching,
        renderer: Renderer,
        index: Supervisor,
        ports: Ports,
    ) -> None:
        self.latest = latest
        self.resolver = resolver_address
        self.watching = watching
        self.renderer = renderer
        self.ports = ports
        self.recent_disk = RecentDisk(ports)
        self._pool = pool_address
        self._watcher = watcher_address
        self._index = index
        self.usage = Usage()
        self.ignored_settings: tuple[str, ...] = ()
        """Sentences: what files of the repository wanted to set and may not."""
        self._languages: dict[str, Speaking] = {}
        """By family."""
        self._verification = Verification()
        self._store: Keeping | None = None
        self._store_statistics: StoreStatistics | None = None
        self._pool_statistics: PoolStatistics | None = None
        self._resolver_statistics: ResolverStatistics | None = None
        self._sound_life = 0
        """Of the index: the last that compared the map with the disk."""

    @property
    def unavailable(self) -> Unavailable | None:
        """Why no build can be had for now; None while the index group runs or is about to."""
        return self._index.unavailable

    def behind(self) -> str:
        """Why the map may lack what changed on disk, as a clause; empty where it is kept up to date.

        Asks the disk whether the root is still there, as events tell of a folder and not of its path: where it is not,
        everything is compared anew.
        """
        is_sound = self._index.is_running and self._index.life == self._sound_life
        if self._index.last_failure is not None and not is_sound:
            return self._index.last_failure
        why = away_because(self.ports, self.latest.root)
        if why:
            self._watcher.offer(Noticed((EVERYTHING,)))
        return why

    async def rebuild(self, scope: str = "") -> Rebuilt | Unavailable:
        """Brings the map up to the disk as it is when this is called, or later; tries again after a giving up.

        When cancelled, the rebuild goes on.
        """
        if self._index.unavailable is not None:
            self._index.rearm()
            await self._index.wait_available()
        try:
            return await self.resolver.ask(Rebuild(scope))
        except ActorDied:
            return Unavailable(await self._index.wait_failed())

    async def freshen(self) -> Fresh | Unavailable:
        """Returns when all that was done on disk before this call is in the map.

        Raises ActorDied when the index fails meanwhile. When cancelled, the work goes on.
        """
        return await self._watcher.ask(Freshen())

    async def drain(self) -> Drained | Unavailable:
        """Returns when every event that is there now is in the journal of changes.

        Raises ActorDied when the index fails meanwhile.
        """
        return await self._watcher.ask(Drain())

    async def extract(self, job: FileJob) -> Extracted | Unavailable:
        """The facts of one file, as a worker finds it. Raises ActorDied when the index fails meanwhile."""
        return await self._pool.ask(Extract((job,)))

    async def scan(self, word: str, files: Sequence[FileJob], by: float) -> Scanned:
        """Where a word stands in some files, as far as can be told until then: what fails leaves files unseen."""
        count = max(self.ports.worker_capacity, -(-len(files) // SCANNED_AT_ONCE))
        parts = [tuple(files[start::count]) for start in range(count)]
        found: list[Scanned] = []

        async def ask(part: tuple[FileJob, ...]) -> None:
            answer: Scanned | Unavailable | None = None
            with suppress(ActorDied):
                answer = await self._pool.ask(Scan(word, part, by))
            unseen = Scanned((), tuple(file.path for file in part))
            found.append(answer if isinstance(answer, Scanned) else unseen)

        async with trio.open_nursery() as nursery:
            for part in parts:
                if part:
                    nursery.start_soon(ask, part)
        sighted = sorted((file for one in found for file in one.files), key=lambda file: file.path)
        return Scanned(tuple(sighted), tuple(sorted(path for one in found for path in one.unseen)))

    async def live(self, question: LiveQuestion, lane: Lane) -> Fact:
        """What the language server of the question's language says, or why there is no answer.

        The asker's cancel scope is the deadline. Raises ActorDied when the language's actor fails meanwhile.
        """
        file = file_asked_about(question)
        language = by_name().get(question.language) if isinstance(question, WorkspaceSymbols) else language_of(file)
        if language is None:
            return Missed(Because.UNAVAILABLE, f"no language is known for {file}")
        speaking = self._languages.get(language.family)
        if speaking is None:
            why = f"none is known for {language.title}" if self._languages else "live navigation is switched off"
            return Missed(Because.UNAVAILABLE, why, "" if self._languages else "--live on", language.name)
        fact = await speaking.inbox.address.ask(Live(question, lane))
        return Missed(Because.FAILED, fact.reason, "", language.name) if isinstance(fact, Unavailable) else fact

    def learn(self, found: Mapping[str, Confirmed]) -> None:
        """Has what language servers said of uses laid over the map, soon; what there is no room for is forgotten."""
        self.resolver.offer(Confirm(found))

    def live_stage(self, language: str) -> Stage:
        """How far the server of a language is."""
        speaking = self._speaking(language)
        return Stage.ABSENT if speaking is None else speaking.standing.stage(language)

    def live_status(self) -> dict[str, dict[str, object]]:
        """The servers of every language that can have one, by short name, as `map_status` shows them."""
        return {
            language: speaking.standing.status(language) | {"verification": self._verification.status(family)}
            for family, speaking in self._languages.items()
            for language in speaking.languages
        }

    def _speaking(self, language: str) -> Speaking | None:
        return next((one for one in self._languages.values() if language in one.languages), None)

    async def notice(self, paths: Collection[str]) -> None:
        """Tells that these files were seen to differ from the map, for them to be looked at soon."""
        await self._watcher.tell(Noticed(tuple(paths)))

    async def wait_built(self) -> Unavailable | None:
        """Returns when a whole snapshot is there, or with the reason why none can be had for now."""
        return await self._wait_for(lambda published: not published.is_partial)

    async def wait_above(self, version: int) -> Unavailable | None:
        """Returns when a snapshot of a higher version is there, or with the reason why none can be had for now."""
        return await self._wait_for(lambda published: published.version > version)

    async def wait_begun(self, text: str = "") -> Unavailable | None:
        """Returns when any snapshot is there, be it partial, or with the reason why none can be had for now; best one
        of the files that have `text`."""
        self.latest.want_more(text)
        return await self._wait_for(lambda _published: True)

    async def _wait_for(self, holds: Callable[[Published[S]], bool]) -> Unavailable | None:
        why: Unavailable | None = None

        async def wait_for_snapshot() -> None:
            await self.latest.wait_until(holds)
            nursery.cancel_scope.cancel()

        async def wait_for_giving_up() -> None:
            nonlocal why
            why = await self._index.wait_unavailable()
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait_for_snapshot)
            nursery.start_soon(wait_for_giving_up)
        published = self.latest.get()
        return None if published is not None and holds(published) else why

    @property
    def is_warm(self) -> bool:
        """Whether the map of an earlier run was published at the start."""
        return self._store_statistics is not None and self._store_statistics.is_loaded

    @property
    def store_warnings(self) -> list[str]:
        """What people should know of the store, in sentences."""
        found = self._store_statistics
        if self._store is None or found is None:
            return []
        warnings = [] if found.set_aside is None else [f"The store was not to be trusted: {found.set_aside}."]
        unavailable = self._store.supervisor.unavailable
        trouble = found.trouble if unavailable is None else unavailable.reason
        if trouble is not None:
            warnings.append(f"Nothing is kept for the next start: {trouble}.")
        return warnings

    async def save(self) -> None:
        """Returns when what is published now is kept, or cannot be."""
        if self._store is not None:
            with suppress(ActorDied):
                await self._store.inbox.address.ask(Save())

    @property
    def parsed(self) -> int:
        """Files that were parsed in this life of the service."""
        return 0 if self._pool_statistics is None else self._pool_statistics.parsed

    def statistics(self) -> dict[str, dict[str, object]]:
        """The counts of every actor, by actor, as JSON has them."""
        return {
            "index": _plain(self._index.statistics()),
            "parserPool": _plain(self._pool.statistics()) | _plain(self._pool_statistics),
            "resolver": _plain(self.resolver.statistics()) | _plain(self._resolver_statistics),
            "watcher": _plain(self._watcher.statistics()),
            "store": _plain(self._store and self._store.inbox.statistics()) | _plain(self._store_statistics),
            "renderer": _plain(self.renderer.statistics()),
            **{
                f"languages.{family}": _plain(speaking.supervisor.statistics()) | _plain(speaking.inbox.statistics())
                for family, speaking in self._languages.items()
            },
        }

    def _report_pool(self, statistics: PoolStatistics) -> None:
        self._pool_statistics = statistics

    def _report_store(self, statistics: StoreStatistics) -> None:
        self._store_statistics = statistics

    def _report_resolver(self, statistics: ResolverStatistics) -> None:
        """After each comparison with the disk."""
        self._resolver_statistics = statistics
        self._sound_life = self._index.life


@asynccontextmanager
async def open_service(
    settings: Settings,
    ports: Ports,
    builder: MapBuilder[S],
    *,
    codec: Codec[S] | None = None,
    policy: Policy | None = None,
    jitter: Callable[[], float] = random.random,
    live: LanguagePorts | None = None,
    verify: Verify[S] | None = None,
    ignored: Sequence[str] = (),
) -> AsyncIterator[Service[S]]:
    """A service that runs until the context ends; the first build begins at once, worker processes when it needs them,
    language servers when one is asked.

    Without a `codec` nothing is kept for the next start; without `live` there is no live navigation, and without that
    and `verify` nothing is put to language servers in the background. `ignored` is what is said of the settings.
    What the body raises comes out in an exception group, as from any nursery.
    """
    latest: Latest[S] = Latest()
    pool_inbox: Inbox[PoolMessage] = Inbox("parser pool")
    resolver_inbox: Inbox[ResolverMessage] = Inbox("resolver")
    capacity = ports.worker_capacity

    def report_pool(statistics: PoolStatistics) -> None:
        service._report_pool(statistics)

    def report_resolver(statistics: ResolverStatistics) -> None:
        service._report_resolver(statistics)

    run_pool = partial(parser_pool, pool_inbox, ports, time_limit_s=settings.file_timeout_s, report=report_pool)

    def report_store(statistics: StoreStatistics) -> None:
        service._report_store(statistics)

    keeping: Keeping | None = None
    file = ports.open_store() if codec is not None else None
    if file is not None:
        assert codec is not None, "without one, no file is opened"
        store_inbox: Inbox[StoreMessage] = Inbox("store")
        run_store = partial(store, store_inbox, file=file, ports=ports, latest=latest, codec=codec, report=report_store)
        supervisor = Supervisor("store", (Actor(run_store, store_inbox),), policy or Policy(), jitter=jitter)
        keeping = Keeping(file, store_inbox, supervisor)
    run_resolver = partial(
        resolver,
        resolver_inbox,
        pool=pool_inbox.address,
        latest=latest,
        publisher=Publisher(latest),
        ports=ports,
        builder=builder,
        parallel=2 * capacity,
        report=report_resolver,
        store=keeping.inbox.address if keeping is not None else None,
    )
    watcher_inbox: Inbox[WatcherMessage] = Inbox("watcher")
    watching = Watching()
    run_watcher = partial(
        watcher,
        watcher_inbox,
        resolver=resolver_inbox.address,
        ports=ports,
        settings=WatchSettings(
            settings.watch, Pace(settings.watch_quiet_ms / 1000, settings.watch_wait_ms / 1000), settings.poll_s
        ),
        watching=watching,
        matters=could_be_indexed,
        uncounted={os.fsdecode(name) for name in DERIVED_FOLDERS},
    )
    members = (
        Actor(run_pool, pool_inbox),
        Actor(run_resolver, resolver_inbox),
        Actor(run_watcher, watcher_inbox),
    )
    index = Supervisor("index", members, policy or INDEX_POLICY, jitter=jitter)
    service = Service(
        latest,
        resolver_inbox.address,
        pool_inbox.address,
        watcher_inbox.address,
        watching,
        Renderer(ports),
        index,
        ports,
    )
    service.ignored_settings = tuple(ignored)
    service._store = keeping
    if live is not None:
        around = Surroundings(ports, latest, watching.journal, service.drain)
        service._languages = speaking(live, around, policy or Policy(), jitter)
    verifying: Supervisor | None = None
    if live is not None and verify is not None:
        verifier_inbox: Inbox[Never] = Inbox("verifier")
        run_verifier = partial(
            verify,
            verifier_inbox,
            latest=latest,
            live=service.live,
            resolver=resolver_inbox.address,
            store=keeping.inbox.address if keeping is not None else None,
            ports=ports,
            verify=settings.verify,
            verification=service._verification,
        )
        verifying = Supervisor("verifier", (Actor(run_verifier, verifier_inbox),), policy or Policy(), jitter=jitter)
    try:
        async with trio.open_nursery() as nursery:
            if verifying is not None:
                nursery.start_soon(verifying.run)
            for spoken in service._languages.values():
                nursery.start_soon(spoken.supervisor.run)
            if keeping is not None:
                nursery.start_soon(keeping.supervisor.run)
            nursery.start_soon(index.run)
            yield service
            nursery.cancel_scope.cancel()
    finally:
        if live is not None:
            await live.processes.aclose()
        if keeping is not None:
            keeping.file.close()


def _plain(statistics: msgspec.Struct | None) -> dict[str, object]:
    plain: dict[str, object] = {} if statistics is None else msgspec.to_builtins(statistics)
    return plain
