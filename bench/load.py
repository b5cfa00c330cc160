"""Load: many clients and a realistic mix of calls on a real repository, while files change and processes are killed.

    python -m bench.load --clients 50 --calls 200                          # a copy of the corpus, over websocket
    python -m bench.load --clients 50 --seconds 600 --churn --edit-s 1 --kill-s 20
    python -m bench.load --transport stdio --root PATH

Prints throughput, latency percentiles by tool, errors by code, loop lag, memory, and what is left behind. The exit code
is 1 when an error came that was not asked for, or something was left. The clients run in this process, on the same
cores.
The file is long because a run, its clients, its disturbances and its report belong together.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]  # no stubs among the dependencies
import trio
import trio_websocket
import wsproto.utilities

from bench.corpora import PROJECT, corpora, fetch
from bench.machine import machine_line
from bench.names import defined_names, inexact, spread
from bench.process import CODEMAP, environment
from bench.stats import percentile

NAMES = 400
PATIENCE_S = 60.0
"""No answer takes as long; a client that waits longer has been forgotten."""
SAMPLE_S = 1.0
END_S = 5.0
"""How long processes may take to be gone after their server."""
EXPECTED = frozenset({"LSP_UNAVAILABLE", "LSP_FAILED", "LSP_TIMEOUT", "NODE_NOT_FOUND", "FILE_DELETED"})
"""Codes that a caller gets while language servers die and files change under him."""
LAG = re.compile(r'^codemap_loop_lag_seconds_bucket\{le="([^"]+)"\} (\d+)$', re.MULTILINE)
MB = 1_000_000


class Tally:
    """What all clients saw."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.codes: Counter[str] = Counter()
        self.resident: list[int] = []
        self.kills: Counter[str] = Counter()
        self.edits = 0
        self.sessions = 0

    @property
    def calls(self) -> int:
        return sum(map(len, self.seconds.values()))


class Wire:
    """One MCP client in the handshake era, over whatever carries texts."""

    def __init__(self, send: Any, receive: Any) -> None:
        self._send = send
        self._receive = receive
        self._number = 0

    async def request(self, method: str, **params: Any) -> Any:
        """The answer to one request. Raises trio.TooSlowError when none comes."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        with trio.fail_after(PATIENCE_S):
            await self._send(msgspec.json.encode(message))
            while True:
                answer = msgspec.json.decode(await self._receive())
                if answer.get("id") == self._number:
                    return answer

    async def initialize(self) -> None:
        about = {"name": "load", "version": "1"}
        await self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)
        await self._send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')


class Mix:
    """Calls as agents make them: mostly searches and neighbors, now and then an overview, a path, a wait."""

    def __init__(self, names: list[str], ids: list[str], seed: int, *, kinds: dict[str, int]) -> None:
        self._names = names
        self._inexact = inexact(names)
        self._ids = ids
        self._random = random.Random(seed)
        self._kinds = kinds
        self.random = self._random.random

    def next(self) -> tuple[str, dict[str, Any]]:
        pick = self._random.choice
        (kind,) = self._random.choices(list(self._kinds), list(self._kinds.values()))
        match kind:
            case "search":
                return "map_search", {"query": pick(self._names)}
            case "inexact":
                return "map_search", {"query": pick(self._inexact)}
            case "fresh":
                return "map_search", {"query": pick(self._names), "freshWaitMs": 1000}
            case "near":
                return "map_neighbors", {"nodeId": pick(self._ids)}
            case "far":
                return "map_neighbors", {"nodeId": pick(self._ids), "depth": 3}
            case "path":
                return "map_path", {"from": pick(self._ids), "to": pick(self._ids)}
            case "definition":
                return "nav_definition", {"nodeId": pick(self._ids)}
            case "references":
                return "nav_references", {"nodeId": pick(self._ids)}
            case "echo":
                return "echo", {"text": pick(self._names)}
            case tool:
                return tool, {}


AGENTS = {"search": 36, "inexact": 10, "fresh": 3, "near": 30, "far": 6, "path": 6, "map_overview": 6, "map_status": 3}
LIVE = {"definition": 4, "references": 2}


class Server:
    """A server process under load."""

    def __init__(self, process: trio.Process, url: str) -> None:
        self.process = process
        self.url = url
        self.info = psutil.Process(process.pid)

    def children(self) -> list[Any]:
        with suppress(psutil.NoSuchProcess):
            return list(self.info.children(recursive=True))
        return []

    async def page(self, path: str) -> str:
        port = int(self.url.rpartition(":")[2].partition("/")[0])
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            text = b"".join([bytes(chunk) async for chunk in stream])
        return text.decode().partition("\r\n\r\n")[2]

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Wire]:
        try:
            async with trio.open_nursery() as nursery:
                socket = await trio_websocket.connect_websocket_url(nursery, self.url, subprotocols=["mcp"])

                async def send(frame: bytes) -> None:
                    await socket.send_message(frame.decode())

                wire = Wire(send, socket.get_message)
                await wire.initialize()
                yield wire
                await socket.aclose()
                nursery.cancel_scope.cancel()
        except* wsproto.utilities.LocalProtocolError:
            pass  # the library would answer a ping that came while it closed, and ends with that


@asynccontextmanager
async def listening(words: list[str], cache: Path) -> AsyncIterator[Server]:
    """A server that says on stderr where it listens; killed where it does not end by itself."""
    process = await trio.lowlevel.open_process(
        words,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=PROJECT,
        env=environment(cache) | {"CODEMAP_LOG_LEVEL": "info", "CODEMAP_SHARE": "off"},
    )
    assert process.stderr is not None
    said = b""
    async with trio.open_nursery() as nursery:
        while (found := re.search(rb"event=listening .*?url=(\S+).*\n", said)) is None:
            chunk = await process.stderr.receive_some()
            if not chunk:
                raise RuntimeError(said.decode())
            said += bytes(chunk)
        nursery.start_soon(_pass_on, process.stderr)
        try:
            yield Server(process, found[1].decode())
        finally:
            process.terminate()
            with trio.move_on_after(20, shield=True):
                await process.wait()
            with suppress(ProcessLookupError):
                process.kill()
            nursery.cancel_scope.cancel()


async def _pass_on(stream: trio.abc.ReceiveStream) -> None:
    """What the server says of trouble goes to our stderr."""
    async for chunk in stream:
        for line in bytes(chunk).decode(errors="replace").splitlines():
            if "level=error" in line:
                sys.stderr.write(line[:2000] + "\n")


@asynccontextmanager
async def stdio_client(root: Path, cache: Path) -> AsyncIterator[Wire]:
    """A client with a server process of its own."""
    process = await trio.lowlevel.open_process(
        [*CODEMAP, "serve", "--root", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=PROJECT,
        env=environment(cache) | {"CODEMAP_SHARE": "off"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    sink, source, held = process.stdin, process.stdout, bytearray()

    async def receive() -> bytes:
        while b"\n" not in held:
            held.extend(await source.receive_some())
        line, _, rest = bytes(held).partition(b"\n")
        held[:] = rest
        return line

    try:
        wire = Wire(lambda frame: sink.send_all(frame + b"\n"), receive)
        await wire.initialize()
        yield wire
    finally:
        await sink.aclose()
        with trio.move_on_after(20, shield=True):
            await process.wait()
        with suppress(ProcessLookupError):
            process.kill()


async def ask(wire: Wire, mix: Mix, tally: Tally) -> None:
    """One call, timed and counted."""
    tool, arguments = mix.next()
    start = time.perf_counter()
    try:
        answer = await wire.request("tools/call", name=tool, arguments=arguments)
    except trio.TooSlowError:
        tally.codes["no answer"] += 1
        return
    tally.seconds[tool].append(time.perf_counter() - start)
    if "error" in answer:
        tally.codes[f"protocol {answer['error']['code']}"] += 1
    elif answer["result"].get("isError"):
        tally.codes[answer["result"]["structuredContent"]["error"]["code"]] += 1


async def wait_built(wire: Wire) -> None:
    while True:
        answer = await wire.request("tools/call", name="map_overview", arguments={})
        if not answer["result"]["isError"]:
            return
        await trio.sleep(0.1)


async def ids_of(wire: Wire, names: list[str]) -> list[str]:
    """A node for each name that the map knows."""
    found: list[str] = []
    for name in names:
        answer = await wire.request(
            "tools/call", name="map_search", arguments={"query": name, "limit": 1, "rows": "full"}
        )
        results = answer["result"]["structuredContent"]["data"]["results"]
        found += [results[0]["id"]] if results else []
    return found


async def edit(root: Path, files: list[str], every_s: float, tally: Tally) -> None:
    """Edits one file after the other for ever: a comment at the end, now and then a new function."""
    number = 0
    while True:
        await trio.sleep(every_s)
        number += 1
        path = root / files[number * 7 % len(files)]
        with path.open("a", encoding="utf-8") as file:
            file.write(f"# edit {number}\n" if number % 3 else f"\n\ndef load_edit_{number}():\n    return {number}\n")
        tally.edits += 1


async def kill(server: Server, every_s: float, tally: Tally) -> None:
    """Kills a language server, or else a parser process, at intervals."""
    while True:
        await trio.sleep(every_s)
        children = server.children()
        victims: dict[str, Any] = {}
        for child in children:
            with suppress(psutil.Error):
                is_worker = any("actors.workers.worker_main" in word for word in child.cmdline())
                victims["parser" if is_worker else "language server"] = child
        for kind in ("language server", "parser"):
            if kind in victims:
                with suppress(psutil.Error):
                    victims[kind].kill()
                    tally.kills[kind] += 1
                break


async def sample_memory(server: Server, tally: Tally) -> None:
    while True:
        with suppress(psutil.NoSuchProcess):
            tally.resident.append(server.info.memory_info().rss)
        await trio.sleep(SAMPLE_S)


async def converse(
    server: Server,
    mix: Mix,
    tally: Tally,
    *,
    calls: float,
    end: float = math.inf,
    think_s: float = 0.0,
    stay: float = math.inf,
) -> None:
    """One client after the other, each of so many calls, until all calls are done or the end has come."""
    done = 0
    while done < calls and trio.current_time() < end:
        tally.sessions += 1
        left = stay
        async with server.client() as wire:
            while done < calls and left > 0 and trio.current_time() < end:
                if think_s:  # before the first call too: clients do not all begin at once
                    await trio.sleep(think_s * mix.random())
                await ask(wire, mix, tally)
                done, left = done + 1, left - 1


async def over_websocket(
    given: argparse.Namespace, root: Path, cache: Path, names: list[str], files: list[str]
) -> bool:
    """Runs the load and prints what came of it; whether all was well."""
    words = [*CODEMAP, "serve", "--root", str(root), "--websocket", "127.0.0.1:0", "--clients-max", "10000"]
    if given.echo:
        words = [sys.executable, "-m", "bench.echo_websocket"]
    kinds = {"echo": 1} if given.echo else {"search": 1} if given.search else AGENTS | (LIVE if given.live else {})
    tally = Tally()
    async with listening(words, cache) as server:
        ids = [""]
        if not given.echo:
            async with server.client() as wire:
                await wait_built(wire)
                ids = await ids_of(wire, names)
        await trio.sleep(2)  # what was begun by the build
        before = server.info.memory_info().rss
        descriptors, threads = server.info.num_fds(), server.info.num_threads()
        idle = await idle_bytes(server, given.clients)
        end = trio.current_time() + given.seconds if given.seconds else math.inf
        start = time.perf_counter()
        cpu = _cpu_s(server)

        client = partial(
            converse,
            server,
            tally=tally,
            calls=math.inf if given.seconds else given.calls,
            end=end,
            think_s=given.think_s,
            stay=20 if given.churn else given.calls,
        )
        async with trio.open_nursery() as background:
            background.start_soon(sample_memory, server, tally)
            if given.edit_s:
                background.start_soon(edit, root, files, given.edit_s, tally)
            if given.kill_s:
                background.start_soon(kill, server, given.kill_s, tally)
            async with trio.open_nursery() as nursery:
                for number in range(given.clients):
                    nursery.start_soon(client, Mix(names, ids, number, kinds=kinds))
            wall_s, cpu_s = time.perf_counter() - start, _cpu_s(server) - cpu
            background.cancel_scope.cancel()
        lag = None if given.echo else _lag(await server.page("/metrics"))
        await trio.sleep(2)
        left = (server.info.num_fds() - descriptors, server.info.num_threads() - threads)
        after = server.info.memory_info().rss
        family = [server.info, *server.children()]
    remaining = await left_of(family)
    _print(given, tally, wall_s, cpu_s)
    if lag is not None:
        print(f"loop lag: p99 at most {lag * 1000:g} ms")
    flat = sorted(tally.resident)
    print(f"memory: {before / MB:.0f} MB before, {flat[-1] / MB:.0f} at most, {after / MB:.0f} after; "
          f"an idle client {idle / 1000:.0f} kB")  # fmt: skip
    quarter = len(tally.resident) // 4
    if quarter:
        first, last = (max(part) / MB for part in (tally.resident[quarter : 2 * quarter], tally.resident[-quarter:]))
        print(f"memory at most in the second quarter {first:.0f} MB, in the last {last:.0f} MB")
    print(f"left behind: {left[0]} descriptors, {left[1]} threads, {len(remaining)} processes after the end")
    unasked = sum(count for code, count in tally.codes.items() if code not in EXPECTED)
    return not unasked and not remaining and left[0] <= 0


async def left_of(family: list[Any]) -> list[Any]:
    """The processes that still run a while after their server's end."""
    with trio.move_on_after(END_S):
        while family := [one for one in family if _runs(one)]:  # noqa: ASYNC110
            await trio.sleep(0.05)
    return family


async def over_stdio(given: argparse.Namespace, root: Path, cache: Path, names: list[str]) -> bool:
    tally = Tally()

    async def client(seed: int) -> None:
        async with stdio_client(root, cache) as wire:
            await wait_built(wire)
            mix = Mix(names, await ids_of(wire, names[:40]), seed, kinds=AGENTS)
            tally.sessions += 1
            for _ in range(given.calls):
                await ask(wire, mix, tally)

    start = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for number in range(given.clients):
            nursery.start_soon(client, number)
    _print(given, tally, time.perf_counter() - start, math.nan)
    return not set(tally.codes) - EXPECTED


async def idle_bytes(server: Server, clients: int) -> float:
    """What a client costs that is only connected."""
    base = server.info.memory_info().rss
    async with trio.open_nursery() as nursery:
        held = trio.Event()
        came = [0]

        async def hold() -> None:
            async with server.client():
                came[0] += 1
                await held.wait()

        for _ in range(clients):
            nursery.start_soon(hold)
        while came[0] < clients:  # noqa: ASYNC110
            await trio.sleep(0.02)
        used: int = server.info.memory_info().rss - base
        held.set()
    return max(0.0, used / clients)


def _runs(process: Any) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _cpu_s(server: Server) -> float:
    times = server.info.cpu_times()
    return float(times.user + times.system)


def _lag(metrics: str) -> float | None:
    """The bound under which 99 of 100 measurements of the loop lie."""
    buckets = [(float(bound.replace("+Inf", "inf")), int(count)) for bound, count in LAG.findall(metrics)]
    return next((bound for bound, count in buckets if count >= 0.99 * buckets[-1][1]), None) if buckets else None


def _print(given: argparse.Namespace, tally: Tally, wall_s: float, cpu_s: float) -> None:
    print(f"{machine_line()}")
    micros = cpu_s / max(1, tally.calls) * 1e6
    print(f"{given.clients} clients, {tally.sessions} sessions, {tally.calls} calls in {wall_s:.1f} s: "
          f"{tally.calls / wall_s:.0f} a second; CPU of the server {micros:.0f} µs a call")  # fmt: skip
    print(f"edits: {tally.edits}; killed: {dict(tally.kills) or 'none'}; errors: {dict(tally.codes) or 'none'}")
    print(f"{'':16}{'calls':>8}{'median':>10}{'p90':>10}{'p99':>10}{'longest':>10}  ms")
    every = [second for seconds in tally.seconds.values() for second in seconds]
    for tool, seconds in (*sorted(tally.seconds.items()), ("all", every)):
        shown = [percentile(seconds, share) * 1000 for share in (0.5, 0.9, 0.99, 1.0)] if seconds else []
        print(f"{tool:16}{len(seconds):8}" + "".join(f"{value:10.2f}" for value in shown))


def main() -> int:
    parser = argparse.ArgumentParser("python -m bench.load", description="Puts a server under load.")
    parser.add_argument("--corpus", choices=sorted(corpora()), default="django", help="on a copy of this")
    parser.add_argument("--root", type=Path, help="on a copy of this folder instead")
    parser.add_argument("--transport", choices=("websocket", "stdio"), default="websocket")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--calls", type=int, default=200, help="of each client")
    parser.add_argument("--seconds", type=float, help="so long, in place of so many calls")
    parser.add_argument("--think-s", type=float, default=0.0, help="a client pauses up to so long between two calls")
    parser.add_argument("--churn", action="store_true", help="clients come and go: 20 calls a session")
    parser.add_argument("--edit-s", type=float, help="a file changes so often")
    parser.add_argument("--kill-s", type=float, help="a language server or parser process is killed so often")
    parser.add_argument("--live", action="store_true", help="language servers are asked too")
    parser.add_argument("--search", action="store_true", help="searches of names only")
    parser.add_argument("--echo", action="store_true", help="the bare SDK's echo in our place")
    given = parser.parse_args()
    source = given.root or fetch(corpora()[given.corpus])
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "root", Path(folder) / "cache"
        shutil.copytree(source, root, symlinks=True)
        files = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*.py"))]
        names = spread(defined_names(root, files), NAMES)
        if given.transport == "stdio":
            is_well = trio.run(over_stdio, given, root, cache, names)
        else:
            is_well = trio.run(over_websocket, given, root, cache, names, files)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
