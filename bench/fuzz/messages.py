"""Messages of the protocol: good ones of every method, broken in every way, and what must be answered to each.

Pure but for the source of randomness. What a message must get is told by reading it as JSON, not by how it was made.

Source: JSON-RPC 2.0; MCP 2025-11-25 and 2026-07-28.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any
from zlib import crc32

import msgspec

from bench.fuzz.mutation import encoded, mutated, mutated_json
from bench.fuzz.target import Broken, shown

NODE = "py:a.py#greet"
FILES: Mapping[str, str] = {
    "a.py": 'def greet(name):\n    """Says hello."""\n    return name\n\n\n'
    "class Größe:\n    def of(self): return greet(self)\n",
    "b.py": "from a import greet, Größe\n\n\ndef main():\n    return greet(Größe().of())\n",
    "web/c.ts": "export function hello() { return 1 }\nexport const twice = () => hello() + hello();\n",
}
"""The repository that is asked about."""

INFO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALLS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("map_overview", {"focus": "web", "hubsPerCluster": 3, "diagram": True}),
    ("map_search", {"query": "gre", "kind": "function", "limit": 5, "tokenBudget": 300}),
    ("map_neighbors", {"nodeId": NODE, "direction": "in", "edgeKinds": ["calls"], "depth": 2, "maxNodes": 9}),
    ("map_path", {"from": "py:b.py#main", "to": NODE, "maxLen": 4, "includeReferences": True}),
    ("map_rebuild", {"scope": "web"}),
    ("map_status", {"freshWaitMs": 10}),
    ("nav_definition", {"nodeId": NODE}),
    ("nav_references", {"file": "b.py", "line": 5, "col": 12, "includeDeclaration": True, "fileFilter": "**/*.py"}),
    ("nav_type", {"file": "a.py", "line": 1, "col": 5}),
    ("nav_callHierarchy", {"nodeId": NODE, "direction": "incoming", "depth": 2}),
    ("nav_symbols", {"file": "web/c.ts"}),
    ("nav_workspaceSymbols", {"query": "gree", "limit": 3}),
    ("resolve", {"file": "a.py", "line": 7, "col": 30}),
    ("resolve", {"nodeId": "py:a.py#Größe.of"}),
)
OTHERS: Sequence[tuple[str, Mapping[str, Any]]] = (
    *(("ping", {}), ("tools/list", {}), ("resources/list", {}), ("resources/templates/list", {}), ("prompts/list", {})),
    ("resources/read", {"uri": "codemap://node/py%3Aa.py%23greet"}),
    ("resources/read", {"uri": "codemap://search/any/gre"}),
    ("resources/subscribe", {"uri": "codemap://status"}),
    ("resources/unsubscribe", {"uri": "codemap://status"}),
    ("prompts/get", {"name": "plan_change", "arguments": {"symbol": NODE, "change": "rename it"}}),
    (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "codemap://node/{id}"}, "argument": {"name": "id", "value": "gr"}},
    ),
    ("logging/setLevel", {"level": "debug"}),
    ("initialize", INFO),
    ("server/discover", {"_meta": MODERN}),
)
TOLD: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": "nobody", "reason": "no"}),
    ("notifications/progress", {"progressToken": 1, "progress": 0.5}),
    ("notifications/roots/list_changed", {}),
)
ANSWERS: Sequence[Mapping[str, Any]] = ({"result": {}}, {"error": {"code": -1, "message": "no"}})
TEXTS = tuple(dict.fromkeys([*(name for name, _ in (*CALLS, *OTHERS, *TOLD)), NODE, "b.py", "calls", "tools/call"]))
UNENDING = ("subscriptions/listen",)
"""Requests whose answer ends with the connection."""


_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)')


class Expected:
    """The answers that some messages must get: one to each id, and none that nobody asked for."""

    def __init__(self) -> None:
        self._open: Counter[tuple[str, int | str]] = Counter()
        self._excused: set[str] = set()
        """Ids, as text, whose request may stay unanswered: it was cancelled, never ends, or is JSON to some only."""

    def add(self, frame: bytes) -> None:
        """Reads a message as the receiver must; what is no JSON, or has no id that can be answered, asks nothing."""
        try:
            message = msgspec.json.decode(frame)
        except (ValueError, RecursionError):
            self._excuse(frame)
            return
        if not isinstance(message, dict):
            return
        given, method = message.get("id"), message.get("method")
        params = message.get("params")
        if method == "notifications/cancelled" and isinstance(params, dict):
            self._excused.add(str(params.get("requestId")))
        if not isinstance(given, int | str) or isinstance(given, bool):
            return
        if "method" not in message and ("result" in message or "error" in message):
            return
        self._open[_key(given)] += 1
        if method in UNENDING:
            self._excused.add(str(given))

    def _excuse(self, frame: bytes) -> None:
        """What is no JSON may still be answered: half a surrogate pair is read, and what nobody asks for is skipped."""
        for found in _ID.findall(frame):
            with suppress(ValueError):
                given = json.loads(found)
                self._open[_key(given)] += 1
                self._excused.add(str(given))

    def answer(self, message: Any) -> None:
        """Takes one message of the server's. Raises Broken."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Broken(f"{message!r:.300} is no message")
        if "method" in message:
            if "id" in message:
                raise Broken(f"the server asks {message!r:.300}")
            return
        if ("result" in message) == ("error" in message):
            raise Broken(f"{message!r:.300} is neither a result nor an error")
        if "id" not in message or message["id"] is None:
            return
        key = _key(message["id"])
        if key not in self._open:
            raise Broken(f"{message['id']!r} is answered more often than asked: {message!r:.300}")
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]
        _check_result(message.get("result"))

    @property
    def missing(self) -> list[int | str]:
        """The ids that wait for their answers."""
        return [given for _, given in self._open if str(given) not in self._excused]


def _key(given: int | str) -> tuple[str, int | str]:
    return type(given).__name__, given


def _check_result(result: Any) -> None:
    structured = result.get("structuredContent") if isinstance(result, dict) else None
    if not isinstance(structured, dict) or "tokenBudget" not in structured:
        return
    budget = structured["tokenBudget"]
    if not budget["used"] <= budget["requested"] <= budget["max"]:
        raise Broken(f"the budget is exceeded: {budget}")
    if result["isError"] != (not structured["ok"]) or structured["ok"] != ("data" in structured):
        raise Broken(f"{structured!r:.300} does not say whether it is an answer")
    if structured.get("error", {}).get("code") == "INTERNAL":
        raise Broken(f"an unforeseen failure: {structured['error']}")


def some_messages(random: Random, number: int, count: int) -> list[bytes]:
    """Messages of one client; ids that nobody changed begin with the number."""
    return [_message(random, f"{number}-{place}") for place in range(count)]


def _message(random: Random, name: str) -> bytes:
    kind = random.random()
    given: int | str = random.choice((name, crc32(name.encode())))
    if kind < 0.55:
        tool, arguments = random.choice(CALLS)
        message: Any = {"id": given, "method": "tools/call", "params": {"name": tool, "arguments": dict(arguments)}}
    elif kind < 0.85:
        method, params = random.choice(OTHERS)
        message = {"id": given, "method": method, "params": dict(params)}
    elif kind < 0.95:
        method, params = random.choice(TOLD)
        message = {"method": method, "params": dict(params)}
    else:
        message = {"id": given, **random.choice(ANSWERS)}
    message = {"jsonrpc": "2.0", **message}
    if random.random() < 0.1 and "params" in message:
        message["params"]["_meta"] = random.choice(({"progressToken": given}, MODERN))
    kind = random.random()
    if kind < 0.45 and "params" in message:
        message["params"] = mutated_json(random, message["params"], TEXTS)
    elif kind < 0.65:
        message = mutated_json(random, message, TEXTS)
    frame = encoded(random, message)
    return mutated(random, frame) if kind > 0.85 else frame


def whole(messages: Sequence[bytes]) -> str:
    """Messages for people."""
    return "\n".join(shown(message) for message in messages)
