"""Leaves out of a reply what a terminal would obey: control characters, from file names or sources, become escapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actors.command_line.display.terminal import printable, printable_code

TEXTS = frozenset(("contents", "diagram", "diff"))
"""Members whose lines are shown as lines."""
CODES = frozenset(("code", "bodies"))
"""Members that hold code by ID, each text after a range of lines."""


def clean(value: Any) -> Any:
    """The value without what a terminal would obey."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {name: _clean_member(name, inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    return value


def _clean_member(name: str, value: Any) -> Any:
    if name in CODES and isinstance(value, Mapping):
        return {printable(node_id): [_clean_text(text) for text in texts] for node_id, texts in value.items()}
    return _clean_text(value) if name in TEXTS or name in CODES else clean(value)


def _clean_text(value: Any) -> Any:
    if not isinstance(value, str):
        return clean(value)
    return "\n".join(map(printable_code, value.replace("\r\n", "\n").split("\n")))
