"""What manifests say of a repository: its packages, what they are for, and their entry points.

Names and sentences are those of strangers, and are cut where they are shown.
"""

from __future__ import annotations

import re

import msgspec


class Entry(msgspec.Struct, frozen=True):
    """A place where a package is entered from outside."""

    kind: str
    """`command`: people run it by its name; `library`: what importing the package means."""
    name: str
    """Of the command; empty for a library."""
    file: str
    """Path of the file, empty where the repository holds none."""
    symbol: str = ""
    """Qualified name of the definition in it, where the manifest names one."""


class Package(msgspec.Struct, frozen=True):
    name: str
    manifest: str
    """Path of the file that says so."""
    about: str = ""
    """A sentence; empty where the manifest has none."""
    entries: tuple[Entry, ...] = ()
    offered: tuple[str, ...] = ()
    """Files that others import from it by their own names (`package/part`), beside its entries."""

    @property
    def folder(self) -> str:
        """Empty for the root."""
        return self.manifest.rpartition("/")[0]


class Distributions(msgspec.Struct, frozen=True):
    """What builds hand on to one another, by names that mean the same in every repository (`group:artifact`)."""

    made: frozenset[str]
    """Those that a repository makes."""
    used: frozenset[str]
    """Those that its manifests ask for, its own among them."""


def match_first(source: bytes, pattern: re.Pattern[str]) -> str:
    """The first group of the first match in a text; empty where there is none. Patterns must be linear."""
    found = pattern.search(source.decode("utf-8", "replace"))
    return found.group(1).strip() if found else ""


def make_registrars(**words: str) -> dict[str, str]:
    """Names by what they register, as `EntryPoints.registrars` has them: `registrars(routes="get post")`."""
    return {name: kind for kind, names in words.items() for name in names.split()}
