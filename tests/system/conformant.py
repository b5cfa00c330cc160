"""A server that has what the scenarios of the official conformance tool ask for by name, for our HTTP front.

Each is as the tool describes it; those that ask the client something are in `conformant_asks`.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import partial
from typing import Any

import mcp_types as types
import trio
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

from tests.system import conformant_asks as asks

Context = ServerRequestContext[Any]
PIXEL = b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
        "0000000049454e44ae426082"
    )
).decode()
"""A PNG of one pixel."""
SILENCE = b64encode(
    bytes.fromhex("524946462400000057415645666d74201000000001000100401f0000401f0000010008006461746100000000")
).decode()
"""A WAV without a sample."""
STEP_S = 0.05
MISSING_CAPABILITY = -32021


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def _resource(uri: str, text: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.EmbeddedResource(type="resource", resource=contents)


RESULTS: dict[str, list[Any]] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [_image()],
    "test_audio_content": [types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")],
    "test_embedded_resource": [_resource("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        _image(),
        _resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "test_error_handling": [_text("This tool intentionally returns an error for testing")],
    "test_tool_with_progress": [_text("Done.")],
    "test_missing_capability": [],
    "json_schema_2020_12_tool": [_text("Done.")],
    "test_parameter_in_header": [_text("Done.")],
    "test_trigger_tool_change": [_text("Done.")],
    "test_trigger_prompt_change": [_text("Done.")],
    "test_streaming_elicitation": [_text("Nobody was asked.")],
    "test_logging_tool": [_text("Logged.")],
}
CHANGES = {"test_trigger_tool_change": ToolsListChanged(), "test_trigger_prompt_change": PromptsListChanged()}
"""What those who listen are told of."""
SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_parameter_in_header": {
        "type": "object",
        "properties": {"place": {"type": "string", "x-mcp-header": "Place"}},
    },
}
"""Of the arguments, where a scenario asks for one."""
PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    asks.PROMPT: (),
}
STATIC = ("test://static-text", "test://static-binary", "test://watched-resource")
TEMPLATE = "test://template/{id}/data"


async def _list_tools(_ctx: Context, _params: object) -> types.ListToolsResult:
    plain = {"type": "object", "properties": {}}
    names = (*RESULTS, *asks.NAMES)
    return types.ListToolsResult(
        tools=[types.Tool(name=name, description=name, input_schema=SCHEMAS.get(name, plain)) for name in names]
    )


async def _call_tool(bus: InMemorySubscriptionBus, ctx: Context, params: types.CallToolRequestParams) -> asks.Asks:
    if params.name in asks.NAMES:
        return await asks.ask(ctx, params)
    if params.name not in RESULTS:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool {params.name!r}.")
    if params.name == "test_missing_capability":
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_CAPABILITY, "The capability sampling is needed.", needed)
    if params.name == "test_tool_with_progress":
        for done in (0, 50, 100):
            await ctx.session.report_progress(done, 100)
            await trio.sleep(STEP_S)
    if params.name in CHANGES:
        await bus.publish(CHANGES[params.name])
    if params.name == "test_logging_tool":
        await ctx.session.send_log_message("info", "Not asked for.", related_request_id=ctx.request_id)
    return types.CallToolResult(content=RESULTS[params.name], is_error=params.name == "test_error_handling")


async def _list_resources(_ctx: Context, _params: object) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(uri=uri, name=uri) for uri in STATIC])


async def _list_templates(_ctx: Context, _params: object) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template=TEMPLATE, name="template")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read(_ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    before, after = TEMPLATE.split("{id}")
    contents: types.TextResourceContents | types.BlobResourceContents
    if uri == "test://static-binary":
        contents = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    elif uri in STATIC:
        text = "This is the content of the static text resource."
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    elif uri.startswith(before) and uri.endswith(after):
        number = uri.removeprefix(before).removesuffix(after)
        text = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    else:
        raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
    return types.ReadResourceResult(contents=[contents])


async def _watch(_ctx: Context, _params: object) -> types.EmptyResult:
    return types.EmptyResult()


async def _list_prompts(_ctx: Context, _params: object) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=name,
                arguments=[types.PromptArgument(name=one, required=True) for one in arguments],
            )
            for name, arguments in PROMPTS.items()
        ]
    )


async def _get_prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            said: list[Any] = [_text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            said = [_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
        case "test_prompt_with_embedded_resource":
            embedded = _resource(given["resourceUri"], "Embedded resource content for testing.")
            said = [embedded, _text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            said = [_image(), _text("Please analyze the image above.")]
        case asks.PROMPT:
            wanted = asks.missing(ctx, params, (asks.CONTEXT,))
            if wanted is not None:
                return wanted
            said = [_text("This is a prompt in context.")]
        case _:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt {params.name!r}.")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=one) for one in said])


async def _set_level(_ctx: Context, _params: object) -> types.EmptyResult:
    return types.EmptyResult()


async def _complete(_ctx: Context, _params: object) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=[]))


def conformant() -> Server[Any]:
    """The server."""
    bus = InMemorySubscriptionBus()
    hint = CacheHint(ttl_ms=1000, scope="public")
    server: Server[Any] = Server(
        "conformant",
        version="1",
        cache_hints={"tools/list": hint},
        on_list_tools=_list_tools,
        on_call_tool=partial(_call_tool, bus),
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read,
        on_subscribe_resource=_watch,
        on_unsubscribe_resource=_watch,
        on_subscriptions_listen=ListenHandler(bus),
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
        on_set_logging_level=_set_level,
    )
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="conformant"))
    return server
