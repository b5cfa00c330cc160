"""Reads project files: which projects one refers to, what its assembly is called, and which namespaces it opens.

Source: the MSBuild reference, "Common MSBuild project items"; the .NET SDK reference, "ImplicitUsings".
"""

from __future__ import annotations

import posixpath
import re

import msgspec

_ITEM = re.compile(
    r"""<(?P<kind>ProjectReference|Reference|Using)\s[^>]*?Include\s*=\s*["'](?P<value>[^"']*)["'](?P<rest>[^>]*)"""
)
_ASSEMBLY = re.compile(r"<AssemblyName>\s*([^<\s]+)\s*</AssemblyName>")
_IMPLICIT = re.compile(r"<ImplicitUsings>\s*(?:enable|true)\s*</ImplicitUsings>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
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


def read(path: str, text: bytes, above: list[bytes]) -> ProjectFile:
    """A project file with the shared ones of the folders above it."""
    folder, _, name = path.rpartition("/")
    source = _COMMENT.sub("", text.decode("utf-8", "replace"))
    everything = [source, *(_COMMENT.sub("", props.decode("utf-8", "replace")) for props in above)]
    references: set[str] = set()
    used: set[str] = set()
    usings: set[str] = set()
    for each in everything:
        for item in _ITEM.finditer(each):
            value = item["value"].strip()
            if item["kind"] == "ProjectReference":
                target = posixpath.normpath(posixpath.join(folder, value.replace("\\", "/")))
                references.add(posixpath.dirname(target))
            elif item["kind"] == "Reference":
                used.add(value.partition(",")[0].strip())
            elif not re.search(r"\b(?:Static|Alias)\s*=", item[0]):
                usings.add(value)
        if _IMPLICIT.search(each):
            usings |= IMPLICIT
    made = _ASSEMBLY.findall(source) or [name.removesuffix(".csproj")]
    return ProjectFile(frozenset(references), frozenset(made), frozenset(used), frozenset(usings))
