"""The modules that other repositories import from this one: what the packages that it states would install.

A repository without a manifest that names it publishes nothing. A manifest's folder, or the `src` in it, is where its
packages lie; beside a `src` with Python files, nothing else is installed. In a flat layout, folders that usually hold
something else are not, and of single modules only one of the distribution's own name is.

Source: the setuptools user guide, "Package discovery" (`FlatLayoutPackageFinder.DEFAULT_EXCLUDE`).
"""

from __future__ import annotations

from collections.abc import Iterator

from codemap.languages.python.project.packages import packages
from codemap.languages.python.project.roots import project_roots
from codemap.languages.python.project.stdlib import STDLIB
from codemap.project import Project

_FOLDERS = """
ci bin debian doc docs documentation manpages news newsfragments changelog test tests unit_test unit_tests example
examples scripts tools util utils python build benchmark benchmarks exercise exercises htmlcov tasks fabfile site_scons
conftest setup
"""
_NOT_INSTALLED = frozenset(_FOLDERS.split())


def published(project: Project) -> Iterator[str]:
    """The names, without repeats; none of the standard library."""
    regular: dict[str, set[str]] = {}  # folder -> packages with an `__init__` in it
    single: dict[str, set[str]] = {}  # folder -> modules in it
    below: dict[str, set[str]] = {}  # folder -> folders in it that hold Python files, at any depth
    for path in project.files:
        if path.endswith((".py", ".pyi")):
            folder, _, name = path.rpartition("/")
            stem = name.partition(".")[0]
            around, _, last = folder.rpartition("/")
            if stem != "__init__":
                single.setdefault(folder, set()).add(stem)
            elif folder:
                regular.setdefault(around, set()).add(last)
            while folder and folder.rpartition("/")[2] not in below.setdefault(folder.rpartition("/")[0], set()):
                around, _, last = folder.rpartition("/")
                below[around].add(last)
                folder = around
    roots = project_roots(project)
    found: dict[str, None] = {}
    for package in packages(project):
        folder = package.folder
        source = f"{folder}/src" if folder else "src"
        own = package.name.replace("-", "_")
        named = {own, own.lower(), package.name.partition(".")[0]}
        if below.get(source) or single.get(source):
            found |= dict.fromkeys(sorted((below.get(source, set()) | single.get(source, set())) - {"__init__"}))
            continue
        for root in roots.get(folder, (folder,)):
            held = regular.get(root, set()) | (single.get(root, set()) | below.get(root, set())) & named
            found |= dict.fromkeys(sorted(held - _NOT_INSTALLED))
    yield from (name for name in found if name not in STDLIB and name.isidentifier())
