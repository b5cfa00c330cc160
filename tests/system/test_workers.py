"""Parser processes that are killed, or cannot start: the map is right, or the answer says what is wrong with it."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
import trio
import trio.lowlevel

from codemap.envelope.answer import Answer
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.status import TOOL
from tests.actors.worker_programs import killed, killed_by_one, lacking, named, use
from tests.system import forked
from tests.system.process import DEADLINE_S, Server, environment, serving

FILES = 160
FUNCTIONS = 120
"""In a file: a batch takes a tenth of a second, so that a kill finds a worker at work."""

PAUSE_MAX_S = 0.1
SAME = ("files", "symbols", "edges", "kinds", "unresolvedImports")


def source(number: int) -> str:
    return f"from f{(number + 1) % FILES:03} import g0\n\n\ndef own{number:03}():\n    return g0()\n" + "".join(
        f"\n\ndef g{place}(x: int = {number}) -> int:\n    return g{(place + 1) % FUNCTIONS}(x)\n"
        for place in range(FUNCTIONS)
    )


SOURCES = {f"f{number:03}.py": source(number).encode() for number in range(FILES)}


@cache
def right_status() -> dict[str, Any]:
    """What `map_status` says of a map that is built in this process."""
    whole = TOOL.answer(World(build_snapshot(SOURCES)), TOOL.params())
    assert isinstance(whole, Answer)
    said: dict[str, Any] = msgspec.to_builtins(whole.data)
    return said


async def kill_a_worker(server: Server, chance: random.Random) -> None:
    """Kills a worker of the first build while it works, a random moment after the first files were done."""
    while not (await server.call("map_status"))["data"].get("building", {}).get("filesDone"):  # noqa: ASYNC110
        await trio.sleep(0.005)
    await trio.sleep(chance.uniform(0, PAUSE_MAX_S))
    while not (workers := [process for process in server.family()[1:] if _is_at_work(process)]):
        await trio.lowlevel.checkpoint()
    chance.choice(workers).send_signal(signal.SIGKILL)


def _is_at_work(process: psutil.Process) -> bool:
    try:
        return (
            "actors.workers.worker_main:main" in " ".join(process.cmdline())
            and process.status() == psutil.STATUS_RUNNING
        )
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_build_survives_the_death_of_a_worker(tmp_path: Path, seed: int) -> None:
    for path, content in SOURCES.items():
        (tmp_path / path).write_bytes(content)
    async with serving(tmp_path, "--verify", "off", "--workers", "2") as server:
        await server.initialize()
        await kill_a_worker(server, random.Random(seed))
        rebuilt = await server.call("map_rebuild")
        assert rebuilt["ok"], rebuilt
        served = (await server.call("map_status", tokenBudget=10_000))["data"]
    assert served["actors"]["parserPool"]["deaths"] >= 1, "no kill struck a worker at work"
    assert served["actors"]["index"]["restarts"] == 0
    assert [served[name] for name in SAME] == [right_status()[name] for name in SAME]


def run(root: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command whose parser processes run another program."""
    return forked.run(
        *(*words, "--root", str(root)),
        env=environment(),
        timeout_s=DEADLINE_S,
        before=partial(use, program),
    )


CAUSE = "no parser process can be started: it ended before it was ready: ModuleNotFoundError: No module named 'lacking'"


@pytest.mark.parametrize(
    "words",
    [("search", "greet"), ("status",), ("index",), ("export", "--edges"), ("doctor",)],
    ids=lambda words: words[0],
)
def test_a_command_without_workers_fails_and_says_why(small: Path, words: tuple[str, ...]) -> None:
    done = run(small, named(lacking), *words)
    assert done.returncode == 1
    assert CAUSE in " ".join((done.stdout + done.stderr).split())


def test_a_file_that_kills_its_workers_is_named_and_the_rest_stands(small: Path) -> None:
    (small / "killer.py").write_text("def kill(): ...\n")
    done = run(small, named(killed_by_one), "search", "greet", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["total"]) == (0, 1)
    told = json.loads(run(small, named(killed_by_one), "status", "--json").stdout)["data"]
    assert (told["built"], told["files"], told["skipped"]) == (True, 2, {"unparsable": 1})
    assert told["skippedFiles"] == [
        {"file": "killer.py", "reason": "unparsable", "detail": "its parser ended: killed by SIGKILL"}
    ]


def test_files_that_all_kill_their_workers_are_no_empty_map(small: Path) -> None:
    done = run(small, named(killed), "search", "greet", "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (1, "MAP_NOT_BUILT")
    assert (
        "every file was given up, 2 in all; a.py, the first of them: its parser ended: killed by SIGKILL"
        in error["message"]
    )
    assert run(small, named(killed), "export", "--nodes").returncode == 1
