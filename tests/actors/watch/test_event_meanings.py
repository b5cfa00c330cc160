"""Events of real folders: what inotify tells becomes what the watcher is told."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import struct
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from actors.indexing.disk_diff import is_in
from actors.listing.listing import list_paths, list_tree
from actors.ports import Came, Event, Gone, Indexed, Lost, LostBecause, Touched, Unwatchable, Watch
from actors.service.real_ports import Disk
from actors.watch.inotify import Inotify, Mask, RawEvent, parse
from codemap.settings import Settings

SETTINGS = Settings()


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *who, *words], check=True, capture_output=True)


def write(path: Path, content: str = "x = 1\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    write(tmp_path / ".gitignore", "out/\n")
    for path in ("a.py", "app/b.py", "app/deep/c.py", "out/d.py", "out/sub/e.py", "node_modules/m/f.ts"):
        write(tmp_path / path)
    write(tmp_path / "app/.gitignore", "/cache\n")
    (tmp_path / "app/cache").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("app")
    return tmp_path


@asynccontextmanager
async def watching(root: Path) -> AsyncIterator[Watch]:
    with trio.fail_after(10), Disk(str(root), SETTINGS).open_watch() as watch:
        await watch.cover_all()
        yield watch


async def events(watch: Watch) -> list[Event]:
    """What comes of what was just done: it is there without waiting."""
    with trio.fail_after(10):
        await watch.wait()
    return watch.read()


async def test_ignored_folders_are_not_watched(root: Path) -> None:
    async with watching(root) as watch:
        assert watch.folders == len(["", "app", "app/deep", "empty", "node_modules", "node_modules/m"])
    write(root / ".gitignore", "out/\nnode_modules/\n")
    async with watching(root) as watch:
        assert watch.folders == len(["", "app", "app/deep", "empty"])


async def test_a_folder_with_a_tracked_file_is_watched_though_ignored(root: Path) -> None:
    git(root, "add", "-f", "out/sub/e.py")
    async with watching(root) as watch:
        write(root / "out/sub/e.py", "y = 2\n")
        assert Touched("out/sub/e.py") in await events(watch)


async def test_the_index_lists_files_that_are_tracked_though_ignored(root: Path) -> None:
    async with watching(root) as watch:
        git(root, "add", "a.py")
        assert await events(watch) == [Indexed()]
        assert not await watch.has_new_rules()
        git(root, "add", "-f", "out/d.py")
        assert await events(watch) == [Indexed()]
        assert await watch.has_new_rules()


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (lambda root: write(root / "app/b.py", "new"), [Touched("app/b.py")]),
        (lambda root: os.utime(root / "app/b.py", (1, 1)), [Touched("app/b.py")]),
        (lambda root: (root / "app/b.py").chmod(0o600), [Touched("app/b.py")]),
        (lambda root: (root / "app/b.py").unlink(), [Touched("app/b.py")]),
        (lambda root: os.replace(root / "a.py", root / "app/b.py"), [Touched("a.py"), Touched("app/b.py")]),
        (lambda root: (root / "empty").rmdir(), [Gone("empty")]),
        (lambda root: (root / "new").mkdir(), [Came("new")]),
        (lambda root: os.replace(root / "app", root / "moved"), [Gone("app"), Came("moved")]),
        (lambda root: write(root / ".git/info/exclude", "x"), [Lost(LostBecause.RULES)]),
        (lambda root: git(root, "init", "-q", "empty"), [Lost(LostBecause.RULES)]),
        (lambda root: write(root / "out/d.py", "ignored"), []),
    ],
    ids=["write", "times", "mode", "delete", "replace", "rmdir", "mkdir", "move", "exclude", "nested", "ignored"],
)
async def test_each_change_has_its_event(root: Path, act: Callable[[Path], None], expected: list[Event]) -> None:
    async with watching(root) as watch:
        act(root)
        assert list(dict.fromkeys(watch.read())) == expected


async def test_a_folder_that_came_is_covered_with_all_below_it(root: Path) -> None:
    async with watching(root) as watch:
        write(root / "new/one/two/a.py")
        assert await events(watch) == [Came("new")]
        assert await watch.cover("new")
        write(root / "new/one/two/b.py")
        assert Touched("new/one/two/b.py") in await events(watch)
        (root / "out/more").mkdir()
        assert not await watch.cover("out/more")


async def test_a_moved_folder_speaks_by_its_new_name_only(root: Path) -> None:
    async with watching(root) as watch:
        os.replace(root / "app", root / "moved")
        write(root / "moved/deep/c.py", "new")
        assert await events(watch) == [Gone("app"), Came("moved")]
        assert await watch.cover("moved")
        write(root / "moved/deep/c.py", "newer")
        assert set(await events(watch)) == {Touched("moved/deep/c.py")}
        folders = watch.folders
        await watch.cover_all()
        assert watch.folders == folders


async def test_the_end_of_the_root_is_reported(root: Path) -> None:
    async with watching(root) as watch:
        shutil.rmtree(root)
        assert Lost(LostBecause.ROOT) in await events(watch)


async def test_an_overflow_is_reported(root: Path) -> None:
    limit = int(await trio.Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    async with watching(root) as watch:
        one, two = root / "a.py", root / "app/b.py"
        for _ in range(limit // 2 + 1):
            os.utime(one)
            os.utime(two)
        found = watch.read()
        while found and found[-1] != Lost(LostBecause.OVERFLOW):
            found = watch.read()
        assert found
        write(one, "after")
        assert Touched("a.py") in await events(watch)


async def test_a_cancelled_wait_ends_at_once_and_leaves_no_descriptor(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    async with watching(root) as watch:
        with trio.move_on_after(0.01) as scope:
            await watch.wait()
        assert scope.cancelled_caught
    assert len(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENOMEM])
async def test_exhausted_watches_are_said_to_be(root: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(*_: object) -> int:
        ctypes.set_errno(number)
        return -1

    with Disk(str(root), SETTINGS).open_watch() as watch:
        monkeypatch.setattr(watch._inotify, "_add", refuse)  # type: ignore[attr-defined]
        with pytest.raises(Unwatchable):
            await watch.cover_all()


async def test_folders_that_cannot_be_watched_are_passed_over(root: Path) -> None:
    inotify = Inotify()
    assert inotify.add(os.fsencode(root / "missing")) is None
    assert inotify.add(os.fsencode(root / "a.py")) is None
    assert inotify.add(os.fsencode(root / "link")) is None
    watch = inotify.add(os.fsencode(root))
    assert watch is not None
    assert inotify.add(os.fsencode(root)) == watch
    inotify.remove(watch)
    inotify.remove(watch)
    assert [event.mask for event in inotify.read()] == [Mask.IGNORED]
    inotify.close()
    inotify.close()


def test_raw_events_are_read_in_a_row() -> None:
    def packed(watch: int, mask: int, name: bytes) -> bytes:
        padded = name + b"\0" * (-len(name) % 16) if name else b""
        return struct.pack("=iIII", watch, mask, 7, len(padded)) + padded

    content = packed(1, Mask.CREATE, b"a.py") + packed(-1, Mask.Q_OVERFLOW, b"") + packed(2, Mask.MODIFY, b"\xff" * 16)
    assert list(parse(content)) == [
        RawEvent(1, Mask.CREATE, b"a.py"),
        RawEvent(-1, Mask.Q_OVERFLOW, b""),
        RawEvent(2, Mask.MODIFY, b"\xff" * 16),
    ]
    assert list(parse(b"")) == []


async def test_a_look_at_paths_says_what_a_listing_says(root: Path) -> None:
    git(root, "add", "-f", "out/d.py")
    write(root / "pyproject.toml")
    whole = await list_tree(str(root), SETTINGS)
    paths = [
        "a.py", "app/b.py", "out/d.py", "out/sub/e.py", "link", "missing.py", "app", "app/", "out/", "empty/",
        "missing/", "link/b.py", "link/", "pyproject.toml", "../a.py", "/etc/x.py", "app//b.py", "a.py/", ".git/x.py",
    ]  # fmt: skip
    for known in ((), {*whole.files, *whole.configs, *whole.skipped}):
        for path in paths:
            found = await list_paths(str(root), SETTINGS, {path}, known)
            assert found is not None
            assert found.files == {one: stat for one, stat in whole.files.items() if is_in(one, frozenset((path,)))}
            assert found.configs == {one: s for one, s in whole.configs.items() if one == path}
    found = await list_paths(str(root), SETTINGS, {"out/sub/e.py", "a.py"}, ())
    assert found is not None
    assert found.ignored == {"out/sub/e.py"}


async def test_a_look_into_a_nested_repository_needs_a_listing(root: Path) -> None:
    git(root, "init", "-q", "empty")
    write(root / "empty/x.py")
    assert await list_paths(str(root), SETTINGS, {"empty/x.py"}, ()) is None
    known = await list_paths(str(root), SETTINGS, {"empty/x.py"}, {"empty/x.py"})
    assert known is not None
    assert set(known.files) == {"empty/x.py"}
