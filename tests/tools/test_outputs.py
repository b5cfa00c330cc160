"""The schemas of answers: small, valid, and true. Every reply of these tests is held to them, see `calls.checked`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from typing import Any

import jsonschema
import pytest

from codemap.envelope.answer import Failure
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.errors import ErrorCode
from codemap.envelope.native import ALWAYS, render
from codemap.tools import OUTPUTS, TOOLS, Tool, output_schema_of, whole_schema_of
from tests.tools.calls import FIRST, checked, validators

LISTED_MAX_TOKENS, ALL_LISTED_MAX_TOKENS = 2600, 4560
"""Of the schemas of the fourteen, and of all: for programs, but some clients show them to models."""

each_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


@each_tool
def test_schemas_are_valid_objects_without_words(tool: Tool) -> None:
    """The listed one leaves out that they are closed."""
    for schema, closed in ((output_schema_of(tool), None), (whole_schema_of(tool), False)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["required"] == list(ALWAYS)
        for one in objects(schema):
            assert one.get("additionalProperties") is closed
            assert not {"title", "description"} & one.keys()
        text = json.dumps(schema)
        assert text.count('"$ref"') == sum(text.count(f'"#/$defs/{name}"') for name in schema.get("$defs", {}))


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """The schemas of objects with known members."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)


@each_tool
def test_a_member_of_another_type_is_refused_and_one_that_is_not_named_where_the_schema_is_closed(tool: Tool) -> None:
    around = {"tokenBudget": {"requested": 1, "used": 1, "max": 1}, "truncated": False, "warnings": []}
    for validator, is_open in zip(validators(tool.name), (False, True), strict=True):
        assert validator.is_valid({"ok": True, "data": {}, **around})
        assert validator.is_valid({"ok": True, "data": {"unheardOf": 1}, **around}) is is_open
        assert validator.is_valid({"ok": True, "data": {}, "more": 1, **around}) is is_open
        assert not validator.is_valid({"ok": True, "data": {}})
        assert not validator.is_valid({"ok": True, "data": [], **around})
        members = whole_schema_of(tool)["properties"]["data"]["properties"]
        assert not any(validator.is_valid({"ok": True, "data": {name: None}, **around}) for name in members)


@each_tool
@pytest.mark.parametrize("code", ErrorCode)
def test_every_failure_is_valid(tool: Tool, code: ErrorCode) -> None:
    extras = {"filesDone": 1, "filesTotal": 2, "incident": "c0ffee", "stderrTail": "…"}
    failure = Failure(code, "It failed.", None, "py", "a.py", 3, "Did you mean b?", ("b",), extras, ("Beware.",))
    for budget in (100, 2000):
        checked(tool.name, render(failure, budget))


@pytest.mark.parametrize(
    ("names", "most"), [(FIRST, LISTED_MAX_TOKENS), ({tool.name for tool in TOOLS}, ALL_LISTED_MAX_TOKENS)]
)
def test_schemas_stay_small(names: Set[str], most: int) -> None:
    text = json.dumps([output_schema_of(tool) for tool in TOOLS if tool.name in names], separators=(",", ":"))
    assert -(-len(text) // 4) <= most


def test_only_the_native_dialect_has_them() -> None:
    """The others have another shape."""
    assert set(OUTPUTS) == {"native"} < set(DIALECTS)
