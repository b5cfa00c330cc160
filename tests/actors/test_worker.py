"""Real worker processes: light, killed when slow, gone with the service; and reading within the root."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil
import pytest
import trio

from actors.files.reading import SETTLED_NS, digest_of, is_settled, read_file
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.messaging.messages import FileJob, FileStat, Outcome, Rebuilt, Scanned, Skipped, SourceText
from actors.processes.memory_grants import Memory
from actors.processes.parent_death import ORPHANED
from actors.processes.resident_memory import private_bytes, resident_bytes
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from actors.workers import extraction
from actors.workers.worker_processes import open_processes
from codemap.changes.version import Version
from codemap.extract.fingerprints import version_of
from codemap.extract.skipped_files import SkipReason
from codemap.facts import rows
from codemap.mentions.words import Nature
from codemap.settings import Settings
from tests.actors.worker_programs import named, sleeping, telling_modules
from tests.system.process import wait_gone

PROJECT = Path(__file__).parents[2]
HEAVY = ("mcp", "trio", "numpy", "graspologic_native", "pydantic", "actors.front", "actors.service.wiring")


def plenty() -> Memory:
    return Memory(math.inf, 1e9)


async def asked(root: Path, path: str) -> bytes:
    """What a worker of the program that stands in for the real one answers."""
    with trio.fail_after(60):
        async with open_processes(str(root), 1000, plenty(), 1) as workers, workers.take(0) as worker:
            return await worker.extract([FileJob(path, FileStat(1, 1))])


async def test_a_worker_loads_nothing_heavy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr("actors.workers.worker_processes.PROGRAM", named(telling_modules))
    modules = msgspec.msgpack.decode(await asked(tmp_path, "a.py"), type=list[str])
    assert "actors.workers.extraction" in modules
    assert not {module for module in modules for heavy in HEAVY if module == heavy or module.startswith(heavy + ".")}


async def test_a_worker_is_kept_while_it_is_small_however_large_the_service_is(tmp_path: Path) -> None:
    ballast = bytearray(b"x") * extraction.RESIDENT_MAX_BYTES
    assert resident_bytes() > len(ballast)
    (tmp_path / "a.py").write_text("x = 1\n")
    with trio.fail_after(60):
        async with open_processes(str(tmp_path), 1000, plenty(), 1) as workers:
            pids = set()
            for _ in range(2):
                async with workers.take(0) as worker:
                    await worker.extract([FileJob("a.py", FileStat(1, 1))])
                    pids.add(worker.process.pid)
    assert len(pids) == 1


def outcomes(root: Path, *paths: str) -> list[Outcome]:
    answer = extraction.extract_files(str(root), [(path, b"") for path in paths], 1000)
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

    monkeypatch.setattr(extraction, "extract", extract)
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
    """Running processes below this one."""
    found = set()
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # also of one that has ended and is about to be reaped
            child.status()
            found.add(child.pid)
    return found


async def test_the_whole_service_on_a_real_folder(tmp_path: Path) -> None:
    before = descendants()
    (tmp_path / "a.py").write_text("def f():\n    return g()\n\n\ndef g():\n    return 1\n")
    (tmp_path / "b.py").write_text("from a import f\n\nf()\n")
    (tmp_path / "c.py").write_bytes(b"\0binary")
    settings = Settings(workers=2)
    with trio.fail_after(60):
        async with open_service(settings, open_disk(str(tmp_path), settings), SingleUseBuilder()) as service:
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
    monkeypatch.setattr("actors.workers.worker_processes.PROGRAM", named(sleeping))
    (tmp_path / "a.py").write_text("x = 1\n")
    settings = Settings()
    with trio.fail_after(60):
        async with open_service(settings, open_disk(str(tmp_path), settings), SingleUseBuilder()) as service:
            while not descendants() - before:  # noqa: ASYNC110  # another process sets no event
                await trio.sleep(0.01)
            assert service.latest.get() is None
            begin = time.monotonic()
        assert time.monotonic() - begin < 2
    assert descendants() <= before


async def test_a_slow_file_costs_its_time_limit_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.workers.worker_processes.PROGRAM", named(sleeping))
    (tmp_path / "a.py").write_text("x = 1\n")
    settings = Settings(file_timeout_s=0.2)
    with trio.fail_after(60):
        async with open_service(settings, open_disk(str(tmp_path), settings), SingleUseBuilder()) as service:
            assert await service.wait_built() is None
            published = service.latest.get()
            assert published is not None
            assert published.files["a.py"].skipped == SkipReason.TIMEOUT


ORPHANING = """
import sys, trio
from actors.processes.memory_grants import Memory
from actors.messaging.messages import FileJob, FileStat
from actors.processes.memory_grants import memory_for
from actors.workers import worker_processes
from tests.system.process import wait_gone
from tests.actors.worker_programs import named, sleeping

async def main(root):
    async with worker_processes.open_processes(root, 1000, memory_for(0), 1) as workers, workers.take(0) as worker:
        print(worker.process.pid, flush=True)
        await worker.extract([FileJob("a.py", FileStat(1, 1))])

worker_processes.PROGRAM = named(sleeping)
trio.run(main, sys.argv[1])
"""


async def test_a_worker_at_work_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ORPHANING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROJECT) as parent:  # noqa: ASYNC220 - for the test alone
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    await wait_gone([worker])


LOOKING = (
    "import os, sys; from actors.processes.parent_death import look_for; look_for(int(sys.argv[1])); os.read(0, 1)"
)


@pytest.mark.parametrize(("is_parent", "code"), [(True, 0), (False, ORPHANED)])
def test_where_the_kernel_does_not_end_it_a_process_looks_for_its_parent(is_parent: bool, code: int) -> None:
    command = [sys.executable, "-c", LOOKING, str(os.getpid() if is_parent else os.getppid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=PROJECT) as process:
        if code:
            assert process.wait(timeout=60) == code
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=60) == code


PARSERS_MAX_BYTES = 70_000_000
STACK_BYTES = 1_000_000
"""The limit does not count it."""


async def test_workers_together_keep_to_their_memory_and_what_takes_more_is_skipped(tmp_path: Path) -> None:
    """An open parenthesis takes 280 bytes: three files fit one after the other, the fourth does not."""
    for number in range(3):
        (tmp_path / f"a{number}.py").write_bytes(b"(" * 150_000)
    (tmp_path / "large.py").write_bytes(b"(" * 300_000)
    (tmp_path / "ordinary.py").write_text("def f(): ...\n")
    settings = Settings(workers=4, file_timeout_s=60)
    disk = open_disk(str(tmp_path), settings, Memory(math.inf, PARSERS_MAX_BYTES))
    before, peak = descendants(), 0

    async def weigh() -> None:
        nonlocal peak
        while True:
            peak = max(peak, sum(map(private_bytes, descendants() - before)))
            await trio.sleep(0.01)

    with trio.fail_after(120):
        async with trio.open_nursery() as nursery, open_service(settings, disk, SingleUseBuilder()) as service:
            nursery.start_soon(weigh)
            assert await service.wait_built() is None
            nursery.cancel_scope.cancel()
    published = service.latest.get()
    assert published is not None
    assert sorted(published.snapshot.by_path) == ["a0.py", "a1.py", "a2.py", "ordinary.py"]
    assert published.files["large.py"].skipped == SkipReason.MEMORY
    assert "of the 70 MB that it might take" in published.files["large.py"].detail
    assert 40_000_000 < peak <= PARSERS_MAX_BYTES + STACK_BYTES


async def test_a_worker_looks_for_a_word(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def word(): ...  # word\n")
    (tmp_path / "b.py").write_text("sword = 1\n")
    (tmp_path / "c.py").write_bytes("word = 'word'\n".encode("utf-16"))
    jobs = [FileJob(name, FileStat(1, 1)) for name in ("a.py", "b.py", "c.py", "gone.py")]
    with trio.fail_after(60):
        async with open_processes(str(tmp_path), 1000, plenty(), 1) as workers, workers.take(0) as worker:
            found = msgspec.msgpack.decode(await worker.scan("word", jobs, 10.0), type=Scanned)
            late = msgspec.msgpack.decode(await worker.scan("word", jobs, -1.0), type=Scanned)
    natures = {file.path: [Nature(nature) for nature in rows(file.words)[2::3]] for file in found.files}
    assert natures == {"a.py": [Nature.CODE, Nature.COMMENT], "c.py": [Nature.CODE, Nature.STRING]}
    assert {file.path: file.digest for file in found.files}["a.py"] == digest_of((tmp_path / "a.py").read_bytes())
    assert (found.unseen, late.unseen) == ((), ("a.py", "b.py", "c.py", "gone.py"))


async def test_a_worker_reads_versions_of_contents_that_are_on_no_disk(tmp_path: Path) -> None:
    sources = [
        SourceText("a.py", b"def f(): ...\n"),
        SourceText("gone/b.py", "def g(): ...\n".encode("utf-16")),
        SourceText("c.py", b"\0" * 9),
        SourceText("d.py", b"x = 1\n" * 999),
        SourceText("\udcff.py", b"def h(): ...\n"),
    ]
    with trio.fail_after(60):
        async with open_processes(str(tmp_path), 1000, plenty(), 1) as workers, workers.take(0) as worker:
            found = msgspec.msgpack.decode(await worker.read_versions(sources), type=tuple[Version | None, ...])
    names = [None if version is None else version.qualified_names for version in found]
    assert names == [["", "f"], ["", "g"], None, None, ["", "h"]]
    assert found[0] is not None
    assert found[0].digest == digest_of(b"def f(): ...\n")
    assert found[0].fingerprints == version_of("a.py", b"def f(): ...\n").fingerprints
