"""The handle to a running service: passes questions to its actors, and reports their state.

The file is long because it is the one handle to all actors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

import msgspec
import trio

from actors.cluster.opening import NoCluster
from actors.indexing.latest_snapshot import Published
from actors.indexing.staleness import RecentDisk
from actors.language_servers.families import LanguageServers
from actors.language_servers.status import Stage
from actors.messaging.inbox import ActorDied
from actors.messaging.messages import (
    EVERYTHING,
    Ask,
    Confirm,
    Drained,
    Extract,
    Extracted,
    FileJob,
    Flush,
    Fresh,
    Freshen,
    HistoryRead,
    Lane,
    Noticed,
    ReadHistory,
    ReadSyntax,
    Rebuild,
    Rebuilt,
    Save,
    Scan,
    Scanned,
    Seek,
    SyntaxRead,
    Unavailable,
)
from actors.ports import Ports, away_because
from actors.remote.opening import NotShared
from actors.service.actor_groups import ClusterParser, Historian, Index, Keeping, Sharer
from actors.service.measures_cache import Measures
from actors.service.renderer import Renderer
from actors.service.sources_cache import Sources
from actors.service.syntax_cache import SyntaxCache
from actors.service.unindexed_mentions import UnindexedFiles
from actors.service.usage_counts import Usage
from actors.service.version_maps import Variants
from actors.service.versions_cache import Versions
from actors.service.worktree_history import Pasts
from codemap.graph.verified.confirmations import Confirmed
from codemap.live_queries import Fact, LiveQuestion
from codemap.mentions.seeking import Sought
from codemap.syntax import FileSyntax, SyntaxWanted

S = TypeVar("S")
"""Type of the snapshot."""
R = TypeVar("R", Scanned, Sought)

SCANNED_AT_ONCE = 4_000
"""Files in one batch of a search for a word, which occupies a worker for about a tenth of a second."""
SOUGHT_AT_ONCE = 1_000
"""The same for many names."""


class Service(Generic[S]):
    """The handles of a running service."""

    def __init__(
        self,
        ports: Ports,
        index: Index[S],
        languages: LanguageServers,
        history: Historian,
        keeping: Keeping | None,
        ignored_settings: Sequence[str],
        sharing: Sharer | NotShared | None,
        cluster: ClusterParser | NoCluster | None,
    ) -> None:
        """`ignored_settings` are sentences about settings in the repository's files that were refused. Without
        `keeping`, nothing is stored for the next start; without `sharing`, no facts are shared."""
        self.latest = index.latest
        self.resolver = index.resolver
        self.watching = index.watching
        self.ports = ports
        self.renderer = Renderer(ports)
        self.recent_disk = RecentDisk(ports)
        self.unindexed = UnindexedFiles(ports, index.watching.others)
        self.sources = Sources(ports)
        self.syntax = SyntaxCache()
        self.usage = Usage()
        self.versions = Versions(index.pool.ask)
        self.measures = Measures(index.pool.ask)
        self.variants = Variants()
        self.pasts = Pasts(ports, self.history)
        self.ignored_settings = tuple(ignored_settings)
        self._index = index
        self._supervisor = index.supervisor
        self._reported = index.statistics
        self._languages = languages
        self._history = history
        self._keeping = keeping
        self._sharing = sharing
        self._cluster = cluster

    @property
    def unavailable(self) -> Unavailable | None:
        """Why no map can be built for now; None while the index group runs or is about to."""
        return self._supervisor.unavailable

    def behind(self) -> str:
        """Says as a clause why the map may lack changes on disk; empty where it is kept up to date.

        Asks the disk whether the root is still there, as events follow a folder that is moved: where it is not,
        everything is compared anew.
        """
        is_sound = self._supervisor.is_running and self.latest.is_compared
        if self._supervisor.last_failure is not None and not is_sound:
            return self._supervisor.last_failure
        why = away_because(self.ports, self.latest.root)
        if why:
            self._index.watcher.offer(Noticed((EVERYTHING,)))
        return why

    async def rebuild(self, scope: str = "") -> Rebuilt | Unavailable:
        """Updates the map to the disk as it is now or later; restarts an index group that was given up.

        When cancelled, the rebuild goes on.
        """
        if self._supervisor.unavailable is not None:
            self._supervisor.rearm()
            await self._supervisor.wait_available()
        try:
            return await self.resolver.ask(Rebuild(scope))
        except ActorDied:
            return Unavailable(await self._supervisor.wait_failed())

    async def freshen(self) -> Fresh | Unavailable:
        """Waits until everything that was done on disk before this call is in the map.

        Raises ActorDied when the index fails meanwhile. When cancelled, the work goes on.
        """
        return await self._index.watcher.ask(Freshen())

    async def drain(self) -> Drained | Unavailable:
        """Waits until all queued events are in the journal; see `Index.drain`."""
        return await self._index.drain()

    async def extract(self, job: FileJob) -> Extracted | Unavailable:
        """Extracts the facts of one file. Raises ActorDied when the index fails meanwhile."""
        return await self._index.pool.ask(Extract((job,)))

    async def read_syntax(self, job: FileJob, wanted: SyntaxWanted, by: float) -> FileSyntax | None:
        """Finds the parts of a file's definitions; None where that is impossible by the deadline `by`."""
        with suppress(ActorDied):
            answer = await self._index.pool.ask(ReadSyntax(job, wanted, by))
            return answer.syntax if isinstance(answer, SyntaxRead) else None
        return None

    async def scan(self, word: str, files: Sequence[FileJob], by: float) -> Scanned:
        """Searches files for a word until the deadline `by`; files that were not reached are unseen."""
        found = await self._look(files, SCANNED_AT_ONCE, Scanned, lambda part: Scan(word, part, by))
        sighted = sorted((file for one in found for file in one.files), key=lambda file: file.path)
        return Scanned(tuple(sighted), tuple(sorted(path for one in found for path in one.unseen)))

    async def seek(
        self, names: tuple[str, ...], files: Sequence[FileJob], own: Mapping[str, tuple[str, ...]], by: float
    ) -> Sought:
        """Searches files for `names`, or each file for its `own[path]` with syntax, until the deadline `by`; files that
        were not reached are unseen."""

        def seek(part: tuple[FileJob, ...]) -> Seek:
            return Seek(part, names, tuple(own[job.path] for job in part) if own else (), by)

        found = await self._look(files, SOUGHT_AT_ONCE, Sought, seek)
        sighted = sorted((file for one in found for file in one.files), key=lambda file: file.path)
        unseen = sorted(path for one in found for path in one.unseen)
        return Sought(tuple(sighted), tuple(unseen), sum(one.seen for one in found))

    async def _look(
        self, files: Sequence[FileJob], at_once: int, kind: type[R], ask_of: Callable[[tuple[FileJob, ...]], Ask[R]]
    ) -> list[R]:
        """Searches files by the parser processes, batch by batch; the files of a batch that fails are unseen."""
        count = max(self.ports.worker_capacity, -(-len(files) // at_once))
        parts = [tuple(files[start::count]) for start in range(count)]
        found: list[R] = []

        async def look(part: tuple[FileJob, ...]) -> None:
            answer: R | Unavailable | None = None
            with suppress(ActorDied):
                answer = await self._index.pool.ask(ask_of(part))
            found.append(answer if isinstance(answer, kind) else kind((), tuple(file.path for file in part)))

        async with trio.open_nursery() as nursery:
            for part in parts:
                if part:
                    nursery.start_soon(look, part)
        return found

    async def history(self, by: float, *, begins: bool) -> HistoryRead:
        """Returns the history, as far as it is read by a deadline; see `ReadHistory`."""
        try:
            answer = await self._history.inbox.address.ask(ReadHistory(by, begins))
        except ActorDied as death:
            return HistoryRead(None, f"The history cannot be read: {death}.")
        return HistoryRead(None, f"No history: {answer.reason}.") if isinstance(answer, Unavailable) else answer

    async def live(self, question: LiveQuestion, lane: Lane) -> Fact:
        """Asks a language server; see `LanguageServers.ask`."""
        return await self._languages.ask(question, lane)

    def learn(self, found: Mapping[str, Confirmed]) -> None:
        """Queues confirmations of language servers for the map; dropped where the queue is full."""
        self.resolver.offer(Confirm(found))

    def live_stage(self, language: str) -> Stage:
        """The stage of the server of a language."""
        return self._languages.stage(language)

    def live_status(self) -> dict[str, dict[str, object]]:
        """The status of the servers by short name of the language, for `map_status`."""
        return self._languages.status()

    async def notice(self, paths: Collection[str]) -> None:
        """Reports files that were seen to differ from the map, so that they are read soon."""
        await self._index.watcher.tell(Noticed(tuple(paths)))

    async def wait_built(self) -> Unavailable | None:
        """Waits for a complete snapshot, or returns why none can be built for now."""
        return await self._wait_for(lambda published: not published.is_partial)

    async def wait_above(self, version: int) -> Unavailable | None:
        """Waits for a snapshot of a higher version, or returns why none can be built for now."""
        return await self._wait_for(lambda published: published.version > version)

    async def wait_begun(self, text: str = "") -> Unavailable | None:
        """Waits for a snapshot, complete or partial, or returns why none can be built for now. Files that contain
        `text` are parsed first."""
        self.latest.want_more(text)
        return await self._wait_for(lambda _published: True)

    async def _wait_for(self, holds: Callable[[Published[S]], bool]) -> Unavailable | None:
        why: Unavailable | None = None

        async def wait_for_snapshot() -> None:
            await self.latest.wait_until(holds)
            nursery.cancel_scope.cancel()

        async def wait_for_giving_up() -> None:
            nonlocal why
            why = await self._supervisor.wait_unavailable()
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait_for_snapshot)
            nursery.start_soon(wait_for_giving_up)
        published = self.latest.get()
        return None if published is not None and holds(published) else why

    @property
    def is_warm(self) -> bool:
        """Whether the map of an earlier run was published at the start."""
        return self._reported.store is not None and self._reported.store.is_loaded

    @property
    def store_warnings(self) -> list[str]:
        """Says in sentences what people should know about the store."""
        found = self._reported.store
        if self._keeping is None or found is None:
            return []
        warnings = [] if found.set_aside is None else [f"The store was not to be trusted: {found.set_aside}."]
        unavailable = self._keeping.supervisor.unavailable
        trouble = found.trouble if unavailable is None else unavailable.reason
        if trouble is not None:
            warnings.append(f"Nothing is kept for the next start: {trouble}.")
        return warnings

    async def save(self) -> None:
        """Waits until the published map is saved, or cannot be."""
        if self._keeping is not None:
            with suppress(ActorDied):
                await self._keeping.inbox.address.ask(Save())

    @property
    def sharing_warnings(self) -> list[str]:
        """Says in sentences what people should know about the shared store of facts."""
        if isinstance(self._sharing, NotShared):
            return [f"No facts are shared through {self._sharing.place}: {self._sharing.why}."]
        found = self._reported.sharing
        if self._sharing is None or found is None:
            return []
        warnings = _refusals(f"Entries of {found.place}", found.refused)
        if found.trouble is not None:
            warnings.append(f"Facts may not be shared through {found.place}: {found.trouble}.")
        if found.unwritten:
            warnings.append(f"{found.unwritten} entries were not written to {found.place}.")
        return warnings

    @property
    def cluster_warnings(self) -> list[str]:
        """Says in sentences what people should know about the cluster."""
        if isinstance(self._cluster, NoCluster):
            return [f"{self._cluster.place} parses no files: {self._cluster.why}."]
        found = self._reported.cluster
        if self._cluster is None or found is None:
            return []
        warnings = _refusals(f"Facts of {found.place}", found.refused)
        if found.trouble is not None:
            warnings.append(f"Files may be parsed here instead of by {found.place}: {found.trouble}.")
        return warnings

    async def flush(self) -> bool:
        """Waits until what was parsed is in the shared store, or cannot be; whether it is, where it should be."""
        if isinstance(self._sharing, Sharer):
            with suppress(ActorDied):
                return await self._sharing.inbox.address.ask(Flush()) is True
            return False
        return not isinstance(self._sharing, NotShared)

    @property
    def parsed(self) -> int:
        """Files that were parsed in this life of the service."""
        return 0 if self._reported.pool is None else self._reported.pool.parsed

    def statistics(self) -> dict[str, dict[str, object]]:
        """The counts of every actor, by actor, as JSON has them."""
        return {
            "index": _plain(self._supervisor.statistics()),
            "parserPool": _plain(self._index.pool.statistics()) | _plain(self._reported.pool),
            "resolver": _plain(self.resolver.statistics()) | _plain(self._reported.resolver),
            "watcher": _plain(self._index.watcher.statistics()),
            "store": _plain(self._keeping and self._keeping.inbox.statistics()) | _plain(self._reported.store),
            **self._sharing_statistics(),
            **self._cluster_statistics(),
            "history": _plain(self._history.supervisor.statistics()),
            "renderer": _plain(self.renderer.statistics()),
            **{
                f"languages.{family}": _plain(speaking.supervisor.statistics()) | _plain(speaking.inbox.statistics())
                for family, speaking in self._languages.families.items()
            },
        }

    def _sharing_statistics(self) -> dict[str, dict[str, object]]:
        if not isinstance(self._sharing, Sharer):
            return {}
        return {"sharer": _plain(self._sharing.inbox.statistics()) | _plain(self._reported.sharing)}

    def _cluster_statistics(self) -> dict[str, dict[str, object]]:
        if not isinstance(self._cluster, ClusterParser):
            return {}
        return {"cluster": _plain(self._cluster.inbox.statistics()) | _plain(self._reported.cluster)}


def _refusals(what: str, refused: Mapping[str, int]) -> list[str]:
    """A sentence about what was not accepted, by the reasons and their counts; none where all was."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in refused.items())
    return [f"{what} were not accepted, and files were parsed here instead: {reasons}."] if reasons else []


def _plain(statistics: msgspec.Struct | None) -> dict[str, object]:
    plain: dict[str, object] = {} if statistics is None else msgspec.to_builtins(statistics)
    return plain
