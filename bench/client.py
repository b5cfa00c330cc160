"""A persistent MCP client that does as little as can be: one JSON-RPC line out, one line in.

The official clients validate and schedule; here that would be measured as if it were the server's. Handshake era.

Source: MCP 2025-11-25, "Lifecycle", "Transports: stdio".
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from bench.corpora import PROJECT
from bench.process import ChildFailed, environment

PROTOCOL = "2025-11-25"


class Timed(msgspec.Struct, frozen=True):
    """One answer, and how long it took to come."""

    seconds: float
    result: Mapping[str, Any]


class Client:
    """One server on stdio; see `connected`."""

    def __init__(self, pid: int, sink: IO[bytes], source: IO[bytes]) -> None:
        self.pid = pid
        self._sink = sink
        self._source = source
        self._last_id = 0

    def request(self, method: str, params: Mapping[str, Any]) -> Timed:
        """The answer to one request, timed from before its bytes are written until all of its line is read.

        Notifications that come before it are dropped. Raises ChildFailed when the answer is an error, or none comes.
        """
        self._last_id += 1
        line = _line({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        start = time.perf_counter()
        self._sink.write(line)
        message = self._read()
        while "id" not in message:
            message = self._read()
        seconds = time.perf_counter() - start
        if "result" not in message or message["id"] != self._last_id:
            raise ChildFailed(f"{method}: {str(message)[:500]}")
        return Timed(seconds, message["result"])

    def wait_for(self, notification: str) -> None:
        """Returns when the next notification of that method has come. Raises ChildFailed at the end."""
        while self._read().get("method") != notification:
            pass

    def _read(self) -> dict[str, Any]:
        line = self._source.readline()
        if not line:
            raise ChildFailed("the server ended")
        message: dict[str, Any] = msgspec.json.decode(line)
        return message

    def initialize(self) -> Timed:
        about = {"name": "bench", "version": "1"}
        answer = self.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
        self._sink.write(_line({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return answer

    def call(self, tool: str, **arguments: Any) -> Timed:
        return self.request("tools/call", {"name": tool, "arguments": arguments})


@contextmanager
def connected(command: Sequence[str], shared: Path | None = None) -> Iterator[Client]:
    """A client of a fresh server; nothing has been said yet. The server ends with the context.

    Its cache is new, or `shared` with another's: those with one cache may meet.
    """
    with (
        tempfile.TemporaryDirectory() as own,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=PROJECT,
            env=environment(shared or Path(own)),
        ) as child,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            with open(child.stdout.fileno(), "rb", closefd=False) as source:
                yield Client(child.pid, child.stdin, source)
        finally:
            child.stdin.close()
            child.terminate()


def _line(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"
