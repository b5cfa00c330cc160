"""Module specifiers -> files: absolute and relative imports, packages, namespace packages and stubs.

An absolute name is looked for in the folders that the importing file sees, nearest first; a source is preferred to the
stub beside it, a regular package to a module, both to a namespace package. A name of the standard library is the
standard library's, unless a root of the importing file itself holds a module of that name. What is found nowhere lies
outside the repository.

Source: the Python Language Reference, chapter 5; PEP 420 (namespace packages), PEP 561 (stub packages).
"""

from __future__ import annotations

from collections.abc import Mapping

from codemap.config import toml
from codemap.config.document import Reader
from codemap.languages.python.project.roots import project_roots
from codemap.languages.python.project.stdlib import STDLIB
from codemap.project import External, Missing, Module, Project, Resolution

CONFIG_FILES: Mapping[str, Reader | None] = {"pyproject.toml": toml.read, "setup.cfg": None}


def modules(project: Project) -> PythonModules:
    return PythonModules(project)


class PythonModules:
    """The modules of one state of a project; keeps what it has resolved."""

    def __init__(self, project: Project) -> None:
        self._files: dict[str, str] = {}  # path without suffix and `/__init__` -> file
        self._packages: set[str] = set()  # folders with an `__init__`
        self._folders: set[str] = set()  # folders that hold Python files, at any depth
        self._index(project)
        self._homes = {_folder(package) for package in self._packages}
        """Folders that hold a regular package: whatever imports from it has them on its path."""
        roots = project_roots(project).items()
        self._roots = {folder: [root for root in own if not root or root in self._folders] for folder, own in roots}
        """Those with Python files; a configuration may name any number of others."""
        self._seen_from: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._resolved: dict[tuple[str, str], Resolution] = {}

    def resolve(self, specifier: str, importer: str) -> Resolution:
        key = (specifier, _folder(importer))
        known = self._resolved.get(key)
        if known is None:
            find = self._relative if specifier.startswith(".") else self._absolute
            known = self._resolved[key] = find(*key)
        return known

    def child(self, module: Module, name: str) -> Module | None:
        if module.directory is None:
            return None
        return self._module(_join(module.directory, name))

    def _index(self, project: Project) -> None:
        """Files in order of preference: a package before a module, a source before a stub."""
        found = [path for path in project.files if path.endswith((".py", ".pyi"))]
        for ending in ("/__init__.py", ".py", "/__init__.pyi", ".pyi"):
            for path in found:
                if path.endswith(ending) and not (ending[0] == "." and path.rpartition("/")[2].startswith("__init__.")):
                    self._files.setdefault(path.removesuffix(ending), path)
                    if ending[0] == "/":
                        self._packages.add(path.removesuffix(ending))
        for folder in {_folder(path) for path in found}:
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = _folder(folder)

    def _relative(self, specifier: str, folder: str) -> Resolution:
        rest = specifier.lstrip(".")
        for _ in range(len(specifier) - len(rest) - 1):
            if not folder:
                return Missing()
            folder = _folder(folder)
        path = _join(folder, rest.replace(".", "/")) if rest else folder
        module = self._module(path) if path else Module(self._files.get("__init__"), "")
        return Missing() if module is None else module

    def _absolute(self, specifier: str, folder: str) -> Resolution:
        first = specifier.partition(".")[0]
        path = specifier.replace(".", "/")
        roots, folders = self._seen(folder)
        is_missing = False
        for root in roots if first in STDLIB else (*folders, *roots):
            top = _join(root, first)
            if top not in self._files and (first in STDLIB or top not in self._folders or root not in roots):
                continue
            module = self._module(_join(root, path))
            if module is not None:
                return module
            is_missing |= top in self._files
        if is_missing:
            return Missing()
        return self._stub_package(roots, first, path) or External(first)

    def _stub_package(self, roots: tuple[str, ...], first: str, path: str) -> Module | None:
        rest = path[len(first) :]
        for root in roots:
            for stubs in (f"{first}-stubs", f"typings/{first}"):
                module = self._module(_join(root, stubs) + rest)
                if module is not None:
                    return module
        return None

    def _module(self, path: str) -> Module | None:
        file = self._files.get(path)
        if file is not None:
            return Module(file, path if path in self._packages else None)
        return Module(None, path) if path in self._folders else None

    def _seen(self, folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The roots that files of a folder see, and the plain folders around them; both nearest first."""
        known = self._seen_from.get(folder)
        if known is not None:
            return known
        roots: dict[str, None] = {}
        folders: list[str] = []
        at = folder
        while True:
            if at not in self._packages:
                for root in self._roots.get(at, ()):
                    roots[root] = None
                if at in self._homes:
                    roots[at] = None
                folders.append(at)
            if not at:
                break
            at = _folder(at)
        for own in self._roots.values():
            roots.update(dict.fromkeys(own))
        self._seen_from[folder] = (tuple(roots), tuple(folders))
        return self._seen_from[folder]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
