"""A repository of very many small files: it starts, is watched and answers. The files are made, and nobody's."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from bench.client import Client, connected
from bench.process import CODEMAP, ChildFailed, MemoryWatch, cpu_s
from bench.report import Figure, Section
from bench.served import FRESH_WAIT_MS, Served
from bench.stats import sample

SCALE = "scale"
"""What it is called on the command line."""
FILES = 100_000
FILES_A_FOLDER = 100
EDITS = 8
SEARCHES = 40
PAUSE_S = 0.1
LOOK_S = 1.0
"""Between two looks at whether the map is whole; each asks for the stat of every file."""
MILLISECONDS = 1000
MEGABYTE = 1_000_000

SOURCE = """\
from package_{folder:04}.module_{before:06} import work_{before:06}


def work_{number:06}(count):
    return count + {number}


class Task{number:06}:
    def run(self):
        return work_{before:06}(self.count)
"""
"""One file: its method calls the function of the file before it."""


def scale_section(rounds: int) -> Section:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        write(root, FILES)
        done = [_round(root, Path(folder) / f"store{number}") for number in range(rounds)]
    return Section(
        f"{FILES:,} small files",
        f"python -m bench {SCALE} --rounds {rounds} --write",
        [Figure(measure, sample([each[measure] for each in done])) for measure in done[0]],
    )


def write(root: Path, files: int) -> None:
    """So many files under `root`."""
    for number in range(files):
        path = root / path_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        before = (number - 1) % files
        path.write_text(SOURCE.format(number=number, before=before, folder=before // FILES_A_FOLDER))


def path_of(number: int) -> str:
    return f"package_{number // FILES_A_FOLDER:04}/module_{number:06}.py"


def _round(root: Path, store: Path) -> Mapping[str, float]:
    """Measure -> what it came to. Raises ChildFailed where something is not as it must be."""
    command = (*CODEMAP, "serve", "--root", str(root), "--store-dir", str(store))
    with connected(command) as client:
        client.initialize()
        start = time.perf_counter()
        with MemoryWatch(client.pid) as watch:
            _wait_built(client)
        built_s = time.perf_counter() - start
        server = Served(client, root, "work_000001")
        server.wait_rest()
        spent_s = cpu_s(client.pid)
        searched = [_search(client, number * (FILES // SEARCHES)) for number in range(SEARCHES)]
        fresh = [_edit(server, number * (FILES // EDITS)) for number in range(EDITS)]
    with connected(command) as client:
        client.initialize()
        start = time.perf_counter()
        _wait_built(client)
        again_s = time.perf_counter() - start
    return {
        "100,000 small files: the first map, wall": built_s,
        "100,000 small files: CPU until at rest": spent_s,
        "100,000 small files: peak of the process tree": watch.peak_bytes / MEGABYTE,
        "100,000 small files: map_search of a name, median": median(searched) * MILLISECONDS,
        "100,000 small files: disk to fresh answer, wall": median(fresh) * MILLISECONDS,
        "100,000 small files: first answer of a second start": again_s,
    }


def _wait_built(client: Client) -> None:
    """Returns when a whole map answers, and the files are watched."""
    while True:
        answer = client.call("map_status").result["structuredContent"]
        if answer["ok"] and answer["data"]["built"] and answer["data"]["files"] == FILES:
            watcher = answer["data"]["watcher"]
            if watcher["mode"] == "events":
                return
            if watcher["mode"] != "starting":
                raise ChildFailed(f"not watched: {watcher}")
        time.sleep(LOOK_S)


def _search(client: Client, number: int) -> float:
    """Seconds of one search. Raises ChildFailed where it does not find the one definition there is."""
    name = f"work_{number:06}"
    answer = client.call("map_search", query=name, rows="full")
    found = answer.result["structuredContent"]["data"]["results"]
    if found[0]["id"] != f"py:{path_of(number)}#{name}":
        raise ChildFailed(f"{name}: {found[:1]}")
    return answer.seconds


def _edit(server: Served, number: int) -> float:
    """Seconds from a new definition on disk until it is found. Raises ChildFailed where it is not."""
    time.sleep(PAUSE_S)
    name = f"new_{time.time_ns()}"
    start = time.perf_counter()
    with (server.root / path_of(number)).open("a", encoding="utf-8") as file:
        file.write(f"\n\ndef {name}():\n    return 1\n")
    found = server.client.call("map_search", query=name, freshWaitMs=FRESH_WAIT_MS, rows="full")
    answer = found.result["structuredContent"]
    if [row["name"] for row in answer["data"]["results"]] != [name]:
        raise ChildFailed(f"{name}: {answer}")
    return time.perf_counter() - start
