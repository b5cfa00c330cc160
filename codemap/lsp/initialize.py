"""The parameters of `initialize`: how codemap describes itself to a server.

Capabilities are announced only where codemap lives up to them. A server that is to be asked for diagnostics does not
work on them unasked.

Source: LSP 3.17, initialize.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codemap.lsp.uris import to_uri

_STATIC = {"dynamicRegistration": False}
_LINKED = {"dynamicRegistration": False, "linkSupport": True}
_SYMBOL_KINDS = {"valueSet": list(range(1, 27))}


def initialize_parameters(root: str, process_id: int, version: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """`root`: absolute; `version`: codemap's own; `options`: the server's initialization options."""
    uri = to_uri(root)
    return {
        "processId": process_id,
        "clientInfo": {"name": "codemap", "version": version},
        "locale": "en",
        "rootPath": root,
        "rootUri": uri,
        "workspaceFolders": workspace_folders(root),
        "initializationOptions": options,
        "capabilities": _capabilities(),
        "trace": "off",
    }


def workspace_folders(root: str) -> list[dict[str, str]]:
    return [{"uri": to_uri(root), "name": root.rstrip("/").rpartition("/")[2] or root}]


def _capabilities() -> dict[str, Any]:
    return {
        "general": {
            "positionEncodings": ["utf-8", "utf-16"],
            "markdown": {"parser": "CommonMark"},
            "staleRequestSupport": {"cancel": True, "retryOnContentModified": []},
        },
        "window": {"workDoneProgress": True, "showDocument": {"support": False}},
        "workspace": {
            "workspaceFolders": True,
            "configuration": True,
            "didChangeConfiguration": _STATIC,
            "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
            "symbol": {"dynamicRegistration": False, "symbolKind": _SYMBOL_KINDS},
            "workspaceEdit": {
                "documentChanges": True,
                "changeAnnotationSupport": {"groupsOnLabel": False},
            },
        },
        "textDocument": {
            "synchronization": {"dynamicRegistration": False, "didSave": False},
            "definition": _LINKED,
            "implementation": _LINKED,
            "references": _STATIC,
            "hover": {"dynamicRegistration": False, "contentFormat": ["markdown", "plaintext"]},
            "rename": {"dynamicRegistration": False, "prepareSupport": True},
            "callHierarchy": _STATIC,
            "documentSymbol": {
                "dynamicRegistration": False,
                "hierarchicalDocumentSymbolSupport": True,
                "symbolKind": _SYMBOL_KINDS,
            },
            "publishDiagnostics": {"relatedInformation": False, "versionSupport": True},
            "diagnostic": {"dynamicRegistration": False, "relatedDocumentSupport": False},
        },
        # An extension of one server; others skip it.
        "experimental": {"serverStatusNotification": True},
    }
