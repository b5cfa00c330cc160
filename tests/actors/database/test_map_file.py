"""Files of stored maps: what is opened is what was written, or nothing."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.database import map_file
from actors.database.map_file import (
    BadMapFile,
    MapFile,
    Written,
    delete_map_files,
    delete_unnamed,
    map_files,
    open_map_file,
    write_map_file,
)
from tests.examples import examples

PARTS = [b"head", b"", random.Random(1).randbytes(5000), bytes(3_000_000), b"\0" * 64]


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "r.sqlite")


def parts_of(file: MapFile) -> list[bytes]:
    return [*map(bytes, file.parts)]


def path_of(database: str, written: Written) -> Path:
    return Path(f"{database}.{written.name}")


@given(parts=st.lists(st.binary(max_size=300), max_size=20))
@settings(max_examples=examples(50), deadline=None)
def test_parts_come_back(parts: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    database = str(tmp_path_factory.mktemp("maps") / "r.sqlite")
    assert parts_of(open_map_file(database, write_map_file(database, parts))) == parts


def test_a_part_is_aligned_and_cannot_be_written(database: str) -> None:
    file = open_map_file(database, write_map_file(database, PARTS))
    assert all(part.readonly for part in file.parts)
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o600
    content = Path(file.path).read_bytes()
    assert content.index(PARTS[2]) % 64 == 0


@pytest.mark.parametrize("seed", range(40))
def test_no_changed_byte_is_accepted(seed: int, database: str) -> None:
    written = write_map_file(database, PARTS)
    path, chance = path_of(database, written), random.Random(seed)
    content = bytearray(path.read_bytes())
    at = chance.choice((chance.randrange(200), chance.randrange(len(content))))
    content[at] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    try:
        found = open_map_file(database, written)
    except BadMapFile:
        return
    assert parts_of(found) == PARTS  # a byte between parts


@pytest.mark.parametrize("left", [0, 10, 100, 4000, -1])
def test_a_file_that_is_cut_or_longer_is_refused(left: int, database: str) -> None:
    written = write_map_file(database, PARTS)
    path = path_of(database, written)
    os.truncate(path, left if left >= 0 else written.size + 1)
    with pytest.raises(BadMapFile):
        open_map_file(database, written)


def test_another_map_is_refused(database: str) -> None:
    one, other = write_map_file(database, [b"one"]), write_map_file(database, [b"two"])
    os.replace(path_of(database, other), path_of(database, one))
    with pytest.raises(BadMapFile):
        open_map_file(database, one)


def test_what_is_no_file_is_refused(database: str) -> None:
    written = write_map_file(database, PARTS)
    path = path_of(database, written)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        open_map_file(database, written)
    os.mkfifo(path)
    with pytest.raises(BadMapFile):
        open_map_file(database, written)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(BadMapFile):
        open_map_file(database, written)


def test_a_large_file_is_checked_when_something_wrote_to_it(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_file, "CHECKED_AT_ONCE", 0)
    written = write_map_file(database, PARTS)
    found = open_map_file(database, written)
    assert not found.is_checked
    assert found.check()
    os.utime(path_of(database, written), ns=(1, 1))
    assert open_map_file(database, written).is_checked


def test_a_large_file_that_the_disk_has_changed_is_found_out_later(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_file, "CHECKED_AT_ONCE", 0)
    monkeypatch.setattr(map_file, "_identity", lambda _: (0, 0, 0, 0))
    written = write_map_file(database, PARTS)
    content = bytearray(path_of(database, written).read_bytes())
    content[content.index(PARTS[2]) + 7] ^= 1
    path_of(database, written).write_bytes(content)
    found = open_map_file(database, written)
    assert not found.check()


def test_a_deleted_file_stays_readable(database: str) -> None:
    written = write_map_file(database, PARTS)
    found = open_map_file(database, written)
    delete_map_files(database, [written.name])
    assert not [*map_files(database)]
    assert parts_of(found) == PARTS
    assert found.check()


def test_what_killed_processes_left_is_deleted_when_it_is_old(database: str) -> None:
    named, old, young = (write_map_file(database, [b"one"]) for _ in range(3))
    other = write_map_file(f"{database}-other.sqlite", [b"one"])
    for each in (named, old):
        os.utime(path_of(database, each), (1, 1))
    os.utime(path_of(f"{database}-other.sqlite", other), (1, 1))
    delete_unnamed(database, [named.name])
    assert {entry.path for entry in map_files(database)} == {str(path_of(database, each)) for each in (named, young)}
    assert path_of(f"{database}-other.sqlite", other).exists()
