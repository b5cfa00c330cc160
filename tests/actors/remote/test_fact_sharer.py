"""The sharer of facts over a fake store, in virtual time: what is asked, for how long, and what is written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from actors.indexing.batch_extraction import SHARED_MIN_FILES
from actors.remote.fact_sharer import PROBE_MAX_S, WRITE_MAX_S
from actors.remote.opening import NotShared, Sharing
from actors.remote.remote import Receive, RemoteTrouble
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.settings import Settings
from codemap.shared_facts.circuit_breaker import FRUITLESS_MAX
from codemap.shared_facts.entries import HEAD_BYTES, Content, seal
from tests.actors.fakes import FakeBuilder, FakeDisk, FakeSnapshot, fake_build

SETTINGS = Settings(file_timeout_s=10.0, watch="off")
KEY = b"a key that only the team has"
FILES = {f"f{number:03}.py": f"content {number}".encode() for number in range(90)}


class FakeRemote:
    """Entries in a dictionary; times are virtual."""

    place = "fake://store"

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}
        self.answer: Callable[[bytes], bytes] = lambda value: value
        self.delay_s = 0.0
        self.probe_s = 0.0
        """How much sooner it answers a question for one entry."""
        self.trouble = ""
        self.gets: list[int] = []
        self.is_closed = False

    async def get_many(self, names: Sequence[str], receive: Receive) -> None:
        self.gets.append(len(names))
        await self._pause(self.probe_s if len(names) == 1 else 0.0)
        for name in names:
            if name in self.entries:
                receive(name, self.answer(self.entries[name]))

    async def put_many(self, values: Mapping[str, bytes]) -> None:
        await self._pause()
        self.entries |= values

    async def having(self, names: Sequence[str]) -> frozenset[str]:
        await self._pause()
        return frozenset(names) & self.entries.keys()

    async def aclose(self) -> None:
        self.is_closed = True
        await trio.lowlevel.checkpoint()

    async def _pause(self, sooner_s: float = 0.0) -> None:
        await trio.sleep(self.delay_s - sooner_s)
        if self.trouble:
            raise RemoteTrouble(self.trouble)


def sharing(remote: FakeRemote, *, key: bytes = KEY, content: Content = Content.FACTS, pushes: bool = False) -> Sharing:
    return Sharing(remote, key, content, pushes)


@asynccontextmanager
async def built(
    disk: FakeDisk, shared: Sharing | NotShared | None
) -> AsyncIterator[tuple[Service[FakeSnapshot], float]]:
    """A service with its first build, and the seconds that this took."""
    with trio.fail_after(10_000):
        disk.start()
        began = trio.current_time()
        async with open_service(SETTINGS, disk, FakeBuilder(fake_build), jitter=lambda: 0.0, sharing=shared) as service:
            assert await service.wait_built() is None
            published = service.latest.get()
            assert published is not None
            assert published.snapshot.contents == {
                path: file.content.decode() for path, file in disk.files.items() if path.endswith(".py")
            }
            yield service, trio.current_time() - began


async def filled(files: Mapping[str, bytes] = FILES, *, content: Content = Content.FACTS) -> FakeRemote:
    """A store with the facts of some files."""
    remote = FakeRemote()
    async with built(FakeDisk(files), sharing(remote, content=content, pushes=True)) as (service, _):
        assert await service.flush()
    assert remote.is_closed
    return remote


def sharer(service: Service[FakeSnapshot]) -> Mapping[str, object]:
    return service.statistics()["sharer"]


async def test_what_one_machine_wrote_no_other_parses(autojump_clock: MockClock) -> None:
    remote, disk = await filled(), FakeDisk(FILES)
    assert len(remote.entries) == len(FILES)
    async with built(disk, sharing(remote)) as (service, _):
        assert disk.parsed == []
        counts = sharer(service)
        assert (counts["asked"], counts["found"], counts["refused"]) == (len(FILES), len(FILES), {})
        assert service.sharing_warnings == []


async def test_only_what_is_missing_is_parsed(autojump_clock: MockClock) -> None:
    remote, disk = await filled(), FakeDisk(FILES | {"new.py": b"new", "f007.py": b"changed"})
    async with built(disk, sharing(remote)) as (service, _):
        assert sorted(disk.parsed) == ["f007.py", "new.py"]
        assert sharer(service)["found"] == len(FILES) - 1
    assert len(remote.entries) == len(FILES), "nothing is written where that is not allowed"


async def test_equal_files_are_asked_for_once(autojump_clock: MockClock) -> None:
    files = {f"f{number}.py": b"the same" for number in range(50)}
    remote, disk = await filled(files), FakeDisk(files)
    assert len(remote.entries) == 1
    async with built(disk, sharing(remote)):
        assert disk.parsed == []
        assert max(remote.gets) == 1


async def test_names_alone_are_another_entry_and_come_with_marks(autojump_clock: MockClock) -> None:
    remote = await filled(content=Content.NAMES)
    disk = FakeDisk(FILES)
    async with built(disk, sharing(remote)):
        assert len(disk.parsed) == len(FILES), "whoever wants all has no use for less"
    disk = FakeDisk(FILES)
    async with built(disk, sharing(remote, content=Content.NAMES)):
        assert disk.parsed == []


def flipped(value: bytes) -> bytes:
    return value[:-1] + bytes((value[-1] ^ 1,))


async def test_nothing_forged_damaged_or_foreign_is_believed(autojump_clock: MockClock) -> None:
    cases: dict[str, tuple[Callable[[bytes], bytes], bytes]] = {
        "damaged": (flipped, KEY),
        "foreign": (lambda value: b"codemap\x02" + value[8:], KEY),
        "forged": (lambda value: value, b"the key of another team"),
        "unsigned": (lambda value: value[: HEAD_BYTES - 32] + bytes(32) + value[HEAD_BYTES:], KEY),
    }
    for why, (answer, key) in cases.items():
        remote, disk = await filled(), FakeDisk(FILES)
        remote.answer = answer
        async with built(disk, sharing(remote, key=key)) as (service, _):
            assert len(disk.parsed) == len(FILES)
            assert sharer(service)["refused"] == {why: sharer(service)["asked"]}
            assert why in service.sharing_warnings[0]


async def test_a_store_that_lies_is_left_alone(autojump_clock: MockClock) -> None:
    files = {f"f{number}.py": f"content {number}".encode() for number in range(600)}
    remote, disk = await filled(files), FakeDisk(files, workers=1)
    remote.answer, before = flipped, len(remote.gets)
    async with built(disk, sharing(remote)):
        assert len(disk.parsed) == len(files)
        assert len(remote.gets) - before <= 1 + FRUITLESS_MAX + 1


async def test_an_entry_under_the_name_of_another_is_forged(autojump_clock: MockClock) -> None:
    remote, disk = await filled(), FakeDisk(FILES)
    names = sorted(remote.entries)
    remote.entries = dict(zip(names, [remote.entries[name] for name in [*names[1:], names[0]]], strict=True))
    async with built(disk, sharing(remote)) as (service, _):
        assert len(disk.parsed) == len(FILES)
        assert set(sharer(service)["refused"]) == {"forged"}  # type: ignore[call-overload]


async def test_facts_that_are_none_are_parsed_although_signed(autojump_clock: MockClock) -> None:
    remote, disk = await filled(), FakeDisk(FILES)
    remote.entries = {name: seal(name, Content.FACTS, b"\0no facts", KEY) for name in remote.entries}
    async with built(disk, sharing(remote)) as (service, _):
        assert len(disk.parsed) == len(FILES)
        assert set(sharer(service)["refused"]) == {"damaged"}  # type: ignore[call-overload]


async def test_a_store_that_stalls_or_is_down_costs_the_first_answer_and_no_more(autojump_clock: MockClock) -> None:
    async with built(FakeDisk(FILES), None) as (_, alone_s):
        pass
    for trouble, delay_s in (("refused", 0.0), ("refused", 0.2), ("", 10_000.0)):
        remote, disk = FakeRemote(), FakeDisk(FILES)
        remote.trouble, remote.delay_s = trouble, delay_s
        shared = sharing(remote)
        async with built(disk, shared) as (service, took_s):
            assert took_s <= alone_s + shared.first_answer_s
            assert remote.gets == [1]
            assert not sharer(service)["isAnswering"]
            await trio.sleep(20)
            assert "fake://store" in service.sharing_warnings[0]


async def test_a_store_that_stalls_midway_costs_a_batch_its_time(autojump_clock: MockClock) -> None:
    files = {f"f{number}.py": f"content {number}".encode() for number in range(400)}
    remote, disk = await filled(files), FakeDisk(files)

    def stall(value: bytes) -> bytes:
        remote.delay_s = 10_000.0
        return value

    remote.answer = stall
    async with built(disk, sharing(remote)) as (service, took_s):
        assert took_s < 3
        assert sharer(service)["found"]
        assert sharer(service)["late"]
        assert "did not answer" in service.sharing_warnings[0]


async def test_a_store_that_is_slower_than_parsing_is_left_alone(autojump_clock: MockClock) -> None:
    files = {f"f{number}.py": f"content {number}".encode() for number in range(450)}
    remote, disk = await filled(files), FakeDisk(files)
    remote.delay_s = 0.45
    async with built(disk, sharing(remote)) as (_, took_s):
        assert disk.parsed == []
    remote.delay_s, remote.probe_s, disk = 0.8, 0.5, FakeDisk(files)
    began = len(remote.gets)
    async with built(disk, sharing(remote)) as (service, took_s):
        assert len(remote.gets) - began <= 6
        assert took_s < 3
        assert "where parsing takes less" in service.sharing_warnings[0]


async def test_a_store_that_comes_back_is_asked_again(autojump_clock: MockClock) -> None:
    remote, disk = await filled(), FakeDisk({"a.py": b"a"})
    remote.trouble = "refused"
    async with built(disk, sharing(remote)) as (service, _):
        assert disk.parsed == ["a.py"]
        remote.trouble = ""
        await trio.sleep(60)
        assert service.sharing_warnings == []
        for path, content in FILES.items():
            disk.write(path, content, age_s=100)
        await service.rebuild()
        assert disk.parsed == ["a.py"]


async def test_a_small_edit_asks_nobody_and_writes_nothing(autojump_clock: MockClock) -> None:
    remote, disk = await filled(), FakeDisk(FILES)
    async with built(disk, sharing(remote, pushes=True)) as (service, _):
        remote.gets.clear()
        for number in range(SHARED_MIN_FILES - 1):
            disk.write(f"f{number:03}.py", b"edited", age_s=100)
        await service.rebuild()
        assert len(disk.parsed) == SHARED_MIN_FILES - 1
        assert await service.flush()
        assert remote.gets == []
        assert len(remote.entries) == len(FILES)


async def test_a_worker_that_dies_while_it_reads_has_its_files_parsed(autojump_clock: MockClock) -> None:
    remote, disk = await filled(), FakeDisk(FILES | {"killer.py": b"kill"})
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(
            SETTINGS, disk, FakeBuilder(fake_build), jitter=lambda: 0.0, sharing=sharing(remote)
        ) as service:
            assert await service.wait_built() is None
            published = service.latest.get()
            assert published is not None
            assert set(published.snapshot.contents) == set(FILES)
            assert disk.parsed == []


async def test_what_cannot_be_written_is_counted_and_named(autojump_clock: MockClock) -> None:
    remote, disk = FakeRemote(), FakeDisk(FILES)
    async with built(disk, sharing(remote, pushes=True)) as (service, _):
        assert await service.flush()
        remote.trouble = "the disk is full"
        remote.entries.clear()
        for number in range(SHARED_MIN_FILES):
            disk.write(f"f{number:03}.py", b"edited", age_s=100)
        await service.rebuild()
        assert not await service.flush()
        warnings = " ".join(service.sharing_warnings)
        assert "entries were not written" in warnings
        assert "the disk is full" in warnings


async def test_a_store_that_takes_nothing_is_not_waited_for_with_every_entry(autojump_clock: MockClock) -> None:
    """In virtual time: `codemap index --facts-push on` ends, although nothing can be written."""
    files = {f"f{number}.py": f"content {number}".encode() for number in range(450)}
    for is_dead in (True, False):
        remote, disk = FakeRemote(), FakeDisk(files)
        remote.delay_s, remote.probe_s = 10_000.0, 0.0 if is_dead else 10_000.0
        async with built(disk, sharing(remote, pushes=True)) as (service, _):
            began = trio.current_time()
            assert not await service.flush()
            assert trio.current_time() - began < (PROBE_MAX_S if is_dead else 3 * WRITE_MAX_S)
            assert sharer(service)["unwritten"] == len(files)


async def test_what_is_there_is_not_written_again(autojump_clock: MockClock) -> None:
    remote = await filled()
    before = dict(remote.entries)
    async with built(FakeDisk(FILES | {"new.py": b"new"}), sharing(remote, pushes=True)) as (service, _):
        assert await service.flush()
        assert sharer(service)["written"] == 1
    assert {name: remote.entries[name] for name in before} == before


async def test_a_store_that_is_not_used_is_named_with_the_reason(autojump_clock: MockClock) -> None:
    async with built(FakeDisk(FILES), NotShared("fake://store", "there is no key")) as (service, _):
        assert service.sharing_warnings == ["No facts are shared through fake://store: there is no key."]
        assert "sharer" not in service.statistics()
        assert not await service.flush()
