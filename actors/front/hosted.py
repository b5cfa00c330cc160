"""One root that is served: its service, begun when it is wanted, and what speaks MCP for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
import trio
from mcp.server.lowlevel import Server

from actors.front import mcp
from actors.front.call import Reply, call
from actors.front.handshake import Call
from actors.front.metrics import Metrics
from actors.front.offers import PAUSE_S, Offers
from actors.front.progress import Following
from actors.front.transports.connection import Connection
from actors.indexing.build import SnapshotBuilder
from actors.indexing.codec import SnapshotCodec
from actors.indexing.latest import Published
from actors.language_servers.programs.open import open_language_ports
from actors.language_servers.verifier import verifier
from actors.messaging.log import Severity, log
from actors.processes.memory import Memory
from actors.service.disk import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.envelope.limits import PROFILES
from codemap.graph.build.build import UNRANKED
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import OUTPUTS, TOOLS, Tool


class Root(msgspec.Struct, frozen=True):
    """A folder to serve."""

    name: str
    """By which clients ask for it, where there are several."""
    path: str
    settings: Settings
    ignored: tuple[str, ...] = ()
    """See `Configured.ignored`."""


class _Spoken(msgspec.Struct, frozen=True):
    """What answers the clients that want one shape of replies and one profile of limits."""

    server: Server[Any]
    offers: Offers
    call: Call


class Hosted:
    """A root and its service, once it runs."""

    def __init__(self, root: Root, metrics: Metrics, memory: Memory) -> None:
        self.root = root
        self._memory = memory
        self.is_wanted = trio.Event()
        self.service: Service[Snapshot] | None = None
        self._metrics = metrics
        self._is_running = trio.Event()
        self._spoken: dict[tuple[str, str], _Spoken] = {}

    async def run(self) -> None:
        """Runs the service from when it is wanted until cancelled."""
        await self.is_wanted.wait()
        settings = self.root.settings
        for sentence in self.root.ignored:
            log("setting-ignored", Severity.WARNING, root=self.root.path, why=sentence)
        disk = open_disk(self.root.path, settings, self._memory)
        live, codec = open_language_ports(self.root.path, settings), SnapshotCodec()
        async with open_service(
            settings,
            disk,
            SnapshotBuilder(),
            codec=codec,
            live=live,
            verify=verifier,
            ignored=self.root.ignored,
        ) as service:
            self.service = service
            self._is_running.set()
            await self._announce(service)

    async def serve(self, connection: Connection, envelope: str = "", limits: str = "") -> None:
        """Speaks MCP until the peer is gone, with replies in this shape and within these limits; empty: as the settings
        say."""
        spoken = self._speak(envelope, limits)
        await mcp.serve(connection, spoken.server, TOOLS, spoken.call)

    def server(self, envelope: str = "", limits: str = "") -> Server[Any]:
        """What speaks MCP for any number of clients that want this shape and these limits."""
        return self._speak(envelope, limits).server

    def _speak(self, envelope: str, limits: str) -> _Spoken:
        wanted: tuple[Any, Any] = envelope or self.root.settings.envelope, limits or self.root.settings.limits
        if wanted not in self._spoken:
            settings = msgspec.structs.replace(self.root.settings, envelope=wanted[0], limits=wanted[1])
            call = partial(self._call, settings)
            offers = Offers(TOOLS, call, self.snapshot)
            profile, output = PROFILES[settings.limits], OUTPUTS.get(settings.envelope)
            made = mcp.make_server(TOOLS, call, offers, profile, output, settings.envelope)
            self._spoken[wanted] = _Spoken(made, offers, call)
        return self._spoken[wanted]

    def end(self) -> None:
        """Ends the streams that would never end by themselves."""
        for spoken in self._spoken.values():
            spoken.offers.end()

    def snapshot(self) -> Snapshot | None:
        """The latest map; None before there is one."""
        published = None if self.service is None else self.service.latest.get()
        return None if published is None else published.snapshot

    async def _announce(self, service: Service[Snapshot]) -> None:
        """Notifies subscribers when the map has changed, forever; new scores of the same contents do not count."""
        notified = ""
        while True:
            published = await service.latest.wait_until(partial(_is_other, notified))
            notified = _contents(published)
            for spoken in list(self._spoken.values()):
                await spoken.offers.announce()
            await trio.sleep(PAUSE_S)

    async def _call(
        self, settings: Settings, tool: Tool, arguments: Mapping[str, Any], following: Following | None = None
    ) -> Reply:
        if self.service is None:
            self.is_wanted.set()
            await self._is_running.wait()
        assert self.service is not None
        reply = await call(self.service, settings, tool, arguments, following)
        self._metrics.record(self.root.name, tool, reply)
        return reply


def _contents(published: Published[Snapshot]) -> str:
    return published.snapshot.token.removesuffix(UNRANKED)


def _is_other(notified: str, published: Published[Snapshot]) -> bool:
    return _contents(published) != notified
