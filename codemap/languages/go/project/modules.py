"""Import paths -> packages: the folders of the modules of the repository, and what lies outside it.

A package is the files of a folder that declare the same name; the tests of a folder may declare a second one, which
sees only what the first exports. An import path belongs to the module of the importing file, to one that a folder
replaces, or to another module of the repository; without a go.mod, to the folder that ends in it, or to the root where
the name of the root's package says that the path is of this repository.

Source: the Go modules reference; `go help packages`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cached_property

from codemap.languages.go.project import gomod
from codemap.languages.nearest_folder import nearest_folder
from codemap.project import External, Missing, Module, Project, Resolution

CONFIG_FILES = {"go.mod": gomod.read}
OWN_PACKAGE = "."
"""The specifier of the implicit import of the other files of the package."""
_TEST = "_test.go"
_TEST_PACKAGE = "_test"
_FORGES = {"github.com": 3, "gitlab.com": 3, "bitbucket.org": 3, "golang.org": 3, "gopkg.in": 2, "google.golang.org": 2}
"""Host -> elements of a path there that name a module."""


def modules(project: Project) -> GoModules:
    return GoModules(project)


class GoModules:
    """The packages of one state of a project; keeps what it has resolved."""

    def __init__(self, project: Project) -> None:
        self._folders: dict[str, list[tuple[str, str]]] = {}  # folder -> its files, each with the name it declares
        for path in sorted(path for path in project.files if path.endswith(".go")):
            names = project.packages.get(path, ("",))
            self._folders.setdefault(_folder(path), []).append((path, names[0]))
        self._mods = {_folder(path): gomod.read(text) for path, text in project.configs.items() if _is_mod(path)}
        self._roots: dict[str, list[str]] = {}  # path of a module -> its folders
        for folder, mod in sorted(self._mods.items()):
            if mod.path:
                self._roots.setdefault(mod.path, []).append(folder)
        self._replaced = {folder: _replaced(mod, folder) for folder, mod in self._mods.items()}
        self._required = {folder: frozenset(mod.required) for folder, mod in self._mods.items()}
        self._homes: dict[str, str | None] = {}
        self._imported: dict[tuple[str, str | None], Resolution] = {}
        self._own: dict[tuple[str, str, bool], Module] = {}
        self._ends: dict[str, list[str]] = {}  # last element of a folder -> folders
        for folder in self._folders:
            self._ends.setdefault(folder.rpartition("/")[2], []).append(folder)

    def resolve(self, specifier: str, importer: str) -> Resolution:
        folder = _folder(importer)
        if specifier == OWN_PACKAGE:
            return self._own_package(folder, importer)
        if specifier.startswith(("./", "../")):
            return self._package(posixpath.normpath(f"{folder}/{specifier}")) or Missing()
        home = self._home(folder)
        key = (specifier, home)
        known = self._imported.get(key)
        if known is None:
            known = self._imported[key] = self._find(specifier, home)
        return known

    def child(self, module: Module, name: str) -> Module | None:  # noqa: ARG002 - packages hold no packages
        return None

    def _own_package(self, folder: str, importer: str) -> Resolution:
        """The files that share their names with one: of its package, and tests only for tests."""
        listed = self._folders.get(folder, [])
        declared = next((name for path, name in listed if path == importer), "")
        is_test = importer.endswith(_TEST)
        key = (folder, declared, is_test)
        known = self._own.get(key)
        if known is None:
            files = [path for path, name in listed if name == declared and (is_test or not path.endswith(_TEST))]
            known = self._own[key] = Module(files[0] if files else importer, files=frozenset(files or [importer]))
        return known

    def _package(self, folder: str) -> Module | None:
        """What a folder offers to importers: its files without tests, of the name that most of them declare."""
        found = self._folders.get(folder, ())
        listed = [(path, name) for path, name in found if not path.endswith(_TEST) and not name.endswith(_TEST_PACKAGE)]
        names = [name for _, name in listed]
        if not names:
            return None
        most = max(dict.fromkeys(names), key=names.count)
        files = [path for path, name in listed if name == most]
        return Module(files[0], files=frozenset(files))

    def _home(self, folder: str) -> str | None:
        """The folder of the go.mod that a folder belongs to."""
        return nearest_folder(folder, self._mods.__contains__, self._homes)

    def _find(self, path: str, home: str | None) -> Resolution:
        is_known = False
        for name in _prefixes(path):
            for folder in self._folders_of(name, home):
                is_known = True
                found = self._package(_join(folder, path[len(name) :].strip("/")))
                if found is not None:
                    return found
        if is_known:
            return Missing()
        if not self._mods:
            found = self._ending(path) or self._below_root(path)
            if found is not None:
                return found
        return External(_distribution(path, frozenset() if home is None else self._required[home]))

    def _folders_of(self, name: str, home: str | None) -> list[str]:
        """The folders of a module as another one sees it: itself, what it replaces, then all others."""
        others = self._roots.get(name, [])
        if home is None:
            return others
        own = [home] if self._mods[home].path == name else []
        return [*own, *self._replaced[home].get(name, ()), *others]

    def _ending(self, path: str) -> Module | None:
        """The package of the only folder that ends in an import path, as in a GOPATH."""
        ends = self._ends.get(path.rpartition("/")[2], [])
        folders = [folder for folder in ends if folder == path or folder.endswith(f"/{path}")]
        is_local = "." in path.partition("/")[0]
        return self._package(folders[0]) if is_local and len(folders) == 1 else None

    def _below_root(self, path: str) -> Module | None:
        """The package of an import path that begins with the repository's own, which only a forge's path shows: its
        last element is what the package of the root is called, as `go-toml` is of `package toml`."""
        parts = path.split("/")
        count = _FORGES.get(parts[0], 0)
        if not count or len(parts) < count or self._root_name not in _named(parts[count - 1]):
            return None
        return self._package("/".join(parts[count:]))

    @cached_property
    def _root_name(self) -> str:
        """What the package of the root is called."""
        names = [name for path, name in self._folders.get("", ()) if not path.endswith(_TEST)]
        return max(dict.fromkeys(names), key=names.count, default="")


def _replaced(mod: gomod.GoMod, home: str) -> dict[str, list[str]]:
    """Path of a module -> the folders that replace it, as far as they lie in the repository."""
    found: dict[str, list[str]] = {}
    for name, folder in mod.local:
        at = posixpath.normpath(_join(home, folder))
        if not at.startswith(".."):
            found.setdefault(name, []).append("" if at == "." else at)
    return found


def _distribution(path: str, required: frozenset[str]) -> str:
    """The unit that a package outside comes with: its module, or of the standard library the package itself."""
    known = next((name for name in _prefixes(path) if name in required), None)
    if known is not None:
        return known
    parts = path.split("/")
    return "/".join(parts[: _FORGES.get(parts[0], len(parts))])


def _prefixes(path: str) -> Iterator[str]:
    """The path and what it lies in, the longest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _named(element: str) -> frozenset[str]:
    """What a package may be called whose path ends in this: without its version, and without `go` before or behind."""
    name = re.sub(r"\.v\d+$", "", element)
    plain = re.sub(r"^go[-.]|[-.]go$", "", name)
    return frozenset((name, plain, name.replace("-", ""), plain.replace("-", ""), name.replace("-", "_")))


def _is_mod(path: str) -> bool:
    return path.rpartition("/")[2] == "go.mod"


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, path: str) -> str:
    return f"{folder}/{path}".strip("/") if folder and path else folder or path
