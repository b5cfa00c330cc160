"""The closed list of error codes, each with the hint that it carries unless a tool has a better one.

Source: CONTRACT, section 1, and the table of its seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from codemap.ids import GRAMMAR


class ErrorCode(StrEnum):
    MAP_NOT_BUILT = "MAP_NOT_BUILT"
    """There is no map yet: the first build still runs, or nothing was built."""
    NODE_NOT_FOUND = "NODE_NOT_FOUND"
    """The node ID is not in the map."""
    BAD_NODE_ID = "BAD_NODE_ID"
    """The node ID does not parse."""
    FILE_DELETED = "FILE_DELETED"
    """The file has vanished from disk."""
    SYMBOL_NOT_FOUND = "SYMBOL_NOT_FOUND"
    """The live lookup found no such symbol."""
    LSP_UNAVAILABLE = "LSP_UNAVAILABLE"
    """The language server cannot be started here."""
    LSP_FAILED = "LSP_FAILED"
    """The language server crashed repeatedly and was disabled."""
    LSP_TIMEOUT = "LSP_TIMEOUT"
    """The language server gave no answer within the deadline."""
    BAD_ARGS = "BAD_ARGS"
    """The arguments are invalid, alone or together."""
    INTERNAL = "INTERNAL"
    """An unforeseen failure."""


HINTS: Mapping[ErrorCode, str] = MappingProxyType(
    {
        ErrorCode.MAP_NOT_BUILT: "map_status says how far the build is; map_rebuild starts one; nav_* tools work.",
        ErrorCode.NODE_NOT_FOUND: "Node IDs come from map_search and map_overview; map_rebuild renews a stale map.",
        ErrorCode.BAD_NODE_ID: f"A node ID is {GRAMMAR}.",
        ErrorCode.FILE_DELETED: "Call map_search with the symbol's name to find its new location.",
        ErrorCode.SYMBOL_NOT_FOUND: "Call map_rebuild if the file has changed, or map_search with the name.",
        ErrorCode.LSP_UNAVAILABLE: "Static structure is still available through the map_* tools.",
        ErrorCode.LSP_FAILED: "map_status shows the end of the server's stderr; the map_* tools go on.",
        ErrorCode.LSP_TIMEOUT: "Try again, or use the map_* tools, which need no language server.",
        ErrorCode.BAD_ARGS: "The message names the expected shape.",
        ErrorCode.INTERNAL: "This is a bug: report it with the incident id. Other calls go on.",
    }
)
