"""Speaks MCP on a connection: answers what most clients ask itself, and loads the SDK for a client that asks for more.

A client of the handshake era that only lists and calls tools never needs it. One that reads or watches resources, gets
prompts or completions, or is of the later era, does: then the SDK is given what the client began with, as if it had
been there from the start, and everything else but what `handshake` and `handshake_era_calls` answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import trio

from actors.front.protocol.handshake import Handshake
from actors.front.protocol.handshake_era_calls import Call, ToolCalls
from actors.front.protocol.listings import Listings
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Notification

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from actors.front.protocol.sdk import Session

SDK = "actors.front.protocol.sdk"


async def serve(connection: Connection, listings: Listings, call: Call, open_server: Callable[[], Server[Any]]) -> None:
    """Speaks MCP on a connection until its peer is gone.

    `call` answers a tool call in the dialect of the listings, and raises nothing but cancellation; `open_server`
    returns the SDK's server of the same tools.
    """
    await connection.run(partial(_serve, listings, call, open_server))


async def _serve(
    listings: Listings, call: Call, open_server: Callable[[], Server[Any]], connection: Connection
) -> None:
    session: Session | None = None
    async with trio.open_nursery() as nursery:
        calls = ToolCalls(connection, listings.tools, call, nursery)
        handshake = Handshake(connection, listings, calls)
        try:
            while (message := await connection.receive()) is not None:
                if isinstance(message, Notification) and message.method == "notifications/cancelled":
                    calls.cancel(message.params)
                is_greeted = session is None or handshake.begun  # else the SDK greets
                if (is_greeted and await handshake.take(message)) or calls.take(message):
                    continue
                if session is None:
                    if isinstance(message, Notification):
                        continue  # of what nobody has asked for yet
                    session = await _open_session(connection, calls, open_server, nursery)
                    await session.replay(handshake.begun)
                await session.give(message)
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            pass  # the client is gone, or the SDK has ended
        if session is None:
            nursery.cancel_scope.cancel()
        else:
            session.end()


async def _open_session(
    connection: Connection, calls: ToolCalls, open_server: Callable[[], Server[Any]], nursery: trio.Nursery
) -> Session:
    await trio.to_thread.run_sync(import_module, SDK)  # half a second, the first time
    from actors.front.protocol.sdk import Session

    session = Session(connection, calls, open_server())

    async def run() -> None:
        await session.run()
        nursery.cancel_scope.cancel()

    nursery.start_soon(run)
    return session
