"""pytest, which also runs the tests of unittest. Source: pytest, "Specifying which tests to run", "Test discovery"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Injection, Selected, TestRunner

_FILE = re.compile(r"(?:\A|/)(?:test[^/]*|[^/]*_tests?)\.py\Z")
_FUNCTION = re.compile(r"test")
_CLASS = re.compile(r"Test|\w*(?:Tests?|TestCase)\Z")
_SETUP = re.compile(r"(?:setup|teardown|setUp|tearDown)\w*\Z")


def _select(file: str, name: str) -> str | None:
    if not _FILE.search(file):
        return None
    parts = name.split(".") if name else []
    for place, part in enumerate(parts):
        if _FUNCTION.match(part) and all(map(_CLASS.match, parts[:place])):
            return "::".join(parts[: place + 1])
        if _SETUP.match(part):
            return "::".join(parts[:place])
        if not _CLASS.match(part):
            return None
    return "::".join(parts)


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    ids = [f"{file}::{name}" for file, names in selected.items() for name in names]
    return join(["pytest", *[file for file, names in selected.items() if not names], *ids])


RUNNER = TestRunner("pytest", _select, "::", _command)
INJECTION = Injection(
    frozenset({"fixture"}), frozenset({"conftest.py"}), r"\b(?:usefixtures|getfixturevalue)\s*\([^()]*[\"']\Z"
)
"""pytest, "How to use fixtures"."""
