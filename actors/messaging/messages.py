"""Every message that actors send each other: the closed list of what can make something happen.

A message is a frozen struct. One that expects an answer derives from `Ask[R]`, R being the type of the answer; the
others are told. The receiver matches on its union and ends with `assert_never`.

The file is long because the list is closed: all of it is read together. Workers import it: msgspec and the pure package
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from codemap.changes.version import Version
from codemap.extract.skip import SkipReason
from codemap.facts import FileFacts
from codemap.live import Fact, LiveQuestion
from codemap.measures import FileMeasures
from codemap.mentions.seeking import Sought
from codemap.mentions.words import Sighted
from codemap.syntax import FileSyntax

if TYPE_CHECKING:
    from codemap.graph.verified.confirmed import Confirmed  # brings numpy, which workers do without
    from codemap.history.table import History

R = TypeVar("R")


class Ask(msgspec.Struct, Generic[R], frozen=True):
    """A message that is answered once, with an R."""


class Unavailable(msgspec.Struct, frozen=True):
    """The answer of an actor that was given up for now: it crashed too often."""

    reason: str


class FileStat(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What distinguishes one state of a file from the next without reading it."""

    size: int
    """Bytes; -1: unknown."""
    mtime_ns: int
    """Nanoseconds since the epoch."""
    ctime_ns: int = 0
    """The same, of the last change of any kind: a file that takes another's place by a rename keeps its mtime."""
    inode: int = 0
    """One that takes another's place with the folder around it keeps both times."""


UNKNOWN_STAT = FileStat(-1, 0)


class FileJob(msgspec.Struct, frozen=True, gc=False):
    """A file to extract."""

    path: str
    """Relative to the root, with `/`; bytes that are not UTF-8 as surrogate escapes."""
    stat: FileStat
    """As listed."""
    known: bytes = b""
    """Digest of the content that is known already and need not be parsed again; empty: none."""


class Parsed(msgspec.Struct, frozen=True, array_like=True, tag=0, gc=False):
    """The facts of the content that was read."""

    stat: FileStat
    digest: bytes
    is_settled: bool
    """False where the file changed so shortly before that a later change might leave its stat alone."""
    facts: FileFacts
    is_stored: bool = False
    """Whether the facts were in the store, so that nothing was parsed."""


class Same(msgspec.Struct, frozen=True, array_like=True, tag=1, gc=False):
    """The content is the known one."""

    stat: FileStat
    digest: bytes
    is_settled: bool


class Skipped(msgspec.Struct, frozen=True, array_like=True, tag=2, gc=False):
    """A file that gives no facts. `digest` is empty where the content was not read."""

    stat: FileStat
    digest: bytes
    is_settled: bool
    reason: SkipReason
    detail: str = ""


Outcome = Parsed | Same | Skipped
"""What became of one job. A file that is not there any more is `Skipped` as vanished."""


class Extracted(msgspec.Struct, frozen=True):
    outcomes: tuple[Outcome, ...]
    """In the order of the jobs."""


class Extract(Ask[Extracted], frozen=True):
    """To the parser pool: one batch of files."""

    jobs: tuple[FileJob, ...]


class Scanned(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a look through files for a word has found."""

    files: tuple[Sighted, ...]
    unseen: tuple[str, ...]
    """Paths that there was no time for."""


class Scan(Ask[Scanned], frozen=True):
    """To the parser pool: look for a word in some files."""

    word: str
    files: tuple[FileJob, ...]
    by: float
    """When it ends, by the clock of trio."""


class Seek(Ask[Sought], frozen=True):
    """To the parser pool: look for many names in some files."""

    files: tuple[FileJob, ...]
    names: tuple[str, ...]
    """Those that are sought in every file, without a parse."""
    names_of_each: tuple[tuple[str, ...], ...]
    """In the order of the files, those that are sought in one, with what its syntax makes of them; or none at all."""
    by: float
    """When it ends, by the clock of trio."""


class SyntaxRead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where the parts of a file's definitions lie."""

    syntax: FileSyntax | None
    """None where the file could not be read or parsed, or not in time."""


class ReadSyntax(Ask[SyntaxRead], frozen=True):
    """To the parser pool: read where the parts of one file's definitions lie."""

    file: FileJob
    by: float
    """When it ends, by the clock of trio."""


class MeasuredFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    path: str
    digest: bytes
    """Of the content that was measured."""
    measures: FileMeasures


class MeasuresRead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How complex the functions of some files are."""

    files: tuple[MeasuredFile, ...]
    """Those that can be read and measured."""
    unseen: tuple[str, ...]
    """Paths that there was no time for."""


class ReadMeasures(Ask[MeasuresRead], frozen=True):
    """To the parser pool: measure how complex the functions of some files are."""

    files: tuple[FileJob, ...]
    by: float
    """When it ends, by the clock of trio."""


class SourceText(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A content of a file, be it on disk or not."""

    path: str
    content: bytes


class VersionsRead(msgspec.Struct, frozen=True):
    versions: tuple[Version | None, ...]
    """In the order of the sources; None for what no worker could read."""


class ReadVersions(Ask[VersionsRead], frozen=True):
    """To the parser pool: the facts and fingerprints of some contents."""

    sources: tuple[SourceText, ...]


class Prepare(msgspec.Struct, frozen=True):
    """To the parser pool: there will be work as soon as the disk is listed, for which a worker can start meanwhile."""


PoolAsk = Extract | Scan | Seek | ReadSyntax | ReadMeasures | ReadVersions
PoolMessage = PoolAsk | Prepare


class Rebuilt(msgspec.Struct, frozen=True):
    """What a rebuild did, and in which version of the snapshot it can be seen."""

    version: int
    files_scanned: int
    files_extracted: int
    """Files that were parsed; unchanged contents and skipped files are not."""
    files_deleted: int
    duration_ms: int
    is_cold: bool
    """Whether there was no snapshot before."""


class Rebuild(Ask[Rebuilt], frozen=True):
    """To the resolver: compare the disk with the snapshot, beginning after this message was sent."""

    scope: str = ""
    """Only this file or folder, relative to the root; empty: everything."""


class Looked(msgspec.Struct, frozen=True):
    """The paths are in the snapshot as they are on disk, or were a moment ago."""

    ignored: frozenset[str]
    """Files among them that are there and are not to be indexed."""


class Look(Ask[Looked], frozen=True):
    """To the resolver: compare some paths with the snapshot, beginning after this message was sent."""

    paths: frozenset[str]
    """Relative to the root; a folder ends with `/` and stands for all below it."""


class Confirm(Ask[int], frozen=True):
    """To the resolver: apply what language servers confirmed of uses to the edges of the map.

    Answers in which version of the map that can be seen; 0: there is no map yet.
    """

    found: Mapping[str, Confirmed]
    """By path; what is about contents that are not indexed any more is left out."""


ResolverMessage = Rebuild | Look | Confirm


class Fresh(msgspec.Struct, frozen=True):
    """What was done before the ask is in the map."""


class Freshen(Ask[Fresh], frozen=True):
    """To the watcher: bring all that was done before this message into the map, now."""


EVERYTHING = ""
"""The path of the root: anything may have changed."""


class Noticed(msgspec.Struct, frozen=True):
    """To the watcher: somebody saw that these files differ from the map."""

    paths: tuple[str, ...]


class Drained(msgspec.Struct, frozen=True):
    """What was done before the ask is in the journal up to `position`."""

    position: int
    is_certain: bool
    """False where no events can be had: the journal then lacks what caused no event."""


class Drain(Ask[Drained], frozen=True):
    """To the watcher: take in all events that are there now, without waiting for the map."""


WatcherMessage = Freshen | Noticed | Drain


class Lane(Enum):
    """Who waits for an answer: a caller, or nobody in particular."""

    FOREGROUND = "foreground"
    BACKGROUND = "background"


class Live(Ask[Fact], frozen=True):
    """To a language supervisor: a question about the code as it is on disk when this is asked, or later."""

    question: LiveQuestion
    lane: Lane = Lane.FOREGROUND


LanguageMessage = Live


class KeepFacts(msgspec.Struct, frozen=True):
    """To the store: what was just parsed."""

    parsed: tuple[tuple[str, Parsed], ...]
    """By path."""


class Load(Ask[object], frozen=True):
    """To the store: what was published last in an earlier run, a `Published`; None where there is nothing to trust."""


class Save(Ask[bool], frozen=True):
    """To the store: keep what is published now, without waiting for a quiet time. Answers whether that is done."""


class KeepConfirmed(msgspec.Struct, frozen=True):
    """To the store: what language servers said of uses."""

    found: Mapping[str, Confirmed]
    """By path."""


class Recall(Ask[Mapping[str, "Confirmed"]], frozen=True):
    """To the store: what it has of what was said of some contents, by path."""

    contents: tuple[tuple[str, bytes], ...]
    """(path, digest)."""


class KeepHistory(msgspec.Struct, frozen=True):
    """To the store: the history of the repository, packed."""

    body: bytes


class RecallHistory(Ask[bytes | None], frozen=True):
    """To the store: the history that is kept, packed; None where there is none."""


StoreMessage = KeepFacts | Load | Save | KeepConfirmed | Recall | KeepHistory | RecallHistory


class HistoryRead(msgspec.Struct, frozen=True):
    """What there is of the history."""

    history: History | None
    """None where there is none."""
    why: str = ""
    """Why there is none, in a sentence."""
    gaps: tuple[str, ...] = ()
    """What of it is missing, in sentences."""
    is_reading: bool = False
    """Whether more will be there later."""


class ReadHistory(Ask[HistoryRead], frozen=True):
    """To the historian: the history of what is checked out when this is asked, or later."""

    by: float
    """When it answers with what there is, by the clock of trio."""
    begins: bool = True
    """Whether it is read where nobody did before; else that is said."""


HistoryMessage = ReadHistory
