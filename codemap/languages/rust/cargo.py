"""What Cargo.toml files say: the crates of a package, where they begin, and what they depend on.

Source: the Cargo Book, "The Manifest Format", "Specifying Dependencies", "Package Layout", "Workspaces".
"""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
_TARGETS = {"bin": "src/bin", "example": "examples", "test": "tests", "bench": "benches"}
EDITION_2015 = "2015"


class Dependency(msgspec.Struct, frozen=True):
    """What a package calls a crate."""

    package: str
    """Its own name."""
    folder: str | None
    """Where it stands, relative to this file; None where it comes from a registry."""
    is_inherited: bool = False
    """Whether the workspace says where it comes from."""


class Manifest(msgspec.Struct, frozen=True):
    """One Cargo.toml."""

    package: str
    """Empty where it is of a workspace alone."""
    edition: str
    library: str
    """The name of its library in paths."""
    library_path: str | None
    """Where that is stated to begin."""
    targets: tuple[str, ...]
    """Where its other crates are stated to begin."""
    dependencies: Mapping[str, Dependency]
    """By the name in paths."""
    shared: Mapping[str, Dependency]
    """Those of the workspace, by name."""


_NONE = Manifest("", EDITION_2015, "", None, (), {}, {})


def read(source: bytes) -> Manifest:
    """What a file says; nothing where it is not TOML."""
    try:
        said = tomllib.loads(source.decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return _NONE
    package, library, workspace = (_table(said, name) for name in ("package", "lib", "workspace"))
    name = _text(package, "name")
    edition = package.get("edition", EDITION_2015)
    if isinstance(edition, dict):
        edition = "2021"  # the workspace's, and those are younger than the field
    targets = [_text(target, "path") for kind in _TARGETS for target in _tables(said.get(kind))]
    build = package.get("build")
    return Manifest(
        package=name,
        edition=str(edition),
        library=_crate(_text(library, "name") or name),
        library_path=_text(library, "path") or None,
        targets=tuple(posixpath.normpath(path) for path in (*targets, build) if isinstance(path, str) and path),
        dependencies=dict(_dependencies(said)),
        shared=dict(_listed(_table(workspace, "dependencies"))),
    )


def _dependencies(said: Mapping[str, Any]) -> Iterator[tuple[str, Dependency]]:
    for kind in _DEPENDENCIES:
        yield from _listed(_table(said, kind))
    for target in _table(said, "target").values():
        for kind in _DEPENDENCIES:
            yield from _listed(_table(target, kind))
    for patches in _table(said, "patch").values():
        yield from ((name, found) for name, found in _listed(patches) if found.folder is not None)


def _listed(table: object) -> Iterator[tuple[str, Dependency]]:
    for name, said in table.items() if isinstance(table, dict) else ():
        if isinstance(said, dict):
            folder = said.get("path")
            own = said.get("package")
            yield (
                _crate(name),
                Dependency(
                    own if isinstance(own, str) else name,
                    posixpath.normpath(folder) if isinstance(folder, str) else None,
                    said.get("workspace") is True,
                ),
            )
        else:
            yield _crate(name), Dependency(name, None)


def _crate(name: str) -> str:
    """The name of a package in paths."""
    return name.replace("-", "_")


def _table(said: object, name: str) -> dict[str, Any]:
    found = said.get(name) if isinstance(said, dict) else None
    return found if isinstance(found, dict) else {}


def _tables(said: object) -> list[object]:
    return said if isinstance(said, list) else []


def _text(said: object, name: str) -> str:
    found = said.get(name) if isinstance(said, dict) else None
    return found if isinstance(found, str) else ""
