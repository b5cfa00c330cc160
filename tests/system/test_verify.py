"""What a real language server says becomes edges of the map: asked for by a call, and in the background."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from actors.front.call import call
from actors.indexing.snapshot_builder import SnapshotBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.language_servers.programs.real_ports import open_language_ports
from actors.language_servers.verifier import verifier
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dump import edge_lines
from codemap.graph.verified.progress import VerifiedUses, count_verified_uses
from codemap.settings import Settings
from codemap.tools import TOOLS
from tests.system.corpora import DEBIAN, debian_package
from tests.system.live import only
from tests.system.test_live_go import CHI, SOURCES

PATIENCE_S = 300.0
NEIGHBORS = next(tool for tool in TOOLS if tool.name == "map_neighbors")
RACE = "ts:internal/observable/race.ts#race"


@asynccontextmanager
async def serving(root: Path, verify: str, store: Path, server: str = "ty") -> AsyncIterator[Service[Snapshot]]:
    """A service with a language server over a folder, its map built."""
    settings = Settings(store_dir=str(store), workers=1, verify=verify, server_programs=only(server))  # type: ignore[arg-type]
    async with open_service(
        settings,
        open_disk(str(root), settings),
        SnapshotBuilder(),
        codec=SnapshotCodec(),
        live=open_language_ports(str(root), settings),
        verify=verifier,
    ) as service:
        with trio.fail_after(PATIENCE_S):
            assert await service.wait_built() is None
        yield service


def snapshot_of(service: Service[Snapshot]) -> Snapshot:
    published = service.latest.get()
    assert published is not None
    return published.snapshot


def uses(service: Service[Snapshot], language: str = "py") -> VerifiedUses:
    return count_verified_uses(snapshot_of(service))[language]


async def wait_uses(
    service: Service[Snapshot], holds: Callable[[VerifiedUses], bool], language: str = "py"
) -> VerifiedUses:
    """What is published of the uses of a language as soon as it is so."""
    with trio.fail_after(PATIENCE_S):
        await service.latest.wait_until(lambda published: holds(count_verified_uses(published.snapshot)[language]))
    return uses(service, language)


@pytest.fixture
def chi(tmp_path: Path) -> Path:
    """The main package of chi, without its tests: Go."""
    released = debian_package(CHI, DEBIAN[CHI], SOURCES, tmp_path / "released")
    (tmp_path / "chi").mkdir()
    for path in (released / "go.mod", *(one for one in released.glob("*.go") if not one.name.endswith("_test.go"))):
        shutil.copy(path, tmp_path / "chi")
    return tmp_path / "chi"


async def neighbors(service: Service[Snapshot], node: str, **arguments: Any) -> dict[str, Any]:
    with trio.fail_after(PATIENCE_S):
        given = {"nodeId": node, "tokenBudget": 10_000, "rows": "full", **arguments}
        reply = await call(service, Settings(), NEIGHBORS, given)
    assert not reply.is_error, reply.text
    return reply.envelope


async def test_the_whole_map_is_verified_while_nothing_is_asked(flask: Path, tmp_path: Path) -> None:
    root = tmp_path / "flask"
    shutil.copytree(flask, root)
    async with serving(root, "auto", tmp_path / "store") as service:
        before = edge_lines(snapshot_of(service))
        assert uses(service).sites_done == 0
        found = await wait_uses(service, lambda uses: uses.sites_done == uses.sites_total)
        shown = snapshot_of(service)
        assert found.sites_total > 3_000
        assert found.verified > 1_200
        assert found.moved > 10
        assert found.outside > 50
        after = edge_lines(shown)
        undecided = "calls ?add_url_rule candidate(4)"
        assert any(undecided in line and "Blueprint.add_url_rule" in line for line in before)
        moved = (
            "Blueprint.add_url_rule calls py:src/flask/sansio/blueprints.py#BlueprintSetupState.add_url_rule verified"
        )
        assert any(moved in line for line in after)

        changed = root / "src/flask/sansio/scaffold.py"
        changed.write_text(changed.read_text(encoding="utf-8") + "\n# one more line\n", encoding="utf-8")
        await wait_uses(service, lambda uses: uses.sites_done < found.sites_done)
        lapsed = [line for line in edge_lines(snapshot_of(service)) if "sansio/scaffold.py" in line]
        assert lapsed
        assert not [line for line in lapsed if " verified " in line and " calls " in line]
        assert await wait_uses(service, lambda uses: uses.sites_done == found.sites_done) == found
        token = snapshot_of(service).token
        await service.save()

    async with serving(root, "off", tmp_path / "store") as service:
        assert await wait_uses(service, lambda uses: uses.sites_done == found.sites_done) == found
        assert edge_lines(snapshot_of(service)) == after
        assert snapshot_of(service).token.replace("+", "") == token.replace("+", "")
        assert service.live_status()["py"]["state"] == "cold"


async def test_a_quick_server_of_another_language_is_asked_about_every_call(rxjs: Path, tmp_path: Path) -> None:
    async with serving(rxjs, "auto", tmp_path / "store", "typescript") as service:
        before = {line for line in edge_lines(snapshot_of(service)) if " calls " in line}
        found = await wait_uses(service, lambda uses: uses.sites_done == uses.sites_total, "ts")
        assert found.sites_total > 1_400
        assert found.verified > 1_300
        assert found.moved > 10
        assert found.unanswered < 60
        after = {line for line in edge_lines(snapshot_of(service)) if " calls " in line}
        assert f"{RACE} calls ts:internal/observable/innerFrom.ts#innerFrom import 54:33" in before
        assert f"{RACE} calls ts:internal/observable/innerFrom.ts#innerFrom verified 54:33" in after


async def test_a_slow_server_is_asked_about_every_call_on_request(chi: Path, tmp_path: Path) -> None:
    async with serving(chi, "on", tmp_path / "store", "gopls") as service:
        found = await wait_uses(service, lambda uses: uses.sites_done == uses.sites_total, "go")
        assert (found.sites_total > 140, found.moved) == (True, 0)
        calls = [line for line in edge_lines(snapshot_of(service)) if "Mux.Mount calls go:mux.go#Mux." in line]
        assert calls
        assert {line.split()[-2] for line in calls} == {"verified"}


async def test_a_call_has_the_uses_around_a_node_verified(flask: Path, tmp_path: Path) -> None:
    node = "py:src/flask/sansio/blueprints.py#Blueprint.add_url_rule"
    async with serving(flask, "off", tmp_path / "store") as service:
        plain = (await neighbors(service, node, direction="out"))["data"]
        assert {use["name"] for use in plain["unresolved"]} == {"add_url_rule"}
        reply = await neighbors(service, node, direction="out", verify=True)
        data = reply["data"]
        assert reply["warnings"] == []
        assert "unresolved" not in data
        calls = {one["id"]: one["confidence"] for one in data["neighbors"] if one["edge"] == "calls"}
        assert calls["py:src/flask/sansio/blueprints.py#BlueprintSetupState.add_url_rule"] == "verified"
        assert set(calls.values()) == {"verified"}
        await wait_uses(service, lambda uses: uses.sites_done > 0)
        again = (await neighbors(service, node, direction="out"))["data"]
        assert {one["id"]: one["confidence"] for one in again["neighbors"] if one["edge"] == "calls"} == calls
