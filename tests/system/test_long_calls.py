"""Calls that take their time, over stdio and websocket, in both protocol eras: progress, and cancelling them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.actors.front.protocol.test_sdk import modern
from tests.language_server.script import Scenario
from tests.system.live import scripted
from tests.system.network import client, served
from tests.system.process import as_listed, serving

GREET = {"nodeId": "py:a.py#greet"}
HANG = {
    "textDocument/references": ["never"],
    "textDocument/prepareCallHierarchy": ["never"],
    "callHierarchy/incomingCalls": ["answer", "never"],
}
"""The first such question has no answer; of the calls that are asked for, the second."""
HANGING: list[tuple[str, dict[str, Any], str, int]] = [
    ("nav_references", GREET, "textDocument/references", 1),
    ("nav_callHierarchy", {**GREET, "direction": "incoming"}, "textDocument/prepareCallHierarchy", 1),
    ("nav_callHierarchy", {**GREET, "direction": "incoming", "depth": 2}, "callHierarchy/incomingCalls", 2),
]
"""Calls that hang on the so many-th question of a method."""
LOADS_S = 60.0
"""Longer than the question takes, on any machine."""
SLOW_S = 0.7
MODULES = 300


class Caller:
    """A client over any transport, which notes all that comes."""

    def __init__(self, send: Callable[[str], Awaitable[object]], *, is_modern: bool) -> None:
        self.came: list[tuple[float, dict[str, Any]]] = []
        """With the time when it came."""
        self._send = send
        self._is_modern = is_modern
        self._next_id = 100
        self._more = trio.lowlevel.ParkingLot()

    def note(self, text: str | bytes) -> None:
        self.came.append((trio.current_time(), json.loads(text)))
        self._more.unpark_all()

    async def ask(self, tool: str, arguments: dict[str, Any], token: str | None = None) -> int:
        """Sends a call; its number."""
        self._next_id += 1
        plain: dict[str, Any] = {"name": tool, "arguments": arguments}
        params = modern(plain) if self._is_modern else plain
        if token is not None:
            params = params | {"_meta": {**params.get("_meta", {}), "progressToken": token}}
        await self.send({"id": self._next_id, "method": "tools/call", "params": params})
        return self._next_id

    async def send(self, message: dict[str, Any]) -> None:
        await self._send(json.dumps({"jsonrpc": "2.0", **message}))

    async def cancel(self, number: int) -> None:
        await self.send({"method": "notifications/cancelled", "params": {"requestId": number, "reason": "enough"}})

    async def answer(self, number: int) -> dict[str, Any]:
        """The result of that request."""
        while not (found := self.answers(number)):
            await self._more.park()
        (answer,) = found
        result: dict[str, Any] = answer["result"]
        return result

    def answers(self, number: int) -> list[dict[str, Any]]:
        return [message for _, message in self.came if message.get("id") == number]

    async def call(self, tool: str, token: str | None = None, **arguments: Any) -> dict[str, Any]:
        """The envelope of a tool's reply."""
        answer = await self.answer(await self.ask(tool, arguments, token))
        envelope: dict[str, Any] = as_listed(tool, answer["structuredContent"])
        return envelope

    def progress(self, token: str) -> list[tuple[float, dict[str, Any]]]:
        return [
            (at, message["params"])
            for at, message in self.came
            if message.get("method") == "notifications/progress" and message["params"]["progressToken"] == token
        ]

    async def work(self) -> dict[str, Any]:
        """What the language server has to do, and whom its supervisor owes an answer."""
        data = (await self.call("map_status", tokenBudget=10_000))["data"]
        return {**data["lsp"]["py"], "asksOpen": data["actors"]["languages.py"]["asksOpen"]}

    async def wait_for(self, holds: Callable[[dict[str, Any]], bool]) -> None:
        """Returns when this is true of the work."""
        while not holds(await self.work()):  # noqa: ASYNC110
            await trio.sleep(0.05)


async def wait_noted(diary: Path, method: str, times: int) -> None:
    """Returns when the server has had so many of these."""
    while not diary.exists() or diary.read_text().split().count(method) < times:  # noqa: ASYNC110, ASYNC240
        await trio.sleep(0.02)


def is_given_up(diary: Path, times: int, work: dict[str, Any]) -> bool:
    """Whether nothing is left of the questions of so many calls, and the server was told."""
    is_told = diary.read_text().count("$/cancelRequest") >= times
    return is_told and (work["inFlight"], work["queued"], work["asksOpen"]) == (0, 0, 0)


@asynccontextmanager
async def over_stdio(root: Path, is_modern: bool, extra: dict[str, str]) -> AsyncIterator[Caller]:
    async with serving(root, extra=extra) as server, trio.open_nursery() as nursery:
        caller = Caller(server.send, is_modern=is_modern)
        if not is_modern:
            await server.initialize()

        async def listen() -> None:
            for number in range(10_000):
                caller.note(json.dumps(await server.line(number)))

        nursery.start_soon(listen)
        yield caller
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def over_websocket(root: Path, is_modern: bool, extra: dict[str, str]) -> AsyncIterator[Caller]:
    async with served(root, extra=extra) as server, connected(server.url, is_modern=is_modern) as caller:
        yield caller


@asynccontextmanager
async def connected(url: str, *, is_modern: bool) -> AsyncIterator[Caller]:
    """A client of a websocket."""
    async with client(url, is_greeting=not is_modern) as one, trio.open_nursery() as nursery:
        caller = Caller(one.socket.send_message, is_modern=is_modern)

        async def listen() -> None:
            while True:
                caller.note(await one.socket.get_message())

        nursery.start_soon(listen)
        yield caller
        nursery.cancel_scope.cancel()


transports = pytest.mark.parametrize("connect", [over_stdio, over_websocket], ids=["stdio", "websocket"])
eras = pytest.mark.parametrize("is_modern", [False, True], ids=["legacy", "modern"])


def with_server(folder: Path, **scenario: Any) -> dict[str, str]:
    """The environment in which the scripted server is the only one."""
    programs = ",".join(scripted(folder, Scenario(**scenario)))
    return {"CODEMAP_SERVER_PROGRAMS": programs, "CODEMAP_WORKERS": "1"}


@pytest.fixture
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside the repository."""
    return tmp_path_factory.mktemp("beside")


@transports
@eras
async def test_a_cancelled_call_stops_its_work_and_is_not_answered(
    small: Path, beside: Path, connect: Any, is_modern: bool
) -> None:
    """The server would never answer; it is told each time that nobody waits any more."""
    diary = beside / "diary"
    async with connect(small, is_modern, with_server(beside, requests=HANG, diary=str(diary))) as caller:
        assert (await caller.call("map_rebuild"))["ok"]
        assert (await caller.call("nav_definition", file="b.py", line=5))["ok"]  # the server is up
        cancelled = []
        for tool, arguments, method, times in HANGING:
            number = await caller.ask(tool, arguments)
            await wait_noted(diary, method, times)
            assert not caller.answers(number)
            await caller.cancel(number)
            cancelled.append(number)
            await caller.wait_for(partial(is_given_up, diary, len(cancelled)))
        for tool, arguments, _, _ in HANGING:
            again = await caller.call(tool, **arguments)
            assert again["ok"], again
            assert "main" in json.dumps(again["data"]) or "b.py" in json.dumps(again["data"])
        assert [caller.answers(number) for number in cancelled] == [[], [], []]
        assert (await caller.work())["restarts"] == 0


async def test_a_client_that_goes_takes_its_calls_with_it(small: Path, beside: Path) -> None:
    diary = beside / "diary"
    extra = with_server(beside, requests=HANG, diary=str(diary))
    async with served(small, extra=extra) as server, connected(server.url, is_modern=False) as staying:
        assert (await staying.call("map_rebuild"))["ok"]
        async with connected(server.url, is_modern=False) as leaving:
            await leaving.ask("nav_references", GREET)
            await wait_noted(diary, "textDocument/references", 1)
        await staying.wait_for(partial(is_given_up, diary, 1))
        assert (await staying.call("nav_references", **GREET))["ok"]


@transports
@eras
async def test_a_client_that_waits_is_reported_how_far_it_is(
    tmp_path: Path, beside: Path, connect: Any, is_modern: bool
) -> None:
    """Of the first build; then of a server that loads, and of a question that it takes its time for."""
    for number in range(MODULES):
        (tmp_path / f"m{number}.py").write_text(f"def greet_{number}():\n    return {number}\n" * 20)
    (tmp_path / "a.py").write_text("def greet():\n    return 1\n")
    extra = with_server(beside, loads_s=LOADS_S, requests={"textDocument/references": [f"slow:{SLOW_S}"]})
    async with connect(tmp_path, is_modern, extra) as caller:
        assert (await caller.call("map_rebuild", "build"))["ok"]
        answer = await caller.call("nav_references", "ask", **GREET)
        assert answer["data"].get("complete") is False, answer
        assert (await caller.call("map_search", "quick", query="greet"))["ok"]
        build, ask, quick = map(caller.progress, ("build", "ask", "quick"))
        assert any(f"of {MODULES + 1} files" in told["message"] for _, told in build), build
        assert {told.get("total") for _, told in build} <= {100, None}
        assert any(
            told["message"].endswith("questions to the language server are answered: loading") for _, told in ask
        )
        for told in (build, ask):
            numbers = [one["progress"] for _, one in told]
            assert numbers == sorted(set(numbers))
            spans = [told[end][0] - told[0][0] for end in range(len(told))]
            assert all(index <= 1 + 10 * (span + 0.1) for index, span in enumerate(spans)), "ten a second"
        assert quick == []
