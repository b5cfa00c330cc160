"""What the store saves: a second start; and what it takes on disk."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.client import connected
from bench.names import defined_names, spread
from bench.process import CODEMAP, run
from bench.report import Figure
from bench.start import RETRY_S
from bench.stats import sample
from bench.subject import Subject


def warm_figures(subject: Subject, rounds: int) -> list[Figure]:
    (name,) = spread(defined_names(subject.root, subject.paths), 1)
    with tempfile.TemporaryDirectory() as folder:
        run((*CODEMAP, "index", "--root", str(subject.root), "--store-dir", folder))
        taken = sum(path.stat().st_size for path in Path(folder).iterdir())
        starts = [_start_s(subject.root, folder, name) for _ in range(rounds)]
    return [
        Figure("first answer of a second start, after initialize", sample(starts)),
        Figure("store on disk", sample([taken / subject.counts.source_bytes]), "once"),
    ]


def _start_s(root: Path, folder: str, name: str) -> float:
    """Seconds from the answer to `initialize` to the first answer that is ok."""
    with connected(_serve(root, folder)) as client:
        client.initialize()
        start = time.perf_counter()
        while client.call("map_search", query=name).result["isError"]:
            time.sleep(RETRY_S)
        return time.perf_counter() - start


def _serve(root: Path, folder: str) -> tuple[str, ...]:
    return (*CODEMAP, "serve", "--root", str(root), "--store-dir", folder)
