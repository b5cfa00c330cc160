"""`go test`. Source: `go help testflag`, package testing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import quote

from codemap.languages.runner import Selected, TestRunner

_TEST = re.compile(r"(?:Test|Fuzz|Example)(?![a-z])\w*")
_AROUND = re.compile(r"(?:SetUp|Setup|TearDown|Before|After)(?:All)?(?:Suite|Test|SubTest)")
"""What testify runs with the tests of a suite."""
_MAIN = "TestMain"
"""Runs all tests of its package."""


def _select(file: str, name: str) -> str | None:
    """A method of a suite is run by a function that the map does not know: its file is run whole."""
    if not file.endswith("_test.go"):
        return None
    first, _, rest = name.partition(".")
    if first == _MAIN or (rest and (_TEST.match(rest) or _AROUND.match(rest))):
        return ""
    found = _TEST.fullmatch(first)
    return found[0] if found else None


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    folders = dict.fromkeys(f"./{file.rpartition('/')[0]}".rstrip("/") for file in selected)
    words = ["go", "test", *(map(quote, folders) if folders else ["./..."])]
    if selected and all(selected.values()):
        names = dict.fromkeys(name for names in selected.values() for name in names)
        words += ["-run", quote(f"^({'|'.join(names)})$")]
    return " ".join(words)


RUNNER = TestRunner("go test", _select, "", _command, is_of_folders=True)
