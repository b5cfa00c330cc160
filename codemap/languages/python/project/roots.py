"""The folders of a repository that a Python path begins at.

They are the repository's root and each folder with a project file, with the `src` in each, and what the project's build
or test configuration names besides.

Source: the setuptools user guide ("package discovery"), the Poetry documentation (`packages`), pytest (`pythonpath`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import normpath

from codemap.config import toml
from codemap.config.document import find, find_list
from codemap.languages.python.project.stdlib import STDLIB
from codemap.project import Project

_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_SOURCE_ROOTS_MAX = 64
"""Each import is looked up in all of them."""


def project_roots(project: Project) -> Mapping[str, tuple[str, ...]]:
    """Folder of a project -> its roots, nearest first; projects in order of their paths."""
    folders = {""}
    for path in (*project.files, *project.configs):
        folder, _, name = path.rpartition("/")
        if name in _PROJECT_FILES:
            folders.add(folder)
    return {folder: _roots_of(folder, project.configs) for folder in sorted(folders)}


def source_roots(project: Project, folder: str) -> tuple[str, ...]:
    """The roots that files of one project see: its own, then those of other projects, as far as they hold sources.

    Roots of others whose modules would hide those of the standard library are left out.
    """
    roots = project_roots(project)
    own = roots.get(folder) or _roots_of(folder, project.configs)
    others = [root for at in sorted(roots, key=lambda at: not _is_under(at, folder)) for root in roots[at]]
    names: dict[str, set[str]] = {root: set() for root in (*own, *others)}
    for path in project.files:
        if path.endswith((".py", ".pyi")):
            at, _, name = path.rpartition("/")
            name = name.partition(".")[0]
            while True:
                if at in names:
                    names[at].add(name)
                if not at:
                    break
                at, _, name = at.rpartition("/")
    held = [root for root in own if names[root] or root == folder]
    held += [root for root in others if names[root] and not names[root] & STDLIB]
    return tuple(dict.fromkeys(held))[:_SOURCE_ROOTS_MAX]


def _is_under(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(folder + "/")


def _roots_of(folder: str, configs: Mapping[str, bytes]) -> tuple[str, ...]:
    prefix = f"{folder}/" if folder else ""
    found = [folder, f"{prefix}src"]
    content = configs.get(f"{prefix}pyproject.toml")
    if content is not None:
        for name in _stated(content):
            path = normpath(prefix + name)
            if not path.startswith(("..", "/")):
                found.append("" if path == "." else path)
    return tuple(dict.fromkeys(found))


def _stated(pyproject: bytes) -> Iterator[str]:
    """The folders that a pyproject.toml says hold packages or are on the path."""
    tool = find(toml.read(pyproject), "tool")
    yield from _texts(find(tool, "setuptools", "packages", "find", "where"))
    yield from _texts(find(tool, "setuptools", "package-dir", ""))
    yield from _texts(find(tool, "pytest", "ini_options", "pythonpath"))
    yield from _texts(find(tool, "pyright", "extraPaths"))
    yield from _texts(find(tool, "mypy", "mypy_path"))
    for package in find_list(tool, "poetry", "packages"):
        yield from _texts(find(package, "from"))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [part for part in value.replace(":", ",").split(",") if part and "$" not in part]
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []
