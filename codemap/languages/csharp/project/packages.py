"""What project files call what they make.

Source: the MSBuild reference, "Common MSBuild project properties"; NuGet, "pack and restore as MSBuild targets".
"""

from __future__ import annotations

from collections.abc import Iterator

from codemap.config import xml
from codemap.config.document import Unreadable
from codemap.languages.manifest import Package
from codemap.languages.project import Project

_NAMES = ("PackageId", "AssemblyName")
_SUFFIX = ".csproj"


def packages(project: Project) -> Iterator[Package]:
    for path in sorted(path for path in project.configs if path.endswith(_SUFFIX)):
        elements = xml.read(project.configs[path])
        if isinstance(elements, Unreadable):
            continue
        said = {
            element.name: element.text for element in reversed(elements) if element.text and "$(" not in element.text
        }
        own = path.rpartition("/")[2].removesuffix(_SUFFIX)
        name = next((said[key] for key in _NAMES if key in said), own)
        yield Package(name, path, " ".join(said.get("Description", "").split()))
