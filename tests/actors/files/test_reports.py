"""Reports: which files are read, and why others are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.files.reports import read_report


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.sarif").write_bytes(b"secret")
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.sarif").write_bytes(b"own")
    (folder / "link.sarif").symlink_to(tmp_path / "outside" / "a.sarif")
    (folder / "linked").symlink_to(tmp_path / "outside")
    os.mkfifo(folder / "pipe")
    return folder


def read(root: Path, path: str, *allowed: Path, most: int = 100) -> bytes | str:
    return read_report(os.path.realpath(root), [str(one) for one in allowed], path, most)


def test_a_file_of_the_root(root: Path) -> None:
    assert read(root, "a.sarif") == read(root, str(root / "a.sarif")) == read(root, "x/../a.sarif") == b"own"


@pytest.mark.parametrize(
    "path", ["../outside/a.sarif", "link.sarif", "linked/a.sarif", "/etc/passwd", "/proc/self/environ", "~/.ssh/id_rsa"]
)
def test_what_lies_outside_is_read_only_where_it_is_allowed(root: Path, path: str) -> None:
    found = read(root, path)
    assert isinstance(found, str)
    outside = root.parent / "outside"
    if "sarif" in path:
        assert read(root, path, outside) == read(root, path, outside / "a.sarif") == b"secret"
    else:
        assert isinstance(read(root, path, outside), str)


@pytest.mark.parametrize("path", ["none.sarif", "pipe", "linked", "a\0b", "", ".", "a" * 100_000])
def test_what_is_no_file_is_not_read(root: Path, path: str) -> None:
    assert isinstance(read(root, path), str)


def test_a_file_may_be_too_large(root: Path) -> None:
    (root / "large.sarif").write_bytes(bytes(3_000_001))
    assert read(root, "large.sarif", most=3_000_000) == "it is larger than 3 MB"
