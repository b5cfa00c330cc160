"""Wires the service of one root: its supervision tree and all its actors.

    service
    ├── index: watcher, parser pool, resolver      restart as one; the snapshot outlives them
    ├── cluster                                    restarts alone; nothing waits for it for long
    ├── sharer of facts                            restarts alone; nothing waits for it for long
    ├── store                                      restarts alone; nothing waits for it
    ├── history                                    restarts alone
    ├── language servers, by family                each supervisor restarts alone, with its servers
    └── verifier                                   restarts alone; what it found is in the map

Each group is made by a function of its own, from what is made before it.
"""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Never, Protocol, TypeVar

import msgspec
import trio

from actors.cluster.cluster_parser import cluster_parser
from actors.cluster.opening import ClusterUse, NoCluster
from actors.database.store_location import facts_maker
from actors.history.historian import historian
from actors.indexing.latest_snapshot import Latest, Publisher
from actors.indexing.map_builder import MapBuilder
from actors.indexing.parser_pool import parser_pool
from actors.indexing.resolver import resolver
from actors.indexing.sources.fact_sources import ClusterOffer
from actors.indexing.statistics import IndexStatistics
from actors.indexing.store import Codec, store
from actors.language_servers.families import LanguageServers
from actors.language_servers.programs.ports import LanguagePorts
from actors.language_servers.verification_progress import AskLive, Verification
from actors.language_servers.wiring import Surroundings, speaking
from actors.listing.exclusions import DERIVED_FOLDERS
from actors.listing.walk import could_be_indexed
from actors.messaging.inbox import Address, Inbox
from actors.messaging.messages import (
    ClusterMessage,
    HistoryMessage,
    PoolMessage,
    ResolverMessage,
    SharerMessage,
    StoreMessage,
    WatcherMessage,
)
from actors.messaging.supervise import Actor, Policy, Supervisor
from actors.ports import Ports
from actors.remote.fact_sharer import fact_sharer
from actors.remote.opening import NotShared, Sharing
from actors.service.actor_groups import ClusterParser, Historian, Index, Keeping, Sharer
from actors.service.service import Service
from actors.watch.debounce import Pace
from actors.watch.watch_status import Watching
from actors.watch.watcher import WatchSettings, watcher
from codemap.settings import Settings

S = TypeVar("S")

INDEX_POLICY = Policy(retry_after_s=2.0, retry_max_s=30.0)
"""Restart policy of the index: a disk that was away comes back without notice, and an outdated map is of little use."""


class Verify(Protocol[S]):
    """The body of the verifier; see `verifier`."""

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


class _Restarts(msgspec.Struct, frozen=True):
    """Makes supervisors with their restart policies."""

    policy: Policy | None
    """Policy for all groups; None: each has its own."""
    jitter: Callable[[], float]

    def supervisor(self, name: str, actors: Sequence[Actor], policy: Policy) -> Supervisor:
        """Makes the supervisor of a group with its policy."""
        return Supervisor(name, actors, self.policy or policy, jitter=self.jitter)


class _Others(msgspec.Struct, frozen=True):
    """What beside the parser pool may have facts."""

    store: Address[StoreMessage] | None
    sharer: Address[SharerMessage] | None
    cluster: ClusterOffer | None


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
    sharing: Sharing | NotShared | None = None,
    cluster: ClusterUse | NoCluster | None = None,
) -> AsyncIterator[Service[S]]:
    """Opens a service that runs until the context ends; the first build begins at once, worker processes and language
    servers start on demand.

    Without a `codec` nothing is kept for the next start; without `live` there is no live navigation, and without that
    and `verify` nothing is put to language servers in the background. `ignored` is what is said of the settings,
    `sharing` a store of facts beyond this machine, `cluster` what parses files there.
    What the body raises comes out in an exception group, as from any nursery.
    """
    restarts = _Restarts(policy, jitter)
    latest: Latest[S] = Latest()
    statistics = IndexStatistics()
    keeping = None if codec is None else _store(ports, codec, latest, statistics, restarts)
    store_address = None if keeping is None else keeping.inbox.address
    shared = _sharer(sharing, statistics, restarts) if isinstance(sharing, Sharing) else sharing
    away: ClusterParser | NoCluster | None = None
    offer = None
    if isinstance(cluster, ClusterUse):
        away = _cluster(cluster, statistics, restarts)
        offer = ClusterOffer(away.inbox.address, cluster.round_min_bytes)
    else:
        away = cluster
    others = _Others(store_address, shared.inbox.address if isinstance(shared, Sharer) else None, offer)
    index = _index(settings, ports, builder, latest, statistics, others, restarts)
    languages = _languages(ports, live, index, restarts)
    history = _history(ports, store_address, restarts)
    groups = [one.supervisor for one in (keeping, shared, away) if isinstance(one, Keeping | Sharer | ClusterParser)]
    groups += [index.supervisor, history.supervisor, *(family.supervisor for family in languages.families.values())]
    if live is not None and verify is not None:
        groups.append(_verifier(settings, ports, verify, index, languages, store_address, restarts))
    try:
        async with trio.open_nursery() as nursery:
            for group in groups:
                nursery.start_soon(group.run)
            yield Service(ports, index, languages, history, keeping, ignored, shared, away)
            nursery.cancel_scope.cancel()
    finally:
        if live is not None:
            await live.processes.aclose()
        if keeping is not None:
            keeping.file.close()


def _store(
    ports: Ports, codec: Codec[S], latest: Latest[S], statistics: IndexStatistics, restarts: _Restarts
) -> Keeping | None:
    """Makes the group of the store; None where there is no file for it."""
    file = ports.open_store()
    if file is None:
        return None
    inbox: Inbox[StoreMessage] = Inbox("store")
    run = partial(store, inbox, file=file, ports=ports, latest=latest, codec=codec, report=statistics.report_store)
    return Keeping(file, inbox, restarts.supervisor("store", (Actor(run, inbox),), Policy()))


def _sharer(sharing: Sharing, statistics: IndexStatistics, restarts: _Restarts) -> Sharer:
    """Makes the group of the sharer of facts."""
    inbox: Inbox[SharerMessage] = Inbox("sharer")
    run = partial(fact_sharer, inbox, sharing=sharing, maker=facts_maker(), report=statistics.report_sharing)
    return Sharer(inbox, restarts.supervisor("sharer", (Actor(run, inbox),), Policy()))


def _cluster(use: ClusterUse, statistics: IndexStatistics, restarts: _Restarts) -> ClusterParser:
    """Makes the group of the actor that asks a cluster."""
    inbox: Inbox[ClusterMessage] = Inbox("cluster")
    run = partial(cluster_parser, inbox, use=use, report=statistics.report_cluster)
    return ClusterParser(inbox, restarts.supervisor("cluster", (Actor(run, inbox),), Policy()))


def _history(ports: Ports, store_address: Address[StoreMessage] | None, restarts: _Restarts) -> Historian:
    """Makes the group of the historian."""
    inbox: Inbox[HistoryMessage] = Inbox("historian")
    run = partial(historian, inbox, ports=ports, store=store_address)
    return Historian(inbox, restarts.supervisor("history", (Actor(run, inbox),), Policy()))


def _index(
    settings: Settings,
    ports: Ports,
    builder: MapBuilder[S],
    latest: Latest[S],
    statistics: IndexStatistics,
    others: _Others,
    restarts: _Restarts,
) -> Index[S]:
    """Makes the group that keeps the map up to date with the disk."""
    pool_inbox: Inbox[PoolMessage] = Inbox("parser pool")
    resolver_inbox: Inbox[ResolverMessage] = Inbox("resolver")
    watcher_inbox: Inbox[WatcherMessage] = Inbox("watcher")
    watching = Watching()
    pace = Pace(settings.watch_quiet_ms / 1000, settings.watch_wait_ms / 1000)
    run_pool = partial(
        parser_pool, pool_inbox, ports, time_limit_s=settings.file_timeout_s, report=statistics.report_pool
    )
    run_resolver = partial(
        resolver,
        resolver_inbox,
        pool=pool_inbox.address,
        latest=latest,
        publisher=Publisher(latest),
        ports=ports,
        builder=builder,
        parallel=2 * ports.worker_capacity,
        report=statistics.report_resolver,
        store=others.store,
        sharer=others.sharer,
        cluster=others.cluster,
    )
    run_watcher = partial(
        watcher,
        watcher_inbox,
        resolver=resolver_inbox.address,
        ports=ports,
        settings=WatchSettings(settings.watch, pace, settings.poll_s),
        watching=watching,
        matters=could_be_indexed,
        uncounted={os.fsdecode(name) for name in DERIVED_FOLDERS},
    )
    actors = Actor(run_pool, pool_inbox), Actor(run_resolver, resolver_inbox), Actor(run_watcher, watcher_inbox)
    supervisor = restarts.supervisor("index", actors, INDEX_POLICY)
    addresses = resolver_inbox.address, pool_inbox.address, watcher_inbox.address
    return Index(latest, statistics, watching, *addresses, supervisor)


def _languages(ports: Ports, live: LanguagePorts | None, index: Index[S], restarts: _Restarts) -> LanguageServers:
    """Makes the groups of the language servers; none without `live`."""
    if live is None:
        return LanguageServers({})
    around = Surroundings(ports, index.latest, index.watching.journal, index.drain)
    return LanguageServers(speaking(live, around, restarts.policy or Policy(), restarts.jitter))


def _verifier(
    settings: Settings,
    ports: Ports,
    verify: Verify[S],
    index: Index[S],
    languages: LanguageServers,
    store_address: Address[StoreMessage] | None,
    restarts: _Restarts,
) -> Supervisor:
    """Makes the group of the verifier."""
    inbox: Inbox[Never] = Inbox("verifier")
    run = partial(
        verify,
        inbox,
        latest=index.latest,
        live=languages.ask,
        resolver=index.resolver,
        store=store_address,
        ports=ports,
        verify=settings.verify,
        verification=languages.verification,
    )
    return restarts.supervisor("verifier", (Actor(run, inbox),), Policy())
