"""Makes requests from questions: method, parameters, and the capability that a server must have for them.

Source: LSP 3.17, language features.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, assert_never

import msgspec

from codemap.live_queries import (
    At,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Diagnostics,
    Hover,
    Implementations,
    LiveQuestion,
    Outline,
    References,
    Rename,
    RenameRange,
    WorkspaceSymbols,
)
from codemap.lsp.positions import Encoding, to_server
from codemap.lsp.uris import to_absolute, to_uri

_PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "textDocument/definition": "definitionProvider",
        "textDocument/references": "referencesProvider",
        "textDocument/implementation": "implementationProvider",
        "textDocument/hover": "hoverProvider",
        "textDocument/prepareCallHierarchy": "callHierarchyProvider",
        "callHierarchy/incomingCalls": "callHierarchyProvider",
        "callHierarchy/outgoingCalls": "callHierarchyProvider",
        "textDocument/documentSymbol": "documentSymbolProvider",
        "workspace/symbol": "workspaceSymbolProvider",
        "textDocument/diagnostic": "diagnosticProvider",
        "textDocument/rename": "renameProvider",
    }
)


def method_of(question: LiveQuestion) -> str:
    match question:
        case Definition():
            return "textDocument/definition"
        case References():
            return "textDocument/references"
        case Implementations():
            return "textDocument/implementation"
        case Hover():
            return "textDocument/hover"
        case CallRoots():
            return "textDocument/prepareCallHierarchy"
        case CallsTo():
            return "callHierarchy/incomingCalls"
        case CallsFrom():
            return "callHierarchy/outgoingCalls"
        case Outline():
            return "textDocument/documentSymbol"
        case WorkspaceSymbols():
            return "workspace/symbol"
        case Diagnostics():
            return "textDocument/diagnostic"
        case RenameRange():
            return "textDocument/prepareRename"
        case Rename():
            return "textDocument/rename"
    assert_never(question)


def file_of(question: LiveQuestion) -> str:
    """The file that the question is about; empty where it is about all."""
    match question:
        case Definition(at=at) | References(at=at) | Implementations(at=at) | Hover(at=at) | CallRoots(at=at):
            return at.file
        case CallsTo(item=item) | CallsFrom(item=item):
            return item.place.file
        case RenameRange(at=at) | Rename(at=at):
            return at.file
        case Outline(file=file) | Diagnostics(file=file):
            return file
        case WorkspaceSymbols():
            return ""
    assert_never(question)


def is_announced(method: str, capabilities: Mapping[str, Any]) -> bool:
    """Whether a server that announces these capabilities has the request. An empty object is a yes, null is a no."""
    if method == "textDocument/prepareRename":
        provider = capabilities.get("renameProvider")
        return isinstance(provider, Mapping) and provider.get("prepareProvider") is True
    return capabilities.get(_PROVIDERS[method]) not in (None, False)


def parameters(question: LiveQuestion, line: str, encoding: Encoding, repository: str) -> dict[str, Any]:
    """`line` is the text of the question's line, without its ending."""
    match question:
        case Definition(at=at) | Implementations(at=at) | Hover(at=at) | CallRoots(at=at) | RenameRange(at=at):
            return _at(at, line, encoding, repository)
        case References(at=at, with_declaration=with_declaration):
            return _at(at, line, encoding, repository) | {"context": {"includeDeclaration": with_declaration}}
        case Rename(at=at, new_name=name):
            return _at(at, line, encoding, repository) | {"newName": name}
        case CallsTo(item=item) | CallsFrom(item=item):
            return {"item": msgspec.Raw(item.handle)}
        case Outline(file=file) | Diagnostics(file=file):
            return {"textDocument": {"uri": to_uri(to_absolute(file, repository))}}
        case WorkspaceSymbols(query=query):
            return {"query": query}
    assert_never(question)


def _at(at: At, line: str, encoding: Encoding, repository: str) -> dict[str, Any]:
    return {
        "textDocument": {"uri": to_uri(to_absolute(at.file, repository))},
        # Servers hang or die over a negative line.
        "position": {"line": max(0, at.line - 1), "character": to_server(line, at.col, encoding)},
    }
