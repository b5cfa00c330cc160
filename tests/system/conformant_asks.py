"""Tools and a prompt that ask the client something, as the conformance tool describes them, in both eras.

In the handshake era a tool asks while it is called, over the stream of its call. In the later one its result says what
it wants, and the call comes again with the answers and the state, which nobody can change on the way.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

import mcp_types as types
import msgspec
import trio
from mcp.server.context import ServerRequestContext

Context = ServerRequestContext[Any]
Asks = types.CallToolResult | types.InputRequiredResult
STEP_S = 0.05


def _said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


# -- the handshake era ------------------------------------------------------------------------------------------------


def _form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _titled(*values: tuple[str, str]) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in values]


DEFAULTS = _form(
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
ENUMS = _form(
    untitledSingle={"type": "string", "enum": ["option1", "option2", "option3"]},
    titledSingle={
        "type": "string",
        "oneOf": _titled(("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")),
    },
    legacyEnum={
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti={"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    titledMulti={
        "type": "array",
        "items": {
            "anyOf": _titled(("value1", "First Choice"), ("value2", "Second Choice"), ("value3", "Third Choice"))
        },
    },
)
PERSON = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}


async def _log(ctx: Context, _arguments: Mapping[str, Any]) -> Asks:
    for number, text in enumerate(("Tool execution started", "Tool processing data", "Tool execution completed")):
        await trio.sleep(STEP_S * bool(number))
        await ctx.session.send_log_message("info", text, related_request_id=ctx.request_id)
    return _said("Logged.")


async def _sample(ctx: Context, arguments: Mapping[str, Any]) -> Asks:
    asked = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=arguments["prompt"]))
    answer = await ctx.session.create_message([asked], max_tokens=100, related_request_id=ctx.request_id)
    return _said(f"LLM response: {getattr(answer.content, 'text', '')}")


async def _elicit(ctx: Context, arguments: Mapping[str, Any]) -> Asks:
    answer = await ctx.session.elicit_form(arguments["message"], PERSON, ctx.request_id)
    return _said(f"User response: action: {answer.action}, content: {json.dumps(answer.content)}")


def _eliciting(schema: dict[str, Any]) -> Callable[[Context, Mapping[str, Any]], Awaitable[Asks]]:
    async def elicit(ctx: Context, _arguments: Mapping[str, Any]) -> Asks:
        answer = await ctx.session.elicit_form("Please fill in.", schema, ctx.request_id)
        return _said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")

    return elicit


# -- the later era ----------------------------------------------------------------------------------------------------


class Round(msgspec.Struct, frozen=True):
    """What is asked at one time."""

    requests: Mapping[str, Any]
    state: str | None = None


def _question(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _prompt(text: str, max_tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


ROUNDS: Mapping[str, tuple[Round, ...]] = MappingProxyType(
    {
        "test_input_required_result_elicitation": (Round({"user_name": _question("What is your name?", "name")}),),
        "test_input_required_result_sampling": (
            Round({"capital_question": _prompt("What is the capital of France?", 100)}),
        ),
        "test_input_required_result_list_roots": (Round({"client_roots": types.ListRootsRequest()}),),
        "test_input_required_result_request_state": (
            Round({"confirm": _question("Please confirm", "ok", "boolean")}, "asked"),
        ),
        "test_input_required_result_tampered_state": (
            Round({"confirm": _question("Please confirm", "ok", "boolean")}, "asked"),
        ),
        "test_input_required_result_multiple_inputs": (
            Round(
                {
                    "user_name": _question("What is your name?", "name"),
                    "greeting": _prompt("Generate a greeting", 50),
                    "client_roots": types.ListRootsRequest(),
                },
                "asked",
            ),
        ),
        "test_input_required_result_multi_round": (
            Round({"step1": _question("Step 1: What is your name?", "name")}, "first"),
            Round({"step2": _question("Step 2: What is your favorite color?", "color")}, "second"),
        ),
        "test_input_required_result_capabilities": (
            Round({"user_name": _question("What is your name?", "name"), "greeting": _prompt("Greet.", 50)}),
        ),
    }
)
"""What each tool asks, one round after the other."""
PROMPT = "test_input_required_result_prompt"
CONTEXT = Round({"user_context": _question("What context should the prompt use?", "context")})
NEEDED = MappingProxyType(
    {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
)
"""The capability without which a client is not asked."""


def missing(
    ctx: Context, params: types.InputResponseRequestParams, rounds: tuple[Round, ...]
) -> types.InputRequiredResult | None:
    """What is still to be asked; None when all has been answered."""
    given = params.input_responses or {}
    states = [one.state for one in rounds]
    at = states.index(params.request_state) if params.request_state in states and given else 0
    if not rounds[at].requests.keys() <= given.keys():
        return _required(ctx, rounds[at])
    return _required(ctx, rounds[at + 1]) if at + 1 < len(rounds) else None


def _required(ctx: Context, asked: Round) -> types.InputRequiredResult:
    can = ctx.session.client_capabilities or types.ClientCapabilities()
    requests = {name: one for name, one in asked.requests.items() if getattr(can, NEEDED[one.method]) is not None}
    return types.InputRequiredResult(input_requests=requests, request_state=asked.state)


async def _in_rounds(ctx: Context, params: types.CallToolRequestParams) -> Asks:
    return missing(ctx, params, ROUNDS[params.name]) or _said("Thank you: state-ok.")


ASKING: Mapping[str, Callable[[Context, Mapping[str, Any]], Awaitable[Asks]]] = MappingProxyType(
    {
        "test_tool_with_logging": _log,
        "test_sampling": _sample,
        "test_elicitation": _elicit,
        "test_elicitation_sep1034_defaults": _eliciting(DEFAULTS),
        "test_elicitation_sep1330_enums": _eliciting(ENUMS),
    }
)
NAMES = (*ASKING, *ROUNDS)


async def ask(ctx: Context, params: types.CallToolRequestParams) -> Asks:
    """The result of one of these tools."""
    if params.name in ROUNDS:
        return await _in_rounds(ctx, params)
    return await ASKING[params.name](ctx, params.arguments or {})
