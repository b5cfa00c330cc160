"""`nav_rename` with real language servers: a rename is whole, is written only where the user allows that, and is
refused where the server and the map disagree."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
import trio

from actors.front.call import call
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.language_servers.programs.real_ports import open_language_ports
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.settings import Settings
from codemap.tools import TOOLS
from tests.system.live import PATIENCE_S, contents, only
from tests.system.test_live_diagnostics import CPP, GO, PYTHON, TYPESCRIPT, Project, write_project

AGAIN_S = 0.5


class Case(msgspec.Struct, frozen=True):
    project: Project
    node_id: str
    new_name: str
    edits: dict[str, int]
    """File -> how many places."""


CASES = (
    Case(PYTHON, "py:store.py#load", "fetch", {"store.py": 1, "api.py": 2, "main.py": 1}),
    Case(TYPESCRIPT, "ts:src/store.ts#load", "fetch", {"src/store.ts": 1, "src/api.ts": 2, "src/main.ts": 1}),
    Case(
        GO, "go:store/store.go#Load", "Fetch", {"store/store.go": 1, "store/same.go": 1, "api/api.go": 1, "main.go": 1}
    ),
    Case(CPP, "cpp:store.cpp#load", "fetch", {"store.h": 1, "store.cpp": 1, "api.cpp": 1, "main.cpp": 1}),
)


@asynccontextmanager
async def opened(root: Path, server: str, edits: Literal["on", "off"]) -> AsyncIterator[Service[Any]]:
    settings = Settings(store="off", workers=1, verify="off", server_programs=only(server), edits=edits)
    live = open_language_ports(str(root), settings)
    disk = open_disk(str(root), settings)
    async with open_service(settings, disk, SingleUseBuilder(), live=live) as service:
        with trio.fail_after(PATIENCE_S):
            assert await service.wait_built() is None
        yield service


async def renamed(service: Service[Any], **arguments: Any) -> dict[str, Any]:
    """The envelope of a call, repeated while the server is not ready."""
    [tool] = [tool for tool in TOOLS if tool.name == "nav_rename"]
    with trio.fail_after(3 * PATIENCE_S):
        while True:
            envelope: dict[str, Any] = (
                await call(service, Settings(), tool, {"tokenBudget": 9000, **arguments})
            ).envelope
            if "still" not in str(envelope) and envelope.get("error", {}).get("code") != "LSP_TIMEOUT":
                return envelope
            await trio.sleep(AGAIN_S)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.project.server)
async def test_a_rename_is_whole_and_is_written_only_where_the_user_allows_it(tmp_path: Path, case: Case) -> None:
    write_project(tmp_path, case.project)
    before = contents(tmp_path)
    texts = {path: (tmp_path / path).read_text() for path in case.edits}
    asked = {"nodeId": case.node_id, "newName": case.new_name, "diff": True}
    async with opened(tmp_path, case.project.server, "off") as service:
        envelope = await renamed(service, **asked)
        assert envelope["ok"], envelope
        data = envelope["data"]
        found = {path: sum(len(row.split(",")) for row in rows) for path, rows in data["edits"].items()}
        assert found == case.edits, data
        assert data["heldAgainst"] == "map"
        assert data["diff"].count("--- a/") == len(case.edits)
        refused = await renamed(service, **asked, apply=True)
        with trio.fail_after(PATIENCE_S):
            while refused["ok"]:  # a server that forgot what it knew is started again: there is nothing to edit yet
                assert not refused["data"].get("applied")
                assert contents(tmp_path) == before
                refused = await renamed(service, **asked, apply=True)
        assert "edits are off" in refused["error"]["message"]
        assert contents(tmp_path) == before
    old = case.node_id.partition("#")[2]
    async with opened(tmp_path, case.project.server, "on") as service:
        assert contents(tmp_path) == before
        envelope = await renamed(service, **asked, apply=True)
        assert envelope["data"]["applied"] is True, envelope
    for path, text in texts.items():
        assert (tmp_path / path).read_text() == text.replace(f"{old}(", f"{case.new_name}(").replace(
            f" {old}\n", f" {case.new_name}\n"
        ).replace(f"{{ {old} }}", f"{{ {case.new_name} }}"), path
    after = contents(tmp_path)
    assert {path for path in before if before[path] != after[path]} == set(case.edits)
    assert set(after) == set(before)


async def test_uses_that_the_server_cannot_see_are_edited_where_it_knows_nothing_of_them(tmp_path: Path) -> None:
    """The decorator hides the type of what it returns from the server; the map follows the class."""
    (tmp_path / "store.py").write_text(
        "class Store:\n    def load(self):\n        return 1\n\n\ndef hidden(function):\n    return function\n"
    )
    (tmp_path / "api.py").write_text("from store import Store, hidden\n\nStore().load()\nhidden(Store)().load()\n")
    async with opened(tmp_path, "ty", "off") as service:
        envelope = await renamed(service, nodeId="py:store.py#Store.load", newName="fetch")
        assert envelope["data"]["added"] == 1
        assert envelope["data"]["edits"] == {"store.py": ["2:9"], "api.py": ["3:9,4:17"]}


async def test_what_would_no_longer_check_is_refused(tmp_path: Path) -> None:
    """The name stands in a string whose type is the names of the members."""
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"strict": true}}\n')
    (tmp_path / "store.ts").write_text(
        "export interface Store {\n  load: number;\n}\nexport const kept: (keyof Store)[] = ['load'];\n"
    )
    async with opened(tmp_path, "typescript", "off") as service:
        envelope = await renamed(service, nodeId="ts:store.ts#Store.load", newName="fetch")
        assert [(one["reason"], one["at"]) for one in envelope["data"]["refused"]] == [("breaks", ["store.ts:4:39"])]
