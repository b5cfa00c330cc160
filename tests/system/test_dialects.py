"""Replies in the other dialects, from a real process."""

from __future__ import annotations

import json
from pathlib import Path

from codemap.instructions import instructions
from codemap.tools import TOOLS
from codemap.tools.tool_selection import CORE
from tests.system.network import client, served
from tests.system.process import serving

SOURCE = "".join(f"def refresh_{number}(): ...\n" for number in range(300))


async def test_ctxo_keeps_to_the_bytes_of_its_variable(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text(SOURCE, encoding="utf-8")
    limit = 3000
    async with serving(tmp_path, "--envelope", "ctxo", extra={"CTXO_RESPONSE_LIMIT": str(limit)}) as server:
        await server.initialize()
        answer = await server.request("tools/call", name="map_search", arguments={"query": "refresh", "limit": 100})
        text = answer["result"]["content"][0]["text"]
        assert limit - 300 < len(text.encode()) <= limit
        reply = json.loads(text)
        assert reply == answer["result"]["structuredContent"]
        assert reply["_meta"]["totalItems"] == 100
        assert reply["_meta"]["returnedItems"] == len(reply["results"])
        missed = await server.call("map_neighbors", nodeId="py:store.py#none")
        assert missed["found"] is False
        for name, arguments in (
            ("nav_symbols", {"file": "stor.py"}),
            ("nav_definition", {"file": "store.py", "line": 9999}),
            ("resolve", {"nodeId": "py:gone.py#f"}),
        ):
            missed = await server.call(name, **arguments)
            assert set(missed) == {"found", "hint"}, name
            assert missed["found"] is False
        assert set(await server.call("nav_definition", line=1)) == {"error", "message"}
        rest = await server.call("map_search", query="refresh", limit=100, cursor=reply["_meta"]["cursor"])
        assert rest["results"][0]["id"] not in {one["id"] for one in reply["results"]}


async def test_scalpel_shows_the_profile_and_its_limits(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text(SOURCE, encoding="utf-8")
    async with serving(tmp_path, "--envelope", "scalpel", "--limits", "pro") as server:
        await server.initialize()
        found = await server.call("map_search", query="refresh_7", limit=5)
        assert found["tier_applied"] == "pro"
        assert found["tier_limits"] == {"max_depth": 5, "max_nodes": 1000}
        assert found["error"] is None
        assert set(found["timing_breakdown"]) >= {"decode", "answer"}
        results = found["data"]["results"]
        assert (results["total"], results["page"]) == (5, 1)
        listed = await server.request("tools/list")
        schemas = {tool["name"]: tool["inputSchema"] for tool in listed["result"]["tools"]}
        assert schemas["map_neighbors"]["properties"]["maxNodes"]["maximum"] == 1000
        assert schemas["nav_callHierarchy"]["properties"]["depth"]["maximum"] == 5
        cut = await server.call("map_neighbors", nodeId="py:store.py", depth=6)
        assert cut["error"] is None
        assert "depth: 5, the most" in str(cut)


async def test_rows_are_compact_where_nobody_chose_a_shape(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text("def get(): ...\n\n\ndef put():\n    get()\n", encoding="utf-8")
    asked = {"nodeId": "get", "direction": "in", "edgeKinds": ["calls"], "freshWaitMs": 5000}
    compact = [{"edge": "calls", "confidence": "exact", "rows": {"store.py": ["put 5"]}}]
    async with serving(tmp_path, extra={"CODEMAP_ROWS": "auto"}) as server:
        await server.initialize()
        assert (await server.call("map_neighbors", **asked))["data"]["neighbors"] == compact
        full = await server.call("map_neighbors", **asked, rows="full")
        assert full["data"]["neighbors"][0]["id"] == "py:store.py#put"
    async with serving(tmp_path, "--envelope", "ctxo", extra={"CODEMAP_ROWS": "auto"}) as server:
        await server.initialize()
        assert (await server.call("map_neighbors", **asked))["neighbors"][0]["id"] == "py:store.py#put"
        assert (await server.call("map_neighbors", **asked, rows="compact"))["neighbors"] == compact


async def test_each_websocket_chooses_its_own(tmp_path: Path) -> None:
    """In what is told at the start, listed, and answered."""
    (tmp_path / "store.py").write_text(SOURCE, encoding="utf-8")
    shapes = {
        "native": {"ok", "data", "tokenBudget", "truncated", "warnings"},
        "ctxo": {"results", "total", "_meta"},
        "scalpel": {"data", "tier_applied", "tier_limits", "was_limited", "duration_ms", "timing_breakdown", "error"},
    }
    async with served(tmp_path) as server:
        for envelope, members in shapes.items():
            async with client(f"{server.url}?envelope={envelope}", is_greeting=False) as one:
                assert (await one.initialize())["result"]["instructions"] == instructions(
                    envelope, {tool.name for tool in TOOLS}
                )
                listed = (await one.request("tools/list"))["result"]["tools"]
                assert {"outputSchema" in tool for tool in listed} == {envelope == "native"}
                assert members <= set(await one.call("map_search", query="refresh", freshWaitMs=5000))


async def test_each_websocket_chooses_its_tools_and_whether_it_sees_schemas(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text(SOURCE, encoding="utf-8")
    async with served(tmp_path, "--tools", "core") as server:
        for query, names, has_schemas in (
            ("", CORE, True),
            ("?tools=map_code,map_search&schemas=off", {"map_code", "map_search"}, False),
            ("?tools=all", {tool.name for tool in TOOLS}, True),
        ):
            async with client(f"{server.url}{query}", is_greeting=False) as one:
                told = (await one.initialize())["result"]["instructions"]
                assert told == instructions("native", names)
                listed = (await one.request("tools/list"))["result"]["tools"]
                assert {tool["name"] for tool in listed} == names
                assert {"outputSchema" in tool for tool in listed} == {has_schemas}
                refused = await one.request("tools/call", name="map_impact", arguments={})
                assert ("error" in refused) == ("map_impact" not in names)


async def test_each_websocket_chooses_how_far_its_calls_reach(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text(SOURCE, encoding="utf-8")
    deep = {"nodeId": "py:store.py", "depth": 5, "freshWaitMs": 5000}
    async with served(tmp_path) as server, client(server.url) as one, client(f"{server.url}?limits=pro") as other:
        near, far = [(await each.call("map_neighbors", **deep))["warnings"] for each in (one, other)]
        assert any(text.startswith("depth: 3, the most") for text in near)
        assert not any(text.startswith("depth: ") for text in far)
