"""Random changes of a real repository under a running service: nothing old is shown as current, and nothing is missed.

Every content defines a function of a name that no other content has, so that each name in an answer says which content
it was taken from.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trio

from actors.build import build
from actors.disk import open_disk
from actors.front.call import call
from actors.listing import list_tree
from actors.tree import Service, open_service
from codemap.graph.build import build_snapshot
from codemap.graph.dump import edge_lines
from codemap.graph.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import TOOLS

SETTINGS = Settings(workers=1, store="off", watch_quiet_ms=5, watch_wait_ms=50)
FOLDERS = ("", "app", "app/deep", "lib", "out")
NAMES = ("a.py", "b.py", "c.py", "d.ts")
KINDS = tuple(
    "edit edit edit save save same create rename delete move grow prune ignore commit switch stash".split()  # noqa: SIM905
)
REST_MAX_S = 10.0
"""What the last changes may take to be in the map on a busy machine."""


class World:
    """A repository that changes at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.revision = 0
        self.branches = 0
        self.git("init", "-q", "-b", "main")
        (root / ".gitignore").write_text("out/\n")
        for name in NAMES:
            self.write(Path("app", name))
        self.commit()

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", self.root, *who, *words], check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def content(self, path: Path) -> str:
        self.revision += 1
        name = f"made_{self.revision:05}"
        other = f"made_{self.random.randint(1, self.revision):05}"
        if path.suffix == ".ts":
            return f"export function {name}() {{ return {other}(); }}\n"
        return f"from app.a import {other}\n\n\ndef {name}():\n    return {other}()\n"

    def write(self, path: Path) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.content(path))

    def path(self) -> Path:
        return Path(self.random.choice(FOLDERS), self.random.choice(NAMES))

    def files(self) -> list[Path]:
        return sorted(
            path.relative_to(self.root)
            for path in self.root.rglob("*")
            if path.suffix in (".py", ".ts") and ".git" not in path.parts
        )

    def step(self) -> str:
        """Does one thing; returns what."""
        files = self.files() or [self.path()]
        one, other = self.random.choice(files), self.path()
        kind = self.random.choice(KINDS)
        match kind:
            case "edit":
                self.write(one)
            case "save":
                temporary = self.root / one.with_name(f".{one.name}.{self.revision}.tmp")
                temporary.parent.mkdir(parents=True, exist_ok=True)
                temporary.write_text(self.content(one))
                os.replace(temporary, self.root / one)
            case "same":
                before = (self.root / one).read_text() if (self.root / one).exists() else self.content(one)
                self.write(one)
                (self.root / one).write_text(before)
            case "create":
                self.write(other)
            case "rename" if (self.root / one).exists():
                (self.root / other).parent.mkdir(parents=True, exist_ok=True)
                os.replace(self.root / one, self.root / other.with_suffix(one.suffix))
            case "delete":
                (self.root / one).unlink(missing_ok=True)
            case "move":
                shutil.rmtree(self.root / "moved", ignore_errors=True)
                if (self.root / "app").is_dir():
                    os.replace(self.root / "app", self.root / "moved")
            case "grow":
                for depth in range(1, 4):
                    self.write(Path(*["new"] * depth, "a.py"))
            case "prune":
                shutil.rmtree(self.root / self.random.choice(("new", "moved", "app/deep", "lib")), ignore_errors=True)
            case "ignore":
                (self.root / ".gitignore").write_text(self.random.choice(("out/\n", "", "out/\nlib/*.py\n", "new/\n")))
            case "commit":
                self.commit()
            case "switch":
                self.commit()
                if self.branches < 2 or self.random.random() < 0.3:
                    self.branches += 1
                    self.git("branch", f"b{self.branches}", "HEAD~1" if self.branches > 1 else "HEAD")
                self.git("switch", "-q", self.random.choice(["main", *(f"b{n + 1}" for n in range(self.branches))]))
            case "stash":
                self.git("add", "-A")
                self.git("reset", "-q", "--hard")
        return kind


async def ask(service: Service[Snapshot], name: str, **arguments: Any) -> dict[str, Any]:
    tool = next(tool for tool in TOOLS if tool.name == name)
    return (await call(service, SETTINGS, tool, arguments)).envelope


def check_current(world: World, envelope: dict[str, Any]) -> None:
    """No node stands for a content that is not on disk, unless it says that it is stale."""
    for node in envelope["data"]["results"]:
        if not node["name"].startswith("made_") or node.get("stale"):
            continue
        file = world.root / node["file"]
        assert file.exists(), node
        assert node["name"] in file.read_text(), node


async def check_fresh(world: World, service: Service[Snapshot]) -> None:
    """Whoever waits for freshness gets what every indexed file holds, and nothing is stale."""
    envelope = await ask(service, "map_search", query="made_", limit=100, tokenBudget=10_000, freshWaitMs=5000)
    assert not any(node.get("stale") for node in envelope["data"]["results"]), envelope["warnings"]
    found = {node["file"] for node in envelope["data"]["results"]}
    listing = await list_tree(str(world.root), SETTINGS)
    assert found >= {file for file in listing.files if "made_" in (world.root / file).read_text()}


async def check_rest(world: World, service: Service[Snapshot]) -> None:
    """Without being asked, the map becomes what a build from nothing makes."""
    listing = await list_tree(str(world.root), SETTINGS)
    paths = [*listing.files, *listing.configs]
    scratch = build_snapshot({path: (world.root / path).read_bytes() for path in paths})
    with trio.move_on_after(REST_MAX_S):
        while _dump(service) != edge_lines(scratch):  # noqa: ASYNC110
            await trio.sleep(0.01)
    assert _dump(service) == edge_lines(scratch)


def _dump(service: Service[Snapshot]) -> list[str]:
    published = service.latest.get()
    assert published is not None
    return edge_lines(published.snapshot)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_nothing_old_is_shown_as_current(tmp_path: Path, pytestconfig: pytest.Config, seed: int) -> None:
    steps: int = pytestconfig.getoption("--fresh-steps") // 3
    world = World(tmp_path, seed)
    with trio.fail_after(60 + steps):
        async with open_service(SETTINGS, open_disk(str(tmp_path), SETTINGS), build=build) as service:
            await service.wait_built()
            for number in range(steps):
                kind = world.step()
                check_current(world, await ask(service, "map_search", query="made_", limit=100, tokenBudget=10_000))
                if number % 5 == 4:
                    await check_fresh(world, service)
                if number % 20 == 19:
                    await check_rest(world, service)
                await trio.sleep(world.random.choice((0, 0, 0.002, 0.02)))
                assert service.statistics()["index"]["restarts"] == 0, kind
            await check_rest(world, service)
