"""A child process: the server as `codemap serve` runs it, with one tool more, `echo`, which answers at once.

`python -m bench.echo_server ROOT`. What `echo` costs is what the transport and the protocol cost: it is answered by the
front, as the calls of all tools are. What a tool costs beyond that is ours. Worker processes import this
file again, so nothing heavy may stand at its top.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from actors.front.protocol.handshake_era_calls import Call
    from actors.front.protocol.listings import Listings
    from actors.front.transports.stdio import Claimed


def main() -> None:
    from actors.front.transports.stdio import claim

    claimed = claim()

    import gc

    import trio

    import actors.front.serve as _served_with  # noqa: F401  # all that a server loads
    from actors.messaging.log import LEAST, Severity

    LEAST.set(Severity.WARNING)
    gc.collect()
    gc.freeze()
    trio.run(_serve, claimed, sys.argv[1])


async def _serve(claimed: Claimed, root: str) -> None:

    import msgspec

    from actors.front.call import Reply, call
    from actors.front.progress import Following
    from actors.front.protocol.listings import Listings
    from actors.front.protocol.speaking import serve
    from actors.front.transports.connection import Connection
    from actors.front.transports.stdio import open_stdio
    from actors.service.real_ports import open_disk
    from actors.service.wiring import open_service
    from bench.unpolished import UnpolishedBuilder
    from codemap.settings import Settings
    from codemap.tools import TOOLS, Tool
    from codemap.tools.params import MapParams

    settings = Settings(verify="off")
    echo = msgspec.structs.replace(TOOLS[0], name="echo", title="Echo", description="Echo", params=MapParams)

    async with open_service(settings, open_disk(root, settings), UnpolishedBuilder()) as service:

        async def answer(tool: Tool, arguments: Mapping[str, Any], following: Following) -> Reply:
            if tool is echo:
                return Reply(f'{{"text":"{arguments["text"]}"}}', dict(arguments), False, "ok", 0.0, {})
            return await call(service, settings, tool, arguments, following)

        await service.wait_built()
        async with open_stdio(claimed) as stdio:
            connection = Connection(stdio, requests_max=settings.requests_max)
            listings = Listings((*TOOLS, echo), has_offers=False)
            await serve(connection, listings, answer, partial(_open_server, listings, answer))


def _open_server(listings: Listings, answer: Call) -> Server[Any]:
    from actors.front.protocol.sdk import make_server

    return make_server(listings, answer)


if __name__ == "__main__":
    main()
