"""The arguments of a call: makes their schema, and checks what a client sent against it.

Schema and check come from the same struct, so that what one refuses the other refuses. The one thing more that the
check does is to clamp `tokenBudget` and `freshWaitMs`, which the schema leaves open, and to read escapes such as
`\\u202e`, by which replies show what nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

import msgspec

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.limits import COMMUNITY, Limits
from codemap.envelope.native import BUDGET_DEFAULT, BUDGET_MAX, clamp
from codemap.escapes import unescaped
from codemap.tools.params import FRESH_WAIT_MAX_MS, SHARED, MapParams, ToolParams
from codemap.tools.tool import Tool

LIMITED: Mapping[str, Callable[[Limits], int]] = MappingProxyType(
    {"depth": lambda limits: limits.depth_max, "maxNodes": lambda limits: limits.nodes_max}
)
"""Arguments whose upper bound is the limits profile's; what the struct states is that of the widest."""


TEXT_MAX = 4096
"""Characters of an argument: the longest path that systems take. Near matches cost the square of the text for each
symbol, so that a long one would keep every other client waiting."""


LONG_TEXT_MAX = 65_536
"""Of one that is a pasted text: a trace or the output of a test run."""


def schema_of(tool: Tool, limits: Limits = COMMUNITY) -> dict[str, Any]:
    """The JSON schema of a tool's arguments: one flat object, without references or titles.

    Defaults of the parameters that all tools share are left out, as the server's instructions hold them, and so are
    those that are the least that there may be.
    """
    _, definitions = msgspec.json.schema_components([tool.params])
    whole = definitions[tool.params.__name__]
    properties = {name: _shrink_schema(name, prop, definitions) for name, prop in whole["properties"].items()}
    for name in LIMITED.keys() & properties.keys():
        properties[name]["maximum"] = _find_bound(tool, name, limits)
    own = {name: prop for name, prop in properties.items() if name not in SHARED}
    schema: dict[str, Any] = {"type": "object", "properties": own | properties}
    if whole["required"]:
        schema["required"] = whole["required"]
    schema["additionalProperties"] = False
    return schema


def decode_params(tool: Tool, arguments: Mapping[str, Any] | None, limits: Limits = COMMUNITY) -> ToolParams | Failure:
    """The parameters of a call, or BAD_ARGS that names the argument and what it must be."""
    given = dict(arguments or {})
    known = tool.params.__struct_encode_fields__
    for name in given:
        if name not in known:
            return _refuse_unknown(tool, name, known)
    given = {name: _read_whole(value) for name, value in given.items()}
    for name, value in given.items():
        most = LONG_TEXT_MAX if name in tool.long_texts else TEXT_MAX
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str) and len(text) > most:
                return Failure(ErrorCode.BAD_ARGS, f"{name}: expected at most {most} characters, got {len(text)}.")
    given = {name: _unescape(value) for name, value in given.items()}
    try:
        params: ToolParams = msgspec.convert(given, tool.params)
    except msgspec.ValidationError as error:
        return _explain_refusal(schema_of(tool, limits), str(error), given)
    for name in LIMITED:
        if name in given and given[name] > _find_bound(tool, name, limits):
            return _explain_refusal(schema_of(tool, limits), f"`$.{name}`", given)
    params = msgspec.structs.replace(params, token_budget=budget_of(given, tool.budget_max))
    if isinstance(params, MapParams):
        waits = min(max(params.fresh_wait_ms, 0), FRESH_WAIT_MAX_MS)
        params = msgspec.structs.replace(params, fresh_wait_ms=waits)
    return params


def _find_bound(tool: Tool, name: str, limits: Limits) -> int:
    """The upper bound of an argument that a limits profile bounds."""
    return max(LIMITED[name](limits), tool.reach.get(name, 0))


def budget_of(arguments: Mapping[str, Any] | None, most: int = BUDGET_MAX) -> int:
    """The token budget in force for a call, whatever else is wrong with its arguments; `most` is the tool's."""
    budget = _read_whole((arguments or {}).get("tokenBudget", BUDGET_DEFAULT))
    return clamp(budget, most) if isinstance(budget, int) and not isinstance(budget, bool) else BUDGET_DEFAULT


def _shrink_schema(name: str, prop: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in prop:
        prop = {**definitions[prop["$ref"].rpartition("/")[2]], **prop}
    dropped = {"$ref", "title"}
    if name in SHARED or prop.get("default") in ("", (), [], False, prop.get("minimum", False)):
        dropped |= {"default"}
    return {key: value for key, value in prop.items() if key not in dropped}


def _unescape(value: Any) -> Any:
    if isinstance(value, list):
        return [_unescape(one) for one in value]
    return unescaped(value) if isinstance(value, str) else value


def _read_whole(value: Any) -> Any:
    """JSON has one kind of number: 3.0 is the whole number 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_unknown(tool: Tool, name: str, known: Sequence[str]) -> Failure:
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    names = ", ".join(known)
    return Failure(
        ErrorCode.BAD_ARGS,
        f"{name}: {tool.name} has no such argument; it takes {names}.",
        suggestion=f"Did you mean {near[0]}?" if near else None,
        recovery_options=tuple(near),
    )


def _explain_refusal(whole: Mapping[str, Any], reason: str, given: Mapping[str, Any]) -> Failure:
    schema = whole["properties"]
    _, _, place = reason.partition("`$.")
    name = place.rstrip("`").split("[")[0].split(".")[0]
    if name in schema:
        value = given[name]
        shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}…"
        return _refuse(schema, name, f"{name}: expected {expected(schema[name])}, got {shown}.", value)
    for required in whole.get("required", ()):
        if required not in given:
            return _refuse(schema, required, f"{required}: missing; expected {expected(schema[required])}.", None)
    return Failure(ErrorCode.BAD_ARGS, reason)


def _refuse(schema: Mapping[str, Any], name: str, message: str, value: Any) -> Failure:
    """BAD_ARGS for one argument, with the nearest of its possible values where it has a list of them."""
    prop = schema[name]
    choices = [str(choice) for choice in (prop.get("items") or prop).get("enum", ())]
    wrong = value if isinstance(value, list) else [value]
    words = [word for word in wrong if isinstance(word, str) and word not in choices]
    near = get_close_matches(words[0], choices, n=3, cutoff=0.4) if words and choices else []
    return Failure(
        ErrorCode.BAD_ARGS,
        message,
        suggestion=f"Did you mean {near[0]}?" if near else None,
        recovery_options=tuple(near),
    )


def expected(prop: Mapping[str, Any]) -> str:
    """Describes, in words, the values that a property of a schema allows: `a whole number from 1 to 3`."""
    if "enum" in prop:
        return "one of " + ", ".join(str(choice) for choice in prop["enum"])
    match prop.get("type"):
        case "integer":
            low, high = prop.get("minimum"), prop.get("maximum")
            bounds = f" from {low} to {high}" if low is not None and high is not None else ""
            return f"a whole number{bounds}"
        case "boolean":
            return "true or false"
        case "array":
            item, most = prop["items"], prop.get("maxItems")
            length = f" of {prop.get('minItems', 0)} to {most}" if most and "enum" not in item else ""
            return f"a list{length}, each {expected(item)}"
        case _:
            least = prop.get("minLength", 0)
            return (
                f"a string of at least {least} characters" if least > 1 else "a string" + " that is not empty" * least
            )
