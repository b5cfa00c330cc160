"""What the store saves: a second start, a switch back to contents seen before; and what it takes on disk."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from bench.client import Client, connected
from bench.names import defined_names, spread
from bench.process import CODEMAP, run
from bench.report import Figure
from bench.start import RETRY_S
from bench.stats import sample
from bench.subject import Subject

SWITCHED_FILES = 1000


def warm_figures(subject: Subject, rounds: int) -> list[Figure]:
    (name,) = spread(defined_names(subject.root, subject.paths), 1)
    with tempfile.TemporaryDirectory() as folder:
        run((*CODEMAP, "index", "--root", str(subject.root), "--store-dir", folder))
        taken = sum(path.stat().st_size for path in Path(folder).iterdir())
        starts = [_start_s(subject.root, folder, name) for _ in range(rounds)]
    parsed, switch_s = _switch(subject)
    return [
        Figure("first answer of a second start, after initialize", sample(starts)),
        Figure("store on disk", sample([taken / subject.counts.source_bytes]), "once"),
        Figure("switch of 1,000 files to contents seen before: files parsed", sample([parsed]), "once"),
        Figure("switch of 1,000 files to contents seen before: wall", sample([switch_s]), "once"),
    ]


def _start_s(root: Path, folder: str, name: str) -> float:
    """Seconds from the answer to `initialize` to the first answer that is ok."""
    with connected(_serve(root, folder)) as client:
        client.initialize()
        start = time.perf_counter()
        while client.call("map_search", query=name).result["isError"]:
            time.sleep(RETRY_S)
        return time.perf_counter() - start


def _switch(subject: Subject) -> tuple[int, float]:
    """Files parsed, and seconds until the map has them, when 1,000 files of a copy become what they were before."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        for path in subject.paths:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(subject.root / path, root / path)
        with connected(_serve(root, f"{folder}/store")) as client:
            client.initialize()
            while client.call("map_search", query="any").result["isError"]:
                time.sleep(RETRY_S)
            switched = subject.paths[:SWITCHED_FILES]
            before = {path: (root / path).read_bytes() for path in switched}
            for path, content in before.items():
                (root / path).write_bytes(content + b"\n\n")
            _rebuild(client)
            parsed = _parsed(client)
            for path, content in before.items():
                (root / path).write_bytes(content)
            start = time.perf_counter()
            _rebuild(client)
            return _parsed(client) - parsed, time.perf_counter() - start


def _rebuild(client: Client) -> None:
    client.call("map_rebuild")


def _parsed(client: Client) -> int:
    status = client.call("map_status", tokenBudget=10_000).result["structuredContent"]
    count: int = status["data"]["actors"]["parserPool"]["parsed"]
    return count


def _serve(root: Path, folder: str) -> tuple[str, ...]:
    return (*CODEMAP, "serve", "--root", str(root), "--store-dir", folder)
