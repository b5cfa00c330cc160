"""The repositories, pinned in `repositories.toml`; they come through Debian's client and lie under `.cache/debian`, or
are in the jars of a package of npm."""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from bench.accuracy.corpora import CACHE, tool
from tests.system.debian import unpacked, unpacked_original, unpacked_source

FOLDER = Path(__file__).parent


class Repository(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pinned package, and what resolves its uses."""

    registry: Literal["debian", "debian-source", "debian-original", "npm"]
    package: str
    version: str
    root: str
    """The folder that is measured; of a package, inside what it installs; of one of npm, the jar of the sources."""
    language: str
    """Short name."""
    oracle: str
    """What says the truth: a key of `ORACLES`."""
    beside: Mapping[str, str] = {}
    """Packages that it depends on, with their versions."""
    is_studied: bool = False
    """Whether a rule was made on it: it proves nothing of that rule."""
    driver: str = ""
    """Of Ruby: the program in `ruby` that is run."""
    defined: tuple[str, ...] = ()
    """Of C#: the symbols that its build defines."""
    crates: Mapping[str, tuple[str, ...]] = {}
    """Of Rust: the folders of the crates that it depends on, and its own, each after those it needs, with what is
    configured."""

    compiler: str = ""
    """Of Kotlin: the version of the compiler whose classes it is compiled against."""
    flags: tuple[str, ...] = ()
    """Of Kotlin: what the compiler is called with."""


class Place(msgspec.Struct, frozen=True):
    """Where a repository lies."""

    repository: Repository
    root: Path
    """The folder that is measured, absolute."""
    installed: Path
    """The tree of the packages beside it; of a binary package, with its own."""


def repositories() -> dict[str, Repository]:
    """Every repository by its name, in the order of the file."""
    read = tomllib.loads((FOLDER / "repositories.toml").read_text())
    for each in read.values():
        each["beside"] = {**each.get("beside", {}), **read.get(each.pop("beside_of", ""), {}).get("beside", {})}
    return msgspec.convert(read, dict[str, Repository])


def fetch(name: str, repository: Repository) -> Place:
    """Downloads what is not there yet. Raises RuntimeError with the client's words."""
    if repository.registry == "debian":
        installed = unpacked(f"accuracy-{name}", {repository.package: repository.version, **repository.beside})
        return Place(repository, (installed / repository.root).resolve(), installed.resolve())
    if repository.registry == "npm":
        package = tool("npm", repository.package, repository.version) / "node_modules" / repository.package
        root = CACHE / "sources" / f"{name}-{repository.version}"
        if not root.is_dir():
            with zipfile.ZipFile(package / repository.root) as jar:
                jar.extractall(root)
        return Place(repository, root.resolve(), package.resolve())
    unpack = unpacked_source if repository.registry == "debian-source" else unpacked_original
    root = unpack(repository.package, repository.version) / repository.root
    installed = unpacked(f"accuracy-{name}", repository.beside) if repository.beside else root
    return Place(repository, root.resolve(), installed.resolve())
