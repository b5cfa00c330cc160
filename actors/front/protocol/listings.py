"""Describes a server to its clients: its name, tools, resources and prompts, as the JSON objects of MCP.

They are the same in all versions. The front sends them as they are, and what the SDK answers with is made of them.

Source: MCP 2025-11-25, "Lifecycle", "Tools", "Resources", "Prompts"; MCP Apps 2026-01-26.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any

from codemap.envelope.dialects import NATIVE
from codemap.envelope.limits import COMMUNITY, Limits
from codemap.instructions import instructions
from codemap.prompts import PROMPTS, Prompt
from codemap.resources import MIME_TYPE, RESOURCES, TEMPLATES, Resource
from codemap.tools import PROGRAM_TOOLS, Tool, schema_of

NAME = "codemap"

_APPS = "io.modelcontextprotocol/ui"
APP_TYPE = "text/html;profile=mcp-app"
APP = "ui://codemap/map"
DRAWN = frozenset(("map_overview", "map_neighbors", "map_path", "map_impact"))
"""Tools whose answers the app shows."""
_FOR_APPS = frozenset(tool.name for tool in PROGRAM_TOOLS)

Listing = dict[str, Any]
"""The result of a request for a list."""
Output = Callable[[Tool], dict[str, Any]]


class Listings:
    """What the server for all clients with the same choices lists."""

    def __init__(
        self,
        tools: Sequence[Tool],
        limits: Limits = COMMUNITY,
        output_of: Output | None = None,
        dialect: str = NATIVE,
        *,
        has_offers: bool = True,
    ) -> None:
        """`limits` is the profile that replies in the dialect keep to, `output_of` the schema of those of a
        tool; `has_offers`: whether there are resources and prompts, too."""
        self.tools = {tool.name: tool for tool in tools}
        self.dialect = dialect
        self._limits = limits
        self._output_of = output_of
        self._has_offers = has_offers

    @property
    def version(self) -> str:
        return version(NAME)

    @cached_property
    def instructions(self) -> str:
        return instructions(self.dialect, self.tools)

    def greet(self, protocol: str) -> dict[str, Any]:
        """The result of `initialize`, by which a version of the protocol is agreed upon."""
        capabilities: dict[str, Any] = {"tools": {"listChanged": False}}
        if self._has_offers:
            watched = {"subscribe": True, "listChanged": False}
            capabilities |= {"completions": {}, "prompts": {"listChanged": False}, "resources": watched}
        return {
            "protocolVersion": protocol,
            "capabilities": capabilities,
            "serverInfo": {"name": NAME, "version": self.version},
            "instructions": self.instructions,
        }

    def find(self, method: str, *, with_apps: bool) -> Listing | None:
        """The result of a request for a list; None for any other. `with_apps`: for a host that shows them."""
        if method == "tools/list":
            return self.drawn if with_apps else self.listed
        if not self._has_offers:
            return None
        match method:
            case "resources/list":
                return list_resources(with_apps=with_apps)
            case "resources/templates/list":
                return list_templates()
            case "prompts/list":
                return list_prompts()
            case _:
                return None

    @cached_property
    def described(self) -> list[dict[str, Any]]:
        """All tools that can be called."""
        return [self._describe(tool) for tool in self.tools.values()]

    @cached_property
    def listed(self) -> Listing:
        return {"tools": [one for one in self.described if not self.tools[one["name"]].is_for_programs]}

    @cached_property
    def drawn(self) -> Listing:
        """The list for hosts that show apps."""
        return {"tools": list(map(_with_app, self.described))} if self.dialect == NATIVE else self.listed

    def _describe(self, tool: Tool) -> dict[str, Any]:
        shown = {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": schema_of(tool, self._limits),
            "annotations": {
                "readOnlyHint": tool.is_read_only,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
        return shown if self._output_of is None else {**shown, "outputSchema": self._output_of(tool)}


def shows_apps(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client with these capabilities says that it shows apps."""
    extensions = capabilities.get("extensions")
    settings = extensions.get(_APPS) if isinstance(extensions, Mapping) else None
    return isinstance(settings, Mapping) and APP_TYPE in (settings.get("mimeTypes") or ())


def list_resources(*, with_apps: bool) -> Listing:
    app = {"uri": APP, "name": "map", "title": "Map", "mimeType": APP_TYPE}
    return {"resources": [*(_show_resource(one, "uri") for one in RESOURCES), *([app] if with_apps else [])]}


def list_templates() -> Listing:
    return {"resourceTemplates": [_show_resource(one, "uriTemplate") for one in TEMPLATES]}


def list_prompts() -> Listing:
    return {"prompts": [_show_prompt(prompt) for prompt in PROMPTS]}


def _show_resource(one: Resource, member: str) -> dict[str, str]:
    shown = {"name": one.name, "title": one.title, "description": one.description, "mimeType": MIME_TYPE}
    return {member: one.uri, **shown}


def _show_prompt(prompt: Prompt) -> dict[str, Any]:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {"name": one.name, "description": one.description, "required": one.is_required} for one in prompt.arguments
        ],
    }


def _with_app(tool: dict[str, Any]) -> dict[str, Any]:
    """The tool as hosts are listed it that show apps: those for programs are the app's, and no model's."""
    if tool["name"] in _FOR_APPS:
        return {**tool, "_meta": {"ui": {"visibility": ["app"]}}}
    return {**tool, "_meta": {"ui": {"resourceUri": APP}}} if tool["name"] in DRAWN else tool
