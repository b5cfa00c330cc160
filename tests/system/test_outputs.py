"""Every tool's answers against the schemas that are listed, by the own checks of two official clients."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import trio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from codemap.tools import TOOLS, output_schema_of
from tests.system.live import only
from tests.system.npm import script
from tests.system.process import CODEMAP, DEADLINE_S, environment, serving
from tests.system.test_sdk import Era, eras
from tests.system.test_websocket_sdk import PROGRAMS, run

APP = "py:src/flask/app.py#Flask"
DISPATCH = f"{APP}.full_dispatch_request"
PLACE = {"file": "src/flask/app.py", "line": 1511, "col": 33}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("map_rebuild", {}),
    ("map_overview", {"diagram": True}),
    ("map_overview", {"focus": "nowhere"}),
    ("map_search", {"query": "session interface"}),
    ("map_search", {"query": "zzzzzzzz"}),
    ("map_neighbors", {"nodeId": APP, "depth": 2, "diagram": True}),
    ("map_neighbors", {"nodeId": DISPATCH, "direction": "in", "verify": True}),
    ("map_path", {"from": APP, "to": "py:src/flask/sansio/scaffold.py#Scaffold", "diagram": True}),
    ("map_path", {"from": APP, "to": "py:ext:os", "maxLen": 1}),
    ("map_status", {}),
    ("nav_definition", PLACE),
    ("nav_references", {"nodeId": DISPATCH, "includeDeclaration": True}),
    ("nav_references", {**PLACE, "fileFilter": "*.ts"}),
    ("nav_implementations", {"nodeId": "py:src/flask/sessions.py#SessionInterface.open_session"}),
    ("nav_type", PLACE),
    ("nav_callHierarchy", {"nodeId": DISPATCH, "direction": "incoming", "depth": 2}),
    ("nav_callHierarchy", {"nodeId": DISPATCH, "direction": "outgoing"}),
    ("nav_symbols", {"file": "src/flask/sessions.py"}),
    ("nav_workspaceSymbols", {"query": "SecureCookie"}),
    ("resolve", {"nodeId": DISPATCH}),
    ("resolve", PLACE),
    ("map_impact", {"nodeIds": [DISPATCH]}),
    ("map_impact", {"file": "src/flask/signals.py"}),
    ("nav_diagnostics", {"files": ["src/flask/sessions.py"]}),
    ("nav_rename", {"nodeId": DISPATCH, "newName": "dispatch_all", "diff": True}),
    ("nav_rename", {"nodeId": DISPATCH, "newName": "dispatch_all", "apply": True}),
    ("nav_diagnostics", {"files": ["src/flask/app.py"], "dependents": 3, "rows": "full"}),
    ("map_findings", {"run": "ruff"}),
    ("map_findings", {"sarif": "src/flask/app.py"}),
    ("map_metrics", {}),
    ("map_metrics", {"by": "class", "sort": "fanIn", "scope": "src", "rows": "full"}),
    ("map_metrics", {"by": "folder", "sort": "code", "rows": "full"}),
    ("map_unused", {"focus": "src/flask", "tier": "possible"}),
    ("map_unused", {"rows": "full"}),
    ("map_history", {}),
    ("map_history", {"nodeId": DISPATCH}),
    ("map_code", {"nodeIds": [DISPATCH, APP], "include": ["callees", "callers", "types", "imports", "tests"]}),
    ("map_code", {"nodeIds": [APP], "detail": "skeleton", "rows": "full"}),
    ("map_context", {"task": "dispatch a request", "purpose": "fix"}),
    ("map_context", {"task": 'File "/x/flask/app.py", line 1511, in f', "rows": "full"}),
    ("map_neighbors", {"nodeId": f"{APP}.none"}),
    ("nav_symbols", {"file": "src/flask/none.py"}),
)
BUDGETS: Mapping[Era, Sequence[int]] = {"legacy": (400,), "auto": (100, 400, 10_000)}
"""Of tokens: what is asked of a tool in another era is the same."""


@eras
async def test_the_official_client_takes_every_answer(flask: Path, era: Era) -> None:
    """It raises where the structured content is not as the schema says."""
    words = ["serve", "--root", str(flask), "--server-programs", ",".join(only("ty"))]
    server = StdioServerParameters(command=CODEMAP, args=words, env=environment())
    with trio.fail_after(DEADLINE_S):
        async with Client(server, mode=era) as session:
            schemas = {tool.name: tool.output_schema for tool in (await session.list_tools()).tools}
            assert schemas == {tool.name: output_schema_of(tool) for tool in TOOLS}
            assert {tool for tool, _ in CALLS} == set(schemas)
            sources = set()
            for tool, arguments in CALLS:
                for budget in BUDGETS[era]:
                    result = await session.call_tool(tool, {**arguments, "tokenBudget": budget})
                    schema, answer = schemas[tool], result.structured_content
                    assert schema is not None
                    assert answer is not None
                    jsonschema.Draft202012Validator(schema).validate(answer)
                    sources.add(str(answer.get("data", {}).get("source")).partition(" ")[0])
            assert "ty" in sources


async def test_the_typescript_client_takes_every_answer(flask: Path, tmp_path: Path) -> None:
    """It checks them by another reading of the schemas, which the Inspector shares."""
    calls = tmp_path / "calls.json"
    calls.write_text(json.dumps(CALLS))
    program = await trio.to_thread.run_sync(script, PROGRAMS / "typescript_stdio.mjs")
    words = [CODEMAP, "serve", "--root", str(flask), "--server-programs", ",".join(only("ty"))]
    with trio.fail_after(DEADLINE_S):
        seen = await run([*program, str(calls), *words])
    assert seen == {"answers": len(CALLS), "unlisted": [], "amiss": []}


@pytest.mark.parametrize("envelope", ["ctxo", "scalpel"])
async def test_other_dialects_list_no_schema_that_they_do_not_keep(tmp_path: Path, envelope: str) -> None:
    async with serving(tmp_path, "--envelope", envelope) as server:
        await server.initialize()
        listed = await server.request("tools/list")
        assert not [tool["name"] for tool in listed["result"]["tools"] if "outputSchema" in tool]
