"""What project files call what they make, and what they refer to.

Source: the MSBuild reference, "Common MSBuild project properties"; NuGet, "pack and restore as MSBuild targets".
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from codemap.config import xml
from codemap.config.document import Unreadable
from codemap.languages.manifest import Distributions, Package
from codemap.project import Project

_NAMES = ("PackageId", "AssemblyName")
_SUFFIX = ".csproj"
_REFERENCES = ("PackageReference", "ProjectReference", "Reference")
_REFERENCES_MAX = 5000
"""Of one file."""
_FILES_REMEMBERED = 1024
"""A repository's manifests are asked again after each edit, and hardly ever change."""


def packages(project: Project) -> Iterator[Package]:
    for path in sorted(path for path in project.configs if path.endswith(_SUFFIX)):
        elements = xml.read(project.configs[path])
        if not isinstance(elements, Unreadable):
            about = _said(elements).get("Description", "")
            yield Package(_name(path, elements), path, " ".join(about.split()))


def distributions(project: Project) -> Distributions:
    """The packages by name, whose case does not matter; a project that is referred to is named like its file."""
    files = [_stated(path, source) for path, source in project.configs.items() if path.endswith(_SUFFIX)]
    return Distributions(
        frozenset(name for name, _ in files if name), frozenset[str]().union(*(used for _, used in files))
    )


@lru_cache(maxsize=_FILES_REMEMBERED)
def _stated(path: str, source: bytes) -> tuple[str, frozenset[str]]:
    """The package that a project file makes, empty where it cannot be read, and those that it refers to."""
    elements = xml.read(source)
    if isinstance(elements, Unreadable):
        return "", frozenset()
    included = [element.attributes.get("Include", "") for element in elements if element.name in _REFERENCES]
    plain = (one.replace("\\", "/").rpartition("/")[2].partition(",")[0] for one in included[:_REFERENCES_MAX])
    return _name(path, elements).lower(), frozenset(one.removesuffix(_SUFFIX).strip().lower() for one in plain)


def _name(path: str, elements: list[xml.Element]) -> str:
    said, own = _said(elements), path.rpartition("/")[2].removesuffix(_SUFFIX)
    return next((said[key] for key in _NAMES if key in said), own)


def _said(elements: list[xml.Element]) -> dict[str, str]:
    """Element -> its first text that needs no evaluation."""
    return {element.name: element.text for element in reversed(elements) if element.text and "$(" not in element.text}
