"""The store's actor, through the whole tree: a fake disk, virtual time, a real database."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import ref

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.database.store_file import StoreFile
from actors.database.store_location import StorePlace
from actors.database.stored_map import StoredMap
from actors.database.tables import StoreTrouble
from actors.indexing.latest_snapshot import Published
from actors.indexing.resolver import POLISH_IDLE_S
from actors.indexing.store import QUIET_S, RETRY_S, SAVE_AT_END_S
from actors.messaging.messages import Rebuilt
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.packed.packed_facts import pack_facts
from codemap.settings import Settings
from tests.actors.fakes import FakeBuilder, FakeDisk, FakeSnapshot, facts_of, fake_build

SETTINGS = Settings(watch="off")
MAKER = b"maker"


class Codec:
    """Fake snapshots as bytes; what it unpacked is not in memory."""

    def __init__(self, is_large: bool = False) -> None:
        self.is_large = is_large
        self.unpacked: list[FakeSnapshot] = []

    def pack(self, snapshot: FakeSnapshot) -> list[bytes]:
        return [msgspec.msgpack.encode(dict(snapshot.contents))]

    def unpack(self, parts: Sequence[bytes], facts: Sequence[bytes], configs: Mapping[str, bytes]) -> FakeSnapshot:
        contents = msgspec.msgpack.decode(parts[0], type=dict[str, str])
        if "unreadable" in contents.values():
            raise ValueError("unreadable")
        assert list(facts) == [pack_facts(facts_of(content.encode())) for content in contents.values()]
        self.unpacked.append(FakeSnapshot(contents, dict(configs)))
        return self.unpacked[-1]

    def contents(self, snapshot: FakeSnapshot) -> list[tuple[str, bytes]]:
        return [(path, content.encode()) for path, content in snapshot.contents.items()]

    def facts(self, snapshot: FakeSnapshot, number: int) -> bytes:
        return pack_facts(facts_of(list(snapshot.contents.values())[number].encode()))

    def is_in_memory(self, snapshot: FakeSnapshot) -> bool:
        return self.is_large and not any(snapshot is one for one in self.unpacked)

    def reopen(self, snapshot: FakeSnapshot, stored: FakeSnapshot) -> FakeSnapshot | None:
        return stored if stored == snapshot else None


class Counted(StoreFile):
    """A database that counts its writes, and fails while it is told to."""

    def __init__(self, place: StorePlace) -> None:
        super().__init__(place)
        self.saves = 0
        self.kept = 0
        self.trouble = ""

    def load(self) -> StoredMap | None:
        self.fail()
        return super().load()

    def keep(self, facts: Sequence[tuple[bytes, bytes]], now_s: int) -> None:
        self.fail()
        self.kept += len(facts)
        super().keep(facts, now_s)

    def save(self, *members: object) -> None:
        self.fail()
        self.saves += 1
        super().save(*members)  # type: ignore[arg-type]

    def fail(self) -> None:
        if self.trouble:
            raise StoreTrouble(self.trouble)


class StoringDisk(FakeDisk):
    folder: Path
    file: Counted | None = None

    def open_store(self) -> Counted | None:  # type: ignore[override]
        self.file = self.file or Counted(StorePlace(str(self.folder / "s.sqlite"), b"root", MAKER, MAKER, 10**9))
        return self.file


def disk_with(folder: Path, files: Mapping[str, bytes]) -> StoringDisk:
    disk = StoringDisk(files)
    disk.folder = folder
    return disk


@asynccontextmanager
async def serve(
    disk: StoringDisk,
    polish: Callable[[FakeSnapshot], Generator[object, None, FakeSnapshot] | None] | None = None,
    codec: Codec | None = None,
) -> AsyncIterator[tuple[Service[FakeSnapshot], Counted]]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(100_000):
        if not disk.files:
            disk.start()
        disk.file = disk.file if disk.file is not None and disk.file.trouble else None
        builder = FakeBuilder(fake_build, polish=polish)
        async with open_service(SETTINGS, disk, builder, codec=codec or Codec(), jitter=lambda: 0.0) as service:
            assert disk.open_store() is not None
            yield service, disk.file  # type: ignore[misc]


async def hang(function: Callable[[], object]) -> None:
    """A thread that never comes back."""
    await trio.sleep_forever()


def published(service: Service[FakeSnapshot]) -> Published[FakeSnapshot]:
    found = service.latest.get()
    assert found is not None
    return found


async def rebuild(service: Service[FakeSnapshot]) -> Rebuilt:
    rebuilt = await service.rebuild()
    assert isinstance(rebuilt, Rebuilt)
    return rebuilt


async def test_a_second_start_begins_with_the_last_map(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk = disk_with(tmp_path, {"a.py": b"1", "b.py": b"2", "p.toml": b"config"})
    async with serve(disk) as (service, file):
        await service.wait_built()
        before = published(service)
        await trio.sleep(QUIET_S + 1)
        assert file.saves == 1
        assert not service.is_warm
    disk.write("b.py", b"new", age_s=10)
    disk.parsed.clear()
    async with serve(disk) as (service, _):
        await service.wait_built()
        assert service.is_warm
        warm = published(service)
        assert warm.snapshot == before.snapshot
        assert (warm.files, warm.config_files, warm.built_ns) == (before.files, before.config_files, before.built_ns)
        await rebuild(service)
        assert published(service).snapshot.contents == {"a.py": "1", "b.py": "new"}
        assert disk.parsed == ["b.py"]


async def test_an_unchanged_tree_is_neither_built_nor_written_again(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk = disk_with(tmp_path, {"a.py": b"1", "p.toml": b"config"})
    async with serve(disk) as (service, _):
        await service.wait_built()
        await service.save()
    async with serve(disk) as (service, file):
        await service.wait_built()
        first = published(service).snapshot
        await rebuild(service)
        await trio.sleep(1000)
        assert published(service).snapshot is first
        assert (file.saves, file.kept) == (0, 0)


async def test_a_large_map_is_used_as_it_is_stored(autojump_clock: MockClock, tmp_path: Path) -> None:
    """Once it is, so that it need not be in memory; and it is not written again for that."""
    disk, codec = disk_with(tmp_path, {"a.py": b"1", "p.toml": b"config"}), Codec(is_large=True)
    async with serve(disk, codec=codec) as (service, file):
        await service.wait_built()
        built = published(service)
        await trio.sleep(1000)
        stored = published(service)
        assert stored.snapshot == built.snapshot
        assert stored.snapshot is codec.unpacked[-1]
        assert stored.files is built.files
        assert (len(codec.unpacked), file.saves) == (1, 1)


async def test_nothing_holds_a_map_that_was_opened_again(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk, codec = disk_with(tmp_path, {"a.py": b"1"}), Codec(is_large=True)
    gc.disable()  # its memory is to be free at once
    try:
        async with serve(disk, codec=codec) as (service, _):
            await service.wait_built()
            built = ref(published(service))
            await trio.sleep(1000)
            assert built() is None
    finally:
        gc.enable()


async def test_edits_of_a_map_that_was_opened_again_are_written(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk, codec = disk_with(tmp_path, {"a.py": b"1", "b.py": b"2"}), Codec(is_large=True)
    async with serve(disk, codec=codec) as (service, file):
        await service.wait_built()
        await trio.sleep(1000)
        disk.write("b.py", b"new", age_s=10)
        await rebuild(service)
        assert published(service).snapshot.contents == {"a.py": "1", "b.py": "new"}
        await trio.sleep(1000)
        assert published(service).snapshot is codec.unpacked[-1]
        assert file.saves == 2
    async with serve(disk) as (service, _):
        await service.wait_built()
        assert published(service).snapshot.contents == {"a.py": "1", "b.py": "new"}


async def test_a_map_is_not_opened_again_while_somebody_asks(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk, codec = disk_with(tmp_path, {"a.py": b"1"}), Codec(is_large=True)
    async with serve(disk, codec=codec) as (service, _):
        await service.wait_built()
        for content in range(10):
            disk.write("a.py", str(content).encode(), age_s=10)
            await rebuild(service)
            await trio.sleep(POLISH_IDLE_S / 2)
        assert not codec.unpacked
        assert published(service).snapshot.contents == {"a.py": "9"}


async def test_without_a_store_a_large_map_stays_in_memory(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk, codec = disk_with(tmp_path, {"a.py": b"1"}), Codec(is_large=True)
    async with serve(disk, codec=codec) as (service, file):
        file.trouble = "no space"
        await service.wait_built()
        built = published(service)
        await trio.sleep(1000)
        assert published(service) is built


async def test_what_more_was_made_of_an_unchanged_map_is_written_once(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    disk, made = disk_with(tmp_path, {"a.py": b"1"}), list[str]()

    def make_more(snapshot: FakeSnapshot) -> Generator[object, None, FakeSnapshot]:
        yield
        made.append("words")
        return snapshot

    async with serve(disk) as (service, _):
        await service.wait_built()
        await service.save()
    async with serve(disk, lambda snapshot: None if made else make_more(snapshot)) as (service, file):
        await service.wait_built()
        version = published(service).version
        await trio.sleep(1000)
        assert (made, file.saves, published(service).version) == (["words"], 1, version)


@pytest.mark.parametrize("change", ["edited", "deleted", "added", "gone and back"])
async def test_configuration_that_changed_meanwhile_is_a_change(
    change: str, autojump_clock: MockClock, tmp_path: Path
) -> None:
    disk = disk_with(tmp_path, {"a.py": b"1", "p.toml": b"config"})
    async with serve(disk) as (service, _):
        await service.wait_built()
        await service.save()
    match change:
        case "edited":
            disk.write("p.toml", b"other", age_s=10)
        case "deleted":
            disk.delete("p.toml")
        case "added":
            disk.write("q.toml", b"config", age_s=10)
        case "gone and back":
            disk.write("p.toml", b"config", age_s=10)
    async with serve(disk) as (service, _):
        await service.wait_built()
        assert published(service).snapshot.contents == {"a.py": "1"}
        await rebuild(service)
        expected = {path: file.content for path, file in disk.files.items() if path.endswith(".toml")}
        assert published(service).snapshot.configs == expected
        assert published(service).configs == expected
        assert (published(service).version == 1) == (change == "gone and back")


async def test_edits_are_written_when_they_have_stopped(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk = disk_with(tmp_path, {"a.py": b"1"})
    async with serve(disk) as (service, file):
        await service.wait_built()
        for number in range(20):
            disk.write("a.py", b"edit %d" % number)
            await rebuild(service)
            await trio.sleep(QUIET_S / 4)
        assert file.saves <= 1
        await trio.sleep(QUIET_S * 3)
        assert file.saves <= 2
        assert file.kept == 21
    async with serve(disk) as (service, _):
        await service.wait_built()
        assert published(service).snapshot.contents == {"a.py": "edit 19"}


async def test_a_service_that_ends_writes_what_is_not_written_yet(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with serve(disk_with(tmp_path, {"a.py": b"1"})) as (service, file):
        await service.wait_built()
        assert file.saves == 0
    assert file.saves == 1
    async with serve(disk_with(tmp_path, {"a.py": b"1"})) as (service, file):
        await service.wait_built()
        assert service.is_warm
    assert file.saves == 0, "it is kept already"


async def test_a_service_that_ends_waits_for_no_disk_that_hangs(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk = disk_with(tmp_path, {"a.py": b"1"})
    async with serve(disk) as (service, _):
        await service.wait_built()
        disk.run_in_thread = hang  # type: ignore[assignment]
        end_at = trio.current_time() + SAVE_AT_END_S
    assert trio.current_time() == end_at


async def test_facts_are_kept_while_a_build_still_runs(autojump_clock: MockClock, tmp_path: Path) -> None:
    files = {f"f{number}.py": b"%d" % number + b" " * 100_000 for number in range(20)}
    disk = disk_with(tmp_path, files | {"z.py": b"slow"})
    async with serve(disk) as (service, file):
        await trio.sleep(SETTINGS.file_timeout_s / 2)
        assert service.latest.get() is None
        assert file.kept >= 10  # those that are not in one batch with the slow file


async def test_trouble_is_reported_and_ends_by_itself(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk = disk_with(tmp_path, {"a.py": b"1"})
    disk.open_store()
    assert disk.file is not None
    disk.file.trouble = "the disk is full"
    async with serve(disk) as (service, file):
        assert await service.wait_built() is None
        await trio.sleep(1)
        assert service.store_warnings == ["Nothing is kept for the next start: the disk is full."]
        disk.write("a.py", b"2")
        await rebuild(service)
        assert published(service).snapshot.contents == {"a.py": "2"}
        await service.save()
        assert file.saves == 0
        file.trouble = ""
        await trio.sleep(3 * RETRY_S)
        assert service.store_warnings == []
        assert file.saves == 1


async def test_a_file_set_aside_is_reported(autojump_clock: MockClock, tmp_path: Path) -> None:
    (tmp_path / "s.sqlite").write_bytes(b"not a database" * 1000)
    disk = disk_with(tmp_path, {"a.py": b"1"})
    async with serve(disk) as (service, file):
        await service.wait_built()
        await service.save()
        assert file.saves == 1
        (warning,) = service.store_warnings
        assert "was damaged" in warning
        assert "s.sqlite.aside" in warning


async def test_a_map_that_cannot_be_unpacked_is_built_anew(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk = disk_with(tmp_path, {"a.py": b"unreadable"})
    async with serve(disk) as (service, _):
        await service.wait_built()
        await service.save()
    async with serve(disk) as (service, _):
        await service.wait_built()
        assert not service.is_warm
        assert published(service).snapshot.contents == {"a.py": "unreadable"}


async def test_a_bug_of_the_store_costs_the_map_nothing(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Counted, "load", fail)
    monkeypatch.setattr(Counted, "keep", fail)
    disk = disk_with(tmp_path, {"a.py": b"1"})
    async with serve(disk) as (service, _):
        assert await service.wait_built() is None
        for number in range(10):
            disk.write("a.py", b"%d" % number)
            await rebuild(service)
            await trio.sleep(1)
        assert published(service).snapshot.contents == {"a.py": "9"}
        assert service.unavailable is None
        assert "a bug" in service.store_warnings[0]


async def test_without_a_store_nothing_is_kept(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    disk.start()
    async with open_service(SETTINGS, disk, FakeBuilder(fake_build), codec=Codec(), jitter=lambda: 0.0) as service:
        await service.wait_built()
        await service.save()
        assert (service.store_warnings, service.is_warm) == ([], False)


async def test_files_given_up_are_tried_again_in_the_next_run(autojump_clock: MockClock, tmp_path: Path) -> None:
    disk = disk_with(tmp_path, {"a.py": b"1", "b.py": b"binary", "k.py": b"kill"})
    async with serve(disk) as (service, _):
        await service.wait_built()
        await service.save()
    assert disk.started == len(disk.jobs) + 1, "before there is work: a first run has much to parse"
    disk.jobs.clear()
    disk.started = 0
    async with serve(disk) as (service, _):
        await service.wait_built()
        assert service.is_warm
        await rebuild(service)
        assert {path for job in disk.jobs for path in job} == {"k.py"}
    assert disk.started == len(disk.jobs), "a stored map seldom leaves much to parse"
