"""Imports -> packages: the files that declare the same one, in whichever folder and language.

A file of several that are named alike in one package (those of two modules of a build, of releases side by side, of
tests) is hidden by the one nearest to the importer. Packages without a name reach as far as a folder.

Functions that stand beside classes are static methods of a class that their file makes; its full name is declared like
that of a package, behind the file's own. Only Java sees such classes: as modules of what the files bind.

Source: The Java Language Specification, "Packages and Modules"; the Kotlin specification, "Packages and imports"; the
Kotlin documentation, "Calling Kotlin from Java".
"""

from __future__ import annotations

import re

from codemap.project import External, Module, Project, Resolution

OWN_PACKAGE = "."
"""The specifier of the implicit import of the other files of the package."""
SUFFIXES = (".java", ".kt", ".kts")
FILE_NAME = "*"
"""A placeholder in the name of the class that a file makes of its functions: the file's name takes its place."""
_CLASSES = "."
"""Behind the name of a package: without the packages in it, of which nothing is in scope."""


def modules(project: Project) -> JvmModules:
    return JvmModules(project)


def modules_with_file_classes(project: Project) -> JvmModules:
    return JvmModules(project, has_file_classes=True)


class JvmModules:
    """The packages of one state of a project; keeps what it has resolved."""

    def __init__(self, project: Project, *, has_file_classes: bool = False) -> None:
        self._declared = {
            path: (project.packages.get(path) or ("",))[0]
            for path in sorted(project.files)
            if path.endswith(SUFFIXES) and not path.endswith(("module-info.java", "package-info.java"))
        }
        self._packages: dict[str, list[str]] = {}
        for path, package in self._declared.items():
            self._packages.setdefault(package, []).append(path)
        self._file_classes: dict[str, list[str]] = {}
        """Full names of classes that files make of their functions -> the files."""
        for path in self._declared if has_file_classes else ():
            for name in project.packages.get(path, ())[1:]:
                self._file_classes.setdefault(name.replace(FILE_NAME, _file_name(path)), []).append(path)
        self._with_file_classes = {name.rpartition(".")[0] for name in self._file_classes}
        """Packages that have some."""
        self._prefixes = {
            ".".join(parts[:count])
            for parts in (package.split(".") for package in self._packages if package)
            for count in range(1, len(parts) + 1)
        }
        self._seen: dict[tuple[str, str], Module | None] = {}
        self._alone: dict[str, bool] = {}

    def resolve(self, specifier: str, importer: str) -> Resolution:
        folder = importer.rpartition("/")[0]
        if specifier == OWN_PACKAGE:
            package = self._declared.get(importer, "")
            return self._package(package, folder) or Module(importer, files=frozenset((importer,)))
        package, _, name = specifier.rpartition(".")
        found = self._package(package, folder) if package else None
        if found is None:
            return External(package or specifier)
        named = next((path for path in sorted(found.files) if _stem(path) == name), found.file)
        return found if named == found.file else Module(named, found.directory, found.files)

    def child(self, module: Module, name: str) -> Module | None:
        """The package `name` in another, which has no name for those that are in none; or the class that files of a
        package make."""
        if module.directory is None:
            return None
        package = module.directory.removesuffix(_CLASSES)
        full = f"{package}.{name}" if package else name
        if full in self._file_classes:
            chosen = _nearest(self._file_classes[full], "")
            return Module(chosen[0], files=frozenset(chosen), is_union=True)
        if full not in self._prefixes or module.directory.endswith(_CLASSES):
            return None
        found = self._package(full, "")
        return Module(None, full) if found is None else Module(found.file, full, found.files)

    def _package(self, package: str, folder: str) -> Module | None:
        """The files of a package as a file in a folder sees them."""
        key = (package, folder if not package or self._has_namesakes(package) else "")
        if key not in self._seen:
            paths = self._packages.get(package, [])
            if not package:
                paths = [path for path in paths if path.rpartition("/")[0] == folder]
            chosen = _nearest(paths, key[1])
            within = f"{package}{_CLASSES}" if package in self._with_file_classes else None
            self._seen[key] = Module(chosen[0], within, frozenset(chosen)) if chosen else None
        return self._seen[key]

    def _has_namesakes(self, package: str) -> bool:
        """Whether a package has files that hide one another."""
        known = self._alone.get(package)
        if known is None:
            paths = self._packages.get(package, ())
            known = self._alone[package] = len({_stem(path) for path in paths}) < len(paths)
        return known


def _nearest(paths: list[str], folder: str) -> list[str]:
    """Of the files named alike, those nearest to a folder, in order of path."""
    best: dict[str, str] = {}
    for path in paths:
        other = best.setdefault(_stem(path), path)
        if other != path and _distance(path, folder) < _distance(other, folder):
            best[_stem(path)] = path
    return sorted(best.values())


def _distance(path: str, folder: str) -> tuple[int, bool, int, str]:
    """How far a file lies from a folder; of files as far, those that are no tests come first, and short paths."""
    shared = 0
    for mine, other in zip(path.split("/"), folder.split("/"), strict=False):
        if mine != other:
            break
        shared += 1
    return -shared, "/test/" in f"/{path}", path.count("/"), path


def _file_name(path: str) -> str:
    """The name of a file as that of a class."""
    name = re.sub(r"\W", "_", path.rpartition("/")[2].rpartition(".")[0])
    return name[:1].upper() + name[1:]


def _stem(path: str) -> str:
    """The name of a file without its ending."""
    return path.rpartition("/")[2].partition(".")[0]
