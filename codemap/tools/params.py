"""The parameters that tools share.

Rules of the file:
- A `Params` struct is the schema: field names are camelCase on the wire, nothing unknown is accepted.
- `tokenBudget` and `freshWaitMs` have no bounds in the schema: any whole number is accepted and clamped.
- What all tools of a kind take is described once, in the server's instructions (`SHARED`).
"""

from __future__ import annotations

from typing import Annotated, Literal, Protocol

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

Rows = Literal["compact", "full"]
TestPolicy = Literal["fold", "include", "exclude", "only"]

Tests = TestPolicy | UnsetType
"""Unset: folded in compact rows, included in full ones."""

DEPTH_MOST, NODES_MOST = (
    max(limits.depth_max for limits in PROFILES.values()),
    max(limits.nodes_max for limits in PROFILES.values()),
)
"""Of the widest limits profile; `decode_params` keeps to the one in force."""

NodeIdText = str
"""A node ID, whole or as `short_ids` has it."""

FRESH_WAIT_MAX_MS = 5000


class ToolParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Parameters of every tool."""

    token_budget: int = BUDGET_DEFAULT
    cursor: str = ""


class MapParams(ToolParams, frozen=True, kw_only=True):
    """Parameters of every map tool."""

    fresh_wait_ms: int = 0


class MapListParams(MapParams, frozen=True, kw_only=True):
    """Parameters of the map tools that list."""

    rows: Rows = "compact"
    tests: Tests = UNSET
    file_filter: str = ""


class PositionParams(ToolParams, frozen=True, kw_only=True):
    """Parameters of the tools that are asked about a symbol: one of the two ways to name it."""

    node_id: str | UnsetType = UNSET
    file: str | UnsetType = UNSET
    line: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    col: Annotated[int, Meta(ge=1)] = 1


class PositionRowParams(PositionParams, frozen=True, kw_only=True):
    """Parameters of position tools whose answers have two forms."""

    rows: Rows = "compact"


class PositionListParams(PositionRowParams, frozen=True, kw_only=True):
    """Parameters of position tools that list what may be in tests."""

    tests: Tests = UNSET
    file_filter: str = ""


class ListParams(Protocol):
    """Parameters of every tool that lists."""

    @property
    def rows(self) -> Rows: ...

    @property
    def tests(self) -> TestPolicy | UnsetType: ...

    @property
    def file_filter(self) -> str: ...


SHARED = frozenset(("tokenBudget", "cursor", "freshWaitMs", "rows", "tests", "fileFilter"))
"""What they mean, and their defaults, is said once for all tools, in the server's instructions."""
