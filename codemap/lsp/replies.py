"""Replies to the requests that a server sends.

A server whose request stays without a reply may never answer anything, and one that is replied to with an error may end
or hang (both measured): every request is answered, at once, with a result; null where there is nothing to say.

Source: LSP 3.17, window and workspace features.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from codemap.lsp import protocol_structs
from codemap.lsp.initialize import workspace_folders
from codemap.lsp.messages import Request, decode


def reply_to(request: Request, configuration: Mapping[str, Any], root: str) -> Any:
    """The result that a request is answered with. Nothing is shown, applied or refused."""
    match request.method:
        case "workspace/configuration":
            return _configuration(request.params, configuration)
        case "workspace/workspaceFolders":
            return workspace_folders(root)
        case "workspace/applyEdit":
            return {"applied": False, "failureReason": "codemap changes no files"}
        case "window/showDocument":
            return {"success": False}
        case _:
            # Registrations, progress tokens, refreshes, questions to a person, and what no one has heard of.
            return None


def _configuration(params: msgspec.Raw, configuration: Mapping[str, Any]) -> list[Any]:
    try:
        items = decode(params, protocol_structs.ConfigurationParams).items
    except msgspec.DecodeError:
        return []
    return [_section_of(configuration, item.section) for item in items]


def merged(*configurations: Mapping[str, Any]) -> dict[str, Any]:
    """One tree of all sections, the later ones winning member by member; dots in a section's name are levels."""
    tree: dict[str, Any] = {}
    for configuration in configurations:
        for section, value in configuration.items():
            for part in reversed(section.split(".")):
                value = {part: value}
            tree = _merge(tree, value)
    return tree


def _section_of(tree: Mapping[str, Any], section: str | None) -> Any:
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
