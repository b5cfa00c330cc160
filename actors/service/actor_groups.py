"""The handles by which the service reaches its actors, one struct for each supervised group."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from actors.database.store_file import StoreFile
from actors.indexing.latest_snapshot import Latest
from actors.indexing.statistics import IndexStatistics
from actors.messaging.inbox import Address, Inbox
from actors.messaging.messages import (
    ClusterMessage,
    Drain,
    Drained,
    HistoryMessage,
    PoolMessage,
    ResolverMessage,
    SharerMessage,
    StoreMessage,
    Unavailable,
    WatcherMessage,
)
from actors.messaging.supervise import Supervisor
from actors.watch.watch_status import Watching

S = TypeVar("S")


class Index(msgspec.Struct, Generic[S], frozen=True):
    """The index group: watcher, parser pool and resolver."""

    latest: Latest[S]
    statistics: IndexStatistics
    watching: Watching
    resolver: Address[ResolverMessage]
    pool: Address[PoolMessage]
    watcher: Address[WatcherMessage]
    supervisor: Supervisor

    async def drain(self) -> Drained | Unavailable:
        """Waits until all queued events are in the journal of changes.

        Raises ActorDied when the index fails meanwhile.
        """
        return await self.watcher.ask(Drain())


class Historian(msgspec.Struct, frozen=True):
    """The history group."""

    inbox: Inbox[HistoryMessage]
    supervisor: Supervisor


class Keeping(msgspec.Struct, frozen=True):
    """The store group."""

    file: StoreFile
    inbox: Inbox[StoreMessage]
    supervisor: Supervisor


class ClusterParser(msgspec.Struct, frozen=True):
    """The group of the actor that asks a cluster."""

    inbox: Inbox[ClusterMessage]
    supervisor: Supervisor


class Sharer(msgspec.Struct, frozen=True):
    """The group of the sharer of facts."""

    inbox: Inbox[SharerMessage]
    supervisor: Supervisor
