"""JUnit, run by Gradle where there is a build script of it, else by Maven. Source: Gradle, "Testing in Java & JVM
projects"; Maven Surefire, "Running a Single Test"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner

_NAME = re.compile(r"`[^`]*`|[^.`]+")
_GRADLE = re.compile(r"(?:\A|/)(?:build|settings)\.gradle(?:\.kts)?\Z")


def _select(_file: str, name: str) -> str | None:
    """`Class#method`, `Class$Inner#method`: what begins with a capital letter is a class. Quotes are Kotlin's alone,
    around the names of methods."""
    *around, last = _NAME.findall(name) or [""]
    if last[:1].isupper() or not around:
        return "$".join((*around, last)) or None
    return f"{'$'.join(around)}#{last.strip('`')}"


def _command(selected: Selected, configs: Mapping[str, bytes]) -> str:
    names = dict.fromkeys(
        name for file, names in selected.items() for name in (names or [file.rpartition("/")[2].partition(".")[0]])
    )
    if any(_GRADLE.search(path) for path in configs):
        return join(["gradle", "test", *(word for name in names for word in ("--tests", name.replace("#", ".")))])
    return join(["mvn", "test", *([f"-Dtest={','.join(names)}"] if names else [])])


RUNNER = TestRunner(
    "JUnit",
    _select,
    "",
    _command,
    is_marked=True,
    case_names=r"test\w*",
    prefers_marks=True,
    hook_names=r"setUp|tearDown",
    class_names=r"Test\w*|\w*(?:Tests?|TestCase|IT|Spec)",
    base_names=r"Tests?|Spec|Suite",
)
"""By name alone, JUnit 3 runs methods."""
