"""The real port: one root folder on disk, worker processes through trio-parallel, threads, the wall clock."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar

import trio
import trio_parallel

from actors import reading, worker
from actors.folders import Ground, ground_of
from actors.git import Refusal, find_git, tracked_though_ignored
from actors.listing import list_paths, list_tree
from actors.log import Severity, log
from actors.messages import FileJob, FileStat
from actors.paths import inside
from actors.ports import Content, Glance, Listing, Watch, WorkerDied, Workers
from actors.store_file import StoreFile
from actors.store_place import StorePlace, store_place
from actors.tree_watch import TreeWatch
from codemap.settings import Settings

T = TypeVar("T")

IDLE_S = 300.0
"""An idle worker ends after this: it holds tens of megabytes, and a new one takes a fifth of a second."""

GRACE_S = 2.0
"""How long an idle worker may take to end before it is killed."""


STATS_A_STEP = 512
"""So many files are asked about at a time, on the loop: some two milliseconds. A thread would let go of the interpreter
at each of them, and wait for it when others compute: ten times as long, to their cost too."""


class Disk:
    """The effects of one root; see `Ports`."""

    def __init__(
        self,
        root: str,
        settings: Settings,
        *,
        lister: Callable[[str], Awaitable[Listing]] | None = None,
    ) -> None:
        """`lister` gives the files under a scope, in place of `list_tree`."""
        self.root = os.path.realpath(root)
        self._settings = settings
        self._lister = lister or partial(list_tree, root, settings)
        self._max_file_bytes = settings.file_max_bytes
        self.worker_capacity = settings.workers or available_cores()
        self._place: StorePlace | None = None

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
        git = await trio.to_thread.run_sync(find_git, os.environ.get("PATH", os.defpath))
        said = await tracked_though_ignored(git, real)
        kept = [] if isinstance(said, Refusal) else said.names
        return await trio.to_thread.run_sync(ground_of, real, self._settings.exclude, kept)

    async def stat_files(self, paths: Iterable[str]) -> dict[str, FileStat]:
        wanted = list(paths)
        found: dict[str, FileStat] = {}
        for begin in range(0, len(wanted), STATS_A_STEP):
            if begin:
                await trio.lowlevel.checkpoint()
            found |= reading.stat_files(self.root, wanted[begin : begin + STATS_A_STEP])
        return found

    async def read_files(self, paths: Iterable[str]) -> dict[str, Content]:
        read = await self.run_in_thread(partial(_read_inside, self.root, list(paths), self._max_file_bytes))
        return {path: Content(*parts) for path, parts in read.items()}

    @asynccontextmanager
    async def open_workers(self) -> AsyncIterator[Workers]:
        opened = trio_parallel.open_worker_context(
            idle_timeout=IDLE_S, init=worker.start, retire=worker.is_spent, grace_period=GRACE_S
        )
        context = await opened.__aenter__()
        try:
            yield _Processes(context, self.root, self._max_file_bytes, self._place)
        finally:
            try:
                await opened.__aexit__(None, None, None)
            except trio_parallel.BrokenWorkerError as error:  # how workers end hides no fault of whoever used them
                log("worker-unclean", Severity.WARNING, detail=error.args[0])

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


class _Processes:
    def __init__(
        self, context: trio_parallel.WorkerContext, root: str, max_file_bytes: int, place: StorePlace | None
    ) -> None:
        self._stored = (place.path, place.facts_maker) if place is not None else ()
        self._context = context
        self._root = root
        self._max_file_bytes = max_file_bytes
        self._limiter = trio.CapacityLimiter(math.inf)

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        call = partial(
            self._context.run_sync,
            worker.extract_files,
            self._root,
            [(job.path, job.known) for job in jobs],
            self._max_file_bytes,
            *self._stored,
            kill_on_cancel=True,
            limiter=self._limiter,
        )
        try:
            answer: bytes = await call()
        except trio_parallel.BrokenWorkerError as error:
            raise WorkerDied(_exit_of(error)) from error
        except OSError as error:
            if error.errno is not None:
                raise
            raise WorkerDied(str(error)) from error  # it was killed while it wrote its answer
        return answer


def _read_inside(root: str, paths: Sequence[str], max_bytes: int) -> dict[str, tuple[FileStat, bytes, bool]]:
    """`read_files` without those whose folders are links that lead out of the root: callers may name any path."""
    return reading.read_files(root, [path for path in paths if inside(root, path)], max_bytes)


def open_disk(root: str, settings: Settings) -> Disk:
    """The port for a root, as the settings want it."""
    return Disk(root, settings)


def _exit_of(error: trio_parallel.BrokenWorkerError) -> str:
    return f"exit code {getattr(error.args[-1], 'exitcode', None)}"


def available_cores() -> int:
    """The cores that this process may use; a container's share, where Python can tell it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
