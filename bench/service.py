"""What a service gives to many clients over websocket, beside the bare SDK's echo. The clients run in this process."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio

from bench.load import (
    AGENTS,
    EXPECTED,
    NAMES,
    Mix,
    Server,
    Tally,
    Wire,
    converse,
    idle_bytes,
    ids_of,
    left_of,
    listening,
    wait_built,
)
from bench.names import defined_names, spread
from bench.process import CODEMAP
from bench.report import Figure
from bench.stats import percentile, ratios, sample
from bench.subject import Subject

CLIENTS = 50
CALLS = 200
THINK_S = 1.0
"""A client pauses up to so long between two calls where latency is measured: what waits in a line of fifty says how
long the line is."""
AT_ONCE = {kind: weight for kind, weight in AGENTS.items() if kind != "fresh"}
"""The mix where latency is measured: a call that asks to wait for its own edits takes as long as it asked for."""
CALM_S = 10.0
CHANGED_FILES = 1000
"""By a rebuild: each has a function more."""
LEFT_S = 12.0
"""After the last client; Trio keeps a thread for ten seconds, for others to use."""
KILO = 1000


class Round(msgspec.Struct):
    failed: int
    """Calls of the mix."""
    searches: float
    """A second."""
    echoes: float
    calm_s: float
    """The 99th percentile."""
    rebuild_s: float
    idle_bytes: float
    left: int


def service_figures(subject: Subject, rounds: int) -> list[Figure]:
    names = spread(defined_names(subject.root, subject.paths), NAMES)
    done = [_one(subject, names) for _ in range(rounds)]
    note = f"clients that pause up to {THINK_S:g} s; {CHANGED_FILES:,} files changed"
    return [
        Figure(measure, sample(values), note)
        for measure, values, note in (
            ("calls of 50 clients × 200 of a realistic mix that failed", [each.failed for each in done], ""),
            (
                "throughput of map_search over websocket, 50 clients",
                [100 * share for share in ratios([each.searches for each in done], [each.echoes for each in done])],
                "",
            ),
            (
                "p99 with 50 clients while a rebuild runs",
                ratios([each.rebuild_s for each in done], [each.calm_s for each in done]),
                note,
            ),
            ("p99 with 50 clients", [KILO * each.calm_s for each in done], "the same clients, no rebuild"),
            ("memory of an idle client", [each.idle_bytes / KILO for each in done], ""),
            ("descriptors, threads and processes left after the last client", [each.left for each in done], ""),
        )
    ]


def _one(subject: Subject, names: list[str]) -> Round:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        shutil.copytree(subject.root, root, symlinks=True)
        return trio.run(_round, root, Path(folder) / "cache", subject.paths, names)


async def _round(root: Path, cache: Path, paths: Sequence[str], names: list[str]) -> Round:
    echo = [sys.executable, "-m", "bench.echo_websocket"]
    words = [*CODEMAP, "serve", "--root", str(root), "--websocket", "127.0.0.1:0", "--clients-max", "1000"]
    async with listening(words, cache) as server:
        async with server.client() as wire:
            await wait_built(wire)
            ids = await ids_of(wire, names)
        await trio.sleep(2)  # what was begun by the build
        idle = await idle_bytes(server, CLIENTS)
        descriptors, threads = server.info.num_fds(), server.info.num_threads()
        mixed = Tally()
        await _all(server, names, ids, AGENTS, mixed, calls=CALLS)
        async with listening(echo, cache) as beside:  # just before: the machine is not as fast at any time
            echoes = await _throughput(beside, names, [""], {"echo": 1})
        searches = await _throughput(server, names, ids, {"search": 1})
        calm = Tally()
        await _all(
            server, names, ids, AT_ONCE, calm, calls=float("inf"), end=trio.current_time() + CALM_S, think_s=THINK_S
        )
        busy = await _while_rebuilt(server, root, paths, names, ids)
        await trio.sleep(LEFT_S)
        left = [server.info.num_fds() - descriptors, server.info.num_threads() - threads]
        family = [server.info, *server.children()]
    left.append(len(await left_of(family)))
    return Round(
        failed=sum(
            count for tally in (mixed, calm, busy) for code, count in tally.codes.items() if code not in EXPECTED
        ),
        searches=searches,
        echoes=echoes,
        calm_s=_p99(calm),
        rebuild_s=_p99(busy),
        idle_bytes=idle,
        left=sum(max(0, count) for count in left),
    )


async def _all(
    server: Server, names: list[str], ids: list[str], kinds: Mapping[str, int], tally: Tally, **how: Any
) -> None:
    """All clients at once."""
    async with trio.open_nursery() as nursery:
        for number in range(CLIENTS):
            nursery.start_soon(partial(converse, server, Mix(names, ids, number, kinds=dict(kinds)), tally, **how))


async def _throughput(server: Server, names: list[str], ids: list[str], kinds: Mapping[str, int]) -> float:
    """Calls a second."""
    tally = Tally()
    start = time.perf_counter()
    await _all(server, names, ids, kinds, tally, calls=CALLS)
    return tally.calls / (time.perf_counter() - start)


async def _while_rebuilt(server: Server, root: Path, paths: Sequence[str], names: list[str], ids: list[str]) -> Tally:
    """What clients see from the moment at which files have changed until the map has it all."""
    tally = Tally()
    for number, path in enumerate(paths[:CHANGED_FILES]):
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef bench_service_{number}():\n    return {number}\n")
    async with trio.open_nursery() as nursery:
        for number in range(CLIENTS):
            mix = Mix(names, ids, number, kinds=AT_ONCE)
            nursery.start_soon(partial(converse, server, mix, tally, calls=float("inf"), think_s=THINK_S))
        async with server.client() as wire:
            await _rebuild(wire)
        nursery.cancel_scope.cancel()
    return tally


async def _rebuild(wire: Wire) -> None:
    answer = await wire.request("tools/call", name="map_rebuild", arguments={})
    if answer["result"]["isError"]:
        raise RuntimeError(str(answer))


def _p99(tally: Tally) -> float:
    return percentile([second for seconds in tally.seconds.values() for second in seconds], 0.99)
