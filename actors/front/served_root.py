"""One served root: its service, started when it is needed, and the MCP servers for its clients."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from actors.cluster.opening import find_cluster
from actors.front.call import Reply, call
from actors.front.metrics import Metrics
from actors.front.progress import Following
from actors.front.protocol import speaking
from actors.front.protocol.handshake_era_calls import Call
from actors.front.protocol.listings import Listings
from actors.front.tool_call import Others
from actors.front.transports.connection import Connection
from actors.indexing.latest_snapshot import Published
from actors.indexing.snapshot_builder import SnapshotBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.language_servers.programs.real_ports import open_language_ports
from actors.language_servers.verifier import verifier
from actors.messaging.log import Severity, log
from actors.processes.memory_grants import Memory
from actors.remote.opening import find_sharing
from actors.service.joined_maps import JoinedMaps
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.envelope.limits import PROFILES
from codemap.graph.build.build import UNRANKED
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import OUTPUTS, PROGRAM_TOOLS, TOOLS, Tool
from codemap.tools.tool_selection import choose_tools, words_of

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from actors.front.protocol.resources_and_prompts import Offers


class Root(msgspec.Struct, frozen=True):
    """A folder to serve."""

    name: str
    """Name by which clients ask for it, where there are several."""
    path: str
    settings: Settings
    ignored: tuple[str, ...] = ()
    """Sentences about ignored settings, see `Configured.ignored`."""


class Wanted(msgspec.Struct, frozen=True):
    """What a client chooses for itself; empty members: as the settings say."""

    envelope: str = ""
    """Dialect of its replies."""
    limits: str = ""
    """Limits profile of its calls."""
    tools: str = ""
    """Tools to list, separated by commas."""
    schemas: str = ""
    """Whether to list the schemas of replies."""


AS_SET = Wanted()
SPOKEN_MAX = 256
SAVE_S = 30.0
"""How long a root that is let go may save its map."""
PAUSE_S = 1.0
"""Pause between two announcements."""


class _Spoken:
    """What all clients with the same choices are served with."""

    def __init__(self, listings: Listings, call: Call, snapshot: Callable[[], Snapshot | None]) -> None:
        self.listings = listings
        self.call = call
        self.offers: Offers | None = None
        """Of the SDK's server, once there is one."""
        self._snapshot = snapshot
        self._server: Server[Any] | None = None

    def server(self) -> Server[Any]:
        """The SDK's server, made when a client first needs it."""
        if self._server is None:
            from actors.front.protocol.resources_and_prompts import Offers
            from actors.front.protocol.sdk import make_server

            self.offers = Offers(TOOLS, self.call, self._snapshot)
            self._server = make_server(self.listings, self.call, self.offers)
        return self._server


class Hosted:
    """A root, and its service once it runs."""

    def __init__(self, root: Root, metrics: Metrics, memory: Memory, maps: JoinedMaps | None = None) -> None:
        """`maps` are the joined maps of the process, where it has several roots."""
        self.root = root
        self.asked_s = -math.inf
        """When it was last asked for, by Trio's clock."""
        self._calls = 0
        self._let_go = trio.Event()
        self._others = None if maps is None else Others(maps, root.name)
        self._memory = memory
        self.is_wanted = trio.Event()
        self.service: Service[Snapshot] | None = None
        self._metrics = metrics
        self._is_running = trio.Event()
        self._spoken: dict[Wanted, _Spoken] = {}

    @property
    def name(self) -> str:
        return self.root.name

    async def run(self) -> None:
        """Runs the service whenever it is needed, until it is let go or this is cancelled."""
        while True:
            await self.is_wanted.wait()
            await self._run_service()

    async def _run_service(self) -> None:
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
            sharing=find_sharing(settings, os.environ),
            cluster=find_cluster(settings, disk.root, os.environ),
        ) as service:
            self.service, self._let_go = service, trio.Event()
            self._is_running.set()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._announce, service)
                nursery.start_soon(service.unindexed.read_left)
                await self._let_go.wait()
                nursery.cancel_scope.cancel()
            with trio.move_on_after(SAVE_S):
                await service.save()
        log("let-go", root=self.root.path)
        del service
        gc.unfreeze()  # among what leaves the collector's sight after a build is what this service held
        gc.collect()
        disk.return_memory()

    def is_idle(self, seconds: float) -> bool:
        """Whether it is loaded and nobody has asked for it so long, nor watches it."""
        is_watched = any(offers.watched for offers in self._offers())
        is_quiet = trio.current_time() - self.asked_s >= seconds
        return self.service is not None and is_quiet and not self._calls and not is_watched

    def keep(self) -> None:
        """Notes that it was asked for."""
        self.asked_s = trio.current_time()

    def let_go(self) -> None:
        """Has the service end; the next call starts it again."""
        self._let_go.set()
        self.service, self.is_wanted, self._is_running = None, trio.Event(), trio.Event()

    async def serve(self, connection: Connection, wanted: Wanted = AS_SET) -> None:
        """Speaks MCP on a connection until the peer is gone."""
        spoken = self._speak(wanted)
        await speaking.serve(connection, spoken.listings, spoken.call, spoken.server)

    def server(self, wanted: Wanted = AS_SET) -> Server[Any]:
        """The SDK's server for all clients with these choices."""
        return self._speak(wanted).server()

    def has_room(self, wanted: Wanted) -> bool:
        """Whether a client's choices can be served: the number of servers is limited."""
        return wanted in self._spoken or len(self._spoken) < SPOKEN_MAX

    def _speak(self, wanted: Wanted) -> _Spoken:
        if wanted not in self._spoken:
            own = self.root.settings
            given = {name: value for name, value in msgspec.structs.asdict(wanted).items() if value}
            given["tools"] = words_of(wanted.tools) or own.tools
            settings = msgspec.structs.replace(own, **given)
            call = partial(self.answer, settings)
            tools = (*choose_tools(TOOLS, settings.tools), *PROGRAM_TOOLS)
            output = OUTPUTS.get(settings.envelope) if settings.schemas == "on" else None
            listings = Listings(tools, PROFILES[settings.limits], output, settings.envelope)
            self._spoken[wanted] = _Spoken(listings, call, self.snapshot)
        return self._spoken[wanted]

    def _offers(self) -> list[Offers]:
        return [spoken.offers for spoken in self._spoken.values() if spoken.offers is not None]

    def end(self) -> None:
        """Ends the streams of subscribers."""
        for offers in self._offers():
            offers.end()

    def snapshot(self) -> Snapshot | None:
        """Returns the latest map; None before there is one."""
        published = None if self.service is None else self.service.latest.get()
        return None if published is None else published.snapshot

    async def _announce(self, service: Service[Snapshot]) -> None:
        """Notifies subscribers whenever the contents of the map have changed, for ever."""
        notified = ""
        while True:
            notified = _contents(await service.latest.wait_until(partial(_is_other, notified)))
            for offers in self._offers():
                await offers.announce()
            await trio.sleep(PAUSE_S)

    async def load(self) -> Service[Snapshot]:
        """Has the service run, and returns it once it does."""
        self.keep()
        while self.service is None:
            self.is_wanted.set()
            await self._is_running.wait()
        return self.service

    async def answer(
        self, settings: Settings, tool: Tool, arguments: Mapping[str, Any], following: Following | None = None
    ) -> Reply:
        """Answers a call, by some settings."""
        self._calls += 1
        try:
            reply = await call(await self.load(), settings, tool, arguments, following, self._others)
        finally:
            self._calls -= 1
            self.keep()
        self._metrics.record(self.root.name, tool, reply)
        return reply


def _contents(published: Published[Snapshot]) -> str:
    return published.snapshot.token.removesuffix(UNRANKED)


def _is_other(notified: str, published: Published[Snapshot]) -> bool:
    return _contents(published) != notified
