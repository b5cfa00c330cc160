"""`codemap serve` as a process, spoken to line by line, and watched for what it leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import trio

from tests.system.forked import CODEMAP, Forked, open_forked
from tests.tools.calls import validators

DEADLINE_S = 400
"""For one test; a busy machine takes seconds to start a process that imports the SDK."""

ONE_WORKER = {"CODEMAP_WORKERS": "1"}
"""More than one to start costs more than they save, where the other tests have the other cores."""

END_MAX_S = 30.0
"""What "at once" means for a process on a busy machine; its own share is a tenth of a second."""


def environment(**extra: str) -> dict[str, str]:
    """The environment without settings of whoever runs the tests; nothing is kept or shared beyond them, and rows have
    the form that programs read."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CODEMAP_")}
    own = {"CODEMAP_STORE": "off", "CODEMAP_SHARE": "off", "CODEMAP_VERIFY": "off", "CODEMAP_ROWS": "full"}
    return kept | own | ONE_WORKER | extra


class Server:
    """A server process."""

    def __init__(self, process: trio.Process | Forked) -> None:
        self.process = process
        self.lines: list[str] = []
        """Every line of stdout so far."""
        self.is_ended = False
        self.log = ""
        """What came on stderr so far, where that is read."""
        self._came = trio.lowlevel.ParkingLot()
        self._next_id = 0

    async def send(self, text: str | bytes) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.send_all((text if isinstance(text, bytes) else text.encode()) + b"\n")

    async def line(self, number: int) -> Any:
        """The line of that number, from 0, as JSON."""
        while len(self.lines) <= number:
            assert not self.is_ended, "the server ended"
            await self._came.park()
        return json.loads(self.lines[number])

    async def request(self, method: str, **params: Any) -> Any:
        """The answer to a request."""
        self._next_id += 1
        number = self._next_id
        await self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        seen = 0
        while True:
            answer = await self.line(seen)
            if answer.get("id") == number:
                return answer
            seen += 1

    async def initialize(self) -> Any:
        answer = await self.request(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )
        await self.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The envelope of a tool's reply."""
        answer = await self.request("tools/call", name=tool, arguments=arguments)
        return as_listed(tool, answer["result"]["structuredContent"])

    async def resolved(self, **asked: Any) -> Any:
        """What `resolve` says when a language server has verified it: the first answers come while one starts."""
        reply = await self.call("resolve", **asked)
        while not reply["ok"] or not reply["data"]["verified"]:
            reply = await self.call("resolve", **asked)
        return reply["data"]

    async def read(self) -> None:
        assert self.process.stdout is not None
        rest = b""
        try:
            async for chunk in self.process.stdout:
                *complete, rest = (rest + chunk).split(b"\n")
                self.lines += [line.decode() for line in complete]
                self._came.unpark_all()
            assert not rest, "half a line"
        except trio.ClosedResourceError:
            pass  # the test closed it
        self.is_ended = True
        self._came.unpark_all()

    async def read_log(self) -> None:
        assert self.process.stderr is not None
        async for chunk in self.process.stderr:
            self.log += chunk.decode()

    def family(self) -> list[psutil.Process]:
        """The process and all that it started."""
        top = psutil.Process(self.process.pid)
        return [top, *top.children(recursive=True)]


def as_listed(tool: str, envelope: Any) -> Any:
    """The envelope; where it is one of the native dialect, it must be as the tool's schema says."""
    if "ok" in envelope:
        for validator in validators(tool):
            validator.validate(envelope)
    return envelope


async def begin(
    *words: str, env: Mapping[str, str], folder: Path | None = None, stderr: int | None = None, is_forked: bool = True
) -> trio.Process | Forked:
    """`codemap`, with pipes to its stdin and stdout."""
    pipe = subprocess.PIPE
    if is_forked:
        return open_forked(words, env=env, cwd=folder, stdin=pipe, stdout=pipe, stderr=stderr)
    return await trio.lowlevel.open_process(
        [CODEMAP, *words], stdin=pipe, stdout=pipe, stderr=stderr, cwd=folder, env=env
    )


@asynccontextmanager
async def serving(
    root: Path,
    *words: str,
    extra: Mapping[str, str] = {},
    log: int | None = None,
    deadline_s: float = DEADLINE_S,
    command: str = "serve",
    folder: Path | None = None,
    is_forked: bool = True,
) -> AsyncIterator[Server]:
    """A server for a root, killed in the end where the test has not ended it. `log`: where its stderr goes; `folder`:
    where it is started; `is_forked`: from a process that has imported all of it, see `tests.system.forked`."""
    with trio.fail_after(deadline_s):
        async with trio.open_nursery() as nursery:
            process = await begin(
                command,
                *("--root", str(root), *words),
                env=environment(**extra),
                folder=folder,
                stderr=log,
                is_forked=is_forked,
            )
            server = Server(process)
            nursery.start_soon(server.read)
            if log == subprocess.PIPE:
                nursery.start_soon(server.read_log)
            try:
                yield server
            finally:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()
                nursery.cancel_scope.cancel()


async def wait_gone(family: list[psutil.Process]) -> None:
    """Returns when none of the processes runs any more. Raises trio.TooSlowError otherwise."""
    with trio.fail_after(END_MAX_S):
        while any(_runs(process) for process in family):  # noqa: ASYNC110
            await trio.sleep(0.01)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
