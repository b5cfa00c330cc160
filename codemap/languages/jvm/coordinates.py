"""The coordinates of what Maven and Gradle build, and of what that depends on: `group:artifact`.

Build files of Gradle are programs. They are read as text, for what they state in so many words: the group of a build,
the names of its projects, and coordinates in quotes. What a POM merely manages the version of is no dependency.

Source: the Maven POM reference, "Maven Coordinates"; the Gradle user manual, "Declaring dependencies", "Version
catalogs"; the Gradle DSL reference, "Project" (`group`, `name`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from codemap.config import toml, xml
from codemap.config.document import Unreadable, find_table, find_text
from codemap.languages.jvm.packages import gradle_name
from codemap.languages.manifest import Distributions, match_first
from codemap.project import Project

_POMS_REMEMBERED = 1024
"""A repository's manifests are asked again after each edit, and hardly ever change."""
_COORDINATES_MAX = 5000
"""Of one file."""
_PART = r"[\w.-]{1,200}"
_GROUP = re.compile(rf"""^([ \t]{{0,40}})group[ \t]{{0,9}}=?[ \t]{{0,9}}["']({_PART})["']""", re.MULTILINE)
_ARTIFACT = re.compile(
    rf"""^[ \t]{{0,40}}(?:archivesBaseName|archivesName|artifactId)[ \t]{{0,9}}=[ \t]{{0,9}}["']({_PART})["']""",
    re.MULTILINE,
)
_STATED_GROUP = re.compile(rf"^(?:group|GROUP)[ \t]{{0,9}}=[ \t]{{0,9}}({_PART})[ \t]*$", re.MULTILINE)
_STATED_ARTIFACT = re.compile(rf"^POM_ARTIFACT_ID[ \t]{{0,9}}=[ \t]{{0,9}}({_PART})[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(rf"""["']({_PART}):({_PART})(?::[^"'\n]{{0,200}})?["']""")
_NAMED = re.compile(
    rf"""group[ ]?[:=][ ]?["']({_PART})["'],[ ]?(?:name|module)[ ]?[:=][ ]?["']({_PART})["']""",
)
_BUILD_FILES = ("build.gradle", "build.gradle.kts")
_SETTINGS = ("settings.gradle", "settings.gradle.kts")
_OWN_GROUP = frozenset({"${project.groupId}", "${pom.groupId}", "${groupId}"})
_PARENTS_GROUP = "${project.parent.groupId}"
_APART = frozenset({"dependencyManagement", "plugin"})
"""Elements in which dependencies are not those of the module."""


def distributions(project: Project) -> Distributions:
    """Those of all builds of a repository."""
    made: set[str] = set()
    used: set[str] = set()
    by_folder: dict[str, dict[str, bytes]] = {}
    for path, source in project.configs.items():
        folder, _, base = path.rpartition("/")
        if base == "pom.xml":
            own, others = _of_pom(source)
            made |= {own} if own else set()
            used |= others
        elif base.endswith(".versions.toml"):
            used |= _of_catalog(source)
        elif base in (*_BUILD_FILES, *_SETTINGS, "gradle.properties"):
            by_folder.setdefault(folder, {})[base] = source
    for folder, files in by_folder.items():
        if any(base in files for base in _BUILD_FILES):
            made |= _of_gradle(folder, by_folder)
            used |= {one for base in _BUILD_FILES for one in _quoted(files.get(base, b""))}
    return Distributions(frozenset(made), frozenset(used))


@lru_cache(maxsize=_POMS_REMEMBERED)
def _of_pom(source: bytes) -> tuple[str, frozenset[str]]:
    """The coordinates of a module, empty where they are not stated, and of its dependencies."""
    elements = xml.read(source)
    if isinstance(elements, Unreadable):
        return "", frozenset()
    own: dict[tuple[str, ...], str] = {}
    stated: list[dict[str, str]] = []
    for path, element in _with_paths(elements):
        if len(path) <= 3:
            own.setdefault(path[1:], element.text)
        if element.name == "dependency" and not _APART.intersection(path):
            stated.append({})
        elif path[-2:-1] == ("dependency",) and not _APART.intersection(path) and stated:
            stated[-1].setdefault(element.name, element.text)
    above = own.get(("parent", "groupId"), "")
    group, artifact = own.get(("groupId",), above), own.get(("artifactId",), "")
    groups = dict.fromkeys(_OWN_GROUP, group) | {_PARENTS_GROUP: above}
    used = {
        f"{groups.get(one.get('groupId', ''), one.get('groupId', ''))}:{one.get('artifactId', '')}"
        for one in stated[:_COORDINATES_MAX]
    }
    coordinates = f"{group}:{artifact}" if group and artifact and "${" not in group + artifact else ""
    return coordinates, frozenset(used)


def _with_paths(elements: Sequence[xml.Element]) -> Iterator[tuple[tuple[str, ...], xml.Element]]:
    """Each element with the names of those that it is in, and its own."""
    path: list[str] = []
    for element in elements:
        path[element.depth :] = [element.name]
        yield tuple(path), element


def _of_gradle(folder: str, by_folder: Mapping[str, Mapping[str, bytes]]) -> set[str]:
    """The coordinates of a project of Gradle, where its group is stated in its folder or above."""
    files = by_folder[folder]
    sources = [files.get(base, b"") for base in _BUILD_FILES]
    artifact = next(filter(None, (match_first(source, _ARTIFACT) for source in sources)), "")
    artifact = artifact or match_first(files.get("gradle.properties", b""), _STATED_ARTIFACT)
    artifact = artifact or next(filter(None, (gradle_name(files.get(base, b"")) for base in _SETTINGS)), "")
    artifact = artifact or folder.rpartition("/")[2]
    group, above = "", folder
    while not group:
        group = _group(by_folder.get(above, {}))
        if not above:
            break
        above = above.rpartition("/")[0]
    return {f"{group}:{artifact}"} if group and artifact else set()


def _group(files: Mapping[str, bytes]) -> str:
    """The group that the files of a folder state; one of tasks has no dots, and is indented."""
    for base in _BUILD_FILES:
        for indent, group in _GROUP.findall(files.get(base, b"").decode("utf-8", "replace")):
            if not indent or "." in group:
                return str(group)
    return match_first(files.get("gradle.properties", b""), _STATED_GROUP)


def _quoted(source: bytes) -> set[str]:
    """The coordinates in a build file."""
    text = source.decode("utf-8", "replace")
    found = [match.groups() for match in (*_QUOTED.finditer(text), *_NAMED.finditer(text))]
    return {f"{group}:{artifact}" for group, artifact in found[:_COORDINATES_MAX]}


def _of_catalog(source: bytes) -> set[str]:
    """The coordinates in a version catalog."""
    said = toml.read(source)
    found: set[str] = set()
    if isinstance(said, Unreadable):
        return found
    for library in [*find_table(said, "libraries").values()][:_COORDINATES_MAX]:
        module = library if isinstance(library, str) else find_text(library, "module")
        group, name = find_text(library, "group"), find_text(library, "name")
        if module:
            found.add(":".join(module.split(":")[:2]))
        elif group and name:
            found.add(f"{group}:{name}")
    return found
