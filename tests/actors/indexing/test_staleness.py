"""Stats of many files: few looks for many who ask, and a fresh one when the last is old."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

import trio
from trio.testing import MockClock

from actors.files.reading import digest_of
from actors.indexing.latest_snapshot import FileRecord, Published
from actors.indexing.staleness import EVERY_S, FEW, RecentDisk, RecentStats
from actors.messaging.messages import FileStat
from codemap.persistent import PersistentMap
from codemap.tools import Disk
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


async def as_published(disk: Counted, version: int) -> Published[Any]:
    """What was indexed of the files as they are."""
    stats = await FakeDisk.stat_files(disk, MANY)
    records = {path: FileRecord(stat, digest_of(disk.files[path].content), True) for path, stat in stats.items()}
    return Published(version, None, PersistentMap(records), {}, PersistentMap(), {}, {}, (), 0)


async def test_many_files_are_compared_once_for_all_who_ask(autojump_clock: MockClock) -> None:
    disk = started()
    recent, paths, first = RecentDisk(disk), frozenset(MANY), await as_published(disk, 1)
    disk.write("f0.py", b"22")
    disk.delete("f1.py")
    found = await recent.of(first, paths)
    assert found == Disk(frozenset({"f0.py"}), frozenset({"f1.py"}))
    assert await recent.of(first, paths) is found
    disk.write("f1.py", b"1")
    second = await as_published(disk, 2)
    assert (await recent.of(second, paths)).deleted == {"f1.py"}, "as it was a moment ago, against another map"
    await trio.sleep(EVERY_S)
    assert await recent.of(second, paths) == Disk()
    assert (await recent.of(first, paths)).stale == {"f0.py", "f1.py"}
    replaced = ref(first)
    del first
    assert replaced() is None, "what was compared last keeps no map"


async def test_few_files_are_compared_each_time(autojump_clock: MockClock) -> None:
    disk = started()
    recent, published = RecentDisk(disk), await as_published(disk, 1)
    assert await recent.of(published, frozenset({"f0.py"})) == Disk()
    disk.write("f0.py", b"22")
    assert (await recent.of(published, frozenset({"f0.py"}))).stale == {"f0.py"}
