"""`codemap serve`: one client on stdin and stdout, from the first byte to the exit.

Rules of the file:
- `initialize` is answered before anything is scanned: the service starts when the first answer is written, or when the
  first call needs it.
- The end of input, SIGINT, SIGTERM and a closed stdout are all the ordinary end: exit code 0, and no process left.
"""

from __future__ import annotations

import gc
import logging
import signal
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import trio

from actors.build import build, polish
from actors.codec import SnapshotCodec
from actors.disk import open_disk
from actors.front import mcp
from actors.front.call import Reply, call
from actors.front.connection import Connection
from actors.front.stdio import STOP_SIGNALS, Claimed, open_stdio
from actors.log import LEAST, Severity, log
from actors.tree import Service, open_service
from codemap.graph.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import TOOLS, Tool


def serve(claimed: Claimed, root: str, settings: Settings) -> None:
    """Serves until the client goes or a signal comes."""
    LEAST.set(Severity[settings.log_level.upper()])
    logger = logging.getLogger("mcp")
    logger.addHandler(_ToLog())
    logger.propagate = False
    gc.collect()
    gc.freeze()  # what is imported now is never garbage
    log("serve", root=root, version=version("codemap"))
    trio.run(_serve, claimed, root, settings)


class _Serving:
    """The service, once it runs."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._service: Service[Snapshot] | None = None
        self._is_running = trio.Event()
        self.is_wanted = trio.Event()

    async def run(self, root: str) -> None:
        await self.is_wanted.wait()
        async with open_service(
            self._settings, open_disk(root, self._settings), build=build, polish=polish, codec=SnapshotCodec()
        ) as service:
            self._service = service
            self._is_running.set()
            await trio.sleep_forever()

    async def call(self, tool: Tool, arguments: Mapping[str, Any]) -> Reply:
        self.is_wanted.set()
        await self._is_running.wait()
        assert self._service is not None
        return await call(self._service, self._settings, tool, arguments)


async def _serve(claimed: Claimed, root: str, settings: Settings) -> None:
    serving = _Serving(settings)
    server = mcp.make_server(TOOLS, serving.call)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_cancel_on_signal, nursery.cancel_scope)
        nursery.start_soon(serving.run, root)
        async with open_stdio(claimed) as stdio:
            connection = Connection(stdio, requests_max=settings.requests_max)
            nursery.start_soon(_want_when_answered, connection, serving)
            await mcp.serve(connection, server)
        nursery.cancel_scope.cancel()


async def _want_when_answered(connection: Connection, serving: _Serving) -> None:
    await connection.answered.wait()
    serving.is_wanted.set()


async def _cancel_on_signal(scope: trio.CancelScope) -> None:
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:
        async for number in signals:
            log("stop", signal=signal.Signals(number).name)
            scope.cancel()


class _ToLog(logging.Handler):
    """The SDK's own records, as lines of our log."""

    def emit(self, record: logging.LogRecord) -> None:
        severity = Severity.ERROR if record.levelno >= logging.ERROR else Severity.WARNING
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        log("mcp", severity, message=record.getMessage(), error=error)
