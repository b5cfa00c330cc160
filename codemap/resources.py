"""Resources: what clients may read and watch by URI instead of calling a tool. Each is the answer of one tool call.

A node ID or path stands percent-encoded in its URI, as RFC 6570 expands `{id}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import msgspec

SCHEME = "codemap://"
MIME_TYPE = "application/json"
TOKEN_BUDGET = 4000
"""Of a resource: it is read once and kept, where a tool's reply is one of many."""

_NODE, _FILE = f"{SCHEME}node/", f"{SCHEME}file/"


class Wanted(msgspec.Struct, frozen=True):
    """The call whose answer a resource is."""

    tool: str
    arguments: Mapping[str, Any]


class Resource(msgspec.Struct, frozen=True):
    uri: str
    """With `{id}` or `{path}` where it is a template."""
    name: str
    title: str
    description: str


RESOURCES = (
    Resource(f"{SCHEME}overview", "overview", "Overview", "Clusters of files with their central symbols"),
    Resource(f"{SCHEME}status", "status", "Status", "Whether the map is built, fresh and complete"),
)
TEMPLATES = (
    Resource(_NODE + "{id}", "node", "Symbol or file", "A node with its callers, callees, bases and members"),
    Resource(_FILE + "{path}", "file", "File outline", "The definitions of a file, nested"),
)


def call_of(uri: str) -> Wanted | None:
    """The call that gives a resource; None where the URI names none."""
    budget = {"tokenBudget": TOKEN_BUDGET}
    match uri:
        case "codemap://overview":
            return Wanted("map_overview", budget)
        case "codemap://status":
            return Wanted("map_status", budget)
    for start, tool, argument in ((_NODE, "map_neighbors", "nodeId"), (_FILE, "nav_symbols", "file")):
        value = unquote(uri.removeprefix(start), errors="surrogateescape")
        if uri.startswith(start) and value:
            return Wanted(tool, {argument: value, **budget})
    return None


def node_uri(node_id: str) -> str:
    """The URI of a node."""
    return _NODE + quote(node_id, safe="", errors="surrogateescape")


def file_uri(path: str) -> str:
    """The URI of a file's outline."""
    return _FILE + quote(path, safe="", errors="surrogateescape")
