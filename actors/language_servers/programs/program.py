"""The program that runs as a language server for some folder, or why there is none: what finding one gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from codemap.languages.project import Project
from codemap.live import At
from codemap.lsp.server import Server


class Program(msgspec.Struct, frozen=True):
    """A language server that was found and may be started."""

    argv: tuple[str, ...]
    """The real program and what comes before the record's arguments (`node`, the script); the first is absolute. The
    record's own arguments are not among them."""
    version: str
    """As the program prints it."""
    path: str
    """Where it was found, for people."""
    stamps: tuple[object, ...] = ()
    """What changes when other files take the place of those that are started."""
    confined: Mapping[str, str] | None = None
    """What it inherits in place of codemap's own variables, where it may not go by what lies in the repository: then
    it does not run there either; None: it may."""
    environment: Mapping[str, str] = {}
    """Variables on top of these and the record's."""
    project: str = ""
    """Folder that it is to serve, relative to the root, with `/`; empty: the root."""
    configuration: Mapping[str, Any] = {}
    """Section -> settings on top of the record's."""
    initialization_options: Mapping[str, Any] = {}
    """Options on top of the record's."""
    files: Mapping[str, bytes] = {}
    """Name -> contents of files that it expects in its private folder (`{state}`) before it starts."""
    caveat: str = ""
    """Why there may be more than it answers, as a clause; such a program is used where no other is found."""


class Absent(msgspec.Struct, frozen=True):
    """No program, or none that may be used here."""

    reason: str
    """A sentence, without its full stop."""
    install: str = ""
    """The command that would help; empty: none would."""
    refused: tuple[str, ...] = ()
    """Programs that are there and cannot be used, each with why."""
    is_sought: bool = False
    """Whether it is still looked for."""


class Candidate(msgspec.Struct, frozen=True):
    """A definition of the map, by which a server can be tested."""

    at: At
    """Of its name."""
    name: str


Finder = Callable[[Server, str], Awaitable[Program | Absent]]
"""The program of a server record for a file in this folder (relative to the root, with `/`; empty: the root). It never
raises for what is or is not installed. When cancelled, nothing that it started goes on."""

Search = Callable[[Server, str, Project | None], Awaitable[Program | Absent]]
"""As a `Finder`, which is also given what the map was made from; None before there is one."""
