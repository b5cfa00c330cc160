"""One file a tool; `TOOLS` lists them in the order shown to clients."""

from __future__ import annotations

from codemap.tools import neighbors, overview, path, rebuild, resolve, search, status
from codemap.tools.arguments import budget_of, decode_params, schema_of, shared_parameters
from codemap.tools.nav import (
    call_hierarchy,
    definition,
    hover,
    implementations,
    references,
    symbols,
    workspace_symbols,
)
from codemap.tools.outputs import output_schema_of
from codemap.tools.tool import Asking, BuildProgress, Disk, Replied, Tool, World, mentioned_files, named_files

__all__ = (
    "TOOLS",
    "Asking",
    "BuildProgress",
    "Disk",
    "Replied",
    "Tool",
    "World",
    "budget_of",
    "decode_params",
    "mentioned_files",
    "named_files",
    "output_schema_of",
    "schema_of",
    "shared_parameters",
)

TOOLS: tuple[Tool, ...] = (
    overview.TOOL,
    search.TOOL,
    neighbors.TOOL,
    path.TOOL,
    rebuild.TOOL,
    status.TOOL,
    definition.TOOL,
    references.TOOL,
    implementations.TOOL,
    hover.TOOL,
    call_hierarchy.TOOL,
    symbols.TOOL,
    workspace_symbols.TOOL,
    resolve.TOOL,
)
