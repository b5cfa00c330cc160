"""Included paths -> files: the including file's folder, the include folders of compile commands, and, where
nothing says what those are, folders of the usual name and the only file whose path ends so.

Source: ISO/IEC 9899:2018, 6.10.2 "Source file inclusion"; GCC, "Search Path".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from codemap.languages.c.project.compile_commands import include_folders, read
from codemap.languages.c.project.installed import package
from codemap.languages.c.project.system_headers import SYSTEM_HEADERS
from codemap.project import External, Missing, Module, Project, Resolution

CONFIG_FILES = {"compile_commands.json": read}
NAMESPACE = "::"
"""What the specifier of a namespace begins with, a dotted name."""
STANDARD = "std"
_ROOTS = frozenset({"include", "inc", "includes"})


def modules(project: Project) -> CModules:
    return CModules(project)


class CModules:
    """The files of one state of a project; keeps what it has resolved."""

    def __init__(self, project: Project) -> None:
        self._files = project.files
        stated: dict[str, None] = {}
        folders = _folders(project)
        for path, text in sorted(project.configs.items()):
            if path.rpartition("/")[2] in CONFIG_FILES:
                stated |= dict.fromkeys(include_folders(text, project.files, frozenset(folders)))
        self._stated = list(stated)
        """The include folders of compile commands."""
        guessed = [folder for folder in folders if folder.rpartition("/")[2].lower() in _ROOTS]
        self._guessed = {folder: place for place, folder in enumerate(guessed)}
        self._ends: dict[str, list[str]] = {}  # base name -> files
        for path in sorted(project.files):
            self._ends.setdefault(path.rpartition("/")[2], []).append(path)
        self._spaces: dict[str, list[str]] = {}  # dotted name of a namespace -> files that open it
        for path, listed in sorted(project.packages.items()):
            for space in filter(None, listed):
                self._spaces.setdefault(space, []).append(path)
        self._names = {name for space in self._spaces for name in space.split(".")}
        self._found: dict[tuple[str, str], Resolution] = {}

    def resolve(self, specifier: str, importer: str) -> Resolution:
        if specifier.startswith(NAMESPACE):
            name = specifier.removeprefix(NAMESPACE)
            return self._space(name) or self._outside(name.partition(".")[0])
        key = (specifier, importer.rpartition("/")[0])
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = self._resolve(*key)
        return known

    def child(self, module: Module, name: str) -> Module | None:
        """The namespace `name` in another, which has no name for the outermost; files hold no files."""
        if module.directory is None:
            return None
        return self._space(f"{module.directory}.{name}" if module.directory else name)

    def _space(self, name: str) -> Module | None:
        """A namespace: whoever opens it adds to it."""
        files = self._spaces.get(name)
        return None if files is None else Module(None, name, frozenset(files), name)

    def _outside(self, name: str) -> Resolution:
        """What a namespace that no file opens is of, by its first name; files add to the standard library's, too."""
        return External(name) if name == STANDARD or name not in self._names else Missing()

    def _resolve(self, specifier: str, folder: str) -> Resolution:
        is_system = specifier.startswith("<")
        path = specifier.strip("<>").strip().replace("\\", "/")
        first = [] if is_system else [folder]
        found = self._under((*first, *self._stated), path) or self._guess(path, folder)
        if found is not None:
            return Module(found)
        if not is_system or path not in SYSTEM_HEADERS:
            endings = self._endings(path, folder)
            if len(endings) == 1:
                return Module(endings[0])
            if endings and not is_system:
                return Missing(frozenset(endings))
        return External(package(path)) if is_system else Missing()

    def _under(self, roots: Iterable[str], path: str) -> str | None:
        """The file of a path under the first of some folders that has it."""
        under = (posixpath.normpath(posixpath.join(root, path)) for root in roots)
        return next((each for each in under if each in self._files), None)

    def _guess(self, path: str, folder: str) -> str | None:
        """The file of a path under the nearest of the folders of the usual name."""
        plain = posixpath.normpath(path)
        if plain.startswith(("..", "/")):
            return self._under(sorted(self._guessed, key=lambda each: -_common(each, folder)), path)
        end = f"/{plain}"
        named = (each for each in self._ends.get(plain.rpartition("/")[2], ()) if each.endswith(end))
        roots = [root for each in named if (root := each.removesuffix(end)) in self._guessed]
        if not roots:
            return None
        return min(roots, key=lambda root: (-_common(root, folder), self._guessed[root])) + end

    def _endings(self, path: str, folder: str) -> list[str]:
        """The files whose paths end in an included one: of several, those that are nearest to the includer."""
        while path.startswith(("./", "../")):
            path = path.partition("/")[2]
        named = self._ends.get(path.rpartition("/")[2], ())
        found = [each for each in named if each == path or each.endswith(f"/{path}")]
        if len(found) > 1:
            near = [_common(each, folder) for each in found]
            most = max(near)
            found = [each for each, depth in zip(found, near, strict=True) if depth == most]
        return found


def _folders(project: Project) -> list[str]:
    """The folders with files, and those around them."""
    found: set[str] = set()
    for path in project.files:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found)


def _common(path: str, folder: str) -> int:
    """How many leading folders a path shares with one."""
    count = 0
    for one, other in zip(path.split("/"), folder.split("/"), strict=False):
        if one != other or not one:
            break
        count += 1
    return count
