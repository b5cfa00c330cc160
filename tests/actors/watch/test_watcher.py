"""The watcher, through the whole tree over a fake disk: what is looked at, and when."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.messaging.messages import Drained
from actors.ports import Indexed, Lost, LostBecause, Touched
from actors.service.service import Service
from actors.service.wiring import open_service
from actors.watch.watch_status import JOURNAL_MAX, Changes, Journal
from actors.watch.watcher import RETRY_S
from codemap.settings import Settings
from tests.actors.fakes import FakeBuilder, FakeDisk, FakeSnapshot, fake_build

SETTINGS = Settings(watch_quiet_ms=50, watch_wait_ms=500, poll_s=3.0)
LATE_S = 0.02
"""Beyond the quiet time: reading pauses, and settling."""


@asynccontextmanager
async def serve(disk: FakeDisk, settings: Settings = SETTINGS) -> AsyncIterator[Service[FakeSnapshot]]:
    """A service that has come to rest: everything is built, watched and compared."""
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(100_000):
        disk.start()
        async with open_service(settings, disk, FakeBuilder(fake_build), jitter=lambda: 0.0) as service:
            await service.wait_built()
            await trio.sleep(1)
            disk.listings = 0
            disk.jobs.clear()
            yield service


def contents(service: Service[FakeSnapshot]) -> Mapping[str, str]:
    published = service.latest.get()
    assert published is not None
    return published.snapshot.contents


def looks(service: Service[FakeSnapshot]) -> int:
    return service.watching.statistics.looks


async def test_a_saved_file_is_in_the_map_after_the_quiet_time(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "x/b.py": b"2"})
    async with serve(disk) as service:
        disk.write("x/b.py", b"two")
        await trio.sleep(0.049)
        assert contents(service)["x/b.py"] == "2"
        assert service.watching.pending.paths == {"x/b.py"}
        await trio.sleep(LATE_S)
        assert contents(service)["x/b.py"] == "two"
        assert not service.watching.pending.paths
        assert disk.listings == 0
        assert disk.jobs[0] == ("x/b.py",)


async def test_a_burst_is_one_look(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        for number in range(10):
            disk.write(f"{number}.py", b"new")
            await trio.sleep(0.01)
        await trio.sleep(0.1)
        assert len(contents(service)) == 11
        assert looks(service) == 1


async def test_changes_that_never_pause_are_seen_every_half_second(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"0"})
    async with serve(disk) as service:
        began = looks(service)
        for number in range(200):
            disk.write("a.py", str(number).encode())
            await trio.sleep(0.02)
            assert number - int(contents(service)["a.py"]) < 30
        assert looks(service) - began == 7


async def test_what_could_never_be_indexed_is_not_looked_at(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.write("notes.md", b"1")
        disk.write("log.txt", b"1")
        await trio.sleep(1)
        assert service.watching.statistics.events == 2
        assert looks(service) == 0


async def test_a_new_folder_is_watched_then_looked_at(autojump_clock: MockClock) -> None:
    """Of what is made in it, one event alone tells: that the outermost folder came."""
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.write("x/y/b.py", b"2")
        disk.write("x/y/c.py", b"3")
        await trio.sleep(0.1)
        assert contents(service) == {"a.py": "1", "x/y/b.py": "2", "x/y/c.py": "3"}
        assert service.watching.statistics.folders == 3
        disk.write("x/y/b.py", b"two")
        await trio.sleep(0.1)
        assert contents(service)["x/y/b.py"] == "two"
        assert disk.listings == 0


async def test_a_folder_that_went_takes_its_files_along(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "x/b.py": b"2", "x/y/c.py": b"3"})
    async with serve(disk) as service:
        disk.delete("x/b.py")
        disk.delete("x/y/c.py")
        await trio.sleep(0.1)
        assert contents(service) == {"a.py": "1"}
        assert disk.listings == 0


async def test_lost_events_are_made_up_for_by_comparing_everything(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.is_silent = True
        disk.write("x/b.py", b"2")
        disk.is_silent = False
        disk.tell(Lost(LostBecause.OVERFLOW))
        await trio.sleep(0.1)
        assert contents(service) == {"a.py": "1", "x/b.py": "2"}
        assert service.watching.statistics.overflows == 1
        assert service.watching.statistics.folders == 2
        assert disk.listings == 1


@pytest.mark.parametrize("path", [".gitignore", "x/.gitignore", "pyvenv.cfg"])
async def test_a_changed_rule_compares_everything(autojump_clock: MockClock, path: str) -> None:
    disk = FakeDisk({"a.py": b"1", "x/b.py": b"2"})
    async with serve(disk) as service:
        disk.ignored.add("x/b.py")
        disk.tell(Touched(path))
        await trio.sleep(0.1)
        assert contents(service) == {"a.py": "1"}
        assert disk.listings == 1


async def test_a_changed_index_of_git_that_changes_no_rule_costs_no_listing(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.tell(Indexed())
        await trio.sleep(0.1)
        assert service.watching.statistics.events == 1
        assert (looks(service), disk.listings) == (0, 0)


async def test_a_changed_configuration_is_in_the_map(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "pyproject.toml": b"a = 1"})
    async with serve(disk) as service:
        disk.write("pyproject.toml", b"a = 2")
        await trio.sleep(0.1)
        published = service.latest.get()
        assert published is not None
        assert published.snapshot.configs == {"pyproject.toml": b"a = 2"}


async def test_freshness_does_not_wait_for_quiet(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.write("a.py", b"2")
        disk.write("x/b.py", b"3")
        began = trio.current_time()
        await service.freshen()
        assert trio.current_time() - began < LATE_S
        assert contents(service) == {"a.py": "2", "x/b.py": "3"}
        assert disk.listings == 0


async def test_freshness_without_a_change_does_nothing(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        await service.freshen()
        assert (disk.jobs, disk.listings, looks(service)) == ([], 0, 0)


async def test_an_edit_under_way_is_read_again_for_whoever_waits(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service, trio.open_nursery() as nursery:
        disk.write("a.py", b"2")
        nursery.start_soon(service.freshen)
        await trio.testing.wait_all_tasks_blocked()
        disk.write("a.py", b"3")
        await service.freshen()
        assert contents(service) == {"a.py": "3"}


async def test_without_events_everything_is_compared_now_and_then(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    disk.unwatchable = "the limit of watches is reached"
    async with serve(disk) as service:
        statistics = service.watching.statistics
        assert (statistics.mode, statistics.reason) == ("polling", "the limit of watches is reached")
        disk.write("x/b.py", b"2")
        await trio.sleep(3.1)
        assert contents(service) == {"a.py": "1", "x/b.py": "2"}
        disk.write("a.py", b"3")
        await service.freshen()
        assert contents(service)["a.py"] == "3"
        disk.unwatchable = ""
        await trio.sleep(RETRY_S)
        assert service.watching.statistics.mode == "events"
        assert service.watching.statistics.reason is None


async def test_watches_that_run_out_later_end_in_polling_and_lose_nothing(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.unwatchable = "no more watches"
        disk.write("x/b.py", b"2")
        await service.freshen()
        assert contents(service) == {"a.py": "1", "x/b.py": "2"}
        await trio.sleep(0.1)
        assert service.watching.statistics.mode == "polling"
        assert not disk.watches
        assert service.statistics()["index"]["restarts"] == 0


async def test_watching_can_be_left_off(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk, msgspec.structs.replace(SETTINGS, watch="off")) as service:
        assert service.watching.statistics.mode == "off"
        disk.write("a.py", b"2")
        await service.notice(["a.py"])
        await trio.sleep(1000)
        assert contents(service) == {"a.py": "1"}
        await service.freshen()
        assert contents(service) == {"a.py": "2"}


async def test_what_someone_noticed_is_looked_at(autojump_clock: MockClock) -> None:
    """A file system that tells nothing, a file that is written through memory."""
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.is_silent = True
        disk.write("a.py", b"2")
        await trio.sleep(10)
        assert contents(service) == {"a.py": "1"}
        await service.notice(["a.py"])
        await trio.sleep(0.1)
        assert contents(service) == {"a.py": "2"}


async def test_a_write_in_the_same_tick_as_the_reading_is_seen_without_an_event(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        disk.write("a.py", b"2")
        stat = disk.files["a.py"].stat
        await service.freshen()
        disk.is_silent = True
        disk.write("a.py", b"3")
        assert disk.files["a.py"].stat == stat
        await trio.sleep(0.1)
        assert contents(service) == {"a.py": "3"}


async def test_the_journal_has_what_was_done_before_it_was_asked_for(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "b.py": b"2"})
    async with serve(disk) as service:
        before = service.watching.journal.position
        disk.write("b.py", b"two")
        drained = await service.drain()
        assert drained == Drained(before + 1, is_certain=True)
        assert service.watching.journal.since(before) == Changes(frozenset({"b.py"}))
        assert contents(service)["b.py"] == "2", "a drain does not wait for the map"


async def test_without_events_the_journal_is_not_certain(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk, msgspec.structs.replace(SETTINGS, watch="poll")) as service:
        drained = await service.drain()
        assert isinstance(drained, Drained)
        assert not drained.is_certain


def test_a_journal_remembers_from_any_position_or_says_everything() -> None:
    journal = Journal()
    for number in range(JOURNAL_MAX + 10):
        journal.add(str(number))
    assert journal.since(journal.position) == Changes()
    assert journal.since(journal.position - 2).paths == {str(JOURNAL_MAX + 8), str(JOURNAL_MAX + 9)}
    assert len(journal.since(10).paths) == JOURNAL_MAX
    assert journal.since(9).is_everything
    journal.add_everything()
    journal.add("last")
    assert journal.since(journal.position - 1) == Changes(frozenset({"last"}))
    assert journal.since(journal.position - 2).is_everything
