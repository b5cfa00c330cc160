"""What the wiring makes and the service reaches its actors by: the handles of each supervised group."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from actors.database.store_file import StoreFile
from actors.indexing.latest import Latest
from actors.indexing.statistics import IndexStatistics
from actors.messaging.inbox import Address, Inbox
from actors.messaging.messages import (
    Drain,
    Drained,
    HistoryMessage,
    PoolMessage,
    ResolverMessage,
    StoreMessage,
    Unavailable,
    WatcherMessage,
)
from actors.messaging.supervise import Supervisor
from actors.watch.watching import Watching

S = TypeVar("S")


class Index(msgspec.Struct, Generic[S], frozen=True):
    """Watcher, parser pool and resolver."""

    latest: Latest[S]
    statistics: IndexStatistics
    watching: Watching
    resolver: Address[ResolverMessage]
    pool: Address[PoolMessage]
    watcher: Address[WatcherMessage]
    supervisor: Supervisor

    async def drain(self) -> Drained | Unavailable:
        """Returns when every event that is there now is in the journal of changes.

        Raises ActorDied when the index fails meanwhile.
        """
        return await self.watcher.ask(Drain())


class Historian(msgspec.Struct, frozen=True):
    """The history of the repository."""

    inbox: Inbox[HistoryMessage]
    supervisor: Supervisor


class Keeping(msgspec.Struct, frozen=True):
    """The store."""

    file: StoreFile
    inbox: Inbox[StoreMessage]
    supervisor: Supervisor
