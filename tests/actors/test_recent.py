"""Stats of many files: few looks for many who ask, and a fresh one when the last is old."""

from __future__ import annotations

from collections.abc import Iterable

import trio
from trio.testing import MockClock

from actors.messages import FileStat
from actors.recent import EVERY_S, FEW, RecentStats
from tests.actors.fakes import FakeDisk

MANY = {f"f{number}.py": b"1" for number in range(FEW + 1)}


class Counted(FakeDisk):
    """Counts how often it is asked for stats, which takes a while."""

    asked = 0

    async def stat_files(self, paths: Iterable[str]) -> dict[str, FileStat]:
        self.asked += 1
        await trio.sleep(0.01)
        return await super().stat_files(paths)


def started() -> Counted:
    disk = Counted(MANY)
    disk.start()
    return disk


async def test_many_who_ask_about_many_files_share_a_look(autojump_clock: MockClock) -> None:
    disk = started()
    recent, paths = RecentStats(disk), frozenset(MANY)
    found: list[int] = []

    async def ask() -> None:
        found.append(len(await recent.of(paths)))

    async with trio.open_nursery() as nursery:
        for _ in range(50):
            nursery.start_soon(ask)
    assert found == [len(MANY)] * 50
    assert disk.asked == 1
    disk.write("f0.py", b"22")
    await trio.sleep(EVERY_S)
    assert (await recent.of(paths))["f0.py"].size == 2
    assert disk.asked == 2


async def test_other_files_are_looked_at_at_once(autojump_clock: MockClock) -> None:
    disk = started()
    recent = RecentStats(disk)
    await recent.of(frozenset(MANY))
    assert set(await recent.of(frozenset(MANY) - {"f0.py"} | {"gone.py"})) == MANY.keys() - {"f0.py"}
    assert disk.asked == 2


async def test_few_files_are_looked_at_each_time(autojump_clock: MockClock) -> None:
    disk = started()
    recent = RecentStats(disk)
    for _ in range(3):
        assert len(await recent.of(frozenset(list(MANY)[:FEW]))) == FEW
    assert await recent.of(frozenset()) == {}
    assert disk.asked == 3
