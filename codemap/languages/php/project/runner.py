"""PHPUnit. Source: PHPUnit, "The Command-Line Test Runner"."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner


def _select(file: str, name: str) -> str | None:
    """`Class::method`; a class is run with its file."""
    if not file.endswith("Test.php"):
        return None
    parts = name.split(".")
    return "::".join(parts[-2:]) if len(parts) > 1 and not parts[-1][:1].isupper() else ""


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    names = dict.fromkeys(name for names in selected.values() for name in names)
    if not selected:
        return "phpunit"
    if names and all(selected.values()):
        return join(["phpunit", "--filter", f"/({'|'.join(names)})/"])
    return "; ".join(join(["phpunit", file]) for file in selected)


RUNNER = TestRunner(
    "PHPUnit",
    _select,
    "",
    _command,
    is_marked=True,
    case_names=r"test\w*",
    hook_names=r"(?:setUp|tearDown)\w*",
    class_names=r"\w*Test",
)
