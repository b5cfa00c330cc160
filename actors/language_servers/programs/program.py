"""The result of looking for a language server for a folder: a program, or why there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from codemap.live_queries import At
from codemap.lsp.server import Server
from codemap.project import Project


class Program(msgspec.Struct, frozen=True):
    """A language server that was found and may be started."""

    argv: tuple[str, ...]
    """The real program and the words before the record's arguments (`node`, the script); the first is an absolute path.
    The record's own arguments are not included."""
    version: str
    """As the program prints it."""
    path: str
    """Path where it was found, as people see it."""
    stamps: tuple[object, ...] = ()
    """Stamps of the files that are started, which change when they are replaced."""
    confined: Mapping[str, str] | None = None
    """The environment that it inherits instead of codemap's own, where nothing of the repository may influence it; then
    it does not run there either. None: not confined."""
    environment: Mapping[str, str] = {}
    """Variables besides these and the record's."""
    project: str = ""
    """Folder to serve, relative to the root, with `/`; empty: the root."""
    configuration: Mapping[str, Any] = {}
    """Section -> settings besides the record's."""
    initialization_options: Mapping[str, Any] = {}
    """Options besides the record's."""
    files: Mapping[str, bytes] = {}
    """Name -> contents of files that must be in its private folder (`{state}`) before it starts."""
    caveat: str = ""
    """Why its answers may be incomplete, as a clause; such a program is used where no other is found."""


class Absent(msgspec.Struct, frozen=True):
    """No program was found, or none may be used here."""

    reason: str
    """The reason, a sentence without its full stop."""
    install: str = ""
    """The command that installs one; empty: there is none."""
    refused: tuple[str, ...] = ()
    """Programs that exist and cannot be used, each with the reason."""
    is_sought: bool = False
    """Whether the search still goes on."""


class Candidate(msgspec.Struct, frozen=True):
    """A definition of the map, by which a server can be tested."""

    at: At
    """Position of its name."""
    name: str


Finder = Callable[[Server, str], Awaitable[Program | Absent]]
"""Finds the program of a server record for a folder (relative to the root, with `/`; empty: the root). Never raises for
what is or is not installed. When cancelled, everything that it started is ended."""

Search = Callable[[Server, str, Project | None], Awaitable[Program | Absent]]
"""A `Finder` that also gets what the map was made from; None before there is a map."""
