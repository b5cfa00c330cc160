"""Stale answers presented as current: counted, over random changes of a repository under a running `codemap serve`."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.changes import EVERYTHING, World, marked_stale, stale_as_current
from bench.client import connected
from bench.process import CODEMAP, ChildFailed
from bench.report import Figure
from bench.start import RETRY_S
from bench.stats import sample
from bench.subject import Subject

STEPS = 1000
SEED = 20_261_122
PAUSES_S = (0.0, 0.0, 0.002, 0.02, 0.1)
"""Between two steps, at random: none, within the quiet time, beyond it."""


def stale_figures(_: Subject, rounds: int) -> list[Figure]:
    """Whatever the corpus: the repository is made at random, as what is true of it must be known."""
    counts = [_count(SEED + number) for number in range(rounds)]
    note = f"{STEPS:,} steps each"
    return [
        Figure("stale answers presented as current", sample([wrong for wrong, _, _ in counts]), note),
        Figure("nodes shown and marked as stale meanwhile", sample([marked for _, marked, _ in counts]), note),
        Figure("nodes shown as current meanwhile", sample([shown for _, _, shown in counts]), note),
    ]


def _count(seed: int) -> tuple[int, int, int]:
    """Nodes that were wrongly shown as current, nodes that were marked, nodes shown as current, in all steps."""
    wrong = marked = shown = 0
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), seed)
        with connected((*CODEMAP, "serve", "--root", folder, "--workers", "1")) as client:
            client.initialize()
            while client.call("map_search", **EVERYTHING).result["isError"]:
                time.sleep(RETRY_S)
            for _ in range(STEPS):
                world.step()
                envelope = client.call("map_search", **EVERYTHING).result["structuredContent"]
                if not envelope["ok"]:
                    raise ChildFailed(str(envelope))
                wrong += len(stale_as_current(world, envelope))
                marked += marked_stale(envelope)
                shown += len(envelope["data"]["results"]) - marked_stale(envelope)
                time.sleep(world.random.choice(PAUSES_S))
    return wrong, marked, shown
