"""A worker process is killed while a map is built: the build ends, and it ends right."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import msgspec
import psutil
import pytest
import trio
import trio.lowlevel

from codemap.envelope.answer import Answer
from codemap.graph.build import build_snapshot
from codemap.tools import World
from codemap.tools.status import TOOL
from tests.system.process import DEADLINE_S, Server, serving

FILES = 400
FUNCTIONS = 120
"""In a file: a batch takes a tenth of a second, so that a kill finds a worker at work."""

PAUSE_MAX_S = 0.1
SAME = ("files", "symbols", "edges", "kinds", "unresolvedImports")


def source(number: int) -> str:
    return f"from f{(number + 1) % FILES:03} import g0\n\n\ndef own{number:03}():\n    return g0()\n" + "".join(
        f"\n\ndef g{place}(x: int = {number}) -> int:\n    return g{(place + 1) % FUNCTIONS}(x)\n"
        for place in range(FUNCTIONS)
    )


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
        return "spawn_main" in " ".join(process.cmdline()) and process.status() == psutil.STATUS_RUNNING
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
async def test_a_build_survives_the_death_of_a_worker(tmp_path: Path, seed: int) -> None:
    sources = {f"f{number:03}.py": source(number).encode() for number in range(FILES)}
    for path, content in sources.items():
        (tmp_path / path).write_bytes(content)
    async with serving(tmp_path, "--verify", "off", "--workers", "2", deadline_s=DEADLINE_S * 2) as server:
        await server.initialize()
        await kill_a_worker(server, random.Random(seed))
        rebuilt = await server.call("map_rebuild")
        assert rebuilt["ok"], rebuilt
        served = (await server.call("map_status", tokenBudget=10_000))["data"]
    assert served["actors"]["parserPool"]["deaths"] >= 1, "no kill struck a worker at work"
    assert served["actors"]["index"]["restarts"] == 0
    whole = TOOL.answer(World(build_snapshot(sources)), TOOL.params())
    assert isinstance(whole, Answer)
    expected = msgspec.to_builtins(whole.data)
    assert [served[name] for name in SAME] == [expected[name] for name in SAME]
