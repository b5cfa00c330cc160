"""The real `Ports`: one root folder on disk, worker processes, threads, the wall clock."""

from __future__ import annotations

import ctypes
import gc
import os
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar

import trio

from actors.database.store_file import StoreFile
from actors.database.store_location import StorePlace, store_place
from actors.files import reading
from actors.files.atomic_writes import replace_files
from actors.files.paths import inside
from actors.files.reports import read_report
from actors.files.repository import Repository, head_stamp, repository_around
from actors.listing.git import Refusal, ask, find_git, open_stream
from actors.listing.listing import Said, ask_git, list_paths, list_tree
from actors.listing.watched_folders import Ground, ground_of
from actors.messaging.messages import FileStat
from actors.ports import (
    Content,
    GitOutput,
    GitStamp,
    GitStream,
    Glance,
    Listing,
    NoGit,
    NoReport,
    RootIdentity,
    Watch,
    Workers,
)
from actors.processes.memory_grants import Memory, memory_for
from actors.processes.scanners import CannotScan, scan
from actors.watch.event_meanings import TreeWatch
from actors.workers.worker_processes import open_processes
from codemap.extract.skipped_files import SkipReason
from codemap.live_queries import NewContent
from codemap.settings import Settings

T = TypeVar("T")

STATS_A_STEP = 512
"""Files stat'ed in one step on the event loop: some two milliseconds. A thread would release and reacquire the
interpreter lock at each of them, which takes ten times as long while others compute."""

READS_A_STEP = 16
"""Files that are in memory and read in one step on the event loop, likewise."""


class Disk:
    """The real effects on one root; see `Ports`."""

    def __init__(
        self,
        root: str,
        settings: Settings,
        *,
        lister: Callable[[str], Awaitable[Listing]] | None = None,
        memory: Memory | None = None,
    ) -> None:
        """`lister` lists the files under a scope, in place of `list_tree`; `memory` is shared by all roots of a
        process."""
        self.root = os.path.realpath(root)
        self._settings = settings
        self._lister = lister or partial(list_tree, root, settings)
        self.file_max_bytes = settings.file_max_bytes
        self.memory = memory or memory_for(settings.memory_mb)
        self.worker_capacity = (isinstance(settings.workers, int) and settings.workers) or available_cores()
        self._place: StorePlace | None = None

    def root_identity(self) -> RootIdentity | None:
        try:
            status = os.stat(self.root)
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None

    async def replace_files(self, files: Sequence[NewContent]) -> str:
        if self._settings.edits != "on":
            return "edits are off: the user may allow them by starting codemap with --edits on"
        return await trio.to_thread.run_sync(replace_files, self.root, tuple(files))

    async def list_files(self, scope: str) -> Listing:
        return await self._lister(scope)

    async def list_paths(self, paths: Collection[str], known: Collection[str]) -> Glance | None:
        return await list_paths(self.root, self._settings, paths, known)

    @contextmanager
    def open_watch(self) -> Iterator[Watch]:
        watch = TreeWatch(self._survey)
        try:
            yield watch
        finally:
            watch.close()

    async def _survey(self) -> Ground:
        real = os.fsencode(self.root)
        around = await trio.to_thread.run_sync(repository_around, real)
        said = Said()
        if around is not None:
            said = await ask_git(await trio.to_thread.run_sync(find_git, os.environ, self.root), around, real)
        exclude = self._settings.exclude
        return await trio.to_thread.run_sync(ground_of, real, around, exclude, said.excludes, said.tracked)

    async def stat_files(self, paths: Iterable[str]) -> dict[str, FileStat]:
        wanted = list(paths)
        found: dict[str, FileStat] = {}
        for begin in range(0, len(wanted), STATS_A_STEP):
            if begin:
                await trio.lowlevel.checkpoint()
            found |= reading.stat_files(self.root, wanted[begin : begin + STATS_A_STEP])
        return found

    async def read_files(self, paths: Iterable[str], max_bytes: int | None = None) -> dict[str, Content]:
        most = self.file_max_bytes if max_bytes is None else max_bytes
        wanted = [*paths]
        read: dict[str, reading.Contents] = {}
        if len(wanted) <= READS_A_STEP:
            read = reading.read_cached_files(self.root, wanted, most)
            # Of the others, what is not there needs no thread.
            wanted = [*reading.stat_files(self.root, wanted)]
        if rest := [path for path in wanted if path not in read]:
            read |= await self.run_in_thread(partial(_read_inside, self.root, rest, most))
        return {path: Content(*parts) for path, parts in read.items()}

    async def read_report(self, path: str, max_bytes: int) -> bytes | NoReport:
        read = await self.run_in_thread(partial(read_report, self.root, self._settings.reports, path, max_bytes))
        return NoReport(read) if isinstance(read, str) else read

    async def run_scanner(self, program: str, max_bytes: int) -> bytes | NoReport:
        try:
            return await scan(self.root, os.environ, program, max_bytes)
        except CannotScan as error:
            return NoReport(str(error), error.hint)
        except OSError as error:
            return NoReport(f"{program} cannot be run: {error.strerror}")

    async def ask_git(self, words: Sequence[str], stdin: bytes = b"") -> GitOutput | NoGit:
        real = os.fsencode(self.root)
        around = await trio.to_thread.run_sync(repository_around, real)
        if around is None:
            return NoGit(f"{self.root} is in no git repository", is_there=False)
        git = await trio.to_thread.run_sync(find_git, os.environ, self.root)
        if git is None:
            return NoGit("git is not installed", is_there=False)
        index_ns = await trio.to_thread.run_sync(_written_ns, os.path.join(around.own, b"index"))
        said = await ask(git, around, words, stdin)
        if isinstance(said, Refusal):
            return NoGit(said.sentence, is_there=True)
        return GitOutput(said, _above(real, around), index_ns)

    @asynccontextmanager
    async def stream_git(self, words: Sequence[str]) -> AsyncIterator[GitStream | NoGit]:
        around = await trio.to_thread.run_sync(repository_around, os.fsencode(self.root))
        if around is None:
            yield NoGit(f"{self.root} is in no git repository", is_there=False)
            return
        git = await trio.to_thread.run_sync(find_git, os.environ, self.root)
        async with open_stream(git, around, words) as stream:
            yield NoGit(stream.sentence, is_there=git is not None) if isinstance(stream, Refusal) else stream

    def git_stamp(self) -> GitStamp | None:
        real = os.fsencode(self.root)
        around = repository_around(real)
        if around is None:
            return None
        return GitStamp(head_stamp(around), _written_ns(os.path.join(around.own, b"index")), _above(real, around))

    def open_workers(self) -> AbstractAsyncContextManager[Workers]:
        store = (self._place.path, self._place.facts_maker) if self._place is not None else ()
        kept = (SkipReason.GENERATED,) if self._settings.include_generated == "on" else ()
        return open_processes(self.root, self.file_max_bytes, self.memory, self.worker_capacity, *store, kept=kept)

    def open_store(self) -> StoreFile | None:
        self._place = store_place(self.root, self._settings, os.environ)
        return StoreFile(self._place) if self._place is not None else None

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(function, abandon_on_cancel=True)

    def wall_ns(self) -> int:
        return time.time_ns()

    def return_memory(self) -> None:
        # A collection of all generations empties the free lists of tuples, lists and the like, each of which may be all
        # that is left in a megabyte. What it would look at besides is put out of its sight: that would take long.
        gc.freeze()
        gc.collect()
        self.return_free()

    def return_free(self) -> None:
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc; others return what is free by themselves
        if trim is not None:
            trim(0)


def _above(root: bytes, around: Repository) -> str:
    """Finds the root's path in its repository; see `GitOutput.above`."""
    above = root[len(around.top.rstrip(b"/")) :].lstrip(b"/")
    return os.fsdecode(above + b"/") if above else ""


def _written_ns(path: bytes) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _read_inside(root: str, paths: Sequence[str], max_bytes: int) -> dict[str, reading.Contents]:
    """Reads files, except those reached by links that lead out of the root: callers may name any path."""
    return reading.read_files(root, [path for path in paths if inside(root, path)], max_bytes)


def open_disk(root: str, settings: Settings, memory: Memory | None = None) -> Disk:
    """Makes the port for a root by the settings; `memory` is shared by several roots."""
    return Disk(root, settings, memory=memory)


def available_cores() -> int:
    """Counts the cores that this process may use; a container's share, where Python knows it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
