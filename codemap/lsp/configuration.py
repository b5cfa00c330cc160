"""Answers to a server that asks for its configuration.

Source: LSP 3.17, workspace/configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def merged(*configurations: Mapping[str, Any]) -> dict[str, Any]:
    """One tree of all sections, the later ones winning member by member; dots in a section's name are levels."""
    tree: dict[str, Any] = {}
    for configuration in configurations:
        for section, value in configuration.items():
            for part in reversed(section.split(".")):
                value = {part: value}
            tree = _merge(tree, value)
    return tree


def section_of(tree: Mapping[str, Any], section: str | None) -> Any:
    """The configuration of a section, all of it without a name; None where there is none."""
    found: Any = tree
    for part in section.split(".") if section else ():
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def _merge(under: Any, over: Any) -> Any:
    if not isinstance(under, Mapping) or not isinstance(over, Mapping):
        return over
    return {**under, **{key: _merge(under[key], value) if key in under else value for key, value in over.items()}}
