"""A repository as module resolution sees it, and what an import specifier can resolve to."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Protocol

import msgspec


class Module(msgspec.Struct, frozen=True):
    """A module of the repository. File or directory is set, both for a package with a body, none for no code."""

    file: str | None
    """The first, where it has several."""
    directory: str | None = None
    """Whose members can be imported from it as submodules (a package or namespace package): a folder, or a dotted
    name."""
    files: frozenset[str] = frozenset()
    """All of them, where the module has several by nature (a package, a namespace)."""
    within: str = ""
    """The dotted name of the namespace or module, inside each of `files` or in `file`, that is meant, where it is not
    their top level."""
    is_union: bool = False
    """Whether what each of `files` offers by itself is a member: a class that files make of their functions."""
    hiding: frozenset[str] = frozenset()
    """Those of `files` whose types are meant where others of them have types of the same name."""


class External(msgspec.Struct, frozen=True):
    """A module outside the repository; `package` is the its distribution unit (`typing`, `lodash`, `@s/x`)."""

    package: str


class Missing(msgspec.Struct, frozen=True):
    """A specifier that must mean something in the repository (a relative path) and does not, as far as is known."""

    perhaps: frozenset[str] = frozenset()
    """The files of which a build says which is meant (`#include "platform.h"`, in a folder for each platform)."""


Resolution = Module | External | Missing


class ModuleResolver(Protocol):
    """How import specifiers become files, for one state of the project. Pure; may cache."""

    def resolve(self, specifier: str, importer: str) -> Resolution:
        """What `specifier`, as written in the file `importer`, means."""
        ...

    def child(self, module: Module, name: str) -> Module | None:
        """The submodule `name` of a package; None where there is none, or the language has no submodules."""
        ...


class Project(msgspec.Struct, frozen=True):
    """What the repository holds, for module resolution."""

    files: Set[str]
    """Paths of every indexed file, of all languages, relative to the root, with `/`."""
    configs: Mapping[str, bytes]
    """Contents of the configuration files that a plug-in asked for, by path."""
    packages: Mapping[str, tuple[str, ...]] = {}
    """Path -> `FileFacts.packages`, of the files that declare some; of languages with `declares_packages`."""
    outside: Set[str] = frozenset()
    """Packages outside the repository that are imported, for language servers; the map itself is made without."""
