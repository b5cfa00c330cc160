"""Several files get new contents, all or none, and nothing else changes."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from actors.files import atomic_writes
from actors.files.atomic_writes import replace_files
from actors.files.reading import digest_of
from codemap.live_queries import NewContent


def wanted(root: Path, contents: Mapping[str, bytes]) -> list[NewContent]:
    return [NewContent(path, digest_of((root / path).read_bytes()), content) for path, content in contents.items()]


def state(root: Path) -> dict[str, bytes]:
    """Every file there is, temporary ones too."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "app").mkdir(parents=True)
    (folder / "a.py").write_bytes(b"one\r\n")
    (folder / "app/b.py").write_bytes(b"two\n")
    (folder / "app/c.py").write_bytes(b"three")
    (folder / "app/b.py").chmod(0o755)
    return folder


NEW = {"a.py": b"eins\r\n", "app/b.py": b"zwei\n", "app/c.py": b"drei"}


def test_all_are_replaced_and_keep_their_modes(root: Path) -> None:
    assert replace_files(str(root), wanted(root, NEW)) == ""
    assert state(root) == NEW
    assert stat.S_IMODE((root / "app/b.py").stat().st_mode) == 0o755
    assert stat.S_IMODE((root / "a.py").stat().st_mode) != 0o755


def test_one_that_changed_leaves_all_alone(root: Path) -> None:
    edits = wanted(root, NEW)
    (root / "app/c.py").write_bytes(b"meanwhile")
    before = state(root)
    assert replace_files(str(root), edits) == "app/c.py has changed since"
    assert state(root) == before


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_what_fails_midway_is_undone(root: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int) -> None:
    calls = 0
    replace = os.replace

    def failing(source: str, target: str, **folders: int) -> None:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise OSError(28, "No space left on device")
        replace(source, target, **folders)

    monkeypatch.setattr(atomic_writes.os, "replace", failing)
    before = state(root)
    assert replace_files(str(root), wanted(root, NEW)) == "No space left on device"
    assert state(root) == before


def test_a_change_between_reading_and_replacing_is_seen(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def late(source: str, target: str, **folders: int) -> None:
        if source == "b.py":
            (root / "app/b.py").write_bytes(b"somebody else's")
        link(source, target, **folders)  # type: ignore[arg-type]

    monkeypatch.setattr(atomic_writes.os, "link", late)
    before = {**state(root), "app/b.py": b"somebody else's"}
    assert replace_files(str(root), wanted(root, NEW)) == "app/b.py has changed since"
    assert state(root) == before


def test_links_lead_nowhere(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.py").write_bytes(b"x")
    (root / "link.py").symlink_to(outside / "x.py")
    (root / "folder").symlink_to(outside)
    for path in ("link.py", "folder/x.py"):
        assert "without following links" in replace_files(str(root), [NewContent(path, digest_of(b"x"), b"y")])
    assert (outside / "x.py").read_bytes() == b"x"


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "app/../a.py", ".git/config", "app", "none.py"])
def test_other_paths_are_refused(root: Path, path: str) -> None:
    (root / ".git").mkdir()
    (root / ".git/config").write_bytes(b"x")
    before = state(root)
    assert replace_files(str(root), [NewContent(path, digest_of(b"x"), b"y")])
    assert state(root) == before


def test_a_file_of_several_names_is_refused(root: Path) -> None:
    os.link(root / "a.py", root / "same.py")
    assert replace_files(str(root), wanted(root, {"a.py": b"y"})) == "a.py has several names"


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe.py")
    assert replace_files(str(root), [NewContent("pipe.py", b"", b"y")]) == "pipe.py is no regular file"
