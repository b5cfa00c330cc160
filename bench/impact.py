"""What a change costs to judge, over MCP on stdio, beside an `echo` of the same process: `map_impact` of hubs, and of a
diff of many files in a git repository of the corpus.

The hubs are the functions and classes that most others use. The diff writes a line of a function twice in each file.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.client import Client
from bench.names import defined_names, spread
from bench.report import Figure
from bench.served import served
from bench.stats import ratios, sample
from bench.subject import Subject

HUBS = 5
FILES = 50
ECHOES = 20
CALLS = 3
"""Of the same question in a round."""
_RETURN = re.compile(rb"^[ \t]+return\b[^\n]*[\w)]\n", re.MULTILINE)
"""A statement that may stand twice."""


def impact_figures(subject: Subject, rounds: int) -> list[Figure]:
    (name,) = spread(defined_names(subject.root, subject.paths), 1)
    with served(subject.root, name, command=(sys.executable, "-m", "bench.echo_server")) as server:
        client = server.client
        hubs = _hubs(client)
        client.call("map_impact", nodeIds=[hubs[0]])
        alone = [_round(client, hubs) for _ in range(rounds)]
        changed = _change(server.root, subject.paths)
        server.ask_fresh()
        first = client.call("map_impact", base="HEAD")
        count = len(changed)
        diffs = [_round(client, ()) for _ in range(rounds)]
    echoes = [median(echo) for echo, _, _ in (*alone, *diffs)]
    of_hubs = [median(calls) for _, calls, _ in alone]
    of_diff = [median(calls) for _, _, calls in diffs]
    return [
        Figure("map_impact of a hub, median", sample(ratios(of_hubs, echoes[:rounds])), f"the {HUBS} most used"),
        Figure("map_impact of a diff of 50 files, warm, median", sample(of_diff), f"{count} files"),
        Figure("the same diff", sample(ratios(of_diff, echoes[rounds:])), f"{count} files"),
        Figure("the same diff, asked for the first time", sample([first.seconds]), "once"),
        Figure("echo beside these calls, median", sample([1000 * echo for echo in echoes])),
    ]


def _round(client: Client, hubs: Sequence[str]) -> tuple[list[float], list[float], list[float]]:
    """Seconds of echoes, of calls for hubs, of calls for the diff where no hubs are given."""
    echoes = [client.call("echo", text="x").seconds for _ in range(ECHOES)]
    of_hubs = [client.call("map_impact", nodeIds=[hub]).seconds for hub in hubs for _ in range(CALLS)]
    of_diff = [] if hubs else [client.call("map_impact", base="HEAD").seconds for _ in range(CALLS)]
    return echoes, of_hubs, of_diff


def _hubs(client: Client) -> list[str]:
    found: list[tuple[int, str]] = []
    for by in ("function", "class"):
        data = client.call("map_metrics", by=by, sort="fanIn", rows="full").result["structuredContent"]["data"]
        found += [(row["fanIn"], row["id"]) for row in data["metrics"]]
    return [node for _, node in sorted(found, reverse=True)[:HUBS]]


def _change(root: Path, paths: Sequence[str]) -> list[str]:
    """Changes a function in each of many files, spread over all; which these are."""
    fitting = [path for path in paths if _RETURN.search((root / path).read_bytes())]
    chosen = spread(fitting, FILES)
    for path in chosen:
        text = (root / path).read_bytes()
        found = _RETURN.search(text)
        assert found is not None, "it was looked for"
        (root / path).write_bytes(text[: found.start()] + found[0] + text[found.start() :])
    done = subprocess.run(["git", "-C", root, "diff", "--name-only"], check=True, capture_output=True, text=True)
    return done.stdout.split()
