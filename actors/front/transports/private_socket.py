"""The private unix socket: other processes of this user connect their clients, one message a line, as on stdio.

Source: unix(7), poll(2).
"""

from __future__ import annotations

import os
import select
import socket
import struct
from collections.abc import Awaitable, Callable
from functools import partial

import trio

from actors.front.transports.line_framing import TooLong
from actors.front.transports.stdio import LINE_MAX_BYTES, Stdio
from actors.messaging.log import Severity, log
from actors.messaging.supervise import contain
from actors.processes.rendezvous import Offer


class LocalFrames(Stdio):
    """Reads and writes lines on a unix socket; see `actors.front.transports.connection.Frames`."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream, stream, LINE_MAX_BYTES)
        self._descriptor = stream.socket.fileno()

    async def receive(self) -> bytes | TooLong | None:
        line = await super().receive()
        if line is None and self._is_gone():
            raise trio.BrokenResourceError
        return line

    def _is_gone(self) -> bool:
        """Whether the peer closed both directions."""
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return any(event & select.POLLHUP for _, event in poll.poll(0))


async def run_local(offer: Offer, serve: Callable[[LocalFrames], Awaitable[None]], scope: trio.CancelScope) -> None:
    """Serves all clients that join until `scope` is cancelled; returns when the last one has gone."""
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(offer.listener))
    async with trio.open_nursery() as nursery:
        try:
            with scope:
                await trio.serve_listeners(partial(_welcome, serve), [listener], handler_nursery=nursery)
        finally:
            offer.withdraw()


def _is_own_user(connection: trio.socket.SocketType) -> bool:
    """Whether the peer is a process of this user; where unknown, the permissions of the folder have kept others out."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", credentials)
    return bool(user == os.geteuid())


async def _welcome(serve: Callable[[LocalFrames], Awaitable[None]], stream: trio.SocketStream) -> None:
    async with stream:
        if not _is_own_user(stream.socket):
            log("stranger", Severity.WARNING, where="private socket")
            return
        await contain("client", partial(serve, LocalFrames(stream)))
