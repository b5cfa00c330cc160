"""What can be asked about code as it is on disk now, and what comes back: the words of tools and language servers.

A tool states `Question`s; the shell puts them to whoever knows and gives back one `Fact` for each. Whoever answers has
already turned the language server's own words into these.

The file is long because a question, what answers it and why it may not be are one vocabulary.

Rules of the file:
- Positions are 1-based, columns count UTF-16 code units; paths are relative to the root, with `/`.
- An empty `Found` means that the server looked and found nothing; all else is `Missed`, and says why.
- What may be incomplete says so: `Found.incomplete` is the reason, empty where the server has seen everything;
  `Found.is_lasting` distinguishes what stays so from what time mends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, StrEnum
from functools import cached_property
from hashlib import blake2b
from typing import Any, assert_never

import msgspec


class At(msgspec.Struct, frozen=True):
    """A position in a file."""

    file: str
    line: int
    col: int


class Place(msgspec.Struct, frozen=True):
    """A stretch of code, the end exclusive."""

    file: str
    """Outside the root: the absolute path."""
    line: int
    col: int
    end_line: int
    end_col: int
    snippet: str = ""
    """The first line as it is on disk, without indentation; empty outside the root."""
    is_external: bool = False
    """Whether it lies outside the root; its columns are then as the server counts them."""

    @property
    def at(self) -> At:
        return At(self.file, self.line, self.col)


class Kind(StrEnum):
    """What a server calls a symbol (LSP SymbolKind), in the words of the map where it has them."""

    FILE = "file"
    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    ENUM = "enum"
    FUNCTION = "function"
    METHOD = "method"
    VARIABLE = "variable"
    PROPERTY = "property"
    TYPE_ALIAS = "type_alias"
    OTHER = "other"


class Named(msgspec.Struct, frozen=True):
    """A symbol as a server sees it."""

    name: str
    kind: Kind
    place: Place
    """Of its name, as far as the server knows."""
    whole: Place
    """Of the whole definition; the same as `place` where the server gives only one."""
    children: tuple[Named, ...] = ()
    container: str = ""


class CallItem(msgspec.Struct, frozen=True):
    """A function in a call hierarchy."""

    name: str
    kind: Kind
    place: Place
    """Of its name."""
    handle: Any = None
    """The server's own item, to ask on with; valid as long as that server lives."""


class CallLink(msgspec.Struct, frozen=True):
    """One step of a call hierarchy: the other function, and where the calls are."""

    item: CallItem
    sites: tuple[Place, ...]
    """In the file of the caller."""


class Severity(StrEnum):
    """How bad a finding is (LSP DiagnosticSeverity), the worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


class Diagnostic(msgspec.Struct, frozen=True):
    """What a language server finds wrong in a file."""

    place: Place
    severity: Severity
    message: str
    code: str = ""
    """As the server names its rule; empty where it does not."""


class Edit(msgspec.Struct, frozen=True):
    """A stretch of a file that is to be replaced."""

    place: Place
    text: str
    needs_confirmation: bool = False
    """Whether the server wants a person to look at it first."""


class Renaming(msgspec.Struct, frozen=True):
    """What a server would change to give a symbol another name."""

    edits: tuple[Edit, ...]
    file_operations: tuple[str, ...] = ()
    """Files that it would create, rename or delete besides, in words."""


class BaseTexts(msgspec.Struct, frozen=True):
    """The files of a commit that differ now; or files as they would be, in a state that no commit has."""

    commit: str
    """Of such a state: what tells it from others."""
    texts: Mapping[str, str]
    """Path -> text; empty for a file that the commit does not have."""

    def __repr__(self) -> str:
        return f"BaseTexts({self.commit!r}, {sorted(self.texts)!r})"  # equal questions have equal texts


def texts_as_base(texts: Mapping[str, str]) -> BaseTexts:
    """Files as they would be."""
    parts = "\0".join(f"{path}\0{text}" for path, text in texts.items())
    return BaseTexts(blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest(), texts)


# -- questions ------------------------------------------------------------------------------------------------------


class Definition(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[Place, ...]"""

    at: At


class References(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[Place, ...]"""

    at: At
    with_declaration: bool = False
    """Without it, a server may leave out the asked place instead of the declaration (measured): ask with it, and drop
    what `Definition` names."""


class Implementations(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[Place, ...]"""

    at: At


class Hover(msgspec.Struct, frozen=True, tag=True):
    """-> str, markdown; empty where the server has nothing to say"""

    at: At


class CallRoots(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[CallItem, ...]: the functions at a position, from which a call hierarchy begins"""

    at: At


class CallsTo(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[CallLink, ...]: who calls it"""

    item: CallItem


class CallsFrom(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[CallLink, ...]: whom it calls"""

    item: CallItem


class Outline(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[Named, ...], nested"""

    file: str


class WorkspaceSymbols(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[Named, ...], flat"""

    language: str
    """Short name of the language whose server is asked: `py`."""
    query: str


class Diagnostics(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[Diagnostic, ...]: of one file as it is now; never those of an earlier version"""

    file: str
    base: BaseTexts | None = None
    """Asked as if these files had these texts: of a server apart, which nobody else asks."""


class RenameRange(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[Place, ...]: the name that would be replaced; none where nothing can be renamed"""

    at: At


class Rename(msgspec.Struct, frozen=True, tag=True):
    """-> Renaming"""

    at: At
    new_name: str


class TextsAt(msgspec.Struct, frozen=True, tag=True):
    """-> dict[str, str]: the texts that files have in a commit; those that it lacks are left out"""

    commit: str
    files: tuple[str, ...]


class NewContent(msgspec.Struct, frozen=True):
    """What a file is to hold."""

    file: str
    digest: bytes
    """Of what it holds now; another content is not replaced."""
    content: bytes


class ReplaceFiles(msgspec.Struct, frozen=True, tag=True):
    """-> bool, true: all of them hold their new contents; where that cannot be, none does. Missed where the user allows
    no edits."""

    files: tuple[NewContent, ...]

    def __repr__(self) -> str:
        return f"ReplaceFiles({[(one.file, one.digest) for one in self.files]!r})"  # equal questions have equal texts


class Source(msgspec.Struct, frozen=True, tag=True):
    """-> SourceNow: what a file holds now; asked of the disk, not of a server"""

    file: str


class Syntax(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.syntax.FileSyntax: where the parts of a file's definitions lie now"""

    file: str
    borders_of: tuple[int, ...] = ()
    """Rows of the definitions whose statements are wanted, too."""


class Measured(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.measures.Measuring: how complex the functions of some files are now"""

    files: tuple[str, ...]
    """Paths of indexed files."""
    changed: tuple[str, ...] = ()
    """Those of them that differ on disk from what is indexed."""


class ReportOf(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.findings.finding.Report: what a tool that looks for faults says"""

    path: str
    """Of a report, relative to the root, or absolute; empty: a tool is run."""
    program: str = ""
    """The tool to run."""


class Mentioned(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.mentions.account.Ledger: every occurrence of a name as a word, in the files on disk"""

    node_id: str
    """Of the definition that is asked about, as the snapshot has it; empty for all of that name."""
    name: str
    files_max: int = 0
    """Missed where more files have the name, or may have got it by now; 0: however many do."""


class WordsCounted(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.mentions.word_counts.WordCounts: how often a name that definitions have occurs in the files on disk,
    and how much of that the map explains; no file is parsed"""

    name: str
    files_max: int
    """As in `Mentioned`."""


class NamedInOtherCode(msgspec.Struct, frozen=True, tag=True):
    """-> tuple[codemap.mentions.account.Elsewhere, ...]: where a name occurs in code of no language of the map"""

    name: str


class NamesSought(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.mentions.seeking.Sought: where names occur as words in all files under the root, source code or not;
    without what the syntax makes of each word"""

    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"NamesSought({_digest(self.names)})"  # equal questions have equal texts


class NamesRead(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.mentions.seeking.Sought: the same in some source files, with what the syntax makes of each word"""

    names: Mapping[str, tuple[str, ...]]
    """By path."""

    def __repr__(self) -> str:
        return f"NamesRead({_digest(f'{path}:{names}' for path, names in self.names.items())})"


def _digest(parts: Iterable[str]) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


class ChangedSince(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.changes.change_set.ChangeSet: what changed since a branch began"""

    base: str
    """A revision; the change begins where its history and that of the head part."""
    head: str = ""
    """A revision; empty: the work tree, or the index."""
    is_staged: bool = False


class MapWith(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.graph.model.snapshot.Snapshot: the map with some files as they are in other versions"""

    name: str
    """Tells its files from any others'."""
    files: Mapping[str, Any] = {}
    """Path -> codemap.changes.version.Version; None where there is no such file."""
    configs: Mapping[str, bytes | None] = {}
    """The same of configuration files."""

    def __repr__(self) -> str:
        return f"MapWith({self.name!r})"  # equal questions have equal texts


class VersionsNow(msgspec.Struct, frozen=True, tag=True):
    """-> Mapping[str, codemap.changes.version.Version]: files as they are on disk; without those that cannot be read"""

    files: tuple[str, ...]


class PastOf(msgspec.Struct, frozen=True, tag=True):
    """-> codemap.history.past.Past: what git's log says of the repository"""

    wait_s: float
    """How long it may be waited for; what is read by then is the answer."""
    begins: bool = True
    """Whether it is read where nobody asked for it before."""
    walks: bool = False
    """Whether the commits of all definitions are wanted."""


LiveQuestion = (
    Definition
    | References
    | Implementations
    | Hover
    | CallRoots
    | CallsTo
    | CallsFrom
    | Outline
    | WorkspaceSymbols
    | Diagnostics
    | RenameRange
    | Rename
)
"""Questions that a language server answers."""

ServiceQuestion = (
    Measured | ReportOf | NamesSought | NamesRead | ChangedSince | MapWith | TextsAt | VersionsNow | PastOf
)
"""Questions of versions, measures, reports and many names, which the service answers."""

Question = LiveQuestion | ServiceQuestion | Source | Syntax | Mentioned | WordsCounted | NamedInOtherCode | ReplaceFiles


def file_asked_about(question: Question) -> str:
    """The file whose language decides who is asked; empty for a question to a whole language."""
    match question:
        case Definition(at) | References(at) | Implementations(at) | Hover(at) | CallRoots(at):
            return at.file
        case RenameRange(at) | Rename(at):
            return at.file
        case CallsTo(item) | CallsFrom(item):
            return item.place.file
        case Outline(file) | Source(file) | Syntax(file) | Diagnostics(file):
            return file
        case Mentioned() | WordsCounted() | NamedInOtherCode():
            return ""
        case WorkspaceSymbols() | Measured() | ReportOf() | NamesSought() | NamesRead():
            return ""
        case ReplaceFiles():
            return ""
        case ChangedSince() | MapWith() | TextsAt() | VersionsNow() | PastOf():
            return ""
        case _:
            assert_never(question)


class SourceNow(msgspec.Struct, frozen=True, dict=True):
    content: bytes
    """The bytes on disk, but for UTF-16, which is UTF-8 here."""
    digest: bytes
    """Of the content, comparable with what the map was made from."""
    symbols: Any = None
    """`FileFacts` of this content; None where the language is unknown or the file cannot be parsed."""

    @cached_property
    def text(self) -> str:
        """Undecodable bytes replaced."""
        return self.content.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> Sequence[str]:
        """Of the text, without their line feeds."""
        from codemap.packed.text_lines import TextLines  # numpy, which worker processes do without

        return TextLines(self.text)

    @cached_property
    def derived(self) -> dict[object, Any]:
        """What callers made of this content, to be made once; the keys are theirs."""
        return {}


# -- facts ----------------------------------------------------------------------------------------------------------


class Because(Enum):
    """Why a question has no answer."""

    NOT_READY = "notReady"
    """The server is starting or loads the project."""
    TIMEOUT = "timeout"
    """It is up and did not answer by the deadline."""
    UNAVAILABLE = "unavailable"
    """There is no such server here, or none may be used."""
    FAILED = "failed"
    """It crashed, again and again, and was given up for now."""
    UNSUPPORTED = "unsupported"
    """The server does not have this request."""
    REFUSED = "refused"
    """The server answered with an error; or the file may not be read."""
    NO_FILE = "noFile"
    """There is no such file."""


class Found(msgspec.Struct, frozen=True):
    """An answer."""

    value: Any
    """Of the type that the question names."""
    server: str = ""
    """Name and version: `ty 0.0.104`."""
    incomplete: str = ""
    """Why there may be more, as a clause: `the server still indexes (40 %)`."""
    is_lasting: bool = False
    """Whether the same question will be answered no better until the project changes: `there is no go.mod`."""


class Doubt(msgspec.Struct, frozen=True):
    """What several answers may lack, taken together."""

    incomplete: str = ""
    is_lasting: bool = False


def doubt_of(found: Iterable[Found | Doubt]) -> Doubt:
    """The first doubt that time mends, where there is one; else the first."""
    doubts = [Doubt(one.incomplete, one.is_lasting) for one in found if one.incomplete]
    return next((doubt for doubt in doubts if not doubt.is_lasting), doubts[0] if doubts else Doubt())


class Missed(msgspec.Struct, frozen=True):
    """No answer."""

    because: Because
    message: str
    """A sentence, without its full stop."""
    hint: str = ""
    """What would help, as a command or a setting: `pip install ty`."""
    language: str = ""
    """Short name of the language."""
    stderr_tail: str = ""


Fact = Found | Missed
