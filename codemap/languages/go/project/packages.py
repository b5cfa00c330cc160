"""The modules that go.mod files state. Their commands are packages named main, which the map shows as such."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.languages.go.project import gomod
from codemap.languages.manifest import Package
from codemap.project import Project


def packages(project: Project) -> Iterator[Package]:
    """The modules that have a path."""
    for path in sorted(path for path in project.configs if path.rpartition("/")[2] == "go.mod"):
        if name := gomod.read(project.configs[path]).path:
            yield Package(name, path)


def published(project: Project) -> Iterator[str]:
    """The paths of the modules, by which other repositories require them."""
    yield from dict.fromkeys(package.name for package in packages(project))
