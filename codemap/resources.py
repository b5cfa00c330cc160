"""Resources: what clients may read and watch by URI instead of calling a tool. Each is the answer of one tool call.

Values in a URI are percent-encoded, as RFC 6570 expands `{id}`; in the last one a `/` needs no escape.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import msgspec

from codemap.completion import Completes

SCHEME = "codemap://"
MIME_TYPE = "application/json"
TOKEN_BUDGET = 4000
"""Of a resource: it is read once and kept, where a tool's reply is one of many."""


class Variable(msgspec.Struct, frozen=True):
    """A part of a URI that becomes an argument of the call."""

    name: str
    argument: str
    completes: Completes
    is_list: bool = False
    """Whether the argument is a list, of this one value."""


class Wanted(msgspec.Struct, frozen=True):
    """The call whose answer a resource is."""

    tool: str
    arguments: Mapping[str, Any]


class Resource(msgspec.Struct, frozen=True):
    name: str
    """The first part of its URI."""
    title: str
    description: str
    tool: str
    variables: tuple[Variable, ...] = ()
    """The parts of the URI after the name; with any it is a template."""
    fixed: Mapping[str, Any] = {}
    """Further arguments of the call."""

    @property
    def uri(self) -> str:
        return "/".join((f"{SCHEME}{self.name}", *(f"{{{variable.name}}}" for variable in self.variables)))


_NODE = Variable("id", "nodeId", Completes.NODE)

RESOURCES = (
    Resource("overview", "Overview", "Packages, entry points, areas and the symbols at their hearts", "map_overview"),
    Resource("status", "Status", "Whether the map is built, fresh and complete", "map_status"),
)
TEMPLATES = (
    Resource(
        "node", "Symbol or file", "A node with its callers, callees, bases and members", "map_neighbors", (_NODE,)
    ),
    Resource(
        "file",
        "File outline",
        "The definitions of a file, nested",
        "nav_symbols",
        (Variable("path", "file", Completes.PATH),),
    ),
    Resource(
        "search",
        "Symbols of a kind",
        "Symbols by name, of one kind or of any",
        "map_search",
        (Variable("kind", "kind", Completes.KIND), Variable("query", "query", Completes.NOTHING)),
    ),
    Resource(
        "neighbors",
        "Neighbors by one kind of edge",
        "Who calls, imports, extends or references a node (in), or whom it does so (out)",
        "map_neighbors",
        (
            Variable("edge", "edgeKinds", Completes.EDGE, is_list=True),
            Variable("direction", "direction", Completes.DIRECTION),
            _NODE,
        ),
    ),
    Resource(
        "calls",
        "Call hierarchy",
        "Who calls a function (incoming) or whom it calls (outgoing), in two steps, as it is now",
        "nav_callHierarchy",
        (Variable("direction", "direction", Completes.WAY), _NODE),
        {"depth": 2},
    ),
)


def call_of(uri: str) -> Wanted | None:
    """The call that gives a resource; None where the URI names none."""
    name, _, rest = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME):
        return None
    for resource in (*RESOURCES, *TEMPLATES):
        parts = rest.split("/", len(resource.variables) - 1) if resource.variables else []
        if resource.name != name or len(parts) != len(resource.variables) or not all(parts) or (rest and not parts):
            continue
        values = [unquote(part, errors="surrogateescape") for part in parts]
        given = {
            variable.argument: [value] if variable.is_list else value
            for variable, value in zip(resource.variables, values, strict=True)
        }
        return Wanted(resource.tool, {**given, **resource.fixed, "tokenBudget": TOKEN_BUDGET})
    return None


def node_uri(node_id: str) -> str:
    """The URI of a node."""
    return f"{SCHEME}node/{quote(node_id, safe='', errors='surrogateescape')}"


def file_uri(path: str) -> str:
    """The URI of a file's outline."""
    return f"{SCHEME}file/{quote(path, safe='', errors='surrogateescape')}"
