"""The one port for effects that the virtual clock cannot see: files, worker processes, threads, the wall clock.

Actors take a `Ports` and touch nothing else outside the process. `actors/disk.py` is the real one; the tests bring a
fake, and one conformance suite runs on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

import msgspec

from actors.messages import FileJob, FileStat
from codemap.extract.skip import SkipReason

T = TypeVar("T")


class WorkerDied(Exception):
    """The worker process ended before it answered."""


class Listing(msgspec.Struct, frozen=True):
    """What stands on disk now, as far as it is to be indexed."""

    files: Mapping[str, FileStat]
    """Files of the languages, by path relative to the root, with `/`."""
    configs: Mapping[str, FileStat] = {}
    """Configuration files that the languages ask for, by path; one may be among `files` too."""
    skipped: Mapping[str, SkipReason] = {}
    """Files that were seen and are not to be read."""
    others: Mapping[str, int] = {}
    """How many files no language knows, by the ending of their name (`.rst`, or empty)."""
    warnings: tuple[str, ...] = ()
    """Sentences for people: what the listing could not do."""


class Content(msgspec.Struct, frozen=True):
    stat: FileStat
    """Taken before the content was read."""
    content: bytes
    is_settled: bool
    """False where a later change might leave the stat alone."""


class Workers(Protocol):
    """Worker processes, started when a job needs one."""

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        """The outcomes of the jobs as a msgpack array, in their order.

        Raises WorkerDied. When cancelled, the worker is killed. Callers keep to `worker_capacity`.
        """
        ...


class Ports(Protocol):
    """Every effect. All paths are relative to one root, with `/`."""

    async def list_files(self, scope: str) -> Listing:
        """The files under `scope` (a file or folder; empty: the root). Raises OSError when the root cannot be read."""
        ...

    async def stat_files(self, paths: Iterable[str]) -> dict[str, FileStat]:
        """The stats of regular files; those that are not there, or are something else, are left out."""
        ...

    async def read_files(self, paths: Iterable[str]) -> dict[str, Content]:
        """The contents of small files; those that cannot be read, lie outside or exceed the size limit are left out."""
        ...

    @property
    def worker_capacity(self) -> int:
        """How many worker processes may run at the same time."""
        ...

    def open_workers(self) -> AbstractAsyncContextManager[Workers]:
        """Workers that end with the context, killed where they do not end by themselves."""
        ...

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        """The result of a function that would hold up the loop. When cancelled, its result is dropped."""
        ...

    def wall_ns(self) -> int:
        """Nanoseconds since the epoch."""
        ...
