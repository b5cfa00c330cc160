"""One file a tool; `TOOLS` lists them in the order shown to clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from codemap.tools import rebuild, status
from codemap.tools.arguments import budget_of, decode_params, schema_of
from codemap.tools.code import tool as code
from codemap.tools.context import tool as context
from codemap.tools.findings import tool as findings
from codemap.tools.graph import tool as graph
from codemap.tools.history import tool as history
from codemap.tools.impact import tool as impact
from codemap.tools.metrics import tool as metrics
from codemap.tools.nav import definition, hover, implementations, references, symbols, workspace_symbols
from codemap.tools.nav.calls import hierarchy as call_hierarchy
from codemap.tools.nav.diagnostics import tool as diagnostics
from codemap.tools.nav.rename import tool as rename
from codemap.tools.neighbors import tool as neighbors
from codemap.tools.outputs import output_schema_of, whole_schema_of
from codemap.tools.overview import tool as overview
from codemap.tools.path import tool as path
from codemap.tools.resolve import tool as resolve
from codemap.tools.search import tool as search
from codemap.tools.tool import Asking, BuildProgress, Disk, Replied, Tool, World, mentioned_files, named_files
from codemap.tools.unused import tool as unused

__all__ = (
    "OUTPUTS",
    "PROGRAM_TOOLS",
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
    "whole_schema_of",
)

OUTPUTS: Mapping[str, Callable[[Tool], dict[str, Any]]] = MappingProxyType({"native": output_schema_of})
"""The schemas of replies by dialect, of those that have one."""

TOOLS: tuple[Tool, ...] = (
    overview.TOOL,
    search.TOOL,
    neighbors.TOOL,
    path.TOOL,
    context.TOOL,
    code.TOOL,
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
    impact.TOOL,
    diagnostics.TOOL,
    metrics.TOOL,
    unused.TOOL,
    rename.TOOL,
    findings.TOOL,
    history.TOOL,
)

PROGRAM_TOOLS: tuple[Tool, ...] = (graph.TOOL,)
"""For programs that draw or process the map; no model is listed them."""
