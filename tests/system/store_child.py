"""A process that the tests of the store kill: a whole service with its store, its workers within the process.

Its first line on the pipe says whether the map, brought up to date from what the store had, is the one that a build
from nothing gives; then it edits and saves, as fast as it can, until it is killed. A second line says that some edits
are saved.
"""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import trio

from actors.indexing.latest_snapshot import Published
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.indexing.snapshot_codec import SnapshotCodec
from actors.messaging.log import LEAST, Severity
from actors.messaging.messages import FileJob, Rebuilt
from actors.ports import Worker, Workers
from actors.service.real_ports import Disk
from actors.service.service import Service
from actors.service.wiring import open_service
from actors.workers import extraction
from actors.workers.measuring import measure_files
from actors.workers.name_search import seek_names
from actors.workers.syntax_reading import read_syntax
from actors.workers.word_search import scan_files
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dump import edge_lines
from codemap.settings import Settings
from codemap.syntax import SyntaxWanted

FILES = 40
SAVES_TOLD = 5
SAVED = "saved"


class _Inside:
    def __init__(self, disk: InProcess) -> None:
        self._disk = disk

    @asynccontextmanager
    async def take(self, memory_bytes: float) -> AsyncIterator[Worker]:
        yield self

    def computed_s(self) -> float:
        return math.inf

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        disk = self._disk
        place = disk._place
        store = (place.path, place.facts_maker) if place is not None else ()
        known = [(job.path, job.known) for job in jobs]
        return await trio.to_thread.run_sync(partial(extraction.extract_files, disk.root, known, 1 << 20, *store))

    async def scan(self, word: str, files: Sequence[FileJob], time_s: float) -> bytes:
        paths = [job.path.encode() for job in files]
        return await trio.to_thread.run_sync(partial(scan_files, self._disk.root, paths, 1 << 20, word, time_s))

    async def measure(self, files: Sequence[FileJob], time_s: float) -> bytes:
        paths = [job.path.encode() for job in files]
        return await trio.to_thread.run_sync(partial(measure_files, self._disk.root, paths, 1 << 20, time_s))

    async def seek(
        self,
        names: tuple[str, ...],
        names_of_each: tuple[tuple[str, ...], ...],
        files: Sequence[FileJob],
        time_s: float,
    ) -> bytes:
        paths = [job.path.encode() for job in files]
        call = partial(seek_names, self._disk.root, paths, 1 << 20, names, names_of_each, time_s)
        return await trio.to_thread.run_sync(call)

    async def read_syntax(self, file: FileJob, wanted: SyntaxWanted) -> bytes:
        return await trio.to_thread.run_sync(partial(read_syntax, self._disk.root, file.path, 1 << 20, wanted))


class InProcess(Disk):
    """The disk, with extraction on threads: a process that starts no others can be killed whole, and starts fast."""

    @asynccontextmanager
    async def open_workers(self) -> AsyncIterator[Workers]:
        yield _Inside(self)


def source(number: int, edit: int) -> str:
    """A file that uses two others."""
    near, far = (number + 1) % FILES, (number * 7 + edit) % FILES
    return (
        f"from f{near} import Class{near}\nimport f{far}\n\n\n"
        f"class Class{number}(Class{near}):\n    def method{edit % 5}(self): return f{far}.function{far}(self)\n\n\n"
        f"def function{number}(x: Class{near}): x.method{(edit + 1) % 5}()\n" + f"# {edit}\n" * (edit % 7)
    )


def write_files(root: Path) -> None:
    for number in range(FILES):
        (root / f"f{number}.py").write_text(source(number, 0))


def live(root: Path, folder: Path, seed: int, pipe: Connection) -> None:
    """Runs until killed."""
    LEAST.set(Severity.ERROR)
    trio.run(_live, root, folder, seed, pipe)


async def _live(root: Path, folder: Path, seed: int, pipe: Connection) -> None:
    settings = Settings(store_dir=str(folder), watch="off", workers=2)
    disk = InProcess(str(root), settings)
    chance = random.Random(seed)
    async with open_service(settings, disk, SingleUseBuilder(), codec=SnapshotCodec()) as service:
        await service.wait_built()
        rebuilt = await service.rebuild()
        assert isinstance(rebuilt, Rebuilt)
        pipe.send(
            (await trio.to_thread.run_sync(difference, root, latest(service)), service.is_warm, warnings(service))
        )
        for number_of_saves in range(10_000):
            if number_of_saves == SAVES_TOLD:
                pipe.send(SAVED)
            for _ in range(chance.choice((1, 1, 5, FILES))):
                number = chance.randrange(FILES)
                edit = chance.randrange(1000)
                await trio.to_thread.run_sync((root / f"f{number}.py").write_text, source(number, edit))
            await service.rebuild()
            await service.save()


def latest(service: Service[Snapshot]) -> Published[Snapshot]:
    published = service.latest.get()
    assert published is not None
    return published


def warnings(service: Service[Snapshot]) -> list[str]:
    return list(service.store_warnings)


def difference(root: Path, published: Published[Snapshot]) -> str:
    """How a map differs from one that is built of the same files from nothing; empty: not at all."""
    sources = {path.name: path.read_bytes() for path in sorted(root.glob("*.py"))}
    right, found = build_snapshot(sources), published.snapshot
    for what, left, other in (
        ("files", [file.path for file in found.files], [file.path for file in right.files]),
        ("contents", [file.stamp.digest for file in found.files], [file.stamp.digest for file in right.files]),
        ("facts", [file.facts for file in found.files], [file.facts for file in right.files]),
        ("nodes", [found.id_of(n) for n in range(found.node_count)], [right.id_of(n) for n in range(right.node_count)]),
        ("edges", edge_lines(found), edge_lines(right)),
    ):
        if left != other:
            extra = [one for one in left if one not in other]
            return f"{what}: {extra} instead of {[one for one in other if one not in left]}"
    return ""
