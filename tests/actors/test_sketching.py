"""Partial maps of a first build: when they are shown, what they hold, and that the whole one follows."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Set
from itertools import pairwise

import trio
from trio.testing import MockClock

from actors.messages import Parsed
from actors.sketching import AFTER_S, GROWTH
from actors.tree import open_service
from codemap.settings import Settings
from tests.actors.fakes import Chaos, FakeDisk, FakeSnapshot, fake_build

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
        async with open_service(SETTINGS, disk, build=fake_build, sketch=sketch, jitter=lambda: 0.0) as service:
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
        async with open_service(SETTINGS, disk, build=fake_build, sketch=sketch, jitter=lambda: 0.0) as service:
            published = await service.latest.wait_version_above(0)
            assert trio.current_time() > AFTER_S
            assert (published.version, published.is_partial, len(published.files)) == (1, False, 60)


async def test_a_quick_first_build_is_shown_only_whole(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1", "b.py": b"2"})
    with trio.fail_after(10_000):
        disk.start()
        async with open_service(SETTINGS, disk, build=fake_build, sketch=sketch, jitter=lambda: 0.0) as service:
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
        async with open_service(SETTINGS, disk, build=build, sketch=sketch, jitter=lambda: 0.0) as service:
            await service.wait_begun()
            assert await service.wait_built() is None
            published = service.latest.get()
            assert published is not None
            assert len(published.snapshot.contents) == 60
            assert befores == [None, None]
