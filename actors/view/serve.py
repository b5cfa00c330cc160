"""Serves the page on the loopback interface; each of its connections is handed on to the service of the repository.

Rules of the file:
- What the page asks goes to the service as it is, and comes back as it is: there is no second way to the map.
- Nothing is heard from outside this machine.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from functools import partial

import trio

from actors.front.transports.admission import Entry, Page, Rules
from actors.front.transports.clients import Clients
from actors.front.transports.connection import ConnectionStatistics
from actors.front.transports.network_door import Door
from actors.front.transports.private_socket import LocalFrames
from actors.front.transports.websocket import Close, WebsocketFrames, run_websocket
from actors.messaging.log import Severity, log
from actors.view.admission import KEY, Visitors
from actors.view.page import page_text

LOOPBACK = "127.0.0.1"
CLIENTS_MAX = 32
"""Pages that are open at once."""
HANDSHAKE_S = 10.0
PING_S = 30.0


class _Bridge:
    """A page's connection, as `Clients` counts it."""

    def __init__(self) -> None:
        self.scope = trio.CancelScope()

    def stop(self) -> None:
        self.scope.cancel()

    def statistics(self) -> ConnectionStatistics:
        return ConnectionStatistics(0, 0, 0)


async def serve_page(port: int, join: Callable[[], socket.socket], began: Callable[[str], None]) -> None:
    """Serves until SIGINT or SIGTERM; `port` 0 takes a free one. `began` is called with the URL of the first visit.

    `join` gives a connection to the service, and starts it where none runs; it blocks, and raises OSError. Raises
    OSError where the port is taken.
    """
    (listener,) = await trio.open_tcp_listeners(port, host=LOOPBACK)
    number = listener.socket.getsockname()[1]
    visitors = Visitors(page_text(), number)
    clients = Clients(CLIENTS_MAX, 0)
    rules = Rules(frozenset(), frozenset(), None, ())
    speak = partial(run_websocket, ping_s=PING_S, serve=partial(_hand_on, clients, join))
    door = Door(rules, clients, handshake_s=HANDSHAKE_S, speak=speak, show=_show_nothing, judge=visitors.judge)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.run, [listener])
            began(f"http://{LOOPBACK}:{number}/?{KEY}={visitors.key}")
            async for _ in signals:
                break
            clients.stop()
            door.close()
            nursery.cancel_scope.cancel()


def _show_nothing(page: Page) -> str:
    raise AssertionError(f"{page.value} is not served here")


async def _hand_on(
    clients: Clients, join: Callable[[], socket.socket], _entry: Entry, frames: WebsocketFrames
) -> Close:
    """Hands on both ways until one side ends."""
    bridge = _Bridge()
    if not clients.admit(bridge):
        return Close.BUSY
    try:
        try:
            service = await trio.to_thread.run_sync(join, abandon_on_cancel=True)
        except OSError as error:
            log("no-service", Severity.WARNING, reason=str(error))
            return Close.BUSY
        async with trio.SocketStream(trio.socket.from_stdlib_socket(service)) as stream:
            with bridge.scope:
                async with trio.open_nursery() as nursery:
                    local = LocalFrames(stream)
                    nursery.start_soon(_pump, frames, local, nursery.cancel_scope)
                    nursery.start_soon(_pump, local, frames, nursery.cancel_scope)
    finally:
        clients.leave(bridge)
    return Close.GOING_AWAY


async def _pump(
    source: WebsocketFrames | LocalFrames, sink: WebsocketFrames | LocalFrames, scope: trio.CancelScope
) -> None:
    """Hands on the messages of one side; each is one line, which JSON may always be."""
    try:
        while isinstance(frame := await source.receive(), bytes):
            await sink.send(frame.replace(b"\n", b" "))
    except trio.BrokenResourceError:
        pass
    scope.cancel()
