"""Fifty live calls at a time over MCP, half of them cancelled, again and again: right answers, and nothing piles up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psutil

from tests.system.live import only
from tests.system.process import Server, serving

ROUNDS = 30
WARM_ROUNDS = 10
CALLS = 50
GROWTH_MAX_BYTES = 8_000_000
"""Between the tenth round and the last: a thousand calls."""

FILES = {
    "shapes.py": "class Shape:\n    def area(self) -> int:\n        return 0\n\n\n"
    "def unit() -> Shape:\n    return Shape()\n",
    "use.py": "from shapes import Shape, unit\n\n\n"
    "def total(*shapes: Shape) -> int:\n    return sum(one.area() for one in shapes)\n",
    "main.py": "from shapes import unit\nfrom use import total\n\n\n"
    "def main() -> None:\n    print(total(unit(), unit()))\n",
}

QUESTIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("nav_definition", {"file": "main.py", "line": 6, "col": 11}, ["use.py:4"]),
    ("nav_definition", {"file": "use.py", "line": 5, "col": 20}, ["shapes.py:2"]),
    ("nav_references", {"file": "shapes.py", "line": 6, "col": 5}, ["main.py:1", "main.py:6", "main.py:6", "use.py:1"]),
    ("nav_references", {"file": "shapes.py", "line": 2, "col": 9}, ["use.py:5"]),
    ("nav_definition", {"file": "main.py", "line": 6, "col": 17}, ["shapes.py:6"]),
]


class Storm:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.answered = 0
        self._next = 1000
        self._seen = 0

    async def rage(self) -> None:
        """One round: all calls at once, every second one cancelled; the answers to the others are right."""
        asked: dict[int, list[str]] = {}
        cancelled: list[int] = []
        for number in range(CALLS):
            tool, arguments, right = QUESTIONS[number % len(QUESTIONS)]
            self._next += 1
            params = {"name": tool, "arguments": arguments}
            await self._send({"id": self._next, "method": "tools/call", "params": params})
            if number % 2:
                cancelled.append(self._next)
            else:
                asked[self._next] = right
        for request in cancelled:
            await self._send({"method": "notifications/cancelled", "params": {"requestId": request}})
        while asked:
            answer = await self.server.line(self._seen)
            self._seen += 1
            right = asked.pop(answer.get("id"), None)
            if right is not None:
                envelope = answer["result"]["structuredContent"]
                assert envelope["ok"], envelope
                found = [f"{place['file']}:{place['line']}" for place in envelope["data"]["locations"]]
                assert set(right) >= set(found) >= {place for place in right if not place.endswith(":1")}, envelope
                self.answered += 1

    async def _send(self, message: dict[str, Any]) -> None:
        await self.server.send(json.dumps({"jsonrpc": "2.0", **message}))


async def test_a_storm_of_calls(tmp_path: Path) -> None:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    programs = {"CODEMAP_SERVER_PROGRAMS": ",".join(only("ty")), "CODEMAP_WORKERS": "1"}
    async with serving(tmp_path, extra=programs, deadline_s=120) as server:
        await server.initialize()
        assert (await server.call("map_rebuild"))["ok"]  # what the map tells a server is told from the start
        for tool, arguments, _ in QUESTIONS:
            assert (await server.call(tool, **arguments))["ok"]
        storm = Storm(server)
        warm: list[int] = []
        for number in range(ROUNDS):
            if number == WARM_ROUNDS:
                warm = [process.memory_info().rss for process in family(server)]
            await storm.rage()
        grown = [process.memory_info().rss - before for process, before in zip(family(server), warm, strict=True)]
        assert max(grown) < GROWTH_MAX_BYTES, grown
        assert storm.answered == ROUNDS * CALLS // 2
        status = (await server.call("map_status", tokenBudget=10_000))["data"]
        assert status["lsp"]["py"]["restarts"] == 0
        assert (status["lsp"]["py"]["inFlight"], status["lsp"]["py"]["queued"]) == (0, 0)
        assert status["actors"]["languages.py"]["asksOpen"] == 0


def family(server: Server) -> list[psutil.Process]:
    """codemap and its language server, not its workers, which come and go."""
    return [process for process in server.family() if process.pid == server.process.pid or process.name() == "ty"]
