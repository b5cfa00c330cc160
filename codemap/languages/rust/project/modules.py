"""Specifiers -> files: the modules that a file declares, those above it, and the crates that it can name.

A crate begins where Cargo looks for it, or where its Cargo.toml says; a file belongs to the module that its folder is
named after. What `crate`, `super`, `self`, the name of a crate, `mod name` or `path name` mean is asked here; the rest
of a path is asked of what they mean.

Source: the Rust Reference, "Modules"; the Cargo Book, "Package Layout".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from codemap.config import toml
from codemap.languages.nearest_folder import nearest_folder
from codemap.languages.rust.builtins import OWN_CRATES
from codemap.languages.rust.project import cargo
from codemap.languages.rust.project.specifiers import (
    CRATE,
    MACROS_OF,
    MODULE,
    PACKAGE,
    PATH,
    PROGRAM,
    ROOT_2015,
    SELF,
    SUPER,
)
from codemap.project import External, Missing, Module, Project, Resolution

CONFIG_FILES = {"Cargo.toml": toml.read}
_ROOTS = ("lib.rs", "main.rs")
_MOD = "mod"
_FOLDERS = ("tests", "examples", "benches", "src/bin")
"""Folders in which each file, and each folder with a `main.rs`, is a crate."""


def modules(project: Project) -> RustModules:
    return RustModules(project)


class RustModules:
    """The modules of one state of a project; keeps what it has resolved."""

    def __init__(self, project: Project) -> None:
        self._files = project.files
        configs = project.configs.items()
        self._manifests = {_folder(path): cargo.read(text) for path, text in configs if _base(path) == "Cargo.toml"}
        self._stated: dict[str, list[str]] = {}
        """Folder -> the files in it that a manifest states as roots of crates, in order."""
        for path in sorted(set(self._stated_roots())):
            self._stated.setdefault(_folder(path), []).append(path)
        self._homes: dict[str, str | None] = {}
        self._crates: dict[str, str | None] = {}
        self._crate_files: dict[str | None, set[str]] = {}
        self._known: dict[tuple[str, str], Resolution] = {}

    def resolve(self, specifier: str, importer: str) -> Resolution:
        key = (specifier, importer)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._find(specifier, importer)
        return known

    def child(self, module: Module, name: str) -> Module | None:  # noqa: ARG002 - modules are declared
        return None

    def _find(self, specifier: str, importer: str) -> Resolution:
        if specifier == SELF:
            return Module(importer)
        if specifier == CRATE:
            return _module(self._crate(importer))
        if specifier == ROOT_2015:
            home = self._home(_folder(importer))
            is_old = home is None or self._manifests[home].edition == cargo.EDITION_2015
            return _module(self._crate(importer) if is_old else None)
        if specifier.startswith(MACROS_OF):
            root = self._find(specifier.removeprefix(MACROS_OF), importer)
            return Module(root.file, files=self._of_crate(root.file)) if isinstance(root, Module) else root
        if specifier == SUPER or specifier.startswith(f"{SUPER}::"):
            above: tuple[str, str] | None = importer, ""
            for _ in specifier.split("::"):
                above = None if above is None else self._above(*above)
            return Missing() if above is None else Module(above[0], within=above[1])
        if specifier.startswith(MODULE):
            return _module(self._declared(importer, specifier.removeprefix(MODULE)))
        if specifier.startswith(PATH):
            return _module(self._stated_path(importer, specifier.removeprefix(PATH)))
        if specifier.startswith(PROGRAM):
            return _module(self._program(importer, specifier.removeprefix(PROGRAM)))
        if specifier.startswith(PACKAGE):
            return self._published(specifier.removeprefix(PACKAGE))
        return self._named(specifier, importer)

    # -- modules of a crate ---------------------------------------------------------------------------------------

    def _declared(self, importer: str, name: str) -> str | None:
        """The file of a module that a file declares; one whose path is stated looks beside itself."""
        for folder in (self._inside(importer), _folder(importer)):
            for path in (f"{_join(folder, name)}.rs", f"{_join(folder, name)}/{_MOD}.rs"):
                if path in self._files:
                    return path
        return None

    def _stated_path(self, importer: str, path: str) -> str | None:
        for folder in (_folder(importer), self._inside(importer)):
            found = posixpath.normpath(_join(folder, path))
            if found in self._files:
                return found
        return None

    def _inside(self, path: str) -> str:
        """The folder of the modules that a file declares."""
        stem = _base(path).removesuffix(".rs")
        return _folder(path) if stem == _MOD or self._is_root(path) else _join(_folder(path), stem)

    def _parent(self, path: str) -> str | None:
        """The file that declares a module, by where it is."""
        if self._is_root(path):
            return None
        folder = _folder(path)
        return self._of_folder(_folder(folder) if _base(path) == f"{_MOD}.rs" else folder, path)

    def _above(self, path: str, within: str) -> tuple[str, str] | None:
        """The file and, in that, the module inside it around a module."""
        if within:
            return path, within.rpartition(".")[0]
        found = self._parent(path)
        if found is not None or self._is_root(path):
            return None if found is None else (found, "")
        around = self._around(path)
        if around is None:
            return None
        folder = _folder(path) if _base(path) != f"{_MOD}.rs" else _folder(_folder(path))
        return around, folder[len(self._inside(around)) :].strip("/").replace("/", ".")

    def _of_folder(self, folder: str, besides: str) -> str | None:
        """The file of the module whose inner ones are in a folder."""
        for found in (_join(folder, f"{_MOD}.rs"), f"{folder}.rs", *(_join(folder, name) for name in _ROOTS)):
            if found in self._files and found != besides:
                return found
        return next(iter(self._stated.get(folder, ())), None)

    def _around(self, path: str) -> str | None:
        """The file that holds the module inside it that declares one: folders are named after those, too."""
        folder, home = _folder(path), self._home(_folder(path))
        while folder and folder != home:
            folder = _folder(folder)
            found = self._of_folder(folder, path)
            if found is not None:
                return found
        return None

    def _is_root(self, path: str) -> bool:
        """Whether a crate begins with a file."""
        folder, base = _folder(path), _base(path)
        if path in self._stated.get(folder, ()):
            return True
        home = self._home(folder)
        if home is None:
            return base in _ROOTS
        inner = folder[len(home) :].strip("/")
        if (inner == "src" and base in _ROOTS) or (not inner and base == "build.rs"):
            return True
        around = inner.rpartition("/")[0] if base == "main.rs" and inner not in _FOLDERS else inner
        return around in _FOLDERS and around not in self._manifests[home].closed

    def _crate(self, path: str) -> str | None:
        """The file that a file's crate begins with."""
        if path not in self._crates:
            above: str | None = path
            seen: set[str] = set()
            while above is not None and not self._is_root(above) and above not in seen:
                seen.add(above)
                above = self._parent(above) or self._around(above)
            self._crates[path] = above if above not in seen else None
        return self._crates[path]

    def _of_crate(self, root: str | None) -> frozenset[str]:
        """All files of a crate, by the file that it begins with."""
        if not self._crate_files:
            for path in self._files:
                if path.endswith(".rs"):
                    self._crate_files.setdefault(self._crate(path), set()).add(path)
        return frozenset(self._crate_files.get(root, ()))

    # -- crates -------------------------------------------------------------------------------------------------------

    def _named(self, name: str, importer: str) -> Resolution:
        """The crate of a name: the package's own library, what it depends on, or one of the compiler's."""
        home = self._home(_folder(importer))
        if home is None:
            return External(name)
        manifest = self._manifests[home]
        found = manifest.dependencies.get(name)
        if found is not None:
            return self._dependency(found, home)
        own = self._library(home)
        if name == manifest.library and own is not None and name not in OWN_CRATES:
            return Module(own)
        return External(name)

    def _dependency(self, found: cargo.Dependency, home: str) -> Resolution:
        if found.is_inherited:
            for folder in (home, *_above(home)):
                shared = self._manifests[folder].shared if folder in self._manifests else {}
                inherited = shared.get(found.package.replace("-", "_"))
                if inherited is not None:
                    found, home = inherited, folder
                    break
        if found.folder is not None:
            return self._at(_join(home, found.folder)) or External(found.package)
        for folder in (home, *_above(home)):  # a patch stands in the workspace's
            patched = (
                self._manifests[folder].dependencies.get(found.package.replace("-", "_"))
                if folder in self._manifests
                else None
            )
            if patched is not None and patched.folder is not None:
                return self._at(_join(folder, patched.folder)) or External(found.package)
        return External(found.package)

    def _program(self, importer: str, name: str) -> str | None:
        """The file that a binary begins with: of the package of a file, or else of the only other that has it."""
        home = self._home(_folder(importer))
        own = None if home is None else self._binary(home, name or self._manifests[home].package)
        if own is not None or not name:
            return own
        found = {path for folder in self._manifests if (path := self._binary(folder, name)) is not None}
        return found.pop() if len(found) == 1 else None

    def _binary(self, folder: str, name: str) -> str | None:
        manifest = self._manifests[folder]
        paths = [f"src/bin/{name}.rs", f"src/bin/{name}/main.rs"]
        if name in manifest.binaries:
            paths = [manifest.binaries[name]]
        elif name == manifest.package:
            paths.append("src/main.rs")
        return next((found for path in paths if (found := _join(folder, path)) in self._files), None)

    def _published(self, package: str) -> Resolution:
        """The library of a package of the repository."""
        folders = sorted(folder for folder, manifest in self._manifests.items() if manifest.package == package)
        libraries = [path for folder in folders if (path := self._library(folder)) is not None]
        return Module(libraries[0]) if libraries else External(package)

    def _at(self, folder: str) -> Module | None:
        library = self._library(posixpath.normpath(folder)) if folder else self._library("")
        return None if library is None else Module(library)

    def _library(self, folder: str) -> str | None:
        """The file that the library of a package begins with."""
        folder = "" if folder == "." else folder
        manifest = self._manifests.get(folder)
        stated = None if manifest is None else manifest.library_path
        path = posixpath.normpath(_join(folder, stated or "src/lib.rs"))
        return path if path in self._files else None

    def _home(self, folder: str) -> str | None:
        """The folder of the Cargo.toml that a folder belongs to."""
        return nearest_folder(folder, self._is_package, self._homes)

    def _is_package(self, folder: str) -> bool:
        return folder in self._manifests and bool(self._manifests[folder].package)

    def _stated_roots(self) -> Iterator[str]:
        """The files that manifests state as roots of crates."""
        for folder, manifest in self._manifests.items():
            for path in (*manifest.targets, manifest.library_path):
                if path is not None and (found := _join(folder, path)) in self._files:
                    yield found


def _module(path: str | None) -> Resolution:
    return Missing() if path is None else Module(path)


def _above(folder: str) -> list[str]:
    found = []
    while folder:
        folder = _folder(folder)
        found.append(folder)
    return found


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, path: str) -> str:
    return posixpath.normpath(f"{folder}/{path}") if folder else posixpath.normpath(path)
