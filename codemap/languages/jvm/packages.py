"""What the builds of Maven and Gradle call their modules.

Source: the Maven POM reference; the Gradle user manual, "Settings file".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from codemap.config import toml, xml
from codemap.config.document import Reader, Unreadable
from codemap.languages.manifest import Package, make_registrars, match_first
from codemap.project import Project

MANIFESTS: Mapping[str, Reader | None] = {
    "pom.xml": xml.read,
    **dict.fromkeys(("settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts")),
    "gradle.properties": None,
    "*.versions.toml": toml.read,
}
_SETTINGS = ("settings.gradle", "settings.gradle.kts")
_OF_OTHERS = frozenset({"parent", "dependency", "plugin", "exclusion", "extension", "license", "organization"})
"""Elements that begin what is said of something else."""
_GRADLE_NAME = re.compile(r"""rootProject\.name[ \t]*=[ \t]*["']([^"'\n]{1,100})["']""")
_VARIABLE = "${"


def packages(project: Project) -> Iterator[Package]:
    """The modules that have a name."""
    for path in sorted(project.configs):
        base = path.rpartition("/")[2]
        if base == "pom.xml":
            name, about = _of_pom(project.configs[path])
        elif base in _SETTINGS:
            name, about = gradle_name(project.configs[path]), ""
        else:
            continue
        if name:
            yield Package(name, path, about)


def gradle_name(source: bytes) -> str:
    """What a settings file calls its build; empty where it does not say."""
    return match_first(source, _GRADLE_NAME)


def _of_pom(source: bytes) -> tuple[str, str]:
    """The artifact and its description. Elements come without nesting: what follows `parent` is its, to the next one
    of the same name."""
    elements = xml.read(source)
    if isinstance(elements, Unreadable):
        return "", ""
    artifacts, about, has_parent = [], "", False
    for element in elements:
        if element.name == "parent":
            has_parent = True
        elif element.name in _OF_OTHERS:
            break
        elif element.name == "artifactId":
            artifacts.append(element.text)
        elif element.name == "description" and not about:
            about = element.text
    own = artifacts[1:] if has_parent and len(artifacts) > 1 else artifacts
    name = own[0] if own else ""
    return ("" if _VARIABLE in name else name), ("" if _VARIABLE in about else " ".join(about.split()))


REGISTRARS = make_registrars(
    routes="RequestMapping GetMapping PostMapping PutMapping DeleteMapping PatchMapping Path GET POST PUT DELETE PATCH",
    commands="Command ShellMethod",
    tasks="Scheduled",
    handlers="EventListener KafkaListener RabbitListener JmsListener MessageMapping ExceptionHandler Subscribe",
)
"""Annotations of Spring, Jakarta REST, picocli and message queues."""
