"""Makes the output schema of a tool from the types of its payload.

A payload is a `TypedDict` beside its tool: the type checker holds the code to it, the schema is made from it, and the
tests hold every answer to the schema, in which a member that is not named does not come. A reply that is cut may lack
any member, so none of `data` is required. Clients keep the listing in their context: names, types and values, and no
words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Meta

from codemap.envelope.native import ALWAYS, Envelope
from codemap.tools.tool import Tool

_REF = "$ref"
_PREFIX = "#/$defs/"


def one_of(words: Iterable[str]) -> Meta:
    """Annotates a string that is one of these words."""
    return Meta(extra_json_schema={"enum": list(words)})


def output_schema_of(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's native replies, as clients get it: the members of `data` and what each is.

    What is inside them it leaves open, as some hosts show it to their models. It does not say that there are no other
    members, so that a client that kept it takes the answers of a later version.
    """
    whole = whole_schema_of(tool)
    definitions = whole.pop("$defs", {})
    around = {
        name: _flatten_schema(prop, definitions) if name != "data" else _members_of(prop, definitions)
        for name, prop in whole["properties"].items()
    }
    return {"type": "object", "properties": around, "required": whole["required"]}


def _members_of(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    schema = _resolve(schema, definitions)
    return {
        "type": "object",
        "properties": {name: _flatten_schema(prop, definitions) for name, prop in schema["properties"].items()},
    }


def _flatten_schema(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The type of a value, and of a list that of its elements; an enumeration that is not of strings alone as it is."""
    if not all(isinstance(word, str) for word in schema.get("enum", ())):
        return {"enum": schema["enum"]}
    types = _list_types(schema, definitions)
    if types == ["array"]:
        items = _resolve(schema, definitions)["items"]
        return {"type": "array", "items": _name_types(_list_types(items, definitions))}
    return _name_types(types)


def _name_types(types: list[str]) -> dict[str, Any]:
    """Several types as `anyOf`: not every client reads a list of them."""
    return {"type": types[0]} if len(types) == 1 else {"anyOf": [{"type": name} for name in types]}


def _list_types(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[str]:
    """The types that a value may have, each once."""
    schema = _resolve(schema, definitions)
    if "anyOf" in schema:
        return list(dict.fromkeys(name for one in schema["anyOf"] for name in _list_types(one, definitions)))
    return [schema.get("type", "string")]


def _resolve(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The definition that a schema refers to; itself where it refers to none."""
    found: Mapping[str, Any] = definitions[_name(schema)] if _REF in schema else schema
    return found


def whole_schema_of(tool: Tool) -> dict[str, Any]:
    """The whole schema, down to the last member, and closed. What is in several places is defined once."""
    (envelope, payload), found = msgspec.json.schema_components([Envelope, tool.payload])
    definitions = {name: _strip_words(schema) for name, schema in found.items()}
    whole = definitions.pop(_name(envelope))
    whole["properties"]["data"] = payload
    uses = Counter(_list_references((whole, definitions)))
    once = {name for name, count in uses.items() if count == 1 and name not in _list_references(definitions[name])}
    definitions = {name: _inline(schema, definitions, once) for name, schema in definitions.items()}
    schema: dict[str, Any] = _inline(whole, definitions, once) | {"required": list(ALWAYS)}
    shared = {name: schema for name, schema in definitions.items() if name not in once}
    return schema | ({"$defs": shared} if shared else {})


def _strip_words(schema: Any) -> Any:
    """The same without titles and descriptions, and closed: an object has no other properties than those named."""
    if isinstance(schema, list):
        return [_strip_words(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "properties" in schema:
        properties = {name: _strip_words(prop) for name, prop in schema["properties"].items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}
    if "enum" in schema:
        return {"enum": schema["enum"]}
    return {key: _strip_words(value) for key, value in schema.items() if key not in ("title", "description")}


def _name(reference: Mapping[str, Any]) -> str:
    name: str = reference[_REF]
    return name.removeprefix(_PREFIX)


def _list_references(schema: Any) -> Iterator[str]:
    """The definitions that a schema refers to, each as often as it does."""
    if isinstance(schema, Mapping):
        if _REF in schema:
            yield _name(schema)
        for value in schema.values():
            yield from _list_references(value)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from _list_references(value)


def _inline(schema: Any, definitions: Mapping[str, Any], once: set[str]) -> Any:
    """The same with the definitions named in `once` in place of references to them."""
    if isinstance(schema, list):
        return [_inline(one, definitions, once) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if _REF in schema and _name(schema) in once:
        return _inline(definitions[_name(schema)], definitions, once)
    return {key: _inline(value, definitions, once) for key, value in schema.items()}
