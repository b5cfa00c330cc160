"""The official Python SDK's client, in both protocol eras, on released packages that are not ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
import trio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from codemap.tools import TOOLS
from tests.system.process import CODEMAP, DEADLINE_S, environment

Era = Literal["legacy", "auto"]
eras = pytest.mark.parametrize("era", ["legacy", "auto"])


def client(root: Path, era: Era) -> Client:
    server = StdioServerParameters(command=CODEMAP, args=["serve", "--root", str(root)], env=environment())
    return Client(server, mode=era)


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    """The payload of an answer that is ok, after the checks that hold for every answer."""
    result = await client.call_tool(tool, {"tokenBudget": 10_000, **arguments})
    envelope = result.structured_content
    assert envelope is not None
    (part,) = result.content
    assert part.type == "text"
    assert msgspec.json.decode(part.text) == envelope
    assert -(-len(part.text) // 4) == envelope["tokenBudget"]["used"]
    assert result.is_error is not envelope["ok"]
    assert envelope["ok"], envelope
    return envelope["data"]


def edges(data: Any, *members: str) -> set[tuple[str, ...]]:
    return {tuple(str(neighbor[member]) for member in ("id", *members)) for neighbor in data["neighbors"]}


@eras
async def test_flask(flask: Path, era: Era) -> None:
    with trio.fail_after(DEADLINE_S):
        async with client(flask, era) as session:
            assert [tool.name for tool in (await session.list_tools()).tools] == [tool.name for tool in TOOLS]
            await ask(session, "map_rebuild")

            overview = await ask(session, "map_overview")
            assert overview["files"] == 83
            hubs = {hub["id"] for cluster in overview["clusters"] for hub in cluster["hubs"]}
            assert "py:src/flask/app.py#Flask" in hubs

            found = (await ask(session, "map_search", query="jsonify"))["results"][0]
            assert (found["id"], found["kind"]) == ("py:src/flask/json/__init__.py#jsonify", "function")
            assert (found["file"], found["line"]) == ("src/flask/json/__init__.py", 138)

            dispatch = "py:src/flask/app.py#Flask.full_dispatch_request"
            callers = await ask(session, "map_neighbors", nodeId=dispatch, direction="in", edgeKinds=["calls"])
            assert ("py:src/flask/app.py#Flask.wsgi_app", "calls", "exact") in edges(callers, "edge", "confidence")
            callees = await ask(session, "map_neighbors", nodeId=dispatch, direction="out", edgeKinds=["calls"])
            assert {name.rpartition(".")[2] for (name,) in edges(callees)} >= {
                "preprocess_request",
                "dispatch_request",
                "handle_user_exception",
                "finalize_request",
            }
            bases = await ask(
                session, "map_neighbors", nodeId="py:src/flask/app.py#Flask", direction="out", edgeKinds=["extends"]
            )
            assert edges(bases, "confidence") == {("py:src/flask/sansio/app.py#App", "import")}

            ends = {"from": "py:src/flask/app.py#Flask", "to": "py:src/flask/sansio/scaffold.py#Scaffold"}
            path = (await ask(session, "map_path", **ends, rows="full"))["path"]
            assert [step["node"]["id"] for step in path] == [
                "py:src/flask/app.py#Flask",
                "py:src/flask/sansio/app.py#App",
                "py:src/flask/sansio/scaffold.py#Scaffold",
            ]
            edge = path[0]["edgeToNext"]
            assert edge.pop("line") > 1
            assert edge == {"kind": "extends", "direction": "out", "confidence": "import"}
            status = await ask(session, "map_status")
            assert status["files"] == 83

            result = await session.call_tool("map_neighbors", {"nodeId": "py:src/flask/app.py#Flask.full_dispatch"})
            assert result.is_error, "a miss names what would do"
            assert result.structured_content is not None
            error = result.structured_content["error"]
            assert error["code"] == "NODE_NOT_FOUND"
            assert "py:src/flask/app.py#Flask.full_dispatch_request" in error["recoveryOptions"]


@eras
async def test_rxjs(rxjs: Path, era: Era) -> None:
    with trio.fail_after(DEADLINE_S):
        async with client(rxjs, era) as session:
            await ask(session, "map_rebuild")
            found = (await ask(session, "map_search", query="innerFrom"))["results"][0]
            inner_from = "ts:internal/observable/innerFrom.ts#innerFrom"
            assert found["id"] == inner_from
            callers = await ask(
                session, "map_neighbors", nodeId=inner_from, direction="in", edgeKinds=["calls"], maxNodes=200
            )
            assert (
                "ts:internal/operators/mergeInternals.ts#mergeInternals.doInnerSub",
                "import",
            ) in edges(callers, "confidence")
            bases = await ask(
                session,
                "map_neighbors",
                nodeId="ts:internal/BehaviorSubject.ts#BehaviorSubject",
                direction="out",
                edgeKinds=["extends"],
            )
            assert edges(bases, "confidence") == {("ts:internal/Subject.ts#Subject", "import")}


async def test_both_eras_answer_alike(flask: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("map_overview", {"focus": "src/flask/json"}),
        ("map_search", {"query": "session interface"}),
        ("map_neighbors", {"nodeId": "py:src/flask/app.py#Flask", "depth": 2, "tokenBudget": 700}),
        ("map_path", {"from": "py:src/flask/app.py#Flask", "to": "py:src/flask/json/__init__.py#jsonify"}),
        ("map_search", {"qery": "x"}),
    ]
    answers: list[list[Any]] = []
    for era in ("legacy", "auto"):
        with trio.fail_after(DEADLINE_S):
            async with client(flask, era) as session:
                await ask(session, "map_rebuild")
                answers.append([(await session.call_tool(*call)).structured_content for call in calls])
    first, second = ([_undated(answer) for answer in era] for era in answers)
    assert first == second


def _undated(envelope: Any) -> Any:
    """The answer without the time of its build."""
    data = {name: value for name, value in envelope.get("data", {}).items() if name not in ("builtAt", "mapBuiltAt")}
    return {**envelope, "data": data}
