"""What is required -> files: beside the one that requires, or in the folders that gems are loaded from.

A folder `lib` is one of those, wherever it lies: gems are laid out so, and hardly any says otherwise.

Source: the Ruby documentation of Kernel#require; the RubyGems guides, "Make your own gem".
"""

from __future__ import annotations

from posixpath import dirname, join, normpath

from codemap.project import External, Missing, Module, Project, Resolution

_LIBRARY = "lib"
_SUFFIX = ".rb"
_ROOTS = ("lib", "test", "spec", "app", "ext")


def modules(project: Project) -> RubyModules:
    return RubyModules(project)


class RubyModules:
    """The load path of one state of a project."""

    def __init__(self, project: Project) -> None:
        self._files = project.files
        folders = {dirname(path) for path in project.files if path.endswith(_SUFFIX)}
        roots = list(_ROOTS)
        libraries = {folder[: at + len(_LIBRARY)] for folder in folders if (at := _library_at(folder)) >= 0}
        self._roots = [*roots, *sorted(libraries - set(roots), key=lambda root: (root.count("/"), root))]

    def resolve(self, specifier: str, importer: str) -> Resolution:
        if specifier.startswith("."):
            path = normpath(join(dirname(importer), specifier))
            found = self._file(path)
            return Missing() if found is None else Module(found)
        for root in sorted(self._roots, key=lambda root: not importer.startswith(f"{root}/")):
            found = self._file(join(root, specifier))
            if found is not None:
                return Module(found)
        found = self._file(normpath(join(dirname(importer), specifier))) if specifier.endswith(_SUFFIX) else None
        return External(specifier.strip("/").partition("/")[0] or specifier) if found is None else Module(found)

    def child(self, _module: Module, _name: str) -> Module | None:
        return None

    def _file(self, path: str) -> str | None:
        return next(
            (found for found in (path, path + _SUFFIX) if found in self._files and found.endswith(_SUFFIX)), None
        )


def _library_at(folder: str) -> int:
    """Where the innermost folder `lib` of a path begins; -1 where there is none."""
    parts = folder.split("/")
    if _LIBRARY not in parts:
        return -1
    last = len(parts) - 1 - parts[::-1].index(_LIBRARY)
    return len("/".join([*parts[:last], ""])) if last else 0
