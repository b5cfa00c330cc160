"""A project that a language server is started for, and the configuration of the server for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any

import msgspec


class Serving(msgspec.Struct, frozen=True, kw_only=True):
    """What a server is to serve. Paths are absolute, unless it says otherwise."""

    root: str
    """Of the repository."""
    folder: str
    """The project's, which it is started in: the root or a folder under it."""
    files: Set[str] = frozenset()
    """Files that the map knows, relative to the root, with `/`; empty before the first build."""
    packages: Set[str] = frozenset()
    """Packages outside the repository that files of the map import."""
    is_trusted: bool = False
    """Whether code of the repository may be run."""
    source_roots: tuple[str, ...] = ()
    """Folders that are there and that modules are looked up in, the strongest first."""
    companions: Mapping[str, str] = {}
    """Name -> path of what was found besides its own program."""
    read: Callable[[str], bytes | None] = lambda _path: None
    """Contents of a file by its path, or None where it is not there or may not be read."""


class Configured(msgspec.Struct, frozen=True, kw_only=True):
    """A server's configuration for one project, on top of what its record always says."""

    configuration: Mapping[str, Any] = {}
    """Section -> settings."""
    initialization_options: Mapping[str, Any] = {}
    environment: Mapping[str, str] = {}
    files: Mapping[str, bytes] = {}
    """Name -> contents of files in its private folder (`{state}`)."""
    caveat: str = ""
    """Why there may be more than it answers, as a clause."""
