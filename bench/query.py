"""What a question costs, over MCP on stdio with a persistent client, beside an `echo` of the same process."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from bench.client import Client, connected
from bench.names import defined_names, inexact, questions, spread
from bench.process import resident_bytes
from bench.report import Figure
from bench.stats import percentile, ratios, sample
from bench.subject import Subject

NAMES = 60
"""Names asked for in one round."""

GREP_NAMES = 10
WARM_UP_CALLS = 20
FULL_CHARACTERS = 7900
"""What the default budget of 2000 tokens holds: what bytes alone cost, on top of an empty round trip."""

MILLISECONDS = 1000


class Round(msgspec.Struct):
    """Seconds of every call of one round, by what was called."""

    echo: list[float]
    calls: dict[str, list[float]]


def query_figures(subject: Subject, rounds: int) -> list[Figure]:
    """Every tool's calls, an echo before each; the denominator is the median echo of the same round."""
    names = spread(defined_names(subject.root, subject.paths), NAMES)
    with connected(_server(subject.root)) as client:
        client.initialize()
        ids = _ids(client, names)
        base = _empty_server_bytes()
        for name in names[:WARM_UP_CALLS]:
            client.call("echo", text=name)
        done = [_round(client, names, ids) for _ in range(rounds)]
        resident = (resident_bytes(client.pid)[client.pid] - base) / subject.counts.source_bytes
        figures = _against_rg(client, subject, names, rounds)
    of_sdk = [_sdk_echo_seconds(names) for _ in done]
    echoes = [median(each.echo) for each in done]

    def typical(call: str) -> list[float]:
        return ratios([median(each.calls[call]) for each in done], echoes)

    def tail(call: str) -> list[float]:
        return ratios([percentile(each.calls[call], 0.99) for each in done], echoes)

    return [
        Figure("map_search of a name, median", sample(typical("name"))),
        Figure("map_search of a prefix, words or a typo, median", sample(typical("inexact"))),
        Figure("map_search of a question in words, median", sample(typical("words"))),
        Figure("map_neighbors depth 1, median", sample(typical("near"))),
        Figure("map_code, median", sample(typical("code"))),
        Figure("map_code with callees, median", sample(typical("callees"))),
        Figure("map_context of a task in words, median", sample(typical("context"))),
        Figure("map_overview, p99", sample(tail("overview"))),
        Figure("map_path, p99", sample(tail("path"))),
        Figure("map_neighbors depth 3, p99", sample(tail("far"))),
        Figure("resident after these calls, beyond an empty server", sample([resident]), "once"),
        Figure("echo itself, median", sample([echo * MILLISECONDS for echo in echoes])),
        Figure("echo of a full budget, median", sample(typical("full"))),
        Figure("echo of the bare SDK on stdio, median", sample(ratios(of_sdk, echoes))),
        *figures,
    ]


def _round(client: Client, names: list[str], ids: list[str]) -> Round:
    taken = Round([], {})

    def take(what: str, tool: str, **arguments: Any) -> None:
        taken.echo.append(client.call("echo", text=names[0]).seconds)
        taken.calls.setdefault(what, []).append(client.call(tool, **arguments).seconds)

    for name in names:
        take("name", "map_search", query=name)
        take("full", "echo", text="x" * FULL_CHARACTERS)
    for query in inexact(names):
        take("inexact", "map_search", query=query)
    for question in questions(names):
        take("words", "map_search", query=question)
        take("context", "map_context", task=question)
    for place, node in enumerate(ids):
        take("near", "map_neighbors", nodeId=node)
        take("code", "map_code", nodeIds=[node])
        take("callees", "map_code", nodeIds=[node], include=["callees"])
        take("far", "map_neighbors", nodeId=node, depth=3)
        take("overview", "map_overview", hubsPerCluster=1 + place % 20)
        take("path", "map_path", **{"from": node, "to": ids[(place + len(ids) // 2) % len(ids)]})
    return taken


def _ids(client: Client, names: list[str]) -> list[str]:
    """The node that each name means first."""
    ids = []
    for name in names:
        found = client.call("map_search", query=name, limit=1, rows="full").result["structuredContent"]
        results = found["data"]["results"]
        ids += [result["id"] for result in results]
    return ids


def _sdk_echo_seconds(names: list[str]) -> float:
    with connected((sys.executable, "-m", "bench.echo_sdk")) as client:
        client.initialize()
        for name in names[:WARM_UP_CALLS]:
            client.call("echo", text=name)
        return median(client.call("echo", text=name).seconds for name in names)


def _against_rg(client: Client, subject: Subject, names: list[str], rounds: int) -> list[Figure]:
    """A search beside ripgrep over the same tree; nothing where ripgrep is not installed."""
    rg = shutil.which("rg")
    if rg is None:
        sys.stderr.write("bench: rg is not installed: map_search is not compared with it\n")
        return []
    few = spread(names, GREP_NAMES)
    taken = []
    for _ in range(rounds):
        greps = [_seconds(lambda name=name: _grep(rg, name, subject.root)) for name in few]  # type: ignore[misc]
        searches = [client.call("map_search", query=name).seconds for name in few]
        taken.append(median(greps) / median(searches))
    return [Figure("map_search against rg -w NAME", sample(taken))]


def _grep(rg: str, name: str, root: Path) -> None:
    subprocess.run((rg, "-w", name, str(root)), stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _empty_server_bytes() -> int:
    with tempfile.TemporaryDirectory() as empty, connected(_server(Path(empty))) as client:
        client.initialize()
        for _ in range(WARM_UP_CALLS):
            client.call("echo", text="x")
        return resident_bytes(client.pid)[client.pid]


def _server(root: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "bench.echo_server", str(root))
