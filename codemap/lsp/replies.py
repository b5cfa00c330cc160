"""Replies to the requests of a server.

A server whose request stays without a reply may never answer anything, and one that is replied to with an error may end
or hang (both measured): every request is answered, at once, with a result; null where there is nothing to say.

Source: LSP 3.17, window and workspace features.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from codemap.lsp import shapes
from codemap.lsp.configuration import section_of
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
        items = decode(params, shapes.ConfigurationParams).items
    except msgspec.DecodeError:
        return []
    return [section_of(configuration, item.section) for item in items]
