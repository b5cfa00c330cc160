"""Reads composer.json and composer.lock: which folders hold which namespaces, and which packages bring which.

Source: the Composer manual, "The composer.json schema".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import basename, dirname, join, normpath

from codemap.config import jsonc
from codemap.config.document import Unreadable, find, find_list, find_table, find_text, texts_of

CONFIG_FILES = {"composer.json": jsonc.read_table, "composer.lock": jsonc.read_table}
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
            said = jsonc.read_table(content)
            if isinstance(said, Unreadable):
                continue
            if basename(path) == "composer.json":
                for section in _SECTIONS:
                    for prefix, folder in _prefixes(find(said, section), "psr-4"):
                        self._folders.setdefault(prefix, set()).add(normpath(join(dirname(path), folder)))
            else:
                self._take_lock(said)

    def _take_lock(self, said: Mapping[str, object]) -> None:
        for key in ("packages", "packages-dev"):
            for package in find_list(said, key):
                name = find_text(package, "name")
                if name is not None:
                    for kind in ("psr-4", "psr-0"):
                        for prefix, _ in _prefixes(find(package, "autoload"), kind):
                            self._packages.setdefault(prefix, name)

    def maps(self, namespace: str, folder: str) -> bool:
        """Whether a class of a namespace is looked for in a folder."""
        at = normpath(folder or ".")
        for prefix, rest in _splits(namespace):
            base = _above(at, rest.replace("\\", "/"))
            if base is not None and base in self._folders.get(prefix, ()):
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


def _above(folder: str, below: str) -> str | None:
    """The folder in which `below` is `folder`; None where there is none."""
    if not below:
        return folder
    if folder == below:
        return "."
    return folder.removesuffix(f"/{below}") if folder.endswith(f"/{below}") else None


def _prefixes(section: object, kind: str) -> Iterator[tuple[str, str]]:
    """The prefixes that a section maps, without a trailing separator, each with a folder of it."""
    for prefix, folders in find_table(section, kind).items():
        for folder in texts_of(folders):
            yield prefix.strip("\\"), folder
