"""`cargo test`. Source: The Cargo Book, "cargo test"; The rustc book, "Tests"."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import join

from codemap.languages.runner import Selected, TestRunner


def _select(file: str, name: str) -> str | None:
    """The path of a function in its crate: `store::tests::refreshes`; in a file of `tests/`, of its own crate."""
    if not name:
        return None
    path = f"/{file.removesuffix('.rs')}"
    _, source, inside = path.rpartition("/src/")
    _, tests, rest = path.partition("/tests/")
    modules = rest.split("/")[1:] if tests and not source else inside.split("/")  # the first of tests is a crate
    return "::".join((*(part for part in modules if part not in ("lib", "main", "mod")), *name.split(".")))


def _command(selected: Selected, _configs: Mapping[str, bytes]) -> str:
    names = dict.fromkeys(name for names in selected.values() for name in names)
    return join(["cargo", "test", *(["--", *names] if names else [])])


RUNNER = TestRunner("cargo test", _select, "", _command, is_marked=True, names_modules=True)
