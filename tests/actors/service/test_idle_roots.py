"""Roots that nobody asks for are let go, and loaded again when somebody does."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import trio
from trio.testing import MockClock

from actors.front import served_root
from actors.front.metrics import Metrics
from actors.front.served_root import Hosted, Root
from actors.processes.memory_grants import Memory, memory_for
from actors.service.idle_roots import LOOK_S, QUIET_S, let_idle_go
from actors.service.joined_maps import JoinedMaps
from codemap.settings import Settings
from codemap.tools import TOOLS

IDLE_S = 600.0


class FakeRoot:
    """A root as far as it is let go."""

    def __init__(self, name: str, asked_s: float) -> None:
        self.name = name
        self.asked_s = asked_s
        self.is_busy = False
        self.gone_s = math.nan

    def is_idle(self, seconds: float) -> bool:
        is_quiet = trio.current_time() - self.asked_s >= seconds
        return math.isnan(self.gone_s) and is_quiet and not self.is_busy

    def let_go(self) -> None:
        self.gone_s = trio.current_time()


class FakeMaps:
    def __init__(self) -> None:
        self.kept = 2
        self.forgotten: list[str] = []

    def forget(self, root: str = "") -> bool:
        self.forgotten.append(root)
        had, self.kept = self.kept, max(self.kept - 1, 0)
        return had > 0


async def look(roots: list[FakeRoot], used: float, for_s: float) -> FakeMaps:
    """Lets time pass where the process holds `used` of a ceiling of 1."""
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    maps, memory = FakeMaps(), Memory(100, 50, own=lambda: int(100 * used))
    with trio.move_on_after(for_s):
        await let_idle_go(roots, cast(JoinedMaps, maps), memory, IDLE_S)
    return maps


async def test_a_root_that_nobody_asks_for_is_let_go(autojump_clock: MockClock) -> None:
    now = trio.current_time()
    roots = [FakeRoot("old", now), FakeRoot("busy", now), FakeRoot("late", now + 500)]
    roots[1].is_busy = True
    maps = await look(roots, 0.5, IDLE_S + 2 * LOOK_S)
    assert [not math.isnan(root.gone_s) for root in roots] == [True, False, False]
    assert IDLE_S <= roots[0].gone_s - now <= IDLE_S + LOOK_S
    assert maps.forgotten == ["old"]


async def test_where_memory_runs_short_joined_maps_go_first_then_the_longest_unasked(autojump_clock: MockClock) -> None:
    now = trio.current_time()
    roots = [FakeRoot("new", now - 70), FakeRoot("old", now - 90), FakeRoot("asked", now)]
    maps = await look(roots, 1.5, 4.5 * LOOK_S)
    assert maps.forgotten == ["", "", "", "old", "", "new"]
    assert [not math.isnan(root.gone_s) for root in roots] == [True, True, False]
    await look(roots, 1.5, QUIET_S)
    assert not math.isnan(roots[2].gone_s)


async def test_a_root_that_was_let_go_answers_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_root, "gc", SimpleNamespace(unfreeze=lambda: None, collect=lambda: None))
    (tmp_path / "a.py").write_text("def greet():\n    return 1\n")
    settings = Settings(store_dir=str(tmp_path / "cache"), watch="off", verify="off")
    hosted = Hosted(Root("a", str(tmp_path), settings), Metrics(), memory_for(0))
    search = next(tool for tool in TOOLS if tool.name == "map_search")
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hosted.run)
            for _ in range(2):
                await (await hosted.load()).wait_built()
                reply = await hosted.answer(settings, search, {"query": "greet"})
                assert reply.envelope["data"]["total"] == 1
                service = hosted.service
                assert service is not None
                assert not hosted.is_idle(60)
                assert hosted.is_idle(0)
                hosted.let_go()
                assert hosted.service is None
            nursery.cancel_scope.cancel()
