"""JUnit, run by Gradle where there is a build script of it, else by Maven. Source: Gradle, "Testing in Java & JVM
projects"; Maven Surefire, "Running a Single Test"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner

_GRADLE = re.compile(r"(?:\A|/)(?:build|settings)\.gradle(?:\.kts)?\Z")
_CLASS = re.compile(r"\A(?:Test\w*|\w*(?:Tests?|TestCase|IT|Spec))\Z")


def _select(_file: str, name: str) -> str | None:
    """`Class#method`. A method may be a helper: an unknown one selects its class."""
    first, _, method = name.partition(".")
    if not _CLASS.match(first):
        return None
    return f"{first}#{method}" if method and "." not in method else first


def _command(selected: Selected, configs: Mapping[str, bytes]) -> str:
    names = dict.fromkeys(
        name for file, names in selected.items() for name in (names or [file.rpartition("/")[2].partition(".")[0]])
    )
    if any(_GRADLE.search(path) for path in configs):
        return join(["gradle", "test", *(word for name in names for word in ("--tests", name.replace("#", ".")))])
    return join(["mvn", "test", *([f"-Dtest={','.join(names)}"] if names else [])])


RUNNER = TestRunner("JUnit", _select, "", _command)
