"""The record of a language server as data: its name, how it is started, and its quirks.

A language plug-in brings one record for each server that it can use, the preferred first (`Language.servers`). The
actors know only these records; no server is named outside the language folders.

Source: LSP 3.17; the quirks are measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec

from codemap.lsp.serving import Configured, Serving

if TYPE_CHECKING:
    from codemap.project import Project


_NOT_UTF8 = re.compile("[\\ud800-\\udfff]")


class Cancel(Enum):
    """How a running request is given up so that the server survives it."""

    MESSAGE = "message"
    """`$/cancelRequest`."""
    FILE = "file"
    """A file of the request's number in a folder that both know (`--cancellationReceive=file:<nonce>`)."""
    NONE = "none"
    """Not at all: the answer is awaited and dropped."""


class Immediate(msgspec.Struct, frozen=True, tag=True):
    """Its answers are complete from the first on."""


class AfterMessage(msgspec.Struct, frozen=True, tag=True):
    """Ready when `window/logMessage` matches a pattern."""

    pattern: str
    """Regular expression, searched."""
    settles_s: float = 0.0
    """After files came or went, how long until it has looked again, where it does not say so."""


class AfterProgress(msgspec.Struct, frozen=True, tag=True):
    """Ready when the work-done progress has ended whose title matches; if none begins in time, ready as well."""

    pattern: str
    begins_within_s: float = 2.0


class AfterStatus(msgspec.Struct, frozen=True, tag=True):
    """Ready when a notification of this method says so (`experimental/serverStatus` with `quiescent: true`)."""

    method: str
    member: str
    value: bool | str = True
    """With a word, ready for good; with true or false, until the other one is said."""


Readiness = Immediate | AfterMessage | AfterProgress | AfterStatus


class Pulled(msgspec.Struct, frozen=True, tag=True):
    """By request (`textDocument/diagnostic`) where the server announces that, else not at all: what is pushed without a
    version, or in parts, may be of an earlier text."""


class Pushed(msgspec.Struct, frozen=True, tag=True):
    """It publishes all at once, with the version of the document; after a change elsewhere it is opened again."""


class PushedOnRequest(msgspec.Struct, frozen=True, tag=True):
    """It publishes those of a file before it answers this request."""

    method: str
    """With `{"files": [uri]}`."""


Diagnosing = Pulled | Pushed | PushedOnRequest
"""How the diagnostics of exactly one version of a file are had."""


class Real(msgspec.Struct, frozen=True):
    """How a program says where it is. What is found may be a version manager's shim, which goes by what it finds in
    the folder that it is started in, such as a program of the repository."""

    arguments: tuple[str, ...]
    """What makes it print a path and end with 0."""
    inner: str = ""
    """The program's path from there; empty: the path is the program's."""


class Entry(msgspec.Struct, frozen=True):
    """How the program is found."""

    names: tuple[str, ...]
    """Names of the executable, in order."""
    environments: tuple[str, ...] = ()
    """Folders of a project's own environment, relative to it: `.venv/bin`, `node_modules/.bin`."""
    version: tuple[str, ...] = ("--version",)
    """Arguments that make it print its version and end with 0."""
    version_program: str = ""
    """Name of the file beside the real program that knows these arguments; empty: the real program."""
    version_pattern: str = r"(\d+(?:\.\d+)+)"
    """Its first group is the version, as printed."""
    version_min: tuple[int, ...] = ()
    """Older ones are not used."""
    version_below: tuple[int, ...] = ()
    """These and newer ones are not used; empty: no bound."""
    real_program: Callable[[str], tuple[str, ...]] | None = None
    """Real path of what was found -> glob patterns (relative to its folder) of the program behind a wrapper, tried in
    order: a wrapper's child survives the wrapper. Where none is there, what was found is not used. Pure."""
    runtimes: tuple[str, ...] = ()
    """What runs the real program, where it is a script: glob patterns relative to its folder, then names as of
    executables, in order; empty: it runs by itself."""
    real_runtime: Real | None = None


class Companion(msgspec.Struct, frozen=True, kw_only=True):
    """Another program that a server is configured with."""

    name: str
    """In `Serving.companions`, and in the setting that names programs."""
    names: tuple[str, ...] = ()
    """Names of an executable, looked for where programs are."""
    environments: tuple[str, ...] = ()
    """Folders of the project's own environment for them; whatever of it is run must not come with the repository."""
    files: tuple[str, ...] = ()
    """Glob patterns of files, relative to the project's folder and those around it, the nearest first; looked for
    before the names."""
    beside: tuple[str, ...] = ()
    """Glob patterns relative to the folder of the server's program; looked for after all else."""
    runs: bool = True
    """Whether it is run, and not only read."""
    real: Real | None = None
    missing: str = ""
    """Why the server cannot do without it, as a clause; empty: it can."""


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One language server."""

    name: str
    """`ty`."""
    entry: Entry
    arguments: tuple[str, ...]
    """`{nonce}` stands for the name of the cancellation folder, `{state}` for a private folder elsewhere, here and in
    the environment's values."""
    install: str
    """The command that installs it, for people: `pip install ty`."""
    language_ids: Mapping[str, str]
    """File name ending -> `languageId`: it is asked about files with these endings and no others."""
    initialization_options: Mapping[str, Any] = {}
    configuration: Mapping[str, Any] = {}
    """Section -> answer to `workspace/configuration`; null for others."""
    environment: Mapping[str, str] = {}
    opens: bool = False
    """Whether it answers only about files that were opened (`didOpen`); otherwise it reads the disk, and is notified of
    changes by `didChangeWatchedFiles`."""
    open_max: int = 32
    takes_any_name: bool = False
    """Whether it accepts files whose names are not UTF-8, which the protocol has no words for; others end, or
    answer about files that are not there."""
    reopens: bool = False
    """Whether an open document sees that other files changed only when it is opened again."""
    included: tuple[str, ...] = ()
    """Suffixes of files that others include: they are opened before those."""
    reads_later: bool = False
    """Whether the new text of a document counts for others only once it answered about that document."""
    projects: tuple[str, ...] = ()
    """Base names of the files that make their folder a project which it knows only once one of its files was shown; it
    is shown files that mention a name before it is asked for the uses of that name. Empty: it knows all files."""
    readiness: Readiness = Immediate()
    cancel: Cancel = Cancel.MESSAGE
    in_flight_max: int = 4
    """Requests that it works on at the same time; more wait on our side."""
    diagnosing: Diagnosing = Pulled()
    diagnoses_partly: str = ""
    """Why it finds less than what builds the project would, as a clause; empty: it does not."""
    verifies: str = "uncertain"
    """What background verification asks of it: `all` call sites where it is quick, `uncertain` ones, `none`."""
    start_s: float = 10.0
    """How long `initialize` may take."""
    ready_s: float = 15.0
    """How long it may load before answers are given as incomplete."""
    idle_stop_s: float = 600.0
    memory_max_mb: int = 3000
    """Of the whole process tree; above it is killed."""
    runs_project_code: bool = False
    """Whether it runs code of the repository (build scripts, plug-ins): then only where the user's settings say so."""
    root_markers: tuple[tuple[str, ...], ...] = ()
    """Base names in tiers: the project's root is the nearest folder upward with one of the first tier; where there is
    none, of the next. Empty, or none anywhere: the repository's root."""
    unfit: Callable[[Callable[[str], bytes | None], str], str] | None = None
    """Reader of files by path (as in `Serving.read`) and absolute folder of a source file -> why this server does not
    see all of it, as a clause; empty: it does. Reads nothing otherwise."""
    searches_nested: bool = True
    """Whether it looks into the projects inside the folder that it serves as well; otherwise they are counted as not
    searched."""
    config_files: tuple[str, ...] = ()
    """Glob patterns of base names of the files that configure it, of whose changes it is notified."""
    source_roots: Callable[[Project, str], tuple[str, ...]] | None = None
    """What the map was made from, and the project's folder, relative to the root -> folders that modules are looked up
    in, the strongest first, relative to the root. Pure."""
    companions: tuple[Companion, ...] = ()
    configure: Callable[[Serving], Configured] | None = None
    """Its configuration for one project; reads nothing but by `Serving.read`."""

    def may_name(self, path: str) -> bool:
        """Whether a file can be named to it."""
        return self.takes_any_name or path.isascii() or not _NOT_UTF8.search(path)

    def is_configured_by(self, path: str) -> bool:
        """Whether a file of this path configures it."""
        base = path.rpartition("/")[2]
        return any(fnmatchcase(base, pattern) for pattern in self.config_files)
