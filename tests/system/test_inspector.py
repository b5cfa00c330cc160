"""The MCP Inspector's command line, in both protocol eras, on released packages that are not ours."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from codemap.envelope.errors import ErrorCode
from codemap.tools import TOOLS
from tests.system import forked
from tests.system.forked import CODEMAP
from tests.system.npm import inspector
from tests.system.process import DEADLINE_S, environment


@cache
def build_map(root: Path) -> None:
    """So that an answer of a busy machine is not that the map is being built."""
    done = forked.run("index", "--root", str(root), env=environment(CODEMAP_STORE="on"), timeout_s=DEADLINE_S)
    assert done.returncode == 0, done.stderr


eras = pytest.mark.parametrize("era", ["legacy", "modern"])


def inspect(home: Path, root: Path, era: str, *words: str) -> Any:
    """What the Inspector prints, as JSON. `home` keeps it from the user's own files.

    It has nothing else to say where no tool's answer is an error. With `--strict`, what is amiss with the schemas of
    tools would stand on stderr, and end it with 6 where that is an error.
    """
    how = ["--protocol-era", era, "--connect-timeout", str(DEADLINE_S * 1000)]
    done = subprocess.run(
        [*inspector(), *how, *words, "--", CODEMAP, "serve", "--root", str(root)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        env=environment(HOME=str(home), CODEMAP_STORE="on"),
        check=False,
    )
    assert done.returncode in (0, 5), done.stderr  # 5: the tool's answer is an error
    said = [line for line in done.stderr.splitlines() if not line.startswith("at=")]  # without the server's log
    assert done.returncode or said == []
    return json.loads(done.stdout)


def ask(home: Path, root: Path, era: str, tool: str, *arguments: str) -> Any:
    """The data of a tool's answer; asked for again while a busy machine loads the map."""
    while True:
        words = ["--method", "tools/call", "--tool-name", tool, "--tool-arg", *arguments]
        answer = inspect(home, root, era, *words, "freshWaitMs=5000")["structuredContent"]
        if answer["ok"] or answer["error"]["code"] != ErrorCode.MAP_NOT_BUILT:
            return answer["data"]


@eras
def test_tools_are_listed_without_a_complaint(tmp_path: Path, flask: Path, era: str) -> None:
    listed = inspect(tmp_path, flask, era, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]


@eras
def test_who_calls_a_method(tmp_path: Path, flask: Path, era: str) -> None:
    build_map(flask)
    node = "nodeId=py:src/flask/app.py#Flask.full_dispatch_request"
    data = ask(tmp_path, flask, era, "map_neighbors", node, "direction=in", "rows=full", 'edgeKinds=["calls"]')
    callers = {neighbor["id"]: neighbor for neighbor in data["neighbors"]}
    caller = callers["py:src/flask/app.py#Flask.wsgi_app"]
    assert (caller["confidence"], caller["line"], caller["sites"]) == ("exact", 1479, [{"line": 1511, "col": 33}])


@eras
def test_where_a_function_is_defined(tmp_path: Path, rxjs: Path, era: str) -> None:
    build_map(rxjs)
    first = ask(tmp_path, rxjs, era, "map_search", "query=innerFrom", "rows=full")["results"][0]
    assert (first["id"], first["file"]) == (
        "ts:internal/observable/innerFrom.ts#innerFrom",
        "internal/observable/innerFrom.ts",
    )
