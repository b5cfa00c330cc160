"""Partial maps of a first build: when they are shown, what they hold, and that the whole one follows."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Set
from itertools import pairwise

import trio
from trio.testing import MockClock

from actors.indexing.partial_maps import AFTER_S, FOUND_MAX, GROWTH, files_with
from actors.indexing.sources.batches import Queue
from actors.messaging.messages import FileJob, FileStat, Parsed
from actors.ports import Content
from actors.service.wiring import open_service
from codemap.settings import Settings
from tests.actors.fakes import Chaos, FakeBuilder, FakeDisk, FakeSnapshot, fake_build

SETTINGS = Settings(watch="off", workers=1)


class Slow(Chaos):
    """Every effect takes a while."""

    def delay_s(self) -> float:
        return 0.15


def sketch(
    parsed: Mapping[str, Parsed], configs: Mapping[str, bytes], *, built_ns: int
) -> Generator[None, None, FakeSnapshot]:
    yield
    return FakeSnapshot({path: one.facts.names[0] for path, one in parsed.items()}, dict(configs))


def files(count: int) -> dict[str, bytes]:
    """Files that travel alone, being large."""
    return {f"f{number:03}.py": f"{number} ".encode().ljust(300_000) for number in range(count)}


async def test_a_long_first_build_is_shown_as_it_grows_and_whole_in_the_end(autojump_clock: MockClock) -> None:
    disk = FakeDisk(files(60))
    disk.chaos = Slow()
    seen: list[tuple[int, bool]] = []
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(SETTINGS, disk, FakeBuilder(fake_build, sketch=sketch), jitter=lambda: 0.0) as service:
            version = 0
            assert await service.wait_begun() is None
            begun = service.latest.get()
            assert begun is not None
            assert begun.is_partial
            assert trio.current_time() >= AFTER_S
            while not seen or seen[-1][1]:
                service.latest.want_more()
                published = await service.latest.wait_version_above(version)
                version = published.version
                seen.append((len(published.snapshot.contents), published.is_partial))
                assert published.snapshot.contents.keys() == published.files.keys()
            assert await service.wait_built() is None
    sizes = [size for size, _ in seen]
    assert sizes[-1] == 60
    assert len(sizes) >= 3
    assert all(later > GROWTH * size for size, later in pairwise(sizes[:-1]))


async def test_a_long_first_build_is_shown_whole_where_nobody_asks_meanwhile(autojump_clock: MockClock) -> None:
    disk = FakeDisk(files(60))
    disk.chaos = Slow()
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(SETTINGS, disk, FakeBuilder(fake_build, sketch=sketch), jitter=lambda: 0.0) as service:
            published = await service.latest.wait_version_above(0)
            assert trio.current_time() > AFTER_S
            assert (published.version, published.is_partial, len(published.files)) == (1, False, 60)


async def test_a_quick_first_build_is_shown_only_whole(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "b.py": b"2"})
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(SETTINGS, disk, FakeBuilder(fake_build, sketch=sketch), jitter=lambda: 0.0) as service:
            await service.wait_begun()
            published = service.latest.get()
            assert published is not None
            assert (published.version, published.is_partial) == (1, False)


async def test_a_crash_in_a_first_build_begins_it_again_from_nothing(autojump_clock: MockClock) -> None:
    befores: list[FakeSnapshot | None] = []

    def build(
        previous: FakeSnapshot | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[None, None, FakeSnapshot]:
        befores.append(previous)
        if len(befores) == 1:
            raise RuntimeError("the first build fails")
        return (yield from fake_build(previous, changed, removed, configs, built_ns=built_ns))

    disk = FakeDisk(files(60))
    disk.chaos = Slow()
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(SETTINGS, disk, FakeBuilder(build, sketch=sketch), jitter=lambda: 0.0) as service:
            await service.wait_begun()
            assert await service.wait_built() is None
            published = service.latest.get()
            assert published is not None
            assert len(published.snapshot.contents) == 60
            assert befores == [None, None]


class QuickToRead(FakeDisk):
    """What takes long is parsing."""

    async def read_files(self, paths: Iterable[str], max_bytes: int | None = None) -> dict[str, Content]:
        await trio.lowlevel.checkpoint()
        return {path: Content(self.files[path].stat, self.files[path].content, True) for path in paths}


async def test_what_somebody_searches_for_is_parsed_next(autojump_clock: MockClock) -> None:
    last = "f059.py"
    disk = QuickToRead(files(59) | {last: b"wanted ".ljust(200_000)})
    disk.chaos = Slow()
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(SETTINGS, disk, FakeBuilder(fake_build, sketch=sketch), jitter=lambda: 0.0) as service:
            assert await service.wait_begun("wanted") is None
            begun = service.latest.get()
            assert begun is not None
            while last not in begun.snapshot.contents:
                service.latest.want_more("wanted")
                begun = await service.latest.wait_version_above(begun.version)
            assert begun.is_partial
            assert len(begun.snapshot.contents) < 20
            await service.wait_built()
            built = service.latest.get()
    assert built is not None
    assert len(built.snapshot.contents) == 60


def job(path: str, size: int = 10) -> FileJob:
    return FileJob(path, FileStat(size, 0, 0, 0), b"")


def test_files_that_are_brought_forward_are_given_once_and_next() -> None:
    queue = Queue([job(f"{number}", 200_000) for number in range(6)])
    given = [next(queue)]
    queue.bring_forward({"0", "3", "5", "none"})
    assert queue.paths == ["3", "5", "1", "2", "4"]
    given += list(queue)
    assert [one.path for batch in given for one in batch] == ["0", "3", "5", "1", "2", "4"]
    assert not queue.paths


async def test_files_that_seem_to_define_a_name_come_first() -> None:
    texts = {
        "a.py": b"x = load(1)",
        "b.py": b"    async def load(self):",
        "c.go": b"func (s *Store) load() {}",
        "d.ts": b"export class Store { load() {} }",
        "e.py": b"reload",
        "f.py": b"nothing",
    }

    async def read(paths: Iterable[str]) -> dict[str, Content]:
        return {path: Content(FileStat(0, 0, 0, 0), texts[path], True) for path in paths}

    assert await files_with("load", list(texts), read) == ["b.py", "a.py", "c.go", "d.ts", "e.py"]
    assert await files_with("Store load", list(texts), read) == ["c.go", "d.ts"]
    assert await files_with("Store", list(texts), read) == ["d.ts", "c.go"]
    assert await files_with("*", list(texts), read) == []


async def test_a_name_that_is_everywhere_brings_few_files_forward() -> None:
    async def read(paths: Iterable[str]) -> dict[str, Content]:
        return {path: Content(FileStat(0, 0, 0, 0), b"get()", True) for path in paths}

    assert len(await files_with("get", [f"{number}.py" for number in range(1000)], read)) == FOUND_MAX
