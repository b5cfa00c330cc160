"""What the parameters of tools have in common.

Rules of the file:
- A `Params` struct is the schema: field names are camelCase on the wire, nothing unknown is accepted.
- `tokenBudget` has no bounds in the schema: any whole number is accepted and clamped.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from codemap.envelope.limits import PROFILES
from codemap.envelope.native import BUDGET_DEFAULT

KindFilter = Literal[
    "any",
    "file",
    "module",
    "class",
    "interface",
    "enum",
    "function",
    "method",
    "variable",
    "type_alias",
    "property",
]
EdgeKindName = Literal["contains", "imports", "exports", "calls", "extends", "implements", "references"]
Direction = Literal["in", "out", "both"]

DEPTH_MOST, NODES_MOST = (
    max(limits.depth_max for limits in PROFILES.values()),
    max(limits.nodes_max for limits in PROFILES.values()),
)
"""Of the widest limits profile; `decode_params` keeps to the one in force."""

NodeIdText = Annotated[str, Meta(description="Node ID", min_length=1)]


class ToolParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Parameters of every tool."""

    token_budget: Annotated[int, Meta(description="Size of the reply in tokens, clamped to 100-10000")] = BUDGET_DEFAULT
    cursor: Annotated[str, Meta(description="dropped.cursor of the page before")] = ""


class MapParams(ToolParams, frozen=True, kw_only=True):
    """Parameters of every map tool."""

    fresh_wait_ms: Annotated[
        int, Meta(description="Wait at most so long for the last edits to be in the map", ge=0, le=5000)
    ] = 0


class PositionParams(ToolParams, frozen=True, kw_only=True):
    """Parameters of the tools that are asked about a symbol: one of the two ways to name it."""

    node_id: Annotated[str, Meta(description="Node ID; or file, line and col", min_length=1)] | UnsetType = UNSET
    file: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    line: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    col: Annotated[int, Meta(ge=1)] = 1


SHARED = frozenset(("tokenBudget", "cursor", "freshWaitMs"))
"""Described once for all tools, in the server's instructions, and not in each schema."""
