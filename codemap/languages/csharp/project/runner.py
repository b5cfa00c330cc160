"""`dotnet test`. Source: Microsoft Learn, "Run selected unit tests"."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner


def _select(_file: str, name: str) -> str | None:
    """Class and method, without the namespace, of which the filter needs no more than a part."""
    parts = [part for part in name.split(".") if part]
    return ".".join(parts[-2:]) or None


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    names = dict.fromkeys(name for names in selected.values() for name in names)
    chosen = "|".join(f"FullyQualifiedName~{name}" for name in names)
    return join(["dotnet", "test", *(["--filter", chosen] if names else [])])


RUNNER = TestRunner(
    "dotnet test",
    _select,
    "",
    _command,
    is_marked=True,
    hook_names=r"Dispose(?:Async)?|InitializeAsync",
    class_names=r"Test\w*|\w*(?:Tests?|Specs?|Facts)",
    base_names=r"Tests?|Spec|Facts",
)
