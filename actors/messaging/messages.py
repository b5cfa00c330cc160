"""Every message that actors send one another: the closed list of requests and notices.

A message is a frozen struct. One that expects an answer derives from `Ask[R]`, R being the type of the answer; the
others get none. The receiver matches on its union and ends with `assert_never`.

The file is long because the list is closed: all of it is read together. Workers import it: msgspec and the pure package
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from codemap.changes.version import Version
from codemap.extract.skipped_files import SkipReason
from codemap.facts import FileFacts
from codemap.live_queries import Fact, LiveQuestion
from codemap.measures import FileMeasures
from codemap.mentions.seeking import Sought
from codemap.occurrences.words import Sighted
from codemap.packed.packed_facts import unpack_facts
from codemap.syntax import FileSyntax, SyntaxWanted

if TYPE_CHECKING:
    from codemap.graph.verified.confirmations import Confirmed  # brings numpy, which workers do without
    from codemap.history.table import History

R = TypeVar("R")


class Ask(msgspec.Struct, Generic[R], frozen=True):
    """A message that gets one answer, an R."""


class Unavailable(msgspec.Struct, frozen=True):
    """The answer for an actor that crashed too often and is not restarted for now."""

    reason: str


class FileStat(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The stat fields that distinguish one state of a file from the next without reading it."""

    size: int
    """Bytes; -1: unknown."""
    mtime_ns: int
    """Nanoseconds since the epoch."""
    ctime_ns: int = 0
    """Nanoseconds since the epoch of the last change of any kind: a file that replaces another by a rename keeps its
    mtime."""
    inode: int = 0
    """A file that replaces another together with its folder keeps both times, but has another inode."""


UNKNOWN_STAT = FileStat(-1, 0)


class FileJob(msgspec.Struct, frozen=True, gc=False):
    """A file to extract."""

    path: str
    """Relative to the root, with `/`; bytes that are not UTF-8 as surrogate escapes."""
    stat: FileStat
    """As listed."""
    known: bytes = b""
    """Digest of the content whose facts are known already; empty: none are."""


class Parsed(msgspec.Struct, frozen=True, array_like=True, tag=0, gc=False):
    """A file was read and parsed: its facts."""

    stat: FileStat
    digest: bytes
    is_settled: bool
    """False where the file changed so shortly before that a later change might leave its stat alone."""
    packed: bytes
    """The facts as `pack_facts` gave them: those of a whole repository wait together until all its files are read."""
    is_stored: bool = False
    """Whether the facts were in the store, so that nothing was parsed."""

    @property
    def facts(self) -> FileFacts:
        """The facts, unpacked at every call. Raises BadFacts."""
        return unpack_facts(self.packed)


class Same(msgspec.Struct, frozen=True, array_like=True, tag=1, gc=False):
    """A file was read and has the known content."""

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
"""The result of one job. A file that does not exist any more is `Skipped` as vanished."""


class Extracted(msgspec.Struct, frozen=True):
    outcomes: tuple[Outcome, ...]
    """Results in the order of the jobs."""


class Extract(Ask[Extracted], frozen=True):
    """To the parser pool: extract the facts of one batch of files."""

    jobs: tuple[FileJob, ...]


class Unparsed(msgspec.Struct, frozen=True, array_like=True, tag=3, gc=False):
    """A file was read, and its facts are not in the store of this machine."""

    stat: FileStat
    digest: bytes
    is_settled: bool
    marks: bytes = b""
    """Marks of its words (`codemap.occurrences.word_marks`), where they were wanted."""


class LookedUp(msgspec.Struct, frozen=True):
    outcomes: tuple[Outcome | Unparsed | None, ...]
    """Results in the order of the jobs; None for a file that was not read, as its worker ended."""


class LookUp(Ask[LookedUp], frozen=True):
    """To the parser pool: read one batch of files and look their facts up in the store, without parsing any."""

    jobs: tuple[FileJob, ...]
    has_marks: bool
    """Whether the marks of what is not in the store are wanted."""


class Willing(msgspec.Struct, frozen=True):
    """Whether the shared store is asked now."""

    is_willing: bool
    has_marks: bool
    """Whether it needs the marks of what it is asked for."""


class MayAsk(Ask[Willing], frozen=True):
    """To the sharer of facts: whether the shared store is asked now. It waits a moment for its first answer."""


class Shared(msgspec.Struct, frozen=True):
    """Facts from the shared store, by path."""

    found: Mapping[str, FileFacts]


class FindShared(Ask[Shared], frozen=True):
    """To the sharer of facts: look up facts in the shared store; what does not come soon is left out."""

    wanted: Mapping[str, Unparsed]
    """Files by path."""


class ShareFacts(msgspec.Struct, frozen=True):
    """To the sharer of facts: write facts to the shared store, where that is allowed."""

    parsed: tuple[tuple[str, Parsed], ...]
    """Facts by path."""


class Flush(Ask[bool], frozen=True):
    """To the sharer of facts: wait until everything offered so far is written, or cannot be. Answers whether all is."""


class Room(msgspec.Struct, frozen=True):
    """How many batches the cluster works on at the same time; 0: it is not asked now."""

    batches: int


class MayTravel(Ask[Room], frozen=True):
    """To the cluster: whether it is asked now. It connects where it is not, and waits a moment for the first time."""


class ParsedElsewhere(msgspec.Struct, frozen=True):
    """Facts that a cluster parsed, by path; what it could not, or not in time, is left out."""

    found: Mapping[str, FileFacts]


class ParseElsewhere(Ask[ParsedElsewhere], frozen=True):
    """To the cluster: parse one batch of files."""

    wanted: Mapping[str, Unparsed]
    """Files by path."""


ClusterMessage = MayTravel | ParseElsewhere

SharerMessage = MayAsk | FindShared | ShareFacts | Flush


class Scanned(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The occurrences of a word in files."""

    files: tuple[Sighted, ...]
    unseen: tuple[str, ...]
    """Paths that were not read for lack of time."""


class Scan(Ask[Scanned], frozen=True):
    """To the parser pool: look for a word in some files."""

    word: str
    files: tuple[FileJob, ...]
    by: float
    """Deadline by Trio's clock."""


class Seek(Ask[Sought], frozen=True):
    """To the parser pool: look for many names in some files."""

    files: tuple[FileJob, ...]
    names: tuple[str, ...]
    """Names to look for in every file, without parsing it."""
    names_of_each: tuple[tuple[str, ...], ...]
    """For each file, the names to look for in it, classified by its syntax; empty: no file is parsed."""
    by: float
    """Deadline by Trio's clock."""


class SyntaxRead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The extents of the parts of a file's definitions."""

    syntax: FileSyntax | None
    """None where the file could not be read or parsed, or not in time."""


class ReadSyntax(Ask[SyntaxRead], frozen=True):
    """To the parser pool: find the extents of the parts of one file's definitions."""

    file: FileJob
    wanted: SyntaxWanted
    by: float
    """Deadline by Trio's clock."""


class MeasuredFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    path: str
    digest: bytes
    """Digest of the content that was measured."""
    measures: FileMeasures


class MeasuresRead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The complexity of the functions of some files."""

    files: tuple[MeasuredFile, ...]
    """Files that were measured; those that cannot be read are left out."""
    unseen: tuple[str, ...]
    """Paths that were not read for lack of time."""


class ReadMeasures(Ask[MeasuresRead], frozen=True):
    """To the parser pool: measure the complexity of the functions of some files."""

    files: tuple[FileJob, ...]
    by: float
    """Deadline by Trio's clock."""


class SourceText(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A content of a file, on disk or of another version."""

    path: str
    content: bytes


class VersionsRead(msgspec.Struct, frozen=True):
    versions: tuple[Version | None, ...]
    """Versions in the order of the sources; None for one that could not be read."""


class ReadVersions(Ask[VersionsRead], frozen=True):
    """To the parser pool: extract the facts and fingerprints of some contents."""

    sources: tuple[SourceText, ...]


class Prepare(msgspec.Struct, frozen=True):
    """To the parser pool: start a worker now, as there will be work once the disk is listed."""


PoolAsk = Extract | LookUp | Scan | Seek | ReadSyntax | ReadMeasures | ReadVersions
PoolMessage = PoolAsk | Prepare


class Rebuilt(msgspec.Struct, frozen=True):
    """The result of a rebuild, and the version of the snapshot that has it."""

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
    """The answer to `Look`: the snapshot has the paths as they were on disk after the question."""

    ignored: frozenset[str]
    """Files among them that exist and should not be indexed."""


class Look(Ask[Looked], frozen=True):
    """To the resolver: compare some paths with the snapshot, beginning after this message was sent."""

    paths: frozenset[str]
    """Relative to the root; a folder ends with `/` and stands for all below it."""


class Confirm(Ask[int], frozen=True):
    """To the resolver: apply what language servers confirmed of uses to the edges of the map.

    Answers in which version of the map that can be seen; 0: there is no map yet.
    """

    found: Mapping[str, Confirmed]
    """Confirmations by path; those of contents that are not indexed any more are ignored."""


ResolverMessage = Rebuild | Look | Confirm


class Fresh(msgspec.Struct, frozen=True):
    """The answer to `Freshen`: everything that was done before the question is in the map."""


class Freshen(Ask[Fresh], frozen=True):
    """To the watcher: bring everything that was done before this message into the map, without waiting for quiet."""


EVERYTHING = ""
"""The path of the root: anything may have changed."""


class Noticed(msgspec.Struct, frozen=True):
    """To the watcher: somebody saw that these files differ from the map."""

    paths: tuple[str, ...]


class Drained(msgspec.Struct, frozen=True):
    """The answer to `Drain`: everything that was done before the question is in the journal up to `position`."""

    position: int
    is_certain: bool
    """False where the system gives no events: the journal then may lack changes."""


class Drain(Ask[Drained], frozen=True):
    """To the watcher: read all queued events into the journal, without waiting for the map."""


WatcherMessage = Freshen | Noticed | Drain


class Lane(Enum):
    """The priority of a question: a caller waits, or it is work in the background."""

    FOREGROUND = "foreground"
    BACKGROUND = "background"


class Live(Ask[Fact], frozen=True):
    """To a language supervisor: answer a question about the code as it is on disk now, or later."""

    question: LiveQuestion
    lane: Lane = Lane.FOREGROUND


LanguageMessage = Live


class KeepFacts(msgspec.Struct, frozen=True):
    """To the store: keep facts that were just parsed."""

    parsed: tuple[tuple[str, Parsed], ...]
    """Facts by path."""


class Load(Ask[object], frozen=True):
    """To the store: load what an earlier run published last, a `Published`; None where nothing can be trusted."""


class Save(Ask[bool], frozen=True):
    """To the store: save the published map now, without waiting for quiet. Answers whether it was saved."""


class Reopen(Ask[object], frozen=True):
    """To the store: save the published map, and open it as it is stored. Answers the `Published` to publish in its
    place; None where there is none."""


class SaveRicher(msgspec.Struct, frozen=True):
    """To the store: more was made of the published map, which has the version that it had; save that, too."""


class KeepConfirmed(msgspec.Struct, frozen=True):
    """To the store: keep confirmations of language servers."""

    found: Mapping[str, Confirmed]
    """Confirmations by path."""


class Recall(Ask[Mapping[str, "Confirmed"]], frozen=True):
    """To the store: look up the confirmations of some contents, by path."""

    contents: tuple[tuple[str, bytes], ...]
    """(path, digest)."""


class KeepHistory(msgspec.Struct, frozen=True):
    """To the store: keep the history of the repository, packed."""

    body: bytes


class RecallHistory(Ask[bytes | None], frozen=True):
    """To the store: load the history that was kept, packed; None where there is none."""


StoreMessage = KeepFacts | Load | Save | SaveRicher | Reopen | KeepConfirmed | Recall | KeepHistory | RecallHistory


class HistoryRead(msgspec.Struct, frozen=True):
    """The history, as far as it was read."""

    history: History | None
    """None: there is none."""
    why: str = ""
    """A sentence that says why there is none."""
    gaps: tuple[str, ...] = ()
    """Sentences that say what is missing."""
    is_reading: bool = False
    """Whether more is being read."""


class ReadHistory(Ask[HistoryRead], frozen=True):
    """To the historian: return the history of the commit that is checked out now, or later."""

    by: float
    """Deadline by Trio's clock; then the answer is partial."""
    begins: bool = True
    """Whether to begin reading if nobody has; else the answer says that it was not read."""


HistoryMessage = ReadHistory
