"""What may lack something says so: in a member and a warning, and to the dialect that has a word for it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.answer import Answer, Failure
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.reply import Terms
from codemap.graph.build.build import build_snapshot
from codemap.tools import BuildProgress, World
from tests.tools.calls import answered, tool_named
from tests.tools.live import Script
from tests.tools.test_answers import CALLS as MAP_CALLS
from tests.tools.test_answers import MANY
from tests.tools.test_live import CALLS as LIVE_CALLS
from tests.tools.test_live import FILES, AnyServer

GET = "py:app/store.py#Store.get"


def partial(files: dict[str, bytes]) -> World:
    snapshot = msgspec.structs.replace(build_snapshot(files), is_partial=True)
    return World(snapshot=snapshot, progress=BuildProgress(3, 9), rebuilt={"filesScanned": 3}, root="/repository")


@pytest.mark.parametrize(("name", "arguments"), [*MAP_CALLS, ("map_rebuild", {})])
def test_an_answer_from_a_partial_map_is_partial(name: str, arguments: dict[str, Any]) -> None:
    whole = msgspec.structs.replace(partial(MANY), snapshot=build_snapshot(MANY))
    complete, incomplete = (answered(world, tool_named(name), arguments) for world in (whole, partial(MANY)))
    if not isinstance(incomplete, Answer):
        return
    assert (
        incomplete.incomplete
        == "The map is still being built (3 of 9 files are parsed): what is not indexed yet is missing here, and edges "
        "come last."
    )
    assert any(warning.startswith(incomplete.incomplete) for warning in incomplete.warnings)
    assert isinstance(complete, Answer)
    assert complete.incomplete == ""


def test_what_is_still_being_built_is_not_called_filtered() -> None:
    for name, arguments in (
        ("map_search", {"query": "get", "kind": "class"}),
        ("map_metrics", {"fileFilter": "nowhere/*"}),
    ):
        answer = answered(partial(FILES), tool_named(name), arguments)
        assert isinstance(answer, Answer)
        assert answer.data["emptyBecause"] == "building"


@given(data=st.data(), call=st.sampled_from(LIVE_CALLS))
def test_a_live_answer_that_is_not_complete_says_why(data: st.DataObject, call: tuple[str, dict[str, Any]]) -> None:
    name, arguments = call
    world = World(snapshot=build_snapshot(FILES), root="/repository")
    answer = answered(world, tool_named(name), arguments, AnyServer(data.draw))
    if isinstance(answer, Answer) and name != "resolve":
        assert bool(answer.incomplete) == (answer.data.get("complete") is False)


def test_calls_from_a_partial_map_are_partial() -> None:
    script = Script({"*": {"missed": "unavailable", "message": "ty is not installed"}}, FILES)
    arguments = {"nodeId": GET, "direction": "incoming"}
    answer = answered(partial(FILES), tool_named("nav_callHierarchy"), arguments, script)
    assert isinstance(answer, Answer)
    assert answer.incomplete.startswith("The map is still being built")
    assert answer.data["complete"] is False
    assert answer.data["calls"] or answer.data["emptyBecause"] == "building"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"missed": "timeout", "message": "no answer after 15 s"}, "2 of 2 use(s) around it were not verified."),
        ({"found": ["app/store.py:2:9-12"], "incomplete": "it indexes"}, "2 of 2 use(s) around it were not verified."),
        (["app/store.py:2:9-12"], ""),
        ([], ""),
    ],
)
def test_verification_that_did_not_get_to_the_end_is_partial(said: Any, reason: str) -> None:
    world = World(snapshot=build_snapshot(FILES), root="/repository")
    arguments = {"nodeId": GET, "direction": "in", "edgeKinds": ["calls"], "verify": True}
    answer = answered(world, tool_named("map_neighbors"), arguments, Script({"*": said}, FILES))
    assert isinstance(answer, Answer)
    assert answer.incomplete == reason
    scalpel = DIALECTS["scalpel"](answer, Terms()).structured
    assert scalpel.get("status") == ("partial" if reason else None)
    assert scalpel["data"].get("incomplete_reason", "") == reason
    assert "status" not in DIALECTS["native"](answer, Terms()).structured


HIERARCHY = {"nodeId": GET, "direction": "incoming", "depth": 2}
LATE = {"missed": "timeout", "message": "no answer after 15 s"}
ABSENT = {"missed": "unavailable", "message": "not installed"}
ROOT = {"roots app/store.py:2:9": ["get method app/store.py:2:9-12"]}
USED = {"calls to app/store.py:2:9": [{"item": "näme function app/use.py:4:5-9", "sites": ["5:12-15"]}]}
SAVED = {"symbols py get": [{"symbol": "get method app/store.py:2:9-12"}]}
FURTHER = "The map has 1 possible use(s) that the server does not name."
WAITING = "Repeat the call in some seconds"


@pytest.mark.parametrize(
    ("name", "arguments", "said", "reason", "way"),
    [
        (
            "nav_callHierarchy",
            HIERARCHY,
            {**ROOT, **USED, "*": LATE},
            "The calls of näme are missing: no answer after 15 s.",
            "repeat the call, or call with the nodeId of each",
        ),
        (
            "nav_workspaceSymbols",
            {"query": "get"},
            {**SAVED, "*": LATE},
            "There may be more: no answer after 15 s (ts).",
            "Symbols of ts are missing (no answer after 15 s): repeat the call in some seconds.",
        ),
        (
            "nav_workspaceSymbols",
            {"query": "get"},
            {**SAVED, "*": ABSENT},
            "There may be more: not installed (ts).",
            'Symbols of ts are missing (not installed): take them from the map, map_search {"query":"get"}.',
        ),
        ("resolve", {"nodeId": GET}, {"*": LATE}, "Not verified: no answer after 15 s.", WAITING),
        ("resolve", {"nodeId": GET}, {"*": ABSENT}, "", "Not verified (not installed)"),
        ("resolve", {"file": "app/use.py", "line": 5}, {"*": LATE}, "Not verified: no answer after 15 s.", WAITING),
        (
            "nav_references",
            {"nodeId": GET},
            {"*": {"found": ["app/use.py:5:12-15"], "incomplete": "the server indexes (40 %)"}},
            f"There may be more: the server indexes (40 %). {FURTHER}",
            WAITING,
        ),
        (
            "nav_references",
            {"nodeId": GET},
            {"*": ["app/use.py:5:12-15"]},
            FURTHER,
            'map_neighbors {"nodeId":"py:app/store.py#Store.get","direction":"in","verify":true}.',
        ),
        ("nav_references", {"nodeId": GET}, {"*": ["app/use.py:5:12-15", "app/use.py:6:7-10"]}, "", ""),
    ],
)
def test_a_part_says_what_it_lacks_and_how_to_have_it(
    name: str, arguments: dict[str, Any], said: dict[str, Any], reason: str, way: str
) -> None:
    """What came is given; the words stand in a warning, and where the dialect has a member for them."""
    world = World(snapshot=build_snapshot(FILES), root="/repository")
    answer = answered(world, tool_named(name), arguments, Script(said, FILES))
    assert isinstance(answer, Answer)
    assert answer.incomplete == reason
    assert any(way in warning for warning in answer.warnings) if way else not answer.warnings, answer.warnings
    scalpel = DIALECTS["scalpel"](answer, Terms()).structured
    assert scalpel.get("status") == ("partial" if reason else None)
    assert scalpel["data"].get("incomplete_reason", "") == reason


def test_a_function_without_its_calls_is_distinguished_from_one_that_nobody_calls() -> None:
    world = World(snapshot=build_snapshot(FILES), root="/repository")
    tool = tool_named("nav_callHierarchy")
    rows = []
    for said in ([], LATE):
        answer = answered(world, tool, HIERARCHY, Script({**ROOT, **USED, "*": said}, FILES))
        assert isinstance(answer, Answer)
        (texts,) = answer.data["calls"][0]["rows"].values()
        rows.append("incomplete" in texts[0].split())
    assert rows == [False, True]


def test_a_first_build_says_how_far_it_is_in_each_half() -> None:
    for progress, words in (
        (BuildProgress(3, 9), "3 of 9 files are parsed"),
        (BuildProgress(9, 9, 4), "all 9 files are parsed, 4 of them bound"),
    ):
        world = World(snapshot=None, progress=progress)
        failure = answered(world, tool_named("map_search"), {"query": "get"})
        assert isinstance(failure, Failure)
        assert failure.message == f"The first build is running: {words}."
        status = answered(world, tool_named("map_status"), {})
        assert isinstance(status, Answer)
        assert status.data["building"].get("filesBound") == progress.files_bound
