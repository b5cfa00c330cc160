"""`codemap usage`: what a running service tells of the calls that it answered."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from tests.system import forked
from tests.system.process import DEADLINE_S, environment, serving


@pytest.fixture
def shared() -> Iterator[dict[str, str]]:
    """An environment in which processes of this test meet, and nobody else."""
    with tempfile.TemporaryDirectory() as folder:
        yield {"CODEMAP_SHARE": "on", "XDG_RUNTIME_DIR": folder}


def metrics(root: Path, shared: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return forked.run("usage", "--root", str(root), *words, env=environment(**shared), timeout_s=DEADLINE_S)


async def test_the_running_service_says_calls_and_tokens(small: Path, shared: dict[str, str]) -> None:
    async with serving(small, extra=shared) as server:
        await server.initialize()
        replies = [await server.call("map_search", query="greet", freshWaitMs=5000) for _ in range(2)]
        await server.call("map_neighbors", nodeId="py:none.py")
        done = await trio.to_thread.run_sync(metrics, small, shared, "--json")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        sizes = [len((small / name).read_bytes()) for name in ("a.py",)]
        assert report["tools"]["map_search"] == {
            "calls": 2,
            "errors": 0,
            "tokensSent": sum(reply["tokenBudget"]["used"] for reply in replies),
            "wholeFilesUpperBound": 2 * sum(-(-size // 4) for size in sizes),
        }
        assert report["tools"]["map_neighbors"]["errors"] == 1
        told = await trio.to_thread.run_sync(metrics, small, shared)
        rows = {line.split()[0]: line.split()[1:] for line in told.stdout.splitlines() if line.startswith("map_")}
        assert rows["map_search"][:2] == ["2", "0"]
        assert "upper bound" in told.stdout
        status = await server.call("map_status", tokenBudget=10_000)
        assert status["data"]["metricsReport"]["tools"]["map_search"] == report["tools"]["map_search"]


def test_without_a_service_it_says_how_to_have_one(small: Path, shared: dict[str, str]) -> None:
    done = metrics(small, shared)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no service runs for" in done.stderr
    assert "map_status" in done.stderr
    assert "/metrics" in done.stderr
