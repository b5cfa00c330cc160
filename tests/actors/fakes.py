"""The fake port: a disk in memory and workers that live in virtual time.

A file's first word decides what becomes of its extraction: `kill` ends the worker, `slow` never ends, `binary` is
skipped, `takes N` ends a worker that may take less than N bytes of memory, `computes N` takes N seconds of a processor.
The facts of any other file hold its content, so that a test can compare facts with the disk.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import AsyncIterator, Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar, get_origin, get_type_hints

import msgspec
import trio

from actors.files.reading import digest_of, is_settled
from actors.indexing.disk_diff import is_in
from actors.indexing.map_builder import MapBuilder
from actors.messaging.messages import (
    UNKNOWN_STAT,
    FileJob,
    FileStat,
    MeasuredFile,
    MeasuresRead,
    Outcome,
    Parsed,
    Same,
    Scanned,
    Skipped,
    SourceText,
    SyntaxRead,
    Unparsed,
)
from actors.ports import (
    Came,
    Content,
    Event,
    GitOutput,
    GitStamp,
    GitStream,
    Glance,
    Gone,
    Listing,
    Lost,
    LostBecause,
    NoGit,
    NoReport,
    Touched,
    Unwatchable,
    Watch,
    Worker,
    WorkerCannotStart,
    WorkerDied,
    WorkerOutOfMemory,
    Workers,
)
from actors.processes.memory_grants import Memory
from codemap.changes.version import Version
from codemap.extract.fingerprints import version_of
from codemap.extract.skipped_files import SkipReason
from codemap.facts import FileFacts
from codemap.graph.verified.confirmations import Confirmed
from codemap.live_queries import NewContent
from codemap.measures import FileMeasures
from codemap.mentions.seeking import Names, Sought, SoughtIn, seek
from codemap.occurrences.word_marks import marks_of
from codemap.occurrences.words import Nature, Sighted, look, offsets
from codemap.packed.packed_facts import pack_facts
from codemap.syntax import DefinitionSyntax, FileSyntax, SyntaxWanted

S = TypeVar("S")
T = TypeVar("T")

EPOCH_NS = 1_700_000_000_123_000_000
TICK_NS = 4_000_000
"""A kernel's grain of mtimes."""


class FakeFile(msgspec.Struct, frozen=True):
    content: bytes
    mtime_ns: int

    @property
    def stat(self) -> FileStat:
        return FileStat(len(self.content), self.mtime_ns)


class Chaos:
    """Decides where the world fails; the plain one never does."""

    def delay_s(self) -> float:
        return 0.0

    def strikes(self, what: str) -> bool:
        """Whether `what` (`list`, `worker`, `pool`, `build`) fails now."""
        return False


class RandomChaos(Chaos):
    def __init__(self, seed: int, chances: Mapping[str, float], delays_s: Sequence[float]) -> None:
        self._random = random.Random(seed)
        self._chances = dict(chances)
        self._delays_s = tuple(delays_s)

    def stop(self) -> None:
        self._chances = {}

    def delay_s(self) -> float:
        return self._random.choice(self._delays_s)

    def strikes(self, what: str) -> bool:
        return self._random.random() < self._chances.get(what, 0.0)


class FakeDisk:
    """A `Ports` over a dictionary. Times are virtual."""

    def __init__(self, files: Mapping[str, bytes] = {}, *, chaos: Chaos | None = None, workers: int = 2) -> None:
        self.root = "/repository"
        self.files: dict[str, FakeFile] = {}
        self.unreadable: set[str] = set()
        self.is_away = False
        """Whether the root is not there."""
        self.root_number = 1
        """Another one after another folder took its place."""
        self.file_max_bytes = 1 << 20
        self.memory = Memory(math.inf, math.inf, own=lambda: 0)
        self.worker_capacity = workers
        self.processor_share: float | None = None
        """Share of a processor that each worker gets; None: the system does not tell."""
        self.chaos = chaos or Chaos()
        self.jobs: list[tuple[str, ...]] = []
        """The paths of every job that a worker began."""
        self.started = 0
        """How often a worker was ready."""
        self.start_s = 0.0
        """How long that takes."""
        self.unstartable = ""
        """Why no worker can be started; empty: they can."""
        self.processes_max = workers
        """So many workers can run at the same time."""
        self.parsed: list[str] = []
        """Every path that was parsed, in order."""
        self.workers_open = 0
        self.ignored: set[str] = set()
        """Files that are there and not listed."""
        self.listings = 0
        """How often everything was listed."""
        self.returns = self.free_returns = 0
        self.unwatchable = ""
        """Why no events can be had; empty: they can."""
        self.watches: list[FakeWatch] = []
        self.is_silent = False
        """Whether changes are told to nobody."""
        self._initial = dict(files)
        self.git: Callable[[Sequence[str], bytes], GitOutput | NoGit] = lambda _words, _told: NoGit(
            "no git", is_there=False
        )
        """What git says."""
        self.head_stamp: GitStamp | None = None

    def start(self) -> None:
        """Writes the initial files as long settled; must run inside trio."""
        for path, content in self._initial.items():
            self.write(path, content, age_s=3600)

    def write(self, path: str, content: bytes, *, age_s: float = 0.0) -> None:
        now_ns = self.wall_ns() - round(age_s * 1e9)
        folders = self.folders()
        self.files[path] = FakeFile(content, now_ns - now_ns % TICK_NS)
        came = next((folder for folder in above(path) if folder not in folders), None)
        self.tell(Touched(path) if came is None else Came(came))

    def delete(self, path: str) -> None:
        if self.files.pop(path, None) is not None:
            folders = self.folders()
            gone = next((folder for folder in above(path) if folder not in folders), None)
            self.tell(Touched(path))
            if gone is not None:
                self.tell(Gone(gone))

    def go_away(self, *, is_silent: bool = False) -> None:
        """Moves the root elsewhere; silently: a folder around it."""
        self.is_away = True
        if not is_silent:
            self.tell(Lost(LostBecause.ROOT))

    def come_back(self, *, is_other: bool = False) -> None:
        """Puts the root back, or another folder of the same contents in its place, which no watch knows."""
        self.is_away = False
        if is_other:
            self.root_number += 1
            for watch in self.watches:
                watch.covered.clear()

    def folders(self) -> set[str]:
        return {"", *(folder for path in self.files for folder in above(path))}

    def tell(self, event: Event) -> None:
        """Queues an event with every watch that covers where it happened."""
        if not self.is_silent:
            for watch in self.watches:
                watch.queue(event)

    def return_memory(self) -> None:
        self.returns += 1

    def return_free(self) -> None:
        self.free_returns += 1

    def wall_ns(self) -> int:
        return EPOCH_NS + round(trio.current_time() * 1e9)

    def root_identity(self) -> tuple[int, int] | None:
        return None if self.is_away else (1, self.root_number)

    async def list_files(self, scope: str) -> Listing:
        if self.is_away:
            raise OSError(2, "No such file or directory")
        files: dict[str, FileStat] = {}
        configs: dict[str, FileStat] = {}
        self.listings += 1
        for path in sorted(self.files):
            if scope and path != scope and not path.startswith(f"{scope}/"):
                continue
            if self.chaos.strikes("list"):
                raise OSError(5, "Input/output error")
            await self._pause()
            file = self.files.get(path)
            if file is not None and path not in self.ignored:
                (configs if path.endswith(".toml") else files)[path] = file.stat
        await trio.lowlevel.checkpoint()
        return Listing(files, configs)

    async def list_paths(self, paths: Collection[str], known: Collection[str]) -> Glance | None:
        await self._pause()
        files: dict[str, FileStat] = {}
        configs: dict[str, FileStat] = {}
        ignored: set[str] = set()
        for path in sorted(() if self.is_away else self.files):
            if not is_in(path, frozenset(paths)):
                continue
            await self._pause()
            file = self.files.get(path)
            if path in self.ignored:
                ignored.add(path)
            elif file is not None:
                (configs if path.endswith(".toml") else files)[path] = file.stat
        return Glance(files, configs, ignored=frozenset(ignored))

    @contextmanager
    def open_watch(self) -> Iterator[Watch]:
        if self.unwatchable:
            raise Unwatchable(self.unwatchable)
        watch = FakeWatch(self)
        self.watches.append(watch)
        try:
            yield watch
        finally:
            self.watches.remove(watch)

    async def stat_files(self, paths: Iterable[str]) -> dict[str, FileStat]:
        await trio.lowlevel.checkpoint()
        return {path: self.files[path].stat for path in paths if path in self.files and not self.is_away}

    async def read_files(self, paths: Iterable[str], max_bytes: int | None = None) -> dict[str, Content]:
        most = self.file_max_bytes if max_bytes is None else max_bytes
        read: dict[str, Content] = {}
        for path in paths:
            await self._pause()
            file = None if self.is_away else self.files.get(path)
            if file is not None and path not in self.unreadable and len(file.content) <= most:
                read[path] = Content(file.stat, file.content, is_settled(file.stat, self.wall_ns()))
        return read

    async def replace_files(self, files: Sequence[NewContent]) -> str:
        await self._pause()
        if any(digest_of(self.files[one.file].content) != one.digest for one in files):
            return "a file has changed since"
        for one in files:
            self.write(one.file, one.content)
        return ""

    async def read_report(self, path: str, max_bytes: int) -> bytes | NoReport:
        await self._pause()
        file = self.files.get(path)
        return NoReport("there is no such file") if file is None else file.content[: max_bytes + 1]

    async def run_scanner(self, program: str, max_bytes: int) -> bytes | NoReport:
        await self._pause()
        return NoReport(f"{program} is not installed")

    async def ask_git(self, words: Sequence[str], stdin: bytes = b"") -> GitOutput | NoGit:
        await self._pause()
        return self.git(words, stdin)

    @asynccontextmanager
    async def stream_git(self, words: Sequence[str]) -> AsyncIterator[GitStream | NoGit]:
        said = await self.ask_git(words)
        yield said if isinstance(said, NoGit) else FakeStream(said.text)

    def git_stamp(self) -> GitStamp | None:
        return self.head_stamp

    @asynccontextmanager
    async def open_workers(self) -> AsyncIterator[Workers]:
        self.workers_open += 1
        try:
            yield _FakeWorkers(self)
        finally:
            self.workers_open -= 1

    def open_store(self) -> None:
        return None

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        await self._pause()
        return function()

    async def _pause(self) -> None:
        delay_s = self.chaos.delay_s()
        if delay_s:
            await trio.sleep(delay_s)
        else:
            await trio.lowlevel.checkpoint()


class FakeStream:
    """A text, a few bytes at a time."""

    def __init__(self, text: bytes) -> None:
        self._left = text

    async def read(self) -> bytes:
        await trio.lowlevel.checkpoint()
        some, self._left = self._left[:999], self._left[999:]
        return some

    async def failure(self) -> str:
        await trio.lowlevel.checkpoint()
        return ""


class FakeWatch:
    """Events of the folders that were covered, as many as fit."""

    capacity = 1_000

    def __init__(self, disk: FakeDisk) -> None:
        self.covered: set[str] = set()
        self._disk = disk
        self._events: list[Event] = []
        self._told = trio.lowlevel.ParkingLot()

    @property
    def folders(self) -> int:
        return len(self.covered)

    def queue(self, event: Event) -> None:
        match event:
            case Touched(path) | Came(path) | Gone(path):
                if path.rpartition("/")[0] not in self.covered:
                    return
                if isinstance(event, Gone):
                    self.covered = {one for one in self.covered if not is_in(one, path)}
        if len(self._events) < self.capacity:
            self._events.append(event)
        elif self._events[-1] != Lost(LostBecause.OVERFLOW):
            self._events.append(Lost(LostBecause.OVERFLOW))
        self._told.unpark_all()

    async def cover_all(self) -> None:
        self.covered = set() if self._disk.is_away else {""}
        await self.cover("")

    async def cover(self, folder: str) -> bool:
        if self._disk.unwatchable:
            raise Unwatchable(self._disk.unwatchable)
        below = frozenset((folder + "/",)) if folder else ""
        there = set() if self._disk.is_away else self._disk.folders()
        found = {one for one in there if one == folder or is_in(one, below)}
        self.covered |= found
        await self._disk._pause()
        return bool(found)

    async def has_new_rules(self) -> bool:
        await trio.lowlevel.checkpoint()
        return False

    async def wait(self) -> None:
        await trio.lowlevel.checkpoint()
        while not self._events:
            await self._told.park()

    def read(self) -> list[Event]:
        events, self._events = self._events, []
        return events


def above(path: str) -> list[str]:
    """The folders that a path lies in, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def bare_version(source: SourceText) -> Version | None:
    """The version that a fake worker reads; None of what begins with `bad`."""
    if source.content.startswith(b"bad"):
        return None
    return msgspec.structs.replace(version_of(source.path, source.content), digest=digest_of(source.content))


class _FakeWorkers:
    def __init__(self, disk: FakeDisk) -> None:
        self._disk = disk
        self._running = 0

    @asynccontextmanager
    async def take(self, memory_bytes: float) -> AsyncIterator[Worker]:
        disk = self._disk
        assert disk.workers_open, "a job for closed workers"
        self._running += 1
        assert self._running <= disk.worker_capacity, "more jobs than workers"
        granted = await disk.memory.take(memory_bytes)
        try:
            await trio.sleep(disk.start_s)
            if disk.unstartable:
                raise WorkerCannotStart(disk.unstartable)
            if self._running > disk.processes_max:
                raise WorkerCannotStart("Resource temporarily unavailable")
            disk.started += 1
            yield _FakeWorker(disk, granted)
        finally:
            disk.memory.keep(granted, 0)
            self._running -= 1


class _FakeWorker:
    def __init__(self, disk: FakeDisk, granted: float) -> None:
        self._disk = disk
        self._granted = granted
        self._asked_at = 0.0

    def computed_s(self) -> float:
        share = self._disk.processor_share
        return math.inf if share is None else (trio.current_time() - self._asked_at) * share

    async def extract(self, jobs: Sequence[FileJob]) -> bytes:
        disk = self._disk
        self._asked_at = trio.current_time()
        disk.jobs.append(tuple(job.path for job in jobs))
        if disk.chaos.strikes("pool"):
            raise RuntimeError("the pool is broken")
        return msgspec.msgpack.encode([await self._outcome(job) for job in jobs])

    async def look_up(self, jobs: Sequence[FileJob], has_marks: bool) -> bytes:
        """Reads files; none is in a store."""
        return msgspec.msgpack.encode([await self._looked_up(job, has_marks=has_marks) for job in jobs])

    async def scan(self, word: str, files: Sequence[FileJob], time_s: float) -> bytes:
        """Finds the word as if all were comments; a file that begins with `slow` takes all of the time."""
        disk = self._disk
        found: list[Sighted] = []
        for place, job in enumerate(files):
            await disk._pause()
            if disk.chaos.strikes("worker"):
                raise WorkerDied("chaos")
            file = disk.files.get(job.path)
            if file is None:
                continue
            if file.content.startswith(b"kill"):
                raise WorkerDied("killed")
            if file.content.startswith(b"slow"):
                await trio.sleep(time_s)
                return msgspec.msgpack.encode(Scanned(tuple(found), tuple(one.path for one in files[place:])))
            words = look(file.content, dict.fromkeys(offsets(file.content, word), Nature.COMMENT))
            found += [Sighted(job.path, digest_of(file.content), words)] if words else []
        return msgspec.msgpack.encode(Scanned(tuple(found), ()))

    async def measure(self, files: Sequence[FileJob], time_s: float) -> bytes:
        """As many lines as each content has bytes; a file that begins with `slow` takes all of the time."""
        disk = self._disk
        found: list[MeasuredFile] = []
        for place, job in enumerate(files):
            await disk._pause()
            if disk.chaos.strikes("worker"):
                raise WorkerDied("chaos")
            file = disk.files.get(job.path)
            if file is None:
                continue
            if file.content.startswith(b"kill"):
                raise WorkerDied("killed")
            if file.content.startswith(b"slow"):
                await trio.sleep(time_s)
                return msgspec.msgpack.encode(MeasuresRead(tuple(found), tuple(one.path for one in files[place:])))
            measures = FileMeasures(len(file.content), 0, 0, 0, ())
            found.append(MeasuredFile(job.path, digest_of(file.content), measures))
        return msgspec.msgpack.encode(MeasuresRead(tuple(found), ()))

    async def seek(
        self,
        names: tuple[str, ...],
        names_of_each: tuple[tuple[str, ...], ...],
        files: Sequence[FileJob],
        time_s: float,
    ) -> bytes:
        """Finds the names, without natures; a file that begins with `slow` takes all of the time."""
        disk = self._disk
        found: list[SoughtIn] = []
        sought = Names(names or {name for some in names_of_each for name in some})
        for place, job in enumerate(files):
            await disk._pause()
            if disk.chaos.strikes("worker"):
                raise WorkerDied("chaos")
            file = disk.files.get(job.path)
            if file is None:
                continue
            if file.content.startswith(b"kill"):
                raise WorkerDied("killed")
            if file.content.startswith(b"slow"):
                await trio.sleep(time_s)
                return msgspec.msgpack.encode(Sought(found, tuple(one.path for one in files[place:]), place))
            one = seek(job.path, digest_of(file.content), file.content, sought)
            found += [one] if one is not None else []
        return msgspec.msgpack.encode(Sought(found, (), len(files)))

    async def read_syntax(self, file: FileJob, wanted: SyntaxWanted) -> bytes:
        """One definition, the file, whose header ends where it does; a file that begins with `slow` never comes."""
        disk = self._disk
        await disk._pause()
        content = disk.files[file.path].content if file.path in disk.files else None
        if content is None:
            return msgspec.msgpack.encode(SyntaxRead(None))
        if content.startswith(b"kill"):
            raise WorkerDied("killed")
        if content.startswith(b"slow"):
            await trio.sleep_forever()
        syntax = FileSyntax(digest_of(content), (DefinitionSyntax(len(content)),))
        return msgspec.msgpack.encode(SyntaxRead(syntax))

    async def read_versions(self, sources: Sequence[SourceText]) -> bytes:
        """A version of every content that does not begin with `kill` or `slow`, without facts."""
        disk = self._disk
        for source in sources:
            await disk._pause()
            if disk.chaos.strikes("worker"):
                raise WorkerDied("chaos")
            if source.content.startswith(b"kill"):
                raise WorkerDied("killed")
            if source.content.startswith(b"slow"):
                await trio.sleep_forever()
        return msgspec.msgpack.encode([bare_version(source) for source in sources])

    async def _outcome(self, job: FileJob) -> Outcome:
        read = await self._looked_up(job)
        if not isinstance(read, Unparsed):
            return read
        disk, content = self._disk, self._disk.files[job.path].content
        if content.startswith(b"kill"):
            raise WorkerDied("killed by a file")
        if (hungry := re.match(rb"takes (\d+)", content)) and int(hungry[1]) > self._granted:
            raise WorkerOutOfMemory("killed by SIGSEGV")
        if content.startswith(b"slow"):
            await trio.sleep_forever()
        if computing := re.match(rb"computes (\d+)", content):
            await trio.sleep(int(computing[1]) / (disk.processor_share or 1.0))
        await disk._pause()
        disk.parsed.append(job.path)
        return Parsed(read.stat, read.digest, read.is_settled, pack_facts(facts_of(content)))

    async def _looked_up(self, job: FileJob, *, has_marks: bool = False) -> Outcome | Unparsed:
        disk = self._disk
        await disk._pause()
        if disk.chaos.strikes("worker"):
            raise WorkerDied("chaos")
        file = None if disk.is_away else disk.files.get(job.path)
        if file is None:
            return Skipped(UNKNOWN_STAT, b"", False, SkipReason.VANISHED)
        if job.path in disk.unreadable:
            return Skipped(file.stat, b"", False, SkipReason.UNREADABLE, "Permission denied")
        settled = is_settled(file.stat, disk.wall_ns())
        if len(file.content) > disk.file_max_bytes:
            return Skipped(file.stat, b"", settled, SkipReason.OVERSIZED)
        digest = digest_of(file.content)
        if digest == job.known:
            return Same(file.stat, digest, settled)
        if file.content.startswith(b"binary"):
            return Skipped(file.stat, digest, settled, SkipReason.BINARY)
        return Unparsed(file.stat, digest, settled, marks_of(file.content) if has_marks else b"")


def facts_of(content: bytes) -> FileFacts:
    """Facts that hold the content as their only name; every other member is empty."""
    members: dict[str, Any] = {"lang": "py", "size": len(content), "lines": 1, "names": (content.decode(),)}
    kinds = get_type_hints(FileFacts)
    for field in FileFacts.__struct_fields__:
        kind = get_origin(kinds[field]) or kinds[field]
        members.setdefault(field, kind())
    return FileFacts(**members)


class FakeSnapshot(msgspec.Struct, frozen=True):
    """The contents of the files, as the facts told them."""

    contents: Mapping[str, str]
    configs: Mapping[str, bytes]


def fake_build(
    previous: FakeSnapshot | None,
    changed: Mapping[str, Parsed],
    removed: Set[str],
    configs: Mapping[str, bytes],
    *,
    built_ns: int,
) -> Generator[None, None, FakeSnapshot]:
    """A builder that only remembers; one step a file."""
    contents = dict(previous.contents) if previous is not None else {}
    for path, parsed in changed.items():
        contents[path] = parsed.facts.names[0]
        yield
    for path in removed:
        del contents[path]
        yield
    return FakeSnapshot(contents, dict(configs))


class FakeBuilder(MapBuilder[S]):
    """Builds as it is told, confirms nothing, and makes no partial or better map unless it is told how."""

    def __init__(
        self,
        build: Callable[..., Generator[object, None, S]],
        *,
        sketch: Callable[..., Generator[object, None, S]] | None = None,
        polish: Callable[[S], Generator[object, None, S] | None] | None = None,
    ) -> None:
        self._build = build
        self._sketch = sketch
        self._polish = polish

    def build(
        self,
        previous: S | None,
        changed: Mapping[str, Parsed],
        removed: Set[str],
        configs: Mapping[str, bytes],
        *,
        built_ns: int,
    ) -> Generator[object, None, S]:
        return self._build(previous, changed, removed, configs, built_ns=built_ns)

    def sketch(
        self, parsed: Mapping[str, Parsed], configs: Mapping[str, bytes], *, built_ns: int
    ) -> Generator[object, None, S] | None:
        return None if self._sketch is None else self._sketch(parsed, configs, built_ns=built_ns)

    def polish(self, snapshot: S, /) -> Generator[object, None, S] | None:
        return None if self._polish is None else self._polish(snapshot)

    def apply_confirmations(self, snapshot: S, _found: Mapping[str, Confirmed], /) -> S:
        return snapshot
