"""The one port for effects that the virtual clock cannot see: files, worker processes, threads, the wall clock.

Actors take a `Ports` and touch nothing else outside the process. `actors/service/disk.py` is the real one; the tests
bring a fake, and one conformance suite runs on both. The file is long because it is the one place that lists effects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from enum import Enum
from typing import Protocol, TypeVar

import msgspec

from actors.database.store_file import StoreFile
from actors.messaging.messages import FileJob, FileStat, SourceText
from actors.processes.memory_grants import Memory
from codemap.extract.skip import SkipReason
from codemap.live import NewContent

T = TypeVar("T")


class WorkerDied(Exception):
    """The worker process ended before it answered; the message says how."""


class WorkerOutOfMemory(WorkerDied):
    """It ended as it took what memory it may, most likely."""


class WorkerCannotStart(Exception):
    """No worker process is to be had, whatever its job; the message says why, as a clause."""


RootIdentity = tuple[int, int]
"""Device and inode of a folder: another one at the same path has others."""


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
    unknown: Mapping[str, FileStat] = {}
    """Those files, configuration files among them."""
    warnings: tuple[str, ...] = ()
    """Sentences for people: what the listing could not do."""


class Glance(Listing, frozen=True):
    """What a listing would say of some paths."""

    ignored: frozenset[str] = frozenset()
    """Files of the languages that are there, and are not to be indexed."""


class LostBecause(Enum):
    OVERFLOW = "overflow"
    ROOT = "root"
    RULES = "rules"


class Touched(msgspec.Struct, frozen=True):
    """A file came, went, was written, or has other times or permissions."""

    path: str


class Came(msgspec.Struct, frozen=True):
    """A folder came, or can be read now or no longer: what is in it is unknown, and not watched yet."""

    folder: str


class Gone(msgspec.Struct, frozen=True):
    """A folder went, with all that was in it."""

    folder: str


class Indexed(msgspec.Struct, frozen=True):
    """git tracks other files now, perhaps."""


class Lost(msgspec.Struct, frozen=True):
    """Anything may have changed, what is ignored included."""

    why: LostBecause


Event = Touched | Came | Gone | Indexed | Lost


class Unwatchable(Exception):
    """No events can be had; the message is a sentence for people, without its full stop."""


def away_because(ports: Ports, known: RootIdentity | None) -> str:
    """Why the root is not the folder that is known, as a clause; empty where it is, or none is known."""
    root = ports.root_identity()
    if root is None:
        return f"the folder {ports.root} is not there"
    return "" if known in (None, root) else f"the folder {ports.root} was replaced by another one"


class Watch(Protocol):
    """Events from the folders of the root that hold files to index, or could. One task at a time uses it.

    `read` reports what changes in a folder after it was covered. An event is a hint: it may be late, come twice, or
    be about nothing.
    """

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        ...

    async def cover_all(self) -> None:
        """Watches all folders that count now, and no others. Raises Unwatchable."""
        ...

    async def cover(self, folder: str) -> bool:
        """Watches a folder and all below it, as far as they count; whether any does. Raises Unwatchable."""
        ...

    async def has_new_rules(self) -> bool:
        """Whether other folders may count, or other files, than when all were covered."""
        ...

    async def wait(self) -> None:
        """Returns when `read` may have something."""
        ...

    def read(self) -> list[Event]:
        """The events that are there now, oldest first; everything that was done before this call is among them, unless
        there are many: then more come from the next call."""
        ...


class GitOutput(msgspec.Struct, frozen=True):
    """What git printed."""

    text: bytes
    above: str
    """Where the root is in its repository: with a `/` at the end, or empty."""
    index_ns: int = 0
    """When the index was written, as it was before git was asked; 0 where there is none."""


class NoGit(msgspec.Struct, frozen=True):
    """git did not do what it was asked."""

    why: str
    """As a clause."""
    is_there: bool
    """Whether there is a git and a repository, so that the words are what it could not do."""


class NoReport(msgspec.Struct, frozen=True):
    """There is no report."""

    why: str
    """As a clause."""
    hint: str = ""
    """What would help, as a sentence."""


class GitStamp(msgspec.Struct, frozen=True):
    """Of a repository; another one has other members where something may have changed."""

    head: object
    """Of the commit that is checked out."""
    index: object
    above: str = ""
    """As in `GitOutput`."""


class GitStream(Protocol):
    """What git prints, as it comes. One task at a time uses it."""

    async def read(self) -> bytes:
        """The next bytes; none at the end. When cancelled, nothing is lost."""
        ...

    async def failure(self) -> str:
        """Why git failed, as a clause, once all is read; empty where it did not."""
        ...


class Content(msgspec.Struct, frozen=True):
    stat: FileStat
    """Taken before the content was read."""
    content: bytes
    is_settled: bool
    """False where a later change might leave the stat alone."""


class Worker(Protocol):
    """A worker process, for one task at a time."""

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        """The outcomes of the jobs as a msgpack array, in their order.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def scan(self, word: str, files: Sequence[FileJob], time_s: float) -> bytes:
        """The `Scanned` of a look for a word in some files, packed; it takes little longer than its time.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def seek(
        self,
        names: tuple[str, ...],
        names_of_each: tuple[tuple[str, ...], ...],
        files: Sequence[FileJob],
        time_s: float,
    ) -> bytes:
        """The `Sought` of a look for names in some files, packed, see `Seek`; it takes little longer than its time.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def read_syntax(self, file: FileJob) -> bytes:
        """The `SyntaxRead` of a file, packed.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def measure(self, files: Sequence[FileJob], time_s: float) -> bytes:
        """The `MeasuresRead` of some files, packed; it takes little longer than its time.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def read_versions(self, sources: Sequence[SourceText]) -> bytes:
        """The versions of some contents as a msgpack array, in their order; null for what cannot be read.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...


class Workers(Protocol):
    """Worker processes, started when one is needed and kept for the next."""

    def take(self, memory_bytes: float) -> AbstractAsyncContextManager[Worker]:
        """A worker that is ready and may take so much memory, or more where there is more, for as long as the context
        lasts; where there is never so much, one that may take all there is. Callers keep to `worker_capacity`.

        Waits for memory. Entering it raises WorkerCannotStart.
        """
        ...


class Ports(Protocol):
    """Every effect. All paths are relative to one root, with `/`."""

    @property
    def root(self) -> str:
        """The absolute path of the root, links followed."""
        ...

    def root_identity(self) -> RootIdentity | None:
        """Which folder the root is now; None where there is none. Costs a system call."""
        ...

    async def list_files(self, scope: str) -> Listing:
        """The files under `scope` (a file or folder; empty: the root). Raises OSError when the root cannot be read."""
        ...

    async def list_paths(self, paths: Collection[str], known: Collection[str]) -> Glance | None:
        """What `list_files("")` would say of these paths; None where only that knows, or costs less.

        A folder ends with `/` and stands for all below it. `known` are files that the last listing spoke of, and that
        no ignore rule has changed for since.
        """
        ...

    def open_watch(self) -> AbstractContextManager[Watch]:
        """Entering it raises Unwatchable where no events can be had."""
        ...

    async def stat_files(self, paths: Iterable[str]) -> dict[str, FileStat]:
        """The stats of regular files; those that are not there, or are something else, are left out."""
        ...

    async def read_files(self, paths: Iterable[str]) -> dict[str, Content]:
        """The contents of small files; those that cannot be read, lie outside or exceed the size limit are left out."""
        ...

    async def replace_files(self, files: Sequence[NewContent]) -> str:
        """Gives all of some files new contents, or none: then why, as a clause. It is not cancelled midway."""
        ...

    async def read_report(self, path: str, max_bytes: int) -> bytes | NoReport:
        """The content of a report: of a file under the root, or one that the user's settings allow."""
        ...

    async def run_scanner(self, program: str, max_bytes: int) -> bytes | NoReport:
        """The report of a tool that looks for faults, on the root, with codemap's own configuration of it.

        Nothing that lies in the repository is run or configures it, and nothing is written. When cancelled, it is
        killed.
        """
        ...

    async def ask_git(self, words: Sequence[str], told: bytes = b"") -> GitOutput | NoGit:
        """What git says of the repository around the root, when it is given some words and a text on its stdin.

        Nothing that a repository configures is run, and nothing is written. When cancelled, git is killed.
        """
        ...

    def stream_git(self, words: Sequence[str]) -> AbstractAsyncContextManager[GitStream | NoGit]:
        """The same as it comes, for as long as the context lasts: git is killed at its end."""
        ...

    def git_stamp(self) -> GitStamp | None:
        """How the repository around the root is now; None where there is none. Costs a few system calls."""
        ...

    @property
    def memory(self) -> Memory:
        """What this process and all that it starts may take, and take."""
        ...

    @property
    def file_max_bytes(self) -> int:
        """The size of the largest file that is read."""
        ...

    @property
    def worker_capacity(self) -> int:
        """How many worker processes may run at the same time."""
        ...

    def open_workers(self) -> AbstractAsyncContextManager[Workers]:
        """Workers that end with the context, killed where they do not end by themselves."""
        ...

    def open_store(self) -> StoreFile | None:
        """The database that keeps what was parsed, of which workers then know too; None where none is wanted.

        Nothing is opened before its first use.
        """
        ...

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        """The result of a function that would hold up the loop. When cancelled, its result is dropped."""
        ...

    def wall_ns(self) -> int:
        """Nanoseconds since the epoch."""
        ...

    def return_memory(self) -> None:
        """Has the collector look at no object again that lives now, and gives the system back what this process has
        freed; some ten milliseconds, for after a large piece of work."""
        ...

    def return_free(self) -> None:
        """Gives back what is free as it is; a few milliseconds."""
        ...
