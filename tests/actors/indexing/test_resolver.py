"""The resolver, through the whole tree over a fake disk: what is parsed, what is published, and when."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Set
from contextlib import asynccontextmanager
from weakref import ref

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from actors.indexing.config_files import config_warnings
from actors.indexing.freed_memory import LARGE_ROUND, RETURN_S
from actors.indexing.latest_snapshot import Building, FileRecord, Published
from actors.indexing.resolver import POLISH_IDLE_S
from actors.indexing.step_runner import run_steps
from actors.messaging.messages import UNKNOWN_STAT, Parsed, Rebuilt, Unavailable
from actors.ports import Listing
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.extract.skipped_files import SkipReason
from codemap.graph.build.rebinding import Progress
from codemap.persistent import PersistentMap
from codemap.settings import Settings
from tests.actors.fakes import FakeBuilder, FakeDisk, FakeSnapshot, fake_build

Build = Callable[..., Generator[object, None, FakeSnapshot]]

SETTINGS = Settings(file_timeout_s=10.0, watch="off")


@asynccontextmanager
async def serve(
    disk: FakeDisk, build: Build = fake_build, settings: Settings = SETTINGS
) -> AsyncIterator[Service[FakeSnapshot]]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(settings, disk, FakeBuilder(build), jitter=lambda: 0.0) as service:
            yield service
    assert disk.workers_open == 0


def contents(service: Service[FakeSnapshot]) -> Mapping[str, str]:
    published = service.latest.get()
    assert published is not None
    return published.snapshot.contents


async def rebuild(service: Service[FakeSnapshot], scope: str = "") -> Rebuilt:
    rebuilt = await service.rebuild(scope)
    assert isinstance(rebuilt, Rebuilt)
    return rebuilt


def counts(rebuilt: Rebuilt) -> tuple[int, int, int, int]:
    return rebuilt.version, rebuilt.files_scanned, rebuilt.files_extracted, rebuilt.files_deleted


async def test_the_first_build_begins_by_itself(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "x/b.py": b"2", "p.toml": b"config"})
    async with serve(disk) as service:
        assert await service.wait_built() is None
        published = service.latest.get()
        assert published is not None
        assert published.version == 1
        assert published.snapshot == FakeSnapshot({"a.py": "1", "x/b.py": "2"}, {"p.toml": b"config"})
        assert published.built_ns == disk.wall_ns()
        assert service.latest.building is None


async def test_an_empty_repository_is_built(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk()) as service:
        assert await service.wait_built() is None
        assert contents(service) == {}


async def test_only_what_changed_is_parsed(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "b.py": b"2", "c.py": b"3"})
    async with serve(disk) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("b.py", b"two")
        disk.delete("c.py")
        disk.write("d.py", b"4")
        disk.parsed.clear()
        assert counts(await rebuild(service)) == (2, 3, 2, 1)
        assert sorted(disk.parsed) == ["b.py", "d.py"]
        assert contents(service) == {"a.py": "1", "b.py": "two", "d.py": "4"}


async def test_nothing_changed_publishes_nothing(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        await service.wait_built()
        before = service.latest.get()
        assert before is not None
        assert counts(await rebuild(service)) == (1, 1, 0, 0)
        after = service.latest.get()
        assert after is not None
        assert after.snapshot is before.snapshot
        assert len(disk.jobs) == 1


async def test_a_touched_file_is_read_but_not_parsed(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("a.py", b"1")
        await trio.sleep(1)
        assert counts(await rebuild(service)) == (1, 1, 0, 0)
        published = service.latest.get()
        assert published is not None
        assert published.files["a.py"].stat == disk.files["a.py"].stat
        assert disk.parsed == ["a.py"]
        await rebuild(service)
        assert len(disk.jobs) == 2


async def test_a_second_write_in_the_same_tick_is_seen(autojump_clock: MockClock) -> None:
    """Same size, same mtime: only the content tells."""
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("a.py", b"2")
        stat = disk.files["a.py"].stat
        await rebuild(service)
        disk.write("a.py", b"3")
        assert disk.files["a.py"].stat == stat
        await rebuild(service)
        assert contents(service) == {"a.py": "3"}


async def test_a_scope_leaves_the_rest_alone(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a/1.py": b"1", "a/2.py": b"2", "b/1.py": b"3", "ab.py": b"4"})
    async with serve(disk) as service:
        await service.wait_built()
        await trio.sleep(1)
        for path in ("a/1.py", "b/1.py", "ab.py"):
            disk.write(path, b"new")
        disk.delete("a/2.py")
        assert counts(await rebuild(service, "a/")) == (2, 1, 1, 1)
        assert contents(service) == {"a/1.py": "new", "b/1.py": "3", "ab.py": "4"}
        assert counts(await rebuild(service)) == (3, 3, 2, 0)


async def test_a_changed_configuration_makes_a_snapshot_without_parsing(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "p.toml": b"old"})
    async with serve(disk) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("p.toml", b"new")
        assert counts(await rebuild(service)) == (2, 1, 0, 0)
        disk.delete("p.toml")
        assert counts(await rebuild(service)) == (3, 1, 0, 0)
        published = service.latest.get()
        assert published is not None
        assert published.snapshot.configs == published.configs == published.config_files == {}


async def test_a_configuration_that_cannot_be_read_is_left_out_and_named(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "x/pyproject.toml": b"x=" + b"[" * 2000, "pyproject.toml": b"[tool]"})
    async with serve(disk) as service:
        await service.wait_built()
        published = service.latest.get()
        assert published is not None
        assert published.snapshot == FakeSnapshot({"a.py": "1"}, {"pyproject.toml": b"[tool]"})
        assert config_warnings(published) == [
            "The configuration file x/pyproject.toml is left out: it is nested more than 64 levels deep."
        ]
        await trio.sleep(1)
        disk.write("x/pyproject.toml", b"[tool]")
        await rebuild(service)
        published = service.latest.get()
        assert published is not None
        assert published.configs.keys() == {"pyproject.toml", "x/pyproject.toml"}
        assert config_warnings(published) == []


def test_many_that_cannot_be_read_are_counted() -> None:
    record = FileRecord(UNKNOWN_STAT, b"", True, SkipReason.UNPARSABLE, "is not valid TOML")
    files = PersistentMap({f"{number}/pyproject.toml": record for number in range(7)})
    published = Published(1, None, PersistentMap(), {}, files, {}, {}, (), 0)
    warnings = config_warnings(published)
    assert len(warnings) == 6
    assert warnings[-1] == "So are 2 more configuration files."


async def test_a_file_that_gives_no_facts_any_more_leaves_the_snapshot(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "b.py": b"2", "c.py": b"3", "d.py": b"4"})
    async with serve(disk) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("a.py", b"binary")
        disk.write("b.py", b"kill")
        disk.write("c.py", b"slow")
        disk.unreadable.add("d.py")
        disk.write("d.py", b"5")
        assert (await rebuild(service)).files_deleted == 0
        published = service.latest.get()
        assert published is not None
        assert contents(service) == {}
        assert {path: record.skipped for path, record in published.files.items()} == {
            "a.py": SkipReason.BINARY,
            "b.py": SkipReason.UNPARSABLE,
            "c.py": SkipReason.TIMEOUT,
            "d.py": SkipReason.UNREADABLE,
        }


async def test_a_content_that_was_given_up_is_not_tried_again_until_it_changes(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "b.py": b"kill"})
    async with serve(disk) as service:
        await service.wait_built()
        tried = len(disk.jobs)
        await rebuild(service)
        assert len(disk.jobs) == tried
        await trio.sleep(1)
        disk.write("b.py", b"kill")
        await trio.sleep(1)
        await rebuild(service)
        assert disk.jobs[tried:] == [("b.py",)]
        published = service.latest.get()
        assert published is not None
        assert published.files["b.py"].skipped == SkipReason.UNPARSABLE
        disk.write("b.py", b"fine")
        await rebuild(service)
        assert contents(service) == {"a.py": "1", "b.py": "fine"}


async def test_an_unreadable_file_is_tried_again(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    disk.unreadable.add("a.py")
    async with serve(disk) as service:
        await service.wait_built()
        disk.unreadable.clear()
        await rebuild(service)
        assert contents(service) == {"a.py": "1"}


class SlowBuild:
    """A builder that takes a second of virtual time, told by the steps that it waits for."""

    def __init__(self) -> None:
        self.gate = trio.Event()
        self.runs = 0

    def __call__(
        self,
        previous: FakeSnapshot | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[None, None, FakeSnapshot]:
        self.runs += 1
        while not self.gate.is_set():
            yield
        return (yield from fake_build(previous, changed, removed, configs, built_ns=built_ns))


async def checkpoints(number: int) -> None:
    for _ in range(number):
        await trio.lowlevel.checkpoint()


async def test_a_rebuild_that_arrives_during_another_starts_a_fresh_one(autojump_clock: MockClock) -> None:
    disk, build = FakeDisk({"a.py": b"1"}), SlowBuild()
    versions: list[int] = []

    async def ask() -> None:
        versions.append((await rebuild(service)).version)

    async with serve(disk, build) as service, trio.open_nursery() as nursery:
        while not build.runs:
            await trio.lowlevel.checkpoint()
        assert service.latest.building == Building("graph", 0, 1)
        disk.write("a.py", b"22")
        for _ in range(3):
            nursery.start_soon(ask)
        await checkpoints(5)
        build.gate.set()
        await wait_all_tasks_blocked()
        assert versions == [2, 2, 2]
        assert contents(service) == {"a.py": "22"}
        assert build.runs == 2


async def test_progress_of_the_first_build_can_be_read(autojump_clock: MockClock) -> None:
    disk = FakeDisk({f"{n:03}.py": b"1" if n % 70 else b"slow" for n in range(210)}, workers=1)
    seen: set[Building] = set()
    async with serve(disk) as service:
        while service.latest.get() is None:
            if service.latest.building is not None:
                seen.add(service.latest.building)
            await trio.sleep(0.5)
    assert {building.files_total for building in seen if building.stage == "extract"} == {210}
    assert {building.files_done for building in seen} == {0, 64, 128}


async def test_how_far_binding_is_can_be_read(autojump_clock: MockClock) -> None:
    """Steps that count no files, or all, tell nothing: they come before and after."""
    disk, steps = FakeDisk({"a.py": b"1"}), [(3, 3), (0, 3), (1, 3), (2, 3), (3, 3)]
    seen: list[Building | None] = []

    def build(
        previous: FakeSnapshot | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[object, None, FakeSnapshot]:
        for done, total in steps if previous is not None else ():
            yield Progress(done, total)
            seen.append(service.latest.building)
        return (yield from fake_build(previous, changed, removed, configs, built_ns=built_ns))

    async with serve(disk, build) as service:
        await rebuild(service)
        disk.write("a.py", b"22")
        await rebuild(service)
        assert service.latest.building is None
    assert seen == [Building("graph", done, total) for done, total in ((0, 1), (0, 1), (1, 3), (2, 3), (2, 3))]


async def test_a_crash_of_the_builder_is_reported_to_the_asker_and_the_snapshot_survives(
    autojump_clock: MockClock,
) -> None:
    bugs = [ValueError("bug")]

    def build(
        previous: FakeSnapshot | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[None, None, FakeSnapshot]:
        if previous is not None and bugs:
            raise bugs.pop()
        return (yield from fake_build(previous, changed, removed, configs, built_ns=built_ns))

    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk, build) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("a.py", b"2")
        assert await service.rebuild() == Unavailable("ValueError: bug")
        assert service.behind() == "ValueError: bug"
        assert contents(service) == {"a.py": "1"}
        await service.latest.wait_version_above(1)
        assert contents(service) == {"a.py": "2"}


async def test_a_builder_that_always_fails_makes_the_index_unavailable(autojump_clock: MockClock) -> None:
    broken = True

    def build(
        previous: FakeSnapshot | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[None, None, FakeSnapshot]:
        if broken:
            raise ValueError("bug")
        return (yield from fake_build(previous, changed, removed, configs, built_ns=built_ns))

    async with serve(FakeDisk({"a.py": b"1"}), build) as service:
        why = await service.wait_built()
        assert why == Unavailable("index failed 4 times, last: ValueError: bug") == service.unavailable
        assert service.statistics()["index"]["state"] == "unavailable"
        assert service.behind() == "ValueError: bug"
        assert await service.rebuild() == Unavailable("ValueError: bug")
        broken = False
        with trio.fail_after(10):
            await service.latest.wait_version_above(0)
        assert (service.unavailable, service.behind()) == (None, "")


AWAY = "the folder /repository is not there"


async def test_a_root_that_is_away_is_waited_for_and_nothing_of_it_counts_as_deleted(
    autojump_clock: MockClock,
) -> None:
    disk = FakeDisk({"a.py": b"1", "x/b.py": b"2"})
    async with serve(disk, settings=Settings(watch="auto")) as service:
        await service.wait_built()
        await trio.sleep(1)
        assert service.behind() == ""
        disk.go_away()
        await trio.sleep(600)
        assert contents(service) == {"a.py": "1", "x/b.py": "2"}
        assert service.behind() == AWAY
        asked = trio.current_time()
        assert await service.rebuild() == Unavailable(AWAY)
        assert trio.current_time() == asked
        assert service.unavailable == Unavailable(AWAY)
        disk.come_back()
        disk.write("c.py", b"3")
        with trio.fail_after(31):
            await service.latest.wait_version_above(1)
        assert contents(service) == {"a.py": "1", "x/b.py": "2", "c.py": "3"}
        await wait_all_tasks_blocked()
        assert service.behind() == ""
        disk.write("c.py", b"4")
        await trio.sleep(1)
        assert contents(service)["c.py"] == "4"


async def test_a_folder_that_took_the_place_of_the_root_is_noticed_by_whoever_asks(autojump_clock: MockClock) -> None:
    """No event tells of it: a folder around the root was moved."""
    disk = FakeDisk({"a.py": b"1"})
    async with serve(disk, settings=Settings(watch="auto")) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.go_away(is_silent=True)
        assert service.behind() == AWAY
        disk.come_back(is_other=True)
        disk.write("a.py", b"2")
        assert contents(service) == {"a.py": "1"}
        assert service.behind() == "the folder /repository was replaced by another one"
        with trio.fail_after(2):
            await service.latest.wait_version_above(1)
        assert contents(service) == {"a.py": "2"}
        disk.write("a.py", b"3")
        await trio.sleep(1)
        assert contents(service) == {"a.py": "3"}
        assert service.behind() == ""


async def test_a_root_that_goes_while_it_is_read_empties_nothing(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "b.py": b"2"})
    async with serve(disk) as service:
        await service.wait_built()
        listed = disk.list_files

        async def list_and_lose(scope: str) -> Listing:
            listing = await listed(scope)
            disk.is_away = True
            return Listing({}) if disk.is_silent else listing

        for disk.is_silent in (True, False):
            disk.is_away = False
            disk.write("a.py", b"3")
            disk.list_files = list_and_lose  # type: ignore[method-assign]
            assert await service.rebuild() == Unavailable(AWAY)
            assert contents(service) == {"a.py": "1", "b.py": "2"}


async def test_a_root_that_is_not_there_at_first_is_waited_for(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    disk.is_away = True
    async with serve(disk) as service:
        assert await service.wait_built() == Unavailable(AWAY)
        disk.is_away = False
        with trio.fail_after(30):
            await service.latest.wait_version_above(0)
        assert contents(service) == {"a.py": "1"}


async def test_statistics_name_every_actor(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk({"a.py": b"1"})) as service:
        await rebuild(service)
        statistics = service.statistics()
        assert set(statistics) == {"index", "parserPool", "resolver", "watcher", "renderer", "store", "history"}
        assert statistics["parserPool"]["files"] == 1
        assert statistics["resolver"]["rounds"] in (1, 2)
        assert statistics["index"]["restarts"] == 0


async def test_a_small_answer_is_rendered_at_once_and_a_large_one_in_a_thread(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk()) as service:
        assert await service.renderer.render(lambda: "small", 1) == "small"
        assert await service.renderer.render(lambda: "large", 10_000) == "large"
        statistics = service.renderer.statistics()
        assert (statistics.inline, statistics.in_thread) == (1, 1)


def polish(snapshot: FakeSnapshot) -> Generator[None, None, FakeSnapshot] | None:
    """Marks the contents that an edit left unmarked."""
    if all(text.endswith("!") for text in snapshot.contents.values()):
        return None
    return _marked(snapshot)


def _marked(snapshot: FakeSnapshot) -> Generator[None, None, FakeSnapshot]:
    yield
    return FakeSnapshot({path: text.rstrip("!") + "!" for path, text in snapshot.contents.items()}, snapshot.configs)


async def test_a_snapshot_is_polished_when_nothing_is_asked(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    disk.start()
    with trio.fail_after(10_000):
        async with open_service(SETTINGS, disk, FakeBuilder(fake_build, polish=polish), jitter=lambda: 0.0) as service:
            await service.wait_built()
            assert contents(service) == {"a.py": "1"}
            await trio.sleep(POLISH_IDLE_S * 0.9)
            disk.write("b.py", b"2")
            await rebuild(service)
            assert contents(service) == {"a.py": "1", "b.py": "2"}
            await trio.sleep(POLISH_IDLE_S * 1.1)
            assert contents(service) == {"a.py": "1!", "b.py": "2!"}
            published = service.latest.get()
            assert published is not None
            assert published.version == 3
            assert disk.free_returns == 1
            await trio.sleep(POLISH_IDLE_S * 10)
            assert service.latest.get() is published
            assert disk.free_returns == 1


async def test_polishing_is_given_up_when_something_is_asked(autojump_clock: MockClock) -> None:
    is_polishing = trio.Event()

    def endless(snapshot: FakeSnapshot) -> Generator[None, None, FakeSnapshot]:
        is_polishing.set()
        while True:
            yield

    disk = FakeDisk({"a.py": b"1"})
    disk.start()
    with trio.fail_after(10_000):
        async with open_service(SETTINGS, disk, FakeBuilder(fake_build, polish=endless), jitter=lambda: 0.0) as service:
            await service.wait_built()
            await is_polishing.wait()  # from here on the virtual clock stands still: polishing never waits
            disk.write("b.py", b"2")
            await rebuild(service)
            assert contents(service) == {"a.py": "1", "b.py": "2"}


async def test_memory_is_returned_after_a_large_round_only(autojump_clock: MockClock) -> None:
    disk = FakeDisk({f"f{number}.py": b"1" for number in range(LARGE_ROUND)})
    async with serve(disk) as service:
        await service.wait_built()
        assert disk.returns == 1
        disk.write("f0.py", b"two")
        await service.rebuild()
        assert disk.returns == 1


async def test_what_small_rounds_have_freed_is_returned_now_and_then(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"0"})
    async with serve(disk) as service:
        await service.wait_built()
        returned = []
        for number in range(1, 7):
            disk.write("a.py", b"1" * number)
            await service.rebuild()
            returned.append(disk.free_returns)
            await trio.sleep(RETURN_S * 0.4)
        assert returned == [0, 0, 0, 1, 1, 1]


async def test_what_holds_itself_during_a_build_is_freed_later() -> None:
    class Held:
        itself: Held

    def build() -> Generator[None, None, None]:
        yield

    held = Held()
    held.itself = held
    is_there = ref(held)
    await run_steps(build())
    del held
    gc.collect()
    assert is_there() is None
