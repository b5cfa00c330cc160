"""PHPUnit. Source: PHPUnit, "The Command-Line Test Runner"."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner


def _select(file: str, name: str) -> str | None:
    if not file.endswith("Test.php"):
        return None
    parts = name.split(".")
    return "::".join(parts[-2:]) if len(parts) > 1 and parts[-1].startswith("test") else ""


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    names = dict.fromkeys(name for names in selected.values() for name in names)
    if not selected:
        return "phpunit"
    if names and all(selected.values()):
        return join(["phpunit", "--filter", f"/({'|'.join(names)})/"])
    return "; ".join(join(["phpunit", file]) for file in selected)


RUNNER = TestRunner("PHPUnit", _select, "", _command)
