"""Finds the store of a repository, and the keys of the facts and maps that this code may read from it.

One file a repository, shared by its worktrees, in the user's cache directory. What is in it is keyed by its makers:
facts by the code that extracts, maps by all of the pure package, so that no other state of codemap's own code, released
or being worked on, ever reads what it would not have written itself.

Source: XDG Base Directory Specification 0.8 (a cache path that is not absolute is ignored).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version

import msgspec

import codemap
from actors.files.repository import repository_around
from codemap.facts import FACTS_VERSION
from codemap.settings import Settings

_PARSERS = ("tree-sitter", "tree-sitter-language-pack")
"""Packages whose version changes the facts of a source."""
_GRAPH = ("graspologic-native", "numpy", "PyStemmer")
"""Packages whose version may change scores, clusters and stems."""
EXTRACTING = (
    "calls",
    "changes",
    "config",
    "depth.py",
    "extract",
    "fact_building",
    "facts.py",
    "file_roles.py",
    "languages",
    "lsp",
    "mangled_names.py",
    "measures.py",
    "occurrences",
    "packed",
    "project.py",
    "root_paths.py",
    "stop_words.py",
    "syntax.py",
)
"""Parts of the pure package that decide the facts of a file, as they are stored."""


class StorePlace(msgspec.Struct, frozen=True):
    """The database of a repository, and the keys for reading it."""

    path: str
    """Path of the database."""
    root_key: bytes
    """Key of the maps of one checkout under these settings."""
    facts_maker: bytes
    """Facts that lack what `--facts-share names` leaves out are kept apart."""
    map_maker: bytes
    max_bytes: int


def store_place(root: str, settings: Settings, environment: Mapping[str, str]) -> StorePlace | None:
    """Finds the store of a root (a real path); None where the settings want none. Reads codemap's own code."""
    if settings.store == "off":
        return None
    folder = settings.store_dir or os.path.join(_cache_home(environment), "codemap")
    repository = repository_around(os.fsencode(root))
    shared = repository.store if repository is not None else os.fsencode(root)
    lacks = b"names" if settings.facts_remote and settings.facts_share == "names" else b""
    return StorePlace(
        path=os.path.join(os.path.abspath(os.path.expanduser(folder)), _file_name(shared)),
        root_key=_digest([os.fsencode(root), _limits(settings).encode()]),
        facts_maker=_digest([facts_maker(), lacks]),
        map_maker=_digest([map_maker(), lacks]),
        max_bytes=settings.store_max_mb * 1_000_000,
    )


def settings_key(settings: Settings) -> bytes:
    """Identifies the settings that decide what a map has: 16 bytes."""
    chosen = settings.include, settings.exclude, settings.languages
    return _digest([_limits(settings).encode(), *(repr(one).encode("utf-8", "surrogateescape") for one in chosen)])


def _limits(settings: Settings) -> str:
    return f"\0{settings.file_max_bytes}\0{settings.file_timeout_s}\0{settings.include_generated}"


def _cache_home(environment: Mapping[str, str]) -> str:
    named = environment.get("XDG_CACHE_HOME", "")
    return named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), ".cache")


def _file_name(shared: bytes) -> str:
    """Makes a file name from the repository's name and a digest that distinguishes namesakes."""
    parts = [part for part in os.fsdecode(shared).split("/") if part not in ("", ".git")]
    readable = re.sub(r"[^A-Za-z0-9._-]", "_", parts[-1] if parts else "root")[:40].lstrip(".") or "root"
    return f"{readable}-{_digest([shared]).hex()[:16]}.sqlite"


def facts_maker() -> bytes:
    """Identifies the code that extracts facts: its own, and the versions of the parsers. Reads codemap's own code."""
    return _makers()[0]


def map_maker() -> bytes:
    """Identifies the code that makes maps. Reads codemap's own code."""
    return _makers()[1]


@cache
def _makers() -> tuple[bytes, bytes]:
    files = _code(("",))
    versions = [str(FACTS_VERSION), *map(_version, _PARSERS)]
    of_facts = _digest([*(text.encode() for text in versions), *_under(files, EXTRACTING)])
    return of_facts, _digest([of_facts, *(_version(name).encode() for name in _GRAPH), *_under(files, ("",))])


def code_digest(names: Iterable[str]) -> bytes:
    """Hashes the pure package's files under some names."""
    return _digest(_under(_code(names), names))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _code(names: Iterable[str]) -> list[tuple[str, bytes]]:
    """Reads the pure package's files under some names: (path in it, content), in order; those that cannot be read count
    as empty."""
    found: list[tuple[str, bytes]] = []
    for top in (top.rstrip(os.sep) for top in codemap.__path__):
        for name in names:
            start = f"{top}{os.sep}{name}".rstrip(os.sep)
            paths = [start] if os.path.isfile(start) else _files_under(start)
            found += [(path[len(top) + 1 :], _content(path)) for path in sorted(paths)]
    return found


def _under(files: Iterable[tuple[str, bytes]], names: Iterable[str]) -> list[bytes]:
    """The paths and contents of the files under some names; all of them under an empty one."""
    chosen = tuple(names)
    return [
        part
        for path, content in files
        if any(not name or path == name or path.startswith(f"{name}{os.sep}") for name in chosen)
        for part in (os.fsencode(path), content)
    ]


def _files_under(folder: str) -> list[str]:
    return [f"{at}{os.sep}{name}" for at, _, names in os.walk(folder) for name in names if not name.endswith(".pyc")]


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _digest(parts: Iterable[bytes]) -> bytes:
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()
