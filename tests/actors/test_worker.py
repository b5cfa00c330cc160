"""Real worker processes: light, killed when slow, gone with the service; and reading within the root."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil
import pytest
import trio
import trio_parallel

from actors import worker
from actors.build import build
from actors.disk import open_disk
from actors.messages import FileStat, Outcome, Rebuilt, Skipped
from actors.reading import SETTLED_NS, is_settled, read_file
from actors.resident import resident_bytes
from actors.tree import open_service
from codemap.extract.skip import SkipReason
from codemap.settings import Settings
from tests.actors.jobs import loaded_modules, sleep_for_ever

HEAVY = ("mcp", "trio", "numpy", "graspologic_native", "pydantic", "actors.front", "actors.tree")


async def test_a_worker_loads_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with trio.fail_after(60):
        async with trio_parallel.open_worker_context(init=worker.start, retire=worker.is_spent) as context:
            modules = await context.run_sync(loaded_modules, str(tmp_path))
    assert "actors.worker" in modules
    assert not {module for module in modules for heavy in HEAVY if module == heavy or module.startswith(heavy + ".")}


async def test_a_worker_is_kept_while_it_is_small_however_large_the_service_is() -> None:
    ballast = bytearray(b"x") * worker.RESIDENT_MAX_BYTES
    assert resident_bytes() > len(ballast)
    with trio.fail_after(60):
        async with trio_parallel.open_worker_context(init=worker.start) as context:
            assert not await context.run_sync(worker.is_spent)


def outcomes(root: Path, *paths: str) -> list[Outcome]:
    answer = worker.extract_files(str(root), [(path, b"") for path in paths], 1000)
    return msgspec.msgpack.decode(answer, type=list[Outcome])


def reasons(root: Path, *paths: str) -> list[str | None]:
    return [one.reason if isinstance(one, Skipped) else None for one in outcomes(root, *paths)]


def test_links_out_of_the_root_and_special_files_are_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.py").write_text("secret = 1\n")
    (root / "real.py").write_text("x = 1\n")
    (root / "inside.py").symlink_to("real.py")
    (root / "outside.py").symlink_to("../secret.py")
    (root / "broken.py").symlink_to("nothing.py")
    (root / "loop.py").symlink_to("loop.py")
    os.mkfifo(root / "pipe.py")
    (root / "folder.py").mkdir()
    names = ("real.py", "inside.py", "outside.py", "broken.py", "loop.py", "pipe.py", "folder.py", "real.py/x.py")
    assert reasons(root, *names) == [
        None, None, "outside", "vanished", "unreadable", "special", "special", "vanished",
    ]  # fmt: skip


def test_a_fault_of_a_plug_in_is_an_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def extract(path: str, source: bytes) -> object:
        if b"bad" in source:
            raise IndexError("list index out of range")
        return "facts"

    monkeypatch.setattr(worker, "extract", extract)
    (tmp_path / "a.py").write_text("bad")
    (outcome,) = outcomes(tmp_path, "a.py")
    assert isinstance(outcome, Skipped)
    assert (outcome.reason, outcome.detail) == (SkipReason.UNPARSABLE, "IndexError: list index out of range")
    assert "event=extract-failed path='a.py' error=IndexError" in capfd.readouterr().err


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9 #~%.py")
    (tmp_path / name).write_text("x = 1\n")
    assert reasons(tmp_path, name) == [None]


def test_a_file_that_grows_beyond_the_limit_while_it_is_read_is_oversized(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"#" * 1001)
    assert reasons(tmp_path, "a.py") == ["oversized"]
    read = read_file(str(tmp_path), "a.py", 1001)
    assert not isinstance(read, Skipped)
    assert len(read[1]) == 1001


@pytest.mark.parametrize(
    ("mtime_ns", "read_ns", "expected"),
    [
        (1_000_000_001, 1_000_000_001 + SETTLED_NS, False),
        (1_000_000_001, 1_000_000_002 + SETTLED_NS, True),
        (1_000_000_000, 1_500_000_000, False),  # whole seconds: the clock of the file system may be coarse
        (1_000_000_000, 3_000_000_001, True),
        (9_000_000_001, 1_000_000_000, False),  # from the future
    ],
)
def test_settled(mtime_ns: int, read_ns: int, *, expected: bool) -> None:
    assert is_settled(FileStat(1, mtime_ns), read_ns) == expected


def descendants() -> set[int]:
    """Running processes below this one; the tracker of multiprocessing lives as long as the interpreter."""
    found = set()
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # also of one that has ended and is about to be reaped
            if "resource_tracker" not in " ".join(child.cmdline()):
                found.add(child.pid)
    return found


async def test_the_whole_service_on_a_real_folder(tmp_path: Path) -> None:
    before = descendants()
    (tmp_path / "a.py").write_text("def f():\n    return g()\n\n\ndef g():\n    return 1\n")
    (tmp_path / "b.py").write_text("from a import f\n\nf()\n")
    (tmp_path / "c.py").write_bytes(b"\0binary")
    settings = Settings(workers=2)
    with trio.fail_after(60):
        async with open_service(settings, open_disk(str(tmp_path), settings), build=build) as service:
            assert await service.wait_built() is None
            published = service.latest.get()
            assert published is not None
            assert sorted(published.snapshot.by_path) == ["a.py", "b.py"]
            assert published.files["c.py"].skipped == SkipReason.BINARY
            (tmp_path / "b.py").write_text("from a import g\n\ng()\n")
            rebuilt = await service.rebuild()
            assert isinstance(rebuilt, Rebuilt)
            assert (rebuilt.version, rebuilt.files_scanned, rebuilt.is_cold) == (2, 3, False)
            assert len(descendants() - before) in (1, 2)
    assert descendants() <= before


async def test_cancelling_the_service_kills_a_busy_worker_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = descendants()
    monkeypatch.setattr(worker, "extract_files", sleep_for_ever)
    (tmp_path / "a.py").write_text("x = 1\n")
    settings = Settings()
    with trio.fail_after(60):
        async with open_service(settings, open_disk(str(tmp_path), settings), build=build) as service:
            while not descendants() - before:  # noqa: ASYNC110  # another process sets no event
                await trio.sleep(0.01)
            assert service.latest.get() is None
            begin = time.monotonic()
        assert time.monotonic() - begin < 2
    assert descendants() <= before


async def test_a_slow_file_costs_its_time_limit_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "extract_files", sleep_for_ever)
    (tmp_path / "a.py").write_text("x = 1\n")
    settings = Settings(file_timeout_s=0.2)
    with trio.fail_after(60):
        async with open_service(settings, open_disk(str(tmp_path), settings), build=build) as service:
            assert await service.wait_built() is None
            published = service.latest.get()
            assert published is not None
            assert published.files["a.py"].skipped == SkipReason.TIMEOUT
