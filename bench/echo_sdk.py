"""A child process: the bare SDK over its own stdio transport, with one tool, `echo`; what any server made with it pays.

`python -m bench.echo_sdk` serves until its input ends. None of our front stands in it.
"""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from bench.echo_websocket import make_server


async def _main() -> None:
    server = make_server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_main, backend="trio")
