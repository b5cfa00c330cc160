"""The one port for effects that the virtual clock cannot see: files, worker processes, threads, the wall clock.

Actors take a `Ports` and touch nothing else outside the process. `actors/service/real_ports.py` is the real one; the
tests bring a fake, and one conformance suite runs on both. The file is long because it is the one place that lists
effects.
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
from codemap.extract.skipped_files import SkipReason
from codemap.live_queries import NewContent
from codemap.syntax import SyntaxWanted

T = TypeVar("T")


class WorkerDied(Exception):
    """Raised when a worker process ended before it answered; the message says how."""


class WorkerOutOfMemory(WorkerDied):
    """Raised when a worker process most likely ended because it reached its memory limit."""


class WorkerCannotStart(Exception):
    """Raised when no worker process can start, whatever its job; the message says why, as a clause."""


RootIdentity = tuple[int, int]
"""Device and inode of a folder: they distinguish it from another folder at the same path."""


class Listing(msgspec.Struct, frozen=True):
    """The files on disk now that should be indexed."""

    files: Mapping[str, FileStat]
    """Files of the languages, by path relative to the root, with `/`."""
    configs: Mapping[str, FileStat] = {}
    """Configuration files that the languages ask for, by path; one may be among `files` too."""
    skipped: Mapping[str, SkipReason] = {}
    """Files that were seen and should not be read."""
    others: Mapping[str, int] = {}
    """Number of files that no language knows, by the ending of their name (`.rst`, or empty)."""
    unknown: Mapping[str, FileStat] = {}
    """The files that no language knows, configuration files among them."""
    warnings: tuple[str, ...] = ()
    """Sentences for people that say what the listing could not do."""


class Glance(Listing, frozen=True):
    """What a listing would say of some paths, and no others."""

    ignored: frozenset[str] = frozenset()
    """Files of the languages that exist and should not be indexed."""


class LostBecause(Enum):
    OVERFLOW = "overflow"
    ROOT = "root"
    RULES = "rules"


class Touched(msgspec.Struct, frozen=True):
    """A file was created, removed or written, or its times or permissions changed."""

    path: str


class Came(msgspec.Struct, frozen=True):
    """A folder was created, or its permissions changed: its content is unknown and not watched yet."""

    folder: str


class Gone(msgspec.Struct, frozen=True):
    """A folder was removed with everything in it."""

    folder: str


class Indexed(msgspec.Struct, frozen=True):
    """git's index was written: git may track other files now."""


class Lost(msgspec.Struct, frozen=True):
    """Events were lost: anything may have changed, ignore rules included."""

    why: LostBecause


Event = Touched | Came | Gone | Indexed | Lost


class Unwatchable(Exception):
    """Raised when the system gives no events; the message is a sentence for people, without its full stop."""


def away_because(ports: Ports, known: RootIdentity | None) -> str:
    """Says as a clause why the root is not the known folder any more; empty where it is, or where none is known."""
    root = ports.root_identity()
    if root is None:
        return f"the folder {ports.root} is not there"
    return "" if known in (None, root) else f"the folder {ports.root} was replaced by another one"


class Watch(Protocol):
    """Events from the folders of the root that contain files to index, or could. Used by one task at a time.

    `read` reports what changes in a folder after it was covered. An event is a hint: it may be late, come twice, or
    be about nothing.
    """

    @property
    def folders(self) -> int:
        """The number of watched folders."""
        ...

    async def cover_all(self) -> None:
        """Watches exactly the folders that can contain files to index now. Raises Unwatchable."""
        ...

    async def cover(self, folder: str) -> bool:
        """Watches a folder and those below it that can contain files to index; False where none can. Raises
        Unwatchable."""
        ...

    async def has_new_rules(self) -> bool:
        """Whether ignore rules changed since `cover_all`, so that other folders or files may have to be indexed."""
        ...

    async def wait(self) -> None:
        """Waits until `read` may have events."""
        ...

    def read(self) -> list[Event]:
        """Reads the queued events, oldest first; everything that was done before this call is among them, unless
        there are many: then more come from the next call."""
        ...


class GitOutput(msgspec.Struct, frozen=True):
    """What git printed."""

    text: bytes
    above: str
    """Path of the root in its repository, with a `/` at the end; empty at its top."""
    index_ns: int = 0
    """When git's index was written, in nanoseconds, read before git was asked; 0 where there is none."""


class NoGit(msgspec.Struct, frozen=True):
    """git could not do what it was asked."""

    why: str
    """The reason, as a clause."""
    is_there: bool
    """Whether git and a repository exist, so that only this command failed."""


class NoReport(msgspec.Struct, frozen=True):
    """A report could not be read or made."""

    why: str
    """The reason, as a clause."""
    hint: str = ""
    """What to do about it, as a sentence."""


class GitStamp(msgspec.Struct, frozen=True):
    """A state of a repository: stamps differ wherever something may have changed."""

    head: object
    """Hash of the commit that is checked out."""
    index: object
    above: str = ""
    """As in `GitOutput`."""


class GitStream(Protocol):
    """The output of a running git. Used by one task at a time."""

    async def read(self) -> bytes:
        """Reads the next bytes; empty at the end. When cancelled, nothing is lost."""
        ...

    async def failure(self) -> str:
        """Says as a clause why git failed, after everything was read; empty where it succeeded."""
        ...


class Content(msgspec.Struct, frozen=True):
    stat: FileStat
    """Size and times, taken before the content was read."""
    content: bytes
    is_settled: bool
    """False where a later change might leave the stat alone."""


class Worker(Protocol):
    """A worker process. Used by one task at a time."""

    def computed_s(self) -> float:
        """Seconds of processor time that it has taken since it was asked last; infinite where the system does not
        tell."""
        ...

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        """Extracts the facts of files: a msgpack array of outcomes, in the order of the jobs.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def look_up(self, jobs: Sequence[FileJob], has_marks: bool) -> bytes:
        """Reads files and looks their facts up in the store: a msgpack array of outcomes, in the order of the jobs, or
        `Unparsed`, with marks if they are wanted.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def scan(self, word: str, files: Sequence[FileJob], time_s: float) -> bytes:
        """Looks for a word in some files for about `time_s` seconds: a packed `Scanned`.

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
        """Looks for names in some files for about `time_s` seconds, see `Seek`: a packed `Sought`.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def read_syntax(self, file: FileJob, wanted: SyntaxWanted) -> bytes:
        """Finds the parts of definitions in a file: a packed `SyntaxRead`.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def measure(self, files: Sequence[FileJob], time_s: float) -> bytes:
        """Measures the complexity of some files for about `time_s` seconds: a packed `MeasuresRead`.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...

    async def read_versions(self, sources: Sequence[SourceText]) -> bytes:
        """Reads versions of files: a msgpack array in the order of `sources`, null for one that cannot be read.

        Raises WorkerDied. When cancelled, or after that, the worker is killed and of no more use.
        """
        ...


class Workers(Protocol):
    """Worker processes, started on demand and reused."""

    def take(self, memory_bytes: float) -> AbstractAsyncContextManager[Worker]:
        """Reserves a ready worker that may use `memory_bytes` or more while the context lasts; where the machine has
        less, it may use all there is. Callers keep to `worker_capacity`.

        Waits for memory. Entering it raises WorkerCannotStart.
        """
        ...


class ClusterTrouble(Exception):
    """Raised when a cluster cannot do what it was asked; the message says why, as a clause."""


class Cluster(Protocol):
    """Parser processes of other machines. Several tasks may use it at a time."""

    @property
    def batches(self) -> int:
        """How many batches it works on at the same time now."""
        ...

    async def parse(self, files: Sequence[tuple[str, bytes]]) -> bytes:
        """Parses one batch of files, by path and digest of the content: a packed `ClusterAnswer`.

        Raises ClusterTrouble. When cancelled, the cluster may go on for a while, and nobody hears of it.
        """
        ...

    async def wait_lost(self) -> str:
        """Waits until it cannot be asked any more; says why, as a clause."""
        ...


class Ports(Protocol):
    """Every effect. All paths are relative to one root, with `/`."""

    @property
    def root(self) -> str:
        """Absolute path of the root, links resolved."""
        ...

    def root_identity(self) -> RootIdentity | None:
        """Identifies the folder at the root's path now; None where there is none. Costs a system call."""
        ...

    async def list_files(self, scope: str) -> Listing:
        """Lists the files under `scope` (a file or folder; empty: the root). Raises OSError when the root cannot be
        read."""
        ...

    async def list_paths(self, paths: Collection[str], known: Collection[str]) -> Glance | None:
        """Lists only some paths, as `list_files("")` would; None where a full listing is needed, or costs less.

        A folder ends with `/` and stands for all below it. `known` are files that the last listing spoke of, and that
        no ignore rule has changed for since.
        """
        ...

    def open_watch(self) -> AbstractContextManager[Watch]:
        """Opens a watch of the root. Entering the context raises Unwatchable where the system gives no events."""
        ...

    async def stat_files(self, paths: Iterable[str]) -> dict[str, FileStat]:
        """Stats regular files; missing paths and other kinds of files are left out."""
        ...

    async def read_files(self, paths: Iterable[str], max_bytes: int | None = None) -> dict[str, Content]:
        """Reads small files; those that cannot be read, lie outside or exceed the size limit (`file_max_bytes`, where
        None is given) are left out."""
        ...

    async def replace_files(self, files: Sequence[NewContent]) -> str:
        """Replaces the contents of all the files, or of none: then says why, as a clause. Never cancelled midway."""
        ...

    async def read_report(self, path: str, max_bytes: int) -> bytes | NoReport:
        """Reads a report of findings: a file under the root, or one that the user's settings allow."""
        ...

    async def run_scanner(self, program: str, max_bytes: int) -> bytes | NoReport:
        """Runs a security or lint tool on the root, with codemap's own configuration of it, and returns its report.

        Nothing that lies in the repository is run or configures it, and nothing is written. When cancelled, it is
        killed.
        """
        ...

    async def ask_git(self, words: Sequence[str], stdin: bytes = b"") -> GitOutput | NoGit:
        """Runs a git command (`words`) in the repository around the root, with a text on its stdin.

        Nothing that a repository configures is run, and nothing is written. When cancelled, git is killed.
        """
        ...

    def stream_git(self, words: Sequence[str]) -> AbstractAsyncContextManager[GitStream | NoGit]:
        """Runs a git command whose output is read while it runs; git is killed when the context ends."""
        ...

    def git_stamp(self) -> GitStamp | None:
        """Stamps the present state of the repository around the root; None where there is none. Costs a few system
        calls."""
        ...

    @property
    def memory(self) -> Memory:
        """The memory account of this process and all that it starts: limits and present use."""
        ...

    @property
    def file_max_bytes(self) -> int:
        """Size limit of files that are read, in bytes."""
        ...

    @property
    def worker_capacity(self) -> int:
        """Number of worker processes that may run at the same time."""
        ...

    def open_workers(self) -> AbstractAsyncContextManager[Workers]:
        """Opens the worker processes; those that do not end with the context are killed."""
        ...

    def open_store(self) -> StoreFile | None:
        """Opens the database of parsed facts, which workers then read, too; None where the settings want none.

        Nothing is opened before its first use.
        """
        ...

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        """Runs a blocking function in a thread. When cancelled, its result is dropped."""
        ...

    def wall_ns(self) -> int:
        """Reads the wall clock: nanoseconds since the epoch."""
        ...

    def return_memory(self) -> None:
        """Freezes the living objects for the garbage collector and returns freed memory to the system. Takes some ten
        milliseconds: for after a large piece of work."""
        ...

    def return_free(self) -> None:
        """Returns memory to the system that is free already. Takes a few milliseconds."""
        ...
