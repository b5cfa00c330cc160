"""Schema, check of arguments, and the contract's table of parameters say the same."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from codemap.envelope.answer import Answer, Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.limits import PROFILES
from codemap.graph.build.build import build_snapshot
from codemap.tools import TOOLS, Tool, World, budget_of, decode_params, schema_of
from codemap.tools.arguments import LONG_TEXT_MAX, TEXT_MAX
from codemap.tools.params import MapParams
from tests.tools.calls import tool_named
from tests.tools.live import Script

KINDS = {"contains", "imports", "exports", "calls", "extends", "implements", "references"}
POSITION: dict[str, Any] = {"nodeId": UNSET, "file": UNSET, "line": UNSET, "col": (1, None, 1)}
CONTRACT: dict[str, dict[str, Any]] = {
    "map_overview": {"focus": "", "hubsPerCluster": UNSET, "top": (0, 100, 0), "kind": "any", "diagram": False},
    "map_search": {"query": None, "kind": "any", "limit": (1, 100, 0), "snippet": 0},
    "map_neighbors": {
        "nodeId": "",
        "nodeIds": (),
        "direction": "both",
        "edgeKinds": (),
        "depth": (1, 10, 1),
        "maxNodes": UNSET,
        "code": False,
        "mentions": False,
        "family": False,
        "verify": False,
        "diagram": False,
    },
    "map_path": {
        "from": None,
        "to": None,
        "via": "",
        "maxLen": (1, 10, 6),
        "directed": True,
        "includeReferences": False,
        "code": False,
        "diagram": False,
    },
    "map_context": {"task": "", "nodeIds": (), "purpose": "understand"},
    "map_code": {"nodeIds": None, "detail": "full", "include": (), "depth": (0, 3, 1)},
    "map_rebuild": {"scope": ""},
    "map_status": {},
    "nav_definition": POSITION,
    "nav_references": {**POSITION, "includeDeclaration": False},
    "nav_implementations": POSITION,
    "nav_type": POSITION,
    "nav_callHierarchy": {**POSITION, "direction": None, "depth": (1, 3, 1)},
    "nav_symbols": {"file": None},
    "nav_workspaceSymbols": {"query": None, "limit": (1, 200, 50)},
    "resolve": POSITION,
    "map_impact": {"nodeIds": (), "file": "", "base": "", "staged": False, "head": "", "code": False},
    "nav_diagnostics": {"files": (), "base": "", "dependents": (0, 200, 30), "severity": "warning"},
    "map_metrics": {"scope": "", "by": "function", "sort": "cyclomatic"},
    "map_unused": {"focus": "", "tier": "likely"},
    "nav_rename": {
        **POSITION,
        "newName": None,
        "allow": (),
        "addMissed": False,
        "also": (),
        "diff": False,
        "apply": False,
    },
    "map_findings": {"sarif": "", "run": "none"},
    "map_history": {"nodeId": "", "folder": ""},
}
"""Parameter -> None where required, (least, most, default) of a number, UNSET where it may be left out and has none,
else the default."""

each_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


@each_tool
def test_a_text_longer_than_any_path_is_refused(tool: Tool) -> None:
    for name, prop in schema_of(tool)["properties"].items():
        most = LONG_TEXT_MAX if name in tool.long_texts else TEXT_MAX
        if prop.get("type") == "string" and "enum" not in prop:
            too_long: Any = "a" * (most + 1)
        elif prop.get("type") == "array" and "enum" not in prop["items"]:
            too_long = ["a", "a" * (most + 1)]
        else:
            continue
        refused = decode_params(tool, required(tool) | {name: too_long})
        assert isinstance(refused, Failure)
        assert refused.message == f"{name}: expected at most {most} characters, got {most + 1}."


def required(tool: Tool) -> dict[str, Any]:
    properties = schema_of(tool)["properties"]
    return {name: usual(properties[name]) for name in schema_of(tool).get("required", ())}


def usual(prop: dict[str, Any]) -> Any:
    """A value that a property may have."""
    return [usual(prop["items"])] if prop.get("type") == "array" else prop.get("enum", ["py:a.py"])[0]


LISTING = {"rows", "tests", "fileFilter"}
LISTS = {
    "map_overview": LISTING,
    "map_search": LISTING,
    "map_neighbors": LISTING,
    "map_path": {"rows"},
    "map_code": {"rows"},
    "map_context": {"rows"},
    "nav_definition": {"rows"},
    "nav_references": LISTING,
    "nav_implementations": LISTING,
    "nav_type": {"rows"},
    "nav_callHierarchy": LISTING,
    "nav_symbols": {"rows"},
    "nav_workspaceSymbols": LISTING,
    "map_impact": LISTING,
    "nav_diagnostics": {"rows", "fileFilter"},
    "map_metrics": LISTING,
    "map_unused": LISTING,
    "nav_rename": {"rows"},
    "map_findings": LISTING,
    "map_history": LISTING,
}
"""What the tools that list take for it."""


def shared_by(tool: Tool) -> set[str]:
    """Map tools can wait for the map; to wait for what is live would mean nothing."""
    waiting = {"freshWaitMs"} if tool.name.startswith("map_") else set()
    return {"tokenBudget", "cursor"} | waiting | LISTS.get(tool.name, set())


def is_refused(tool: Tool, arguments: dict[str, Any]) -> bool:
    found = decode_params(tool, arguments)
    assert not isinstance(found, Failure) or found.code == ErrorCode.BAD_ARGS
    return isinstance(found, Failure)


def test_the_tools_are_those_of_the_contract_in_its_order() -> None:
    assert [tool.name for tool in TOOLS] == list(CONTRACT)


@each_tool
def test_parameters_are_those_of_the_contract(tool: Tool) -> None:
    schema = schema_of(tool)
    assert set(schema["properties"]) == set(CONTRACT[tool.name]) | shared_by(tool)
    assert schema["additionalProperties"] is False
    params = json.loads(json.dumps(schema))
    for name, rule in CONTRACT[tool.name].items():
        prop = params["properties"][name]
        if isinstance(rule, tuple) and rule:
            least, _, usual = rule
            unsaid = usual if usual in (0, least) else None
            assert (prop["minimum"], prop.get("maximum"), prop.get("default", unsaid)) == rule
        elif name not in params.get("required", ()):
            assert prop.get("default", rule) == rule
        assert (name in params.get("required", ())) == (rule is None)
    assert set(schema["properties"].get("edgeKinds", {"items": {"enum": KINDS}})["items"]["enum"]) == KINDS


@each_tool
def test_bounds_are_kept_at_their_edges(tool: Tool) -> None:
    for name, rule in CONTRACT[tool.name].items():
        if isinstance(rule, tuple) and rule:
            least, most, _ = rule
            assert not is_refused(tool, {**required(tool), name: least})
            assert is_refused(tool, {**required(tool), name: least - 1})
            if most is not None:
                assert not is_refused(tool, {**required(tool), name: most})
                assert is_refused(tool, {**required(tool), name: most + 1})


@each_tool
@given(budget=st.integers())
def test_any_token_budget_is_clamped_and_none_refused(tool: Tool, budget: int) -> None:
    params = decode_params(tool, {**required(tool), "tokenBudget": budget})
    assert not isinstance(params, Failure)
    assert params.token_budget == min(max(budget, 100), 10_000) == budget_of({"tokenBudget": budget})


@given(wait_ms=st.integers())
def test_any_wait_is_clamped_and_none_refused(wait_ms: int) -> None:
    params = decode_params(tool_named("map_status"), {"freshWaitMs": wait_ms})
    assert isinstance(params, MapParams)
    assert params.fresh_wait_ms == min(max(wait_ms, 0), 5000)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 300),
    st.sampled_from(["", "a", "ab", "calls", "class", "in", "any", "py:a.py"]),
    st.floats(-2, 5),
    st.lists(st.sampled_from(["calls", "imports", "any", 3]), max_size=3),
    st.just({}),
)


@given(data=st.data())
def test_what_the_schema_refuses_is_refused_and_nothing_else(data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(TOOLS))
    names = st.sampled_from([*schema_of(tool)["properties"], "unheardOf"])
    arguments = data.draw(st.dictionaries(names, VALUES, max_size=4))
    is_valid = jsonschema.Draft202012Validator(schema_of(tool)).is_valid(arguments)
    assert is_refused(tool, arguments) == (not is_valid)


@given(data=st.data())
def test_a_refusal_names_the_argument(data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(TOOLS))
    name = data.draw(st.sampled_from(sorted(schema_of(tool)["properties"])))
    found = decode_params(tool, {**required(tool), name: data.draw(VALUES)})
    if isinstance(found, Failure):
        assert found.message.startswith(f"{name}: expected ")


@pytest.mark.parametrize(
    ("arguments", "message", "options"),
    [
        ({"nodeID": "py:a.py"}, "nodeID: map_neighbors has no such argument", ("nodeId",)),
        ({"nodeIds": ["py:a.py"] * 21}, "nodeIds: expected a list of 0 to 20, each a string", ()),
        ({"nodeId": "py:a.py", "edgeKinds": ["call"]}, "edgeKinds: expected a list, each one of", ("calls",)),
        ({"nodeId": "py:a.py", "direction": "inn"}, "direction: expected one of both, in, out, got 'inn'.", ("in",)),
    ],
)
def test_refusals_help(arguments: dict[str, Any], message: str, options: tuple[str, ...]) -> None:
    found = decode_params(tool_named("map_neighbors"), arguments)
    assert isinstance(found, Failure)
    assert found.message.startswith(message)
    assert found.recovery_options[: len(options)] == options


@each_tool
def test_what_all_tools_share_is_not_described_again(tool: Tool) -> None:
    """The server's instructions hold it once."""
    properties = schema_of(tool)["properties"]
    assert not any({"description", "default"} & properties[name].keys() for name in shared_by(tool))


@each_tool
def test_schemas_are_valid_and_flat(tool: Tool) -> None:
    schema = schema_of(tool)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)


@pytest.mark.parametrize(
    ("name", "depth", "nodes"), [("community", 3, 200), ("pro", 5, 1000), ("enterprise", 10, 5000)]
)
def test_a_limits_profile_sets_the_bounds(name: str, depth: int, nodes: int) -> None:
    """Of `maxNodes`, where it is given: it has no default."""
    limits = PROFILES[name]
    neighbors = {"nodeId": "py:a.py", "maxNodes": nodes}
    calls = {"nodeId": "py:a.py#f", "direction": "incoming", "depth": depth}
    for tool_name, most, argument in (("map_neighbors", neighbors, "maxNodes"), ("nav_callHierarchy", calls, "depth")):
        tool = tool_named(tool_name)
        assert schema_of(tool, limits)["properties"][argument]["maximum"] == most[argument]
        assert not isinstance(decode_params(tool, most, limits), Failure)
        refused = decode_params(tool, most | {argument: most[argument] + 1}, limits)  # type: ignore[operator]
        assert isinstance(refused, Failure)
        assert refused.message.startswith(f"{argument}: expected a whole number from 1 to {most[argument]}, got")


@pytest.mark.parametrize("name", PROFILES)
def test_one_direction_goes_deeper_than_a_limits_profile(name: str) -> None:
    tool, limits = tool_named("map_neighbors"), PROFILES[name]
    assert schema_of(tool, limits)["properties"]["depth"]["maximum"] == 10
    files = {"a.py": b"class A: ..."}
    script, world = Script({}, files), World(build_snapshot(files), limits=limits)
    script.snapshot = world.snapshot
    for kinds, direction, is_deep in (
        (["extends", "implements"], "in", True),
        (["implements"], "out", True),
        (["imports"], "in", True),
        (["extends"], "both", True),
        (["calls"], "in", True),
        (["imports", "extends"], "in", True),
        ([], "in", True),
        (["calls"], "both", False),
        ([], "both", False),
    ):
        for depth in (limits.depth_max, 10):
            arguments = {"nodeId": "py:a.py#A", "direction": direction, "edgeKinds": kinds, "depth": depth}
            params = decode_params(tool, arguments, limits)
            found = script.run(tool.answer(world, params))
            assert isinstance(found, Answer)
            is_cut = any(text.startswith("depth: ") for text in found.warnings)
            assert is_cut is (depth > limits.depth_max and not is_deep)
