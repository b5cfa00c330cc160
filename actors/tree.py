"""The supervision tree and all wiring: the only place that knows every actor.

    service
    ├── index: parser pool, resolver      restart as one; the snapshot outlives them
    └── renderer                          keeps no state, needs no supervisor

A front gets a `Service` and reaches everything through it.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Generic, TypeVar

import msgspec
import trio

from actors.inbox import Address, Inbox
from actors.latest import Latest, Publisher
from actors.log import LEAST, Severity
from actors.messages import PoolMessage, Rebuild, Rebuilt, ResolverMessage, Unavailable
from actors.parser_pool import PoolStatistics, parser_pool
from actors.ports import Ports
from actors.renderer import Renderer
from actors.resolver import Build, ResolverStatistics, resolver
from actors.supervise import Actor, Policy, Supervisor
from codemap.settings import Settings

S = TypeVar("S")


class Service(Generic[S]):
    """The handles of a running service."""

    def __init__(
        self,
        latest: Latest[S],
        resolver_address: Address[ResolverMessage],
        pool_address: Address[PoolMessage],
        renderer: Renderer,
        index: Supervisor,
        ports: Ports,
    ) -> None:
        self.latest = latest
        self.resolver = resolver_address
        self.renderer = renderer
        self.ports = ports
        self._pool = pool_address
        self._index = index
        self._pool_statistics: PoolStatistics | None = None
        self._resolver_statistics: ResolverStatistics | None = None

    @property
    def unavailable(self) -> Unavailable | None:
        """Why no build can be had for now; None while the index group runs or is about to."""
        return self._index.unavailable

    async def rebuild(self, scope: str = "") -> Rebuilt | Unavailable:
        """Brings the map up to the disk as it is when this is called, or later; tries again after a giving up.

        Raises ActorDied when the resolver fails meanwhile. When cancelled, the rebuild goes on.
        """
        if self._index.unavailable is not None:
            self._index.rearm()
            await self._index.wait_available()
        return await self.resolver.ask(Rebuild(scope))

    async def wait_built(self) -> Unavailable | None:
        """Returns when a snapshot is there, or with the reason why none can be had for now."""
        why: Unavailable | None = None

        async def wait_for_snapshot() -> None:
            await self.latest.wait_version_above(0)
            nursery.cancel_scope.cancel()

        async def wait_for_giving_up() -> None:
            nonlocal why
            why = await self._index.wait_unavailable()
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait_for_snapshot)
            nursery.start_soon(wait_for_giving_up)
        return None if self.latest.get() is not None else why

    def statistics(self) -> dict[str, dict[str, object]]:
        """The counts of every actor, by actor, as JSON has them."""
        return {
            "index": _plain(self._index.statistics()),
            "parserPool": _plain(self._pool.statistics()) | _plain(self._pool_statistics),
            "resolver": _plain(self.resolver.statistics()) | _plain(self._resolver_statistics),
            "renderer": _plain(self.renderer.statistics()),
        }

    def _report_pool(self, statistics: PoolStatistics) -> None:
        self._pool_statistics = statistics

    def _report_resolver(self, statistics: ResolverStatistics) -> None:
        self._resolver_statistics = statistics


@asynccontextmanager
async def open_service(
    settings: Settings,
    ports: Ports,
    *,
    build: Build[S],
    policy: Policy | None = None,
    jitter: Callable[[], float] = random.random,
) -> AsyncIterator[Service[S]]:
    """A service that runs until the context ends; the first build begins at once, worker processes when it needs them.

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
    run_resolver = partial(
        resolver,
        resolver_inbox,
        pool=pool_inbox.address,
        latest=latest,
        publisher=Publisher(latest),
        ports=ports,
        build=build,
        parallel=2 * capacity,
        report=report_resolver,
    )
    members = (Actor(run_pool, pool_inbox), Actor(run_resolver, resolver_inbox))
    index = Supervisor("index", members, policy or Policy(), jitter=jitter)
    service = Service(latest, resolver_inbox.address, pool_inbox.address, Renderer(ports), index, ports)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(index.run)
        yield service
        nursery.cancel_scope.cancel()


async def run(
    settings: Settings,
    ports: Ports,
    serve: Callable[[Service[S]], Awaitable[None]],
    *,
    build: Build[S],
) -> None:
    """Opens a service and serves it until `serve` returns."""
    LEAST.set(Severity[settings.log_level.upper()])
    async with open_service(settings, ports, build=build) as service:
        await serve(service)


def _plain(statistics: msgspec.Struct | None) -> dict[str, object]:
    plain: dict[str, object] = {} if statistics is None else msgspec.to_builtins(statistics)
    return plain
