"""What it takes to begin: the first answer of the protocol, the first useful one, the help, the list of tools."""

from __future__ import annotations

import math
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from bench.client import Client, connected
from bench.names import defined_names, spread
from bench.process import CODEMAP, run
from bench.report import Figure
from bench.stats import ratios, sample
from bench.subject import Subject, limit_s

CHARACTERS_A_TOKEN = 4
MILLISECONDS = 1000
INSTALLED = (sys.executable, "-c", "import sys; from actors.entry import main; sys.exit(main())")
"""What the installed command begins with: whoever can join a running service does so with little else loaded."""
JOINED = 5
"""Clients, one after the other."""
REST_S = 3.0
"""After its build a service makes scores and writes its store."""
RETRY_S = 0.02
"""Between two tries of a client that waits for its first useful answer."""


def start_figures(subject: Subject, rounds: int) -> list[Figure]:
    imports: list[float] = []
    answered: list[float] = []
    useful: list[float] = []
    limits: list[float] = []
    helps: list[float] = []
    joined: list[float] = []
    (name,) = spread(defined_names(subject.root, subject.paths), 1)
    for _ in range(rounds):
        imports.append(run((sys.executable, "-c", "import mcp.server.lowlevel")).wall_s)
        helps.append(run((*CODEMAP, "--help")).wall_s * MILLISECONDS)
        limits.append(limit_s(subject))
        initialized_s, useful_s = _start(subject.root, name)
        answered.append(initialized_s)
        useful.append(useful_s)
        joined += [seconds * MILLISECONDS for seconds in _join(subject.root)]
    return [
        Figure("initialize answered, from spawn", sample(ratios(answered, imports))),
        Figure("first useful answer after initialize, wall", sample(ratios(useful, limits))),
        Figure("codemap connect to a running service, initialize answered, from spawn", sample(joined)),
        Figure("codemap --help, wall", sample(helps)),
        Figure("tools/list", sample([_tools_tokens(subject.root)]), "once"),
    ]


def _start(root: Path, name: str) -> tuple[float, float]:
    """Seconds from spawn to the answer to `initialize`, and from there to the first answer that is ok."""
    start = time.perf_counter()
    with connected(_serve(root)) as client:
        client.initialize()
        initialized = time.perf_counter()
        while not _found(client, name):
            time.sleep(RETRY_S)
        return initialized - start, time.perf_counter() - initialized


def _found(client: Client, name: str) -> bool:
    """Whether the definition of a name is found, in a map that may be partial."""
    answer = client.call("map_search", query=name, rows="full").result
    return not answer["isError"] and any(one["name"] == name for one in answer["structuredContent"]["data"]["results"])


def _join(root: Path) -> list[float]:
    """Seconds from spawn to the answer to `initialize`, of some clients of a service that runs and has its map."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        with connected((*INSTALLED, "serve", "--root", str(root)), cache) as service:
            service.initialize()
            while service.call("map_overview").result["isError"]:
                time.sleep(RETRY_S)
            time.sleep(REST_S)
            for _ in range(JOINED):
                start = time.perf_counter()
                with connected((*INSTALLED, "connect", "--root", str(root)), cache) as client:
                    client.initialize()
                    seconds.append(time.perf_counter() - start)
    return seconds


def _tools_tokens(root: Path) -> int:
    with connected(_serve(root)) as client:
        client.initialize()
        listed = client.request("tools/list", {}).result["tools"]
    return math.ceil(len(msgspec.json.encode(listed).decode()) / CHARACTERS_A_TOKEN)


def _serve(root: Path) -> tuple[str, ...]:
    return (*CODEMAP, "serve", "--root", str(root))
