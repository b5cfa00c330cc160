"""`cargo test`. Source: The Cargo Book, "cargo test"; The rustc book, "Tests"."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner

_MODULES = frozenset(("tests", "test"))


def _select(file: str, name: str) -> str | None:
    """The path of a function in its crate: `store::tests::refreshes`; in a file of `tests/`, of its own crate."""
    parts = name.split(".")
    _, _, rest = f"/{file}".partition("/tests/")
    if rest and "/" not in rest:
        return parts[0] if name and len(parts) == 1 else None
    inside = file.removesuffix(".rs").rpartition("src/")[2].split("/")
    modules = [part for part in inside if part not in ("lib", "main", "mod")]
    if not name or not (_MODULES.intersection(parts[:-1]) or _MODULES.intersection(modules)):
        return None
    return "::".join((*modules, *parts))


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    names = dict.fromkeys(name for names in selected.values() for name in names)
    return join(["cargo", "test", *(["--", *names] if names else [])])


RUNNER = TestRunner("cargo test", _select, "", _command)
