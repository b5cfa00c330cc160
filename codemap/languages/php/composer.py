"""Reads composer.json and composer.lock: which folders hold which namespaces, and which packages bring which.

Source: the Composer manual, "The composer.json schema".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import basename, dirname, join, normpath

import msgspec

CONFIG_FILES = ("composer.json", "composer.lock")
_SECTIONS = ("autoload", "autoload-dev")


class Autoload:
    """What the Composer files of one state of a project say."""

    def __init__(self, configs: Mapping[str, bytes]) -> None:
        self._folders: dict[str, set[str]] = {}
        """Prefix of namespaces, without a trailing separator -> folders that hold it."""
        self._packages: dict[str, str] = {}
        """Prefix of namespaces -> the package outside that brings it."""
        for path, content in sorted(configs.items()):
            if basename(path) not in CONFIG_FILES:
                continue
            read = _read(content)
            if basename(path) == "composer.json":
                for section in _SECTIONS:
                    for prefix, folder in _prefixes(read.get(section), "psr-4"):
                        self._folders.setdefault(prefix, set()).add(normpath(join(dirname(path), folder)))
            else:
                self._take_lock(read)

    def _take_lock(self, read: Mapping[str, object]) -> None:
        for key in ("packages", "packages-dev"):
            listed = read.get(key)
            for package in listed if isinstance(listed, list) else ():
                name = package.get("name") if isinstance(package, dict) else None
                if isinstance(name, str):
                    for kind in ("psr-4", "psr-0"):
                        for prefix, _ in _prefixes(package.get("autoload"), kind):
                            self._packages.setdefault(prefix, name)

    def maps(self, namespace: str, folder: str) -> bool:
        """Whether a class of a namespace is looked for in a folder."""
        for prefix, rest in _splits(namespace):
            below = rest.replace("\\", "/")
            if any(normpath(join(base, below)) == normpath(folder or ".") for base in self._folders.get(prefix, ())):
                return True
        return False

    def package_of(self, full: str) -> str:
        """The package outside that brings a full name; empty where none says so."""
        return next((self._packages[prefix] for prefix, _ in _splits(full) if prefix and prefix in self._packages), "")


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """A name in every prefix and the rest behind it, the longest prefix first."""
    prefix, rest = name, ""
    while prefix:
        yield prefix, rest
        prefix, _, last = prefix.rpartition("\\")
        rest = f"{last}\\{rest}" if rest else last
    yield "", name


def _prefixes(section: object, kind: str) -> Iterator[tuple[str, str]]:
    """The prefixes that a section maps, without a trailing separator, each with a folder of it."""
    mapped = section.get(kind) if isinstance(section, dict) else None
    for prefix, folders in mapped.items() if isinstance(mapped, dict) else ():
        for folder in folders if isinstance(folders, list) else [folders]:
            if isinstance(prefix, str) and isinstance(folder, str):
                yield prefix.strip("\\"), folder


def _read(content: bytes) -> Mapping[str, object]:
    try:
        read = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
