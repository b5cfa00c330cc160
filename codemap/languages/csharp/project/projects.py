"""Reads project files: which projects one refers to, what its assembly is called, and which namespaces it opens.

Source: the MSBuild reference, "Common MSBuild project items"; the .NET SDK reference, "ImplicitUsings".
"""

from __future__ import annotations

import posixpath

import msgspec

from codemap.config import xml
from codemap.config.document import Unreadable

ITEMS_MAX = 5000
"""References and usings of one file; each project has those of all files above it, too."""

IMPLICIT = frozenset(
    {
        "System",
        "System.Collections.Generic",
        "System.IO",
        "System.Linq",
        "System.Net.Http",
        "System.Threading",
        "System.Threading.Tasks",
    }
)
"""The namespaces that `ImplicitUsings` opens in a project of the plain SDK."""


class ProjectFile(msgspec.Struct, frozen=True):
    """What one project says."""

    references: frozenset[str]
    """Folders of the projects that it refers to."""
    assemblies: frozenset[str]
    """What it makes."""
    assemblies_used: frozenset[str]
    usings: frozenset[str]
    """Namespaces that it opens for all its files."""

    def joined(self, other: ProjectFile) -> ProjectFile:
        """Both as one: projects of one folder build the same files for several platforms."""
        return ProjectFile(
            self.references | other.references,
            self.assemblies | other.assemblies,
            self.assemblies_used | other.assemblies_used,
            self.usings | other.usings,
        )

    def with_references(self, folders: set[str]) -> ProjectFile:
        return msgspec.structs.replace(self, references=self.references | folders)


class Items(msgspec.Struct, frozen=True):
    """What one file says, whoever imports it."""

    projects: frozenset[str]
    """Project files that it refers to, relative to the folder of the project that imports it."""
    assemblies: tuple[str, ...]
    assemblies_used: frozenset[str]
    usings: frozenset[str]


_NONE = Items(frozenset(), (), frozenset(), frozenset())


def read(source: bytes) -> Items | Unreadable:
    """The items of a project file, or of one that projects share."""
    elements = xml.read(source)
    if isinstance(elements, Unreadable):
        return elements
    projects: set[str] = set()
    made: list[str] = []
    used: set[str] = set()
    usings: set[str] = set()
    for element in elements:
        value = element.attributes.get("Include", "").strip()
        match element.name:
            case "ProjectReference" if value:
                projects.add(value.replace("\\", "/"))
            case "Reference" if value:
                used.add(value.partition(",")[0].strip())
            case "Using" if value and not element.attributes.keys() & {"Static", "Alias"}:
                usings.add(value)
            case "AssemblyName" if element.text:
                made.append(element.text)
            case "ImplicitUsings" if element.text.lower() in ("enable", "true"):
                usings |= IMPLICIT
            case _:
                pass
    if len(projects) + len(used) + len(usings) > ITEMS_MAX:
        return Unreadable(f"has more than {ITEMS_MAX} items, which no project has")
    return Items(frozenset(projects), tuple(made), frozenset(used), frozenset(usings))


def read_items(source: bytes) -> Items:
    """The items; none where the file cannot be read."""
    items = read(source)
    return _NONE if isinstance(items, Unreadable) else items


def project_file(path: str, own: Items, above: list[Items]) -> ProjectFile:
    """What a project says, with the shared files of the folders above it."""
    folder, _, name = path.rpartition("/")
    everything = (own, *above)
    projects = {posixpath.normpath(posixpath.join(folder, to)) for items in everything for to in items.projects}
    return ProjectFile(
        frozenset(map(posixpath.dirname, projects)),
        frozenset(own.assemblies or [name.removesuffix(".csproj")]),
        frozenset().union(*(items.assemblies_used for items in everything)),
        frozenset().union(*(items.usings for items in everything)),
    )
