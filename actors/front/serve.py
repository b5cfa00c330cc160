"""`codemap serve`: all clients of a process, from the first byte to the exit.

Rules of the file:
- `initialize` is answered before anything is scanned: where there is a client on stdin and stdout, the service starts
  when the first answer is written, or when the first call needs it. One that waits for clients starts at once.
- The end of input, SIGINT, SIGTERM and a closed stdout are all the ordinary end: exit code 0, and no process left.
- A process that has a client on stdin and stdout ends with it, unless others are connected: then with the last of them.
  One that can only be joined ends when it has had no client for a while.
- The first signal lets nobody in, lets calls under way finish and notifies the clients; the second ends at once.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

import trio

from actors.front.metrics import Metrics
from actors.front.served_root import Hosted, Root, Wanted
from actors.front.transports.admission import Entry, Page, Rules, Speech
from actors.front.transports.clients import Clients
from actors.front.transports.connection import DRAIN_S, Connection, Frames
from actors.front.transports.listen_addresses import Listeners, allow_descriptors, open_listeners
from actors.front.transports.network_door import Door, Speak
from actors.front.transports.opening import Opening, read_openings
from actors.front.transports.private_socket import run_local
from actors.front.transports.session_limits import Limits, SessionPlacesStatistics
from actors.front.transports.stdio import STOP_SIGNALS, Claimed, open_stdio
from actors.front.transports.websocket import CLOSE_S, Close, run_websocket
from actors.messaging.log import LEAST, Severity, log
from actors.processes.memory_grants import memory_for
from actors.processes.rendezvous import Offer
from actors.service.idle_roots import let_idle_go
from actors.service.joined_maps import JoinedMaps
from codemap.settings import BadSetting, Settings

if TYPE_CHECKING:
    from actors.front.transports.http_sessions import Applications

END_S = DRAIN_S + CLOSE_S + 1.0
"""Longest time from the first signal to the end."""

FIRST_S = 10.0
"""How long a process that was started for a client waits for it: it connected before the process began."""

SWITCH_S = 0.0005
"""Switch interval of the interpreter: how long a computing thread (packing for the store) may delay the event loop at
each look for events. With Python's own 5 ms that would be the pace of a busy loop."""

COLLECTED_AFTER = (700, 10, 10)
"""When the garbage collector looks for garbage: Python's own numbers. The command line imports with larger ones."""


def serve(claimed: Claimed | None, offer: Offer | None, roots: Sequence[Root], settings: Settings) -> None:
    """Serves until the clients have gone or a signal comes.

    `claimed` is where there is a client on stdin and stdout, `offer` where others can join. `settings` are those of the
    process. Raises BadSetting when it cannot be reached as they want.
    """
    LEAST.set(Severity[settings.log_level.upper()])
    for name in ("mcp", "trio", "hypercorn"):
        logger = logging.getLogger(name)
        logger.addHandler(_ToLog())
        logger.propagate = False
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()  # what is imported now is never garbage
    gc.set_threshold(*COLLECTED_AFTER)
    log("serve", root=", ".join(root.path for root in roots), version=version("codemap"))
    try:
        trio.run(_serve, claimed, offer, roots, settings)
    finally:
        if offer is not None:
            offer.withdraw()


class _House:
    """The roots, clients and doors of a process, shared by its fronts."""

    def __init__(self, roots: Sequence[Root], settings: Settings) -> None:
        self.settings = settings
        self.clients = Clients(settings.clients_max, settings.requests_total_max)
        self.metrics = Metrics()
        self.memory = memory_for(settings.memory_mb)  # of all roots together
        self.hosted: dict[str, Hosted] = {}
        self.maps = JoinedMaps(self.hosted) if len(roots) > 1 else None
        self.hosted |= {root.name: Hosted(root, self.metrics, self.memory, self.maps) for root in roots}
        self.first = self.hosted[roots[0].name]
        self.applications: Applications | None = None
        """Those of HTTP, where there is such a front."""
        self.doors: list[tuple[Door, Listeners]] = []
        self._ending = trio.CancelScope()
        self._joining = trio.CancelScope()

    def begin(self) -> None:
        """Starts the service of the first root; those of others start when they are asked for."""
        self.first.is_wanted.set()

    def end(self) -> None:
        """Begins an orderly end; called again, ends at once."""
        if self.clients.is_stopping:
            self._ending.cancel()
        self.clients.stop()
        self._joining.cancel()
        for door, _ in self.doors:
            door.close()
        for hosted in self.hosted.values():
            hosted.end()
        self._ending.deadline = trio.current_time() + END_S

    async def run(self, claimed: Claimed | None, offer: Offer | None) -> None:
        """Runs the fronts until the end."""
        with self._ending:
            async with trio.open_nursery() as nursery:
                for door, opened in self.doors:
                    nursery.start_soon(door.run, opened.listeners)
                if offer is not None:
                    nursery.start_soon(run_local, offer, self._serve_local, self._joining)
                if claimed is not None:
                    await self._serve_stdio(claimed)
                    await self.clients.wait_gone()
                    self.end()
                elif not self.doors:
                    await self.clients.wait_gone(self.settings.linger_s, FIRST_S)
                    self.end()

    async def serve_entry(self, entry: Entry, frames: Frames) -> Close:
        """Serves a websocket client."""
        hosted = self.hosted[entry.root]
        if not hosted.has_room(_wanted(entry)):
            return Close.BUSY
        hosted.is_wanted.set()
        connection = self.clients.enter(frames, hosted.root.settings.requests_max)
        if connection is None:
            return Close.BUSY
        try:
            await hosted.serve(connection, _wanted(entry))
        finally:
            self.clients.leave(connection)
        return Close.GOING_AWAY if self.clients.is_stopping else Close.NORMAL

    async def _serve_local(self, frames: Frames) -> None:
        connection = self.clients.enter(frames, self.first.root.settings.requests_max)
        if connection is None:
            return
        try:
            await self.first.serve(connection)
        finally:
            self.clients.leave(connection)

    async def _serve_stdio(self, claimed: Claimed) -> None:
        async with open_stdio(claimed) as stdio, trio.open_nursery() as nursery:
            connection = self.clients.enter(stdio, self.first.root.settings.requests_max)
            if connection is None:
                return
            nursery.start_soon(self._begin_when_answered, connection)
            try:
                await self.first.serve(connection)
            finally:
                self.clients.leave(connection)
            nursery.cancel_scope.cancel()

    async def _begin_when_answered(self, connection: Connection) -> None:
        await connection.answered.wait()
        self.begin()

    def show(self, page: Page) -> str:
        """Makes the text of a page (health, metrics)."""
        match page:
            case Page.HEALTH:
                return "ok\n"
            case Page.METRICS:
                services = {name: one.service for name, one in self.hosted.items() if one.service is not None}
                doors = [door.statistics() for door, _ in self.doors]
                sessions = SessionPlacesStatistics(0, 0, 0)
                if self.applications is not None:
                    sessions = self.applications.places.statistics()
                return self.metrics.text(self.clients.statistics(), sessions, doors, services)


async def _serve(claimed: Claimed | None, offer: Offer | None, roots: Sequence[Root], settings: Settings) -> None:
    house = _House(roots, settings)
    openings = read_openings(settings, os.environ)
    if "websocket" in openings:
        speak = partial(run_websocket, ping_s=settings.ping_s, serve=house.serve_entry)
        await _open_door(house, openings["websocket"], "ws", Speech.WEBSOCKET, lambda _: speak)
    if "http" in openings:
        await _open_door(house, openings["http"], "http", Speech.HTTP, partial(_speaking_http, house))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_end_on_signals, house)
        if house.applications is not None:
            nursery.start_soon(house.applications.run)
        for hosted in house.hosted.values():
            nursery.start_soon(hosted.run)
        if house.maps is not None:
            nursery.start_soon(house.maps.run)
            nursery.start_soon(let_idle_go, house.hosted.values(), house.maps, house.memory, settings.root_idle_s)
        if house.doors:
            nursery.start_soon(house.metrics.watch_loop)
        if claimed is None:
            house.begin()
        await house.run(claimed, offer)
        nursery.cancel_scope.cancel()


async def _open_door(
    house: _House, opening: Opening, scheme: str, speech: Speech, speaking: Callable[[Rules], Speak]
) -> None:
    """Listens at an address, and makes its door. Raises BadSetting."""
    settings = house.settings
    place, tokens, context = opening.place, opening.tokens, opening.context
    rules = Rules(
        hosts=frozenset({place.host, *(name.lower() for name in settings.hosts)}),
        origins=frozenset(origin.lower().rstrip("/") for origin in settings.origins),
        check_token=None if tokens.is_empty else tokens.check,
        roots=tuple(house.hosted),
        speech=speech,
    )
    door = Door(rules, house.clients, handshake_s=settings.handshake_s, speak=speaking(rules), show=house.show)
    allow_descriptors()
    opened = await open_listeners(place, context, scheme)
    if context is None and not place.is_loopback:
        log(
            "no-tls",
            Severity.WARNING,
            advice="tokens and code travel in the clear, unless something before us does TLS",
        )
    for url in opened.urls:
        log("listening", url=f"{url}/mcp", token="needed" if rules.check_token else "not needed")
    house.doors.append((door, opened))


def _speaking_http(house: _House, rules: Rules) -> Speak:
    """Makes the front for HTTP. Raises BadSetting where its extra is not installed."""
    try:
        from actors.front.transports.http import HttpFront
        from actors.front.transports.http_sessions import Applications
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "hypercorn":
            raise
        raise BadSetting("For http an extra is needed, which this installs: pip install 'codemap[http]'.") from None
    settings = house.settings
    house.applications = Applications(
        lambda entry: house.hosted[entry.root].server(_wanted(entry)),
        Limits(settings.sessions_max, settings.sessions_per_token_max, settings.sessions_per_address_max),
    )
    front = HttpFront(
        rules,
        house.clients,
        house.applications,
        handshake_s=settings.handshake_s,
        write_s=settings.ping_s,
        requests_max=settings.requests_max,
        show=house.show,
    )
    return front.speak


async def _end_on_signals(house: _House) -> None:
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:
        async for number in signals:
            log("stop", signal=signal.Signals(number).name)
            house.end()


class _ToLog(logging.Handler):
    """Writes the log records of libraries to our log."""

    def emit(self, record: logging.LogRecord) -> None:
        severity = Severity.ERROR if record.levelno >= logging.ERROR else Severity.WARNING
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        log(record.name.partition(".")[0], severity, message=record.getMessage(), error=error)


def _wanted(entry: Entry) -> Wanted:
    return Wanted(entry.envelope, entry.limits, entry.tools, entry.schemas)
