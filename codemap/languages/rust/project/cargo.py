"""What Cargo.toml files say: the crates of a package, where they begin, and what they depend on.

Source: the Cargo Book, "The Manifest Format", "Specifying Dependencies", "Package Layout", "Workspaces".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from codemap.config import toml
from codemap.config.document import Unreadable, find_list, find_table, find_text

_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
_TARGETS = {"bin": "src/bin", "example": "examples", "test": "tests", "bench": "benches"}
EDITION_2015 = "2015"


class Dependency(msgspec.Struct, frozen=True):
    """What a package calls a crate."""

    package: str
    """Its own name."""
    folder: str | None
    """Where it is, relative to this file; None where it comes from a registry."""
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
    """Where its other crates are stated to begin, or do by their names if there is such a file."""
    binaries: Mapping[str, str]
    """Where those programs begin of which it states both name and path."""
    closed: frozenset[str]
    """Folders in which no other file begins a crate."""
    dependencies: Mapping[str, Dependency]
    """By the name in paths."""
    shared: Mapping[str, Dependency]
    """Those of the workspace, by name."""


_NONE = Manifest("", EDITION_2015, "", None, (), {}, frozenset(), {}, {})


def read(source: bytes) -> Manifest:
    """What a file says; nothing where it cannot be read."""
    said = toml.read(source)
    if isinstance(said, Unreadable):
        return _NONE
    package, library = find_table(said, "package"), find_table(said, "lib")
    name = find_text(package, "name") or ""
    edition = package.get("edition", EDITION_2015)
    if isinstance(edition, dict):
        edition = "2021"  # the workspace's, and those are younger than the field
    targets = [
        path for kind in _TARGETS for target in find_list(said, kind) for path in _beginnings(target, _TARGETS[kind])
    ]
    return Manifest(
        package=name,
        edition=str(edition),
        library=_crate(find_text(library, "name") or name),
        library_path=find_text(library, "path"),
        targets=tuple(posixpath.normpath(path) for path in (*targets, find_text(package, "build")) if path is not None),
        binaries={
            own: posixpath.normpath(path)
            for one in find_list(said, "bin")
            if (own := find_text(one, "name")) and (path := find_text(one, "path"))
        },
        closed=frozenset(
            folder for kind, folder in _TARGETS.items() if not _is_searched(package, kind, find_list(said, kind))
        ),
        dependencies=dict(_dependencies(said)),
        shared=dict(_listed(find_table(said, "workspace", "dependencies"))),
    )


def _beginnings(target: object, folder: str) -> Iterator[str]:
    """Where a crate may begin, as its path or its name says."""
    path, name = find_text(target, "path"), find_text(target, "name")
    if path is not None:
        yield path
    elif name is not None:
        yield from (f"{folder}/{name}.rs", f"{folder}/{name}/main.rs")


def _is_searched(package: Mapping[str, object], kind: str, stated: Sequence[object]) -> bool:
    """Whether crates of a kind begin with files of its folder that the manifest does not name. Before the edition of
    2018 it is enough that it names any."""
    is_old = package.get("edition", EDITION_2015) == EDITION_2015
    said = package.get(f"auto{kind}{'es' if kind == 'bench' else 's'}")
    return said if isinstance(said, bool) else not (is_old and stated)


def _dependencies(said: Mapping[str, object]) -> Iterator[tuple[str, Dependency]]:
    for kind in _DEPENDENCIES:
        yield from _listed(find_table(said, kind))
    for target in find_table(said, "target").values():
        for kind in _DEPENDENCIES:
            yield from _listed(find_table(target, kind))
    for patches in find_table(said, "patch").values():
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
