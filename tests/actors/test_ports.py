"""One suite for the fake port and the real one: what actors rely on, both do."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec
import psutil
import pytest
import trio

from actors.files.reading import SETTLED_NS, digest_of, read_cached_files, read_file, read_files
from actors.listing.listing import list_tree
from actors.messaging.messages import FileJob, Outcome, Parsed, Same, Skipped
from actors.ports import Ports, WorkerCannotStart, WorkerDied, Workers, away_because
from actors.service.real_ports import Disk
from codemap.extract.skipped_files import SkipReason
from codemap.settings import Settings
from tests.actors.fakes import FakeDisk
from tests.actors.worker_programs import (
    ending,
    ending_within_the_answer,
    killed,
    lacking,
    named,
    raising,
    silent,
)

MAX_BYTES = 10_000
HOUR_S = 3600
SETTLED_S = SETTLED_NS / 1e9 + 0.01


class Stage(Protocol):
    """A port, and hands to change what is behind it."""

    ports: Ports

    def write(self, path: str, content: bytes, *, age_s: float = HOUR_S) -> None: ...

    def delete(self, path: str) -> None: ...


class FakeStage:
    def __init__(self) -> None:
        self.ports = self.disk = FakeDisk()
        self.disk.file_max_bytes = MAX_BYTES

    def write(self, path: str, content: bytes, *, age_s: float = HOUR_S) -> None:
        self.disk.write(path, content, age_s=age_s)

    def delete(self, path: str) -> None:
        self.disk.delete(path)


class DiskStage:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.ports = Disk(
            str(root), Settings(file_max_bytes=MAX_BYTES, workers=2), lister=partial(list_tree, str(root), Settings())
        )

    def write(self, path: str, content: bytes, *, age_s: float = HOUR_S) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        written_ns = self.ports.wall_ns() - round(age_s * 1e9) | 1
        os.utime(target, ns=(written_ns, written_ns))
        if age_s > 0:
            time.sleep(SETTLED_S)  # the time of the last change of any kind cannot be set

    def delete(self, path: str) -> None:
        (self.root / path).unlink()


@pytest.fixture(params=["fake", "disk"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    return FakeStage() if request.param == "fake" else DiskStage(tmp_path)


def test_the_root_is_distinguished_from_a_folder_that_takes_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    disk = Disk(str(tmp_path / "a"), Settings())
    first = disk.root_identity()
    (tmp_path / "a").rename(tmp_path / "b")
    assert disk.root_identity() is None
    (tmp_path / "a").mkdir()
    assert disk.root_identity() not in (None, first)
    assert away_because(disk, first) == f"the folder {tmp_path}/a was replaced by another one"
    (tmp_path / "a").rmdir()
    assert away_because(disk, first) == f"the folder {tmp_path}/a is not there"
    (tmp_path / "b").rename(tmp_path / "a")
    assert (disk.root_identity(), away_because(disk, first), away_because(disk, None)) == (first, "", "")
    (tmp_path / "a").rename(tmp_path / "b")
    (tmp_path / "a").touch()
    assert disk.root_identity() is None


async def extract(workers: Workers, jobs: Sequence[FileJob]) -> list[Outcome]:
    async with workers.take(0) as worker:
        return msgspec.msgpack.decode(await worker.extract(jobs), type=list[Outcome])


async def jobs_for(stage: Stage) -> dict[str, FileJob]:
    listing = await stage.ports.list_files("")
    return {path: FileJob(path, stat) for path, stat in listing.files.items()}


async def test_listing(stage: Stage) -> None:
    with trio.fail_after(60):
        for path in ("a.py", "x/b.py", "x/y/c.py", "xy.py", "pyproject.toml"):
            stage.write(path, path.encode())
        listing = await stage.ports.list_files("")
        assert sorted(listing.files) == ["a.py", "x/b.py", "x/y/c.py", "xy.py"]
        assert listing.files["x/b.py"].size == len("x/b.py")
        assert sorted((await stage.ports.list_files("x")).files) == ["x/b.py", "x/y/c.py"]
        assert sorted((await stage.ports.list_files("x/b.py")).files) == ["x/b.py"]
        assert sorted((await stage.ports.list_files("nothing")).files) == []
        stage.delete("a.py")
        assert "a.py" not in (await stage.ports.list_files("")).files


async def test_stats_agree_with_the_listing(stage: Stage) -> None:
    with trio.fail_after(60):
        stage.write("a.py", b"1")
        stage.write("b.py", b"22")
        listing = await stage.ports.list_files("")
        assert await stage.ports.stat_files(["a.py", "b.py", "gone.py"]) == listing.files
        stage.write("a.py", b"333", age_s=60)
        changed = await stage.ports.stat_files(["a.py"])
        assert changed["a.py"].size == 3
        assert changed["a.py"].mtime_ns > listing.files["a.py"].mtime_ns


async def test_reading(stage: Stage) -> None:
    with trio.fail_after(60):
        stage.write("a.py", b"1")
        stage.write("new.py", b"2", age_s=-HOUR_S)
        stage.write("large.py", b"#" * (MAX_BYTES + 1))
        read = await stage.ports.read_files(["a.py", "new.py", "large.py", "gone.py"])
        assert sorted(read) == ["a.py", "new.py"]
        assert read["a.py"].content == b"1"
        assert {"a.py": read["a.py"].stat} == await stage.ports.stat_files(["a.py"])
        assert (read["a.py"].is_settled, read["new.py"].is_settled) == (True, False)


def test_what_is_in_memory_is_read_without_waiting(tmp_path: Path) -> None:
    stage = DiskStage(tmp_path)
    stage.write("a.py", b"1")
    stage.write("large.py", b"#" * (MAX_BYTES + 1))
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "out").symlink_to(tmp_path.parent)
    outside = f"out/{tmp_path.name}/../secret.py"
    (tmp_path.parent / "secret.py").write_bytes(b"2")
    named = ["a.py", "large.py", "pipe.py", "link.py", "gone.py", "out/secret.py", outside, "../secret.py"]
    read = read_cached_files(os.path.realpath(tmp_path), named, MAX_BYTES)
    assert read == (
        read_files(str(tmp_path), ["a.py"], MAX_BYTES) if tells_what_is_in_memory(tmp_path / "a.py") else {}
    )


def tells_what_is_in_memory(path: Path) -> bool:
    """Whether the system and the file system of a file in memory read it without waiting."""
    with path.open("rb") as file:
        try:
            return os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT) == 1
        except (OSError, AttributeError):
            return False


def test_a_system_that_cannot_tell_what_is_in_memory_has_all_read_by_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DiskStage(tmp_path).write("a.py", b"1")
    monkeypatch.delattr(os, "RWF_NOWAIT", raising=False)
    assert read_cached_files(str(tmp_path), ["a.py"], MAX_BYTES) == {}


async def test_no_link_leads_a_reader_out_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    stage = DiskStage(root)
    with trio.fail_after(60):
        stage.write("inner/a.py", b"1")
        (tmp_path / "secret.py").write_bytes(b"2")
        (root / "out").symlink_to(tmp_path)
        (root / "within").symlink_to(root / "inner")
        (root / "secret.py").symlink_to(tmp_path / "secret.py")
        named = ["within/a.py", "out/secret.py", "secret.py", "../secret.py", str(tmp_path / "secret.py")]
        assert sorted(await stage.ports.read_files(named)) == ["within/a.py"]


@pytest.mark.parametrize("path", ["../secret.py", "sub/../../secret.py", "/secret.py", "./in.py", "sub//in.py", "sub/"])
async def test_no_name_leads_a_reader_out_of_the_root(path: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    for file in (tmp_path / "secret.py", root / "in.py", root / "sub" / "in.py"):
        file.write_text("x = 1\n")
    disk = Disk(str(root), Settings(store="off"))
    wanted = [path.replace("/secret", f"{tmp_path}/secret") if path.startswith("/") else path, "sub/in.py"]
    assert list(await disk.read_files(wanted)) == ["sub/in.py"]
    assert list(await disk.stat_files(wanted)) == ["sub/in.py"]
    assert isinstance(read_file(str(root), wanted[0], MAX_BYTES), Skipped)


async def test_extraction(stage: Stage) -> None:
    with trio.fail_after(60):
        stage.write("a.py", b"x = 1\n")
        stage.write("known.py", b"y = 2\n")
        stage.write("large.py", b"#" * (MAX_BYTES + 1))
        stage.write("binary.py", b"binary\0")
        stage.write("gone.py", b"")
        stage.write("new.py", b"z = 3\n", age_s=-HOUR_S)
        jobs = await jobs_for(stage)
        stage.delete("gone.py")
        jobs["known.py"] = msgspec.structs.replace(jobs["known.py"], known=digest_of(b"y = 2\n"))
        order = ("a.py", "known.py", "large.py", "binary.py", "gone.py", "new.py")
        async with stage.ports.open_workers() as workers:
            a, known, large, binary, gone, new = await extract(workers, [jobs[path] for path in order])
    assert isinstance(a, Parsed)
    assert (a.stat, a.digest, a.is_settled) == (jobs["a.py"].stat, digest_of(b"x = 1\n"), True)
    assert (a.facts.lang, a.facts.size) == ("py", 6)
    assert known == Same(jobs["known.py"].stat, digest_of(b"y = 2\n"), True)
    assert large == Skipped(jobs["large.py"].stat, b"", True, SkipReason.OVERSIZED)
    assert binary == Skipped(jobs["binary.py"].stat, digest_of(b"binary\0"), True, SkipReason.BINARY)
    assert isinstance(gone, Skipped)
    assert gone.reason == SkipReason.VANISHED
    assert isinstance(new, Parsed)
    assert not new.is_settled


async def test_jobs_run_side_by_side_and_workers_end_with_the_context(stage: Stage) -> None:
    outcomes: dict[str, Outcome] = {}
    with trio.fail_after(60):
        for number in range(8):
            stage.write(f"{number}.py", f"x = {number}\n".encode())
        jobs = await jobs_for(stage)
        limiter = trio.CapacityLimiter(stage.ports.worker_capacity)

        async def one(job: FileJob) -> None:
            async with limiter:
                (outcomes[job.path],) = await extract(workers, [job])

        async with stage.ports.open_workers() as workers, trio.open_nursery() as nursery:
            for job in jobs.values():
                nursery.start_soon(one, job)
    assert {path: type(outcome) for path, outcome in outcomes.items()} == dict.fromkeys(jobs, Parsed)


async def test_threads(stage: Stage) -> None:
    with trio.fail_after(60):
        assert await stage.ports.run_in_thread(lambda: 1 + 1) == 2
        with pytest.raises(KeyError):
            await stage.ports.run_in_thread(lambda: {}["no"])


@pytest.mark.parametrize(
    ("program", "how"),
    [
        (ending, "exit code 3"),
        (killed, "killed by SIGKILL"),
        (ending_within_the_answer, "exit code 3"),
        (raising, "KeyError: 'a fault'"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_a_worker_that_ends_is_reported(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, program: Callable[[], None], how: str
) -> None:
    with trio.fail_after(60):
        stage.write("a.py", b"kill")
        jobs = await jobs_for(stage)
        if isinstance(stage, DiskStage):
            monkeypatch.setattr("actors.workers.worker_processes.PROGRAM", named(program))
        async with stage.ports.open_workers() as workers:
            for _ in range(2):
                with pytest.raises(WorkerDied, match=how if isinstance(stage, DiskStage) else None):
                    await extract(workers, [jobs["a.py"]])


async def test_a_worker_that_was_killed_while_idle_is_replaced(tmp_path: Path) -> None:
    stage = DiskStage(tmp_path)
    stage.write("a.py", b"x = 1\n")
    before = psutil.Process().children()
    with trio.fail_after(60):
        jobs = [*(await jobs_for(stage)).values()]
        async with stage.ports.open_workers() as workers:
            await extract(workers, jobs)
            (worker,) = set(psutil.Process().children()).difference(before)
            worker.kill()
            psutil.wait_procs([worker])
            assert [type(outcome) for outcome in await extract(workers, jobs)] == [Parsed]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("actors.workers.nothing:main", "it ended before it was ready: exit code 1"),
        (named(lacking), "ModuleNotFoundError: No module named 'lacking'"),
        (named(silent), "it was not ready after 0.5 s"),
    ],
    ids=["no program", "a package is missing", "it hangs"],
)
async def test_a_worker_that_cannot_start_is_distinguished_from_one_that_a_file_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, why: str
) -> None:
    monkeypatch.setattr("actors.workers.worker_processes.PROGRAM", program)
    monkeypatch.setattr("actors.workers.worker_process.START_MAX_S", 60 if "ready after" not in why else 0.5)
    before = psutil.Process().children()
    with trio.fail_after(60):
        async with DiskStage(tmp_path).ports.open_workers() as workers:
            with pytest.raises(WorkerCannotStart, match=re.escape(why)):
                async with workers.take(0):
                    pass
    assert psutil.Process().children() == before


async def test_a_python_that_is_not_there_is_a_worker_that_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    async with DiskStage(tmp_path).ports.open_workers() as workers:
        with pytest.raises(WorkerCannotStart, match="python: No such file or directory"):
            async with workers.take(0):
                pass


async def test_idle_workers_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.workers.worker_processes.IDLE_S", 0.1)
    before = psutil.Process().children()
    with trio.fail_after(60):
        async with DiskStage(tmp_path).ports.open_workers() as workers:
            async with workers.take(0):
                started = set(psutil.Process().children()).difference(before)
            assert started
            while any(child.is_running() for child in started):  # noqa: ASYNC110  # another process sets no event
                await trio.sleep(0.01)
