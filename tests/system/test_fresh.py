"""Random changes under a running `codemap serve`: nothing old is shown as current, and nothing is missed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import trio

from actors.listing.listing import list_tree
from bench.changes import EVERYTHING, MADE, World, stale_as_current
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from tests.system.process import DEADLINE_S, Server, serving

QUICK = ("--verify", "off", "--workers", "1", "--watch-quiet-ms", "5", "--watch-wait-ms", "50")
REST_MAX_S = 10.0
"""What the last changes may take to be in the map on a busy machine."""

FRESH_WAIT_MS = 5000
LONG_AGO_NS = 1_700_000_000_123_456_789
STEP_MAX_S = 2.0
"""A step and its questions on a busy machine."""


async def check_fresh(world: World, server: Server) -> None:
    """Whoever waits for freshness gets what every indexed file holds, and nothing is stale."""
    envelope = await server.call("map_search", **EVERYTHING, freshWaitMs=FRESH_WAIT_MS)
    assert not any(node.get("stale") for node in envelope["data"]["results"]), envelope["warnings"]
    found = {node["file"] for node in envelope["data"]["results"]}
    listing = await list_tree(str(world.root), Settings())
    assert found >= {file for file in listing.files if MADE in (world.root / file).read_text()}


async def check_rest(world: World, server: Server) -> None:
    """Without being asked, the map becomes what a build from nothing makes."""
    listing = await list_tree(str(world.root), Settings())
    paths = [*listing.files, *listing.configs]
    expected = uses_in(build_snapshot({path: (world.root / path).read_bytes() for path in paths}))
    with trio.move_on_after(REST_MAX_S):
        while await uses_served(server) != expected:  # noqa: ASYNC110 - nothing is to be asked for but what is shown
            await trio.sleep(0.01)
    assert await uses_served(server) == expected


def uses_in(snapshot: Snapshot) -> dict[str, set[str]]:
    """What each function of a made name calls, by ID."""
    return {
        snapshot.id_of(node): {
            snapshot.id_of(edge.target) for edge in snapshot.edges_out(node) if edge.kind == EdgeKind.CALLS
        }
        for node in range(snapshot.first_external)
        if snapshot.name_of(node).startswith(MADE)
    }


async def uses_served(server: Server) -> dict[str, set[str]]:
    """The same, as a client sees it; a node that goes meanwhile calls nothing."""
    envelope = await server.call("map_search", **EVERYTHING)
    found = {}
    for node in envelope["data"]["results"]:
        asked = await server.call("map_neighbors", nodeId=node["id"], direction="out", edgeKinds=["calls"])
        called = asked["data"]["neighbors"] if asked["ok"] else []
        found[node["id"]] = {other["id"] for other in called if other["confidence"] != "candidate"}
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_nothing_old_is_shown_as_current(tmp_path: Path, pytestconfig: pytest.Config, seed: int) -> None:
    steps: int = pytestconfig.getoption("--fresh-steps") // 3
    world = World(tmp_path, seed)
    async with serving(tmp_path, *QUICK, deadline_s=DEADLINE_S + STEP_MAX_S * steps) as server:
        await server.initialize()
        await check_fresh(world, server)
        for number in range(steps):
            kind = world.step()
            envelope = await server.call("map_search", **EVERYTHING)
            assert stale_as_current(world, envelope) == [], kind
            if number % 5 == 4:
                await check_fresh(world, server)
            if number % 20 == 19:
                await check_rest(world, server)
            await trio.sleep(world.random.choice((0, 0, 0.002, 0.02)))
        await check_rest(world, server)
        status = await server.call("map_status", tokenBudget=10_000)
        assert status["data"]["actors"]["index"]["restarts"] == 0


@pytest.mark.parametrize("moved", ["new/a.py", "new"])
async def test_a_file_that_takes_anothers_place_is_seen(tmp_path: Path, moved: str) -> None:
    """By itself or with its folder; it has the size and the time of change of the one that it replaces."""
    for name in ("old", "new"):
        path = tmp_path / name / "a.py"
        path.parent.mkdir()
        path.write_text(f"def {MADE}{name}(): ...\n")
        os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))
    async with serving(tmp_path, *QUICK) as server:
        await server.initialize()
        await server.call("map_rebuild")
        if moved == "new":
            shutil.rmtree(tmp_path / "old")
        os.replace(tmp_path / moved, tmp_path / moved.replace("new", "old"))
        shown = (await server.call("map_search", **EVERYTHING))["data"]["results"]
        assert [node["id"] for node in shown if not node.get("stale")] in ([], [f"py:old/a.py#{MADE}new"])
        fresh = await server.call("map_search", **EVERYTHING, freshWaitMs=FRESH_WAIT_MS)
        assert [node["id"] for node in fresh["data"]["results"]] == [f"py:old/a.py#{MADE}new"]


UNLIKE = {"one": "quartz", "two": "hemlock", "three": "bivouac"}
"""Names that share no word, so that a search for one finds none of the others."""


async def test_a_root_that_goes_and_comes_back_is_never_passed_over_in_silence(tmp_path: Path) -> None:
    """Itself, then a folder around it, of which no event tells; the second time another folder takes its place."""
    around, root = tmp_path / "around", tmp_path / "around" / "root"
    root.mkdir(parents=True)
    (root / "a.py").write_text(f"def {UNLIKE['one']}(): ...\n")

    async def search(name: str) -> dict[str, Any]:
        reply: dict[str, Any] = await server.call("map_search", query=UNLIKE[name])
        return reply

    async with serving(root, *QUICK) as server:
        await server.initialize()
        await server.call("map_rebuild")
        for moved, name in ((root, "two"), (around, "three")):
            moved.rename(tmp_path / "away")
            away = f"the folder {root} is not there"
            missing = await search(name)
            assert missing["data"]["emptyBecause"] == "stale"
            assert any(away in warning for warning in missing["warnings"])
            rebuilt = await server.call("map_rebuild")
            assert (rebuilt["error"]["code"], away in rebuilt["error"]["message"]) == ("MAP_NOT_BUILT", True)
            await trio.sleep(3)  # until after it has given up
            assert (await search("one"))["data"]["total"] == 1
            if name == "two":
                (tmp_path / "away").rename(moved)
            else:
                shutil.copytree(tmp_path / "away", moved)
            (root / "b.py").write_text(f"def {UNLIKE[name]}(): ...\n")
            with trio.fail_after(REST_MAX_S):
                while not (found := await search(name))["data"]["total"]:
                    assert found["data"]["emptyBecause"] != "none"
                    await trio.sleep(0.1)
            (root / "b.py").unlink()
            fresh = await server.call("map_search", query=UNLIKE[name], freshWaitMs=FRESH_WAIT_MS)
            assert (fresh["data"]["emptyBecause"], fresh["warnings"]) == ("none", [])
