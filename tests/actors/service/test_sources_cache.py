"""A file is read once as long as it is the same; what may have changed since is not taken for it."""

from __future__ import annotations

import trio
from trio.testing import MockClock

import actors.service.sources_cache as cache
from actors.ports import Content
from actors.service.sources_cache import Sources
from codemap.live_queries import SourceNow
from tests.actors.fakes import FakeDisk


def started() -> FakeDisk:
    disk = FakeDisk({"a.py": b"a = 1\n", "b.py": b"b = 1\n"})
    disk.start()
    return disk


async def read(disk: FakeDisk, sources: Sources, path: str) -> SourceNow:
    content: Content = (await disk.read_files([path]))[path]
    source = SourceNow(content.content, b"", ())
    sources.keep(path, content, source)
    return source


async def test_a_file_is_kept_until_it_changes(autojump_clock: MockClock) -> None:
    disk = started()
    sources = Sources(disk)
    assert await sources.unchanged(["a.py"]) == {}
    first = await read(disk, sources, "a.py")
    await trio.sleep(5)
    found = await sources.unchanged(["a.py", "b.py", "gone.py"])
    assert found.keys() == {"a.py"}
    assert found["a.py"] is first
    disk.write("a.py", b"a = 2\n")
    assert await sources.unchanged(["a.py"]) == {}
    await trio.sleep(5)
    second = await read(disk, sources, "a.py")
    assert (await sources.unchanged(["a.py"]))["a.py"] is second
    disk.delete("a.py")
    assert await sources.unchanged(["a.py"]) == {}


async def test_a_content_that_may_change_unnoticed_is_not_kept(autojump_clock: MockClock) -> None:
    disk = started()
    sources = Sources(disk)
    await read(disk, sources, "a.py")
    disk.write("a.py", b"a = 2\n")
    await read(disk, sources, "a.py")  # within the tick in which it was written
    assert await sources.unchanged(["a.py"]) == {}


async def test_the_least_recently_used_go_first(autojump_clock: MockClock) -> None:
    disk = FakeDisk({f"{name}.py": b"x" * (cache.BYTES_MAX // 2) for name in "abc"})
    disk.file_max_bytes = cache.BYTES_MAX
    disk.start()
    sources = Sources(disk)
    await read(disk, sources, "a.py")
    await read(disk, sources, "b.py")
    await sources.unchanged(["a.py"])
    await read(disk, sources, "c.py")
    assert (await sources.unchanged(["a.py", "b.py", "c.py"])).keys() == {"a.py", "c.py"}
