"""Streamable HTTP over streams in memory, with a stand-in for the SDK: what comes of a connection, virtual clock."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import h11
import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from actors.front.transports.admission import Entry, Rules, Speech
from actors.front.transports.clients import Clients
from actors.front.transports.connection import DRAIN_S
from actors.front.transports.http import KEEP_ALIVE_S, HttpFront
from actors.front.transports.http_sessions import Message, Receive, Send
from actors.front.transports.network_door import Door
from actors.front.transports.request_head import Head
from actors.front.transports.session_limits import Caller
from actors.front.transports.tokens import Accepted, Rejected
from actors.front.transports.websocket import CLOSE_S, MESSAGE_MAX
from tests.actors.front.transports.test_network_door import Dialled, read_all

HANDSHAKE_S, PING_S, DEADLINE_S = 5.0, 20.0, 3600.0
BIG = 8 * 1024 * 1024


class Applied:
    """What stands for the SDK: it answers a request with its method; see `_answer`."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.callers: list[Caller] = []
        self.under_way = 0
        self.went = 0
        """Requests whose client went before they were answered."""

    async def answer(
        self, entry: Entry, caller: Caller, head: Head, method: str, scope: Message, receive: Receive, send: Send
    ) -> None:
        self.entries.append(entry)
        self.callers.append(caller)
        self.under_way += 1
        try:
            body = (await receive())["body"]
            assert method == (json.loads(body).get("method") if body and b'"id"' in body else "")
            method = "stream" if scope["method"] == "GET" else json.loads(body).get("method")
            await self._answer(method, receive, send)
        finally:
            self.under_way -= 1

    async def _answer(self, method: str, receive: Receive, send: Send) -> None:
        if method == "hang":
            assert (await receive())["type"] == "http.disconnect"
            self.went += 1
            return
        if method == "slow":
            await trio.sleep(1.0)
        if method == "late":
            await send({"type": "http.response.start", "status": 202, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            await send({"type": "http.response.start", "status": 500, "headers": []})
            raise anyio.ClosedResourceError
        if method == "fail":
            raise RuntimeError("a fault of ours")
        body = b"x" * BIG if method == "fill" else method.encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": body, "more_body": method == "stream"})
        if method == "stream":
            await receive()


class Talk:
    """The client's side of a connection."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.http = h11.Connection(h11.CLIENT)

    async def send(self, body: bytes = b"", method: str = "POST", target: str = "/mcp", **headers: str) -> None:
        named = {"host": "localhost", "content-length": str(len(body)), **headers}
        request = h11.Request(
            method=method, target=target, headers=[(name.replace("_", "-"), value) for name, value in named.items()]
        )
        parts = [self.http.send(request), self.http.send(h11.Data(data=body)), self.http.send(h11.EndOfMessage())]
        await self.stream.send_all(b"".join(part or b"" for part in parts))

    async def event(self) -> Any:
        while True:
            event = self.http.next_event()
            if event is not h11.NEED_DATA:
                return event
            self.http.receive_data(await self.stream.receive_some(65_536))

    async def answer(self) -> tuple[int, bytes]:
        """Status and body of the next answer."""
        head, body = await self.event(), b""
        while isinstance(event := await self.event(), h11.Data):
            body += bytes(event.data)
        assert isinstance(event, h11.EndOfMessage), event
        if self.http.our_state is h11.DONE and self.http.their_state is h11.DONE:
            self.http.start_next_cycle()
        return head.status_code, body

    async def ask(self, method: str, **headers: str) -> tuple[int, bytes]:
        await self.send(said(method), **headers)
        return await self.answer()


def said(method: str, **rest: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, **rest}).encode()


class Opened:
    """A door for HTTP and the way in."""

    def __init__(
        self,
        nursery: trio.Nursery,
        clients_max: int,
        requests_total_max: int,
        check_token: Callable[[str], Accepted | Rejected] | None,
    ) -> None:
        self.clients = Clients(clients_max, requests_total_max)
        self.applied = Applied()
        self.listener = Dialled()
        self.nursery = nursery
        rules = Rules(frozenset(), frozenset(), check_token, ("app", "lib"), Speech.HTTP)
        front = HttpFront(
            rules,
            self.clients,
            self.applied,  # type: ignore[arg-type]  # has the method that is used
            handshake_s=HANDSHAKE_S,
            write_s=PING_S,
            requests_max=2,
            show=lambda page: page.name,
        )
        self.door = Door(rules, self.clients, handshake_s=HANDSHAKE_S, speak=front.speak, show=lambda page: page.name)

    async def dial(self) -> Talk:
        return Talk(await self.listener.dial(memory_stream_pair))

    async def deaf(self) -> Talk:
        """A client to whom nothing can be sent that it does not read."""
        return Talk(await self.listener.dial(lockstep_stream_pair))


@asynccontextmanager
async def opened(
    clients_max: int = 10,
    requests_total_max: int = 10,
    check_token: Callable[[str], Accepted | Rejected] | None = None,
) -> AsyncIterator[Opened]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:
            door = Opened(nursery, clients_max, requests_total_max, check_token)
            nursery.start_soon(door.door.run, [door.listener])
            await wait_all_tasks_blocked()
            yield door
            nursery.cancel_scope.cancel()


async def test_a_connection_carries_one_request_after_the_other(autojump_clock: MockClock) -> None:
    async with opened() as door:
        one = await door.dial()
        assert await one.ask("a") == (200, b"a")
        assert await one.ask("b", target="/mcp/lib?envelope=scalpel") == (200, b"b")
        assert door.applied.entries == [Entry("app", "", None), Entry("lib", "scalpel", None)]
        await one.send(method="GET", target="/healthz")
        assert await one.answer() == (200, b"HEALTH")
        assert door.clients.statistics().connected == 1
        await one.stream.aclose()
        await wait_all_tasks_blocked()
        statistics = door.clients.statistics()
        assert (statistics.connected, statistics.received, statistics.outstanding) == (0, 2, 0)
        assert door.door.statistics().half_open == 0


def only_right(presented: str) -> Accepted | Rejected:
    return Accepted(None) if presented == "right" else Rejected.WRONG


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Bearer right", "origin": "https://evil.example"}, 403),
        ({"authorization": "Bearer right", "host": "evil.example"}, 421),
        ({"authorization": "Bearer right", "target": "/mcp/../etc/passwd"}, 404),
        ({"authorization": "Bearer right", "method": "PUT"}, 405),
        ({"authorization": "Bearer right", "upgrade": "tls"}, 400),
    ],
)
async def test_each_request_is_judged(autojump_clock: MockClock, changed: dict[str, str], wanted: int) -> None:
    """The first one, and one after a good one; then the connection ends."""
    async with opened(check_token=only_right) as door:
        fresh, used = await door.dial(), await door.dial()
        assert await used.ask("a", authorization="Bearer right") == (200, b"a")
        for one in (fresh, used):
            await one.send(said("b"), **changed)
            assert (await one.answer())[0] == wanted
            assert await one.stream.receive_some() == b""
        assert len(door.applied.entries) == 1


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_body_that_takes_for_ever_is_cut(autojump_clock: MockClock, is_first: bool) -> None:
    async with opened() as door:
        one = await door.dial()
        if not is_first:
            await one.ask("a")
        await one.stream.send_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        start = trio.current_time()

        async def trickle() -> None:
            try:
                while True:
                    await trio.sleep(1)
                    await one.stream.send_all(b" ")
            except trio.BrokenResourceError:
                pass

        door.nursery.start_soon(trickle)
        assert (await read_all(one.stream)).startswith(b"HTTP/1.1 408 ")
        assert trio.current_time() - start <= HANDSHAKE_S + CLOSE_S
        await door.clients.wait_gone()
        assert trio.current_time() - start <= HANDSHAKE_S + CLOSE_S


@pytest.mark.parametrize("word", [b"", b"POST /mcp HTTP/1.1\r\n"])
async def test_a_connection_without_a_request_ends_in_time(autojump_clock: MockClock, word: bytes) -> None:
    """A head that trickles is none."""
    async with opened() as door:
        one = await door.dial()
        await one.ask("a")
        await one.stream.send_all(word)
        start = trio.current_time()
        assert await read_all(one.stream) == b""
        assert trio.current_time() - start == pytest.approx(KEEP_ALIVE_S)
        await door.clients.wait_gone()


async def test_half_a_surrogate_pair_is_no_reason_to_lose_the_id(autojump_clock: MockClock) -> None:
    """The SDK, which would find no JSON, is shown its escape; as an id, which has to come back, it is refused."""
    async with opened() as door:
        one = await door.dial()
        await one.send(said("\udce9"))
        assert await one.answer() == (200, rb"\udce9")
        await one.send(said("a", id="\udce9"))
        status, body = await one.answer()
        assert (status, json.loads(body)["id"], json.loads(body)["error"]["code"]) == (400, "\udce9", -32600)
        await one.send(b"nonsense")
        status, body = await one.answer()
        assert (status, json.loads(body).get("id"), json.loads(body)["error"]["code"]) == (400, None, -32700)
        assert door.clients.statistics().refused == 2


async def test_bodies_have_a_limit(autojump_clock: MockClock) -> None:
    async with opened() as door:
        one, other = await door.dial(), await door.dial()
        filler = "x" * (MESSAGE_MAX - len(said("a", params={"a": ""})))
        await one.send(said("a", params={"a": filler}))
        assert await one.answer() == (200, b"a")
        await one.send(said("a", params={"a": filler + "x"}))
        assert (await one.answer())[0] == 413
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        await other.stream.send_all(head + chunk * (MESSAGE_MAX // 0x100000 + 1) + b"0\r\n\r\n")
        assert (await read_all(other.stream)).startswith(b"HTTP/1.1 413 ")
        await door.clients.wait_gone()
        assert door.clients.statistics().refused == 2


async def test_a_body_without_an_end_is_not_kept(autojump_clock: MockClock) -> None:
    """It is read for the time of a handshake, and then its sender is dropped."""
    async with opened() as door:
        one = await door.dial()
        await one.stream.send_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n")
        sent = 0

        async def send() -> None:
            nonlocal sent
            try:
                while True:
                    await one.stream.send_all(b" " * 0x40000)
                    sent += 0x40000
                    await trio.sleep(0.01)
            except trio.BrokenResourceError:
                pass

        start = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send)
        assert sent > 2 * MESSAGE_MAX
        assert trio.current_time() - start <= HANDSHAKE_S + 2 * CLOSE_S
        assert door.clients.statistics().connected == 0


@pytest.mark.parametrize("after", [b"", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"], ids=["one", "pipelined"])
@pytest.mark.parametrize("method", ["fill", "stream"])
async def test_a_client_that_never_reads_is_dropped(autojump_clock: MockClock, after: bytes, method: str) -> None:
    async with opened() as door:
        one = await door.deaf()
        verb, body = ("GET", b"") if method == "stream" else ("POST", said(method))
        head = f"{verb} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        start = trio.current_time()
        with trio.move_on_after(PING_S + CLOSE_S):
            await one.stream.send_all(head + body + after)
        await door.clients.wait_gone()
        assert PING_S <= trio.current_time() - start <= PING_S + 2 * CLOSE_S
        assert door.applied.under_way == 0


async def test_a_client_that_goes_cancels_what_it_asked(autojump_clock: MockClock) -> None:
    async with opened() as door:
        one = await door.dial()
        await one.send(said("hang"))
        await wait_all_tasks_blocked()
        assert door.clients.statistics().outstanding == 1
        await one.stream.aclose()
        await wait_all_tasks_blocked()
        assert door.applied.went == 1
        assert (door.clients.statistics().outstanding, door.clients.statistics().connected) == (0, 0)


async def test_a_client_that_pipelines_and_goes_is_not_kept(autojump_clock: MockClock) -> None:
    """Its going is seen when its answer cannot be sent."""
    async with opened() as door:
        one = await door.dial()
        body = said("slow")
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        await one.stream.send_all((head + body) * 3)
        await wait_all_tasks_blocked()
        await trio.aclose_forcefully(one.stream)
        start = trio.current_time()
        await door.clients.wait_gone()
        assert trio.current_time() - start <= 1.0 + CLOSE_S
        assert door.applied.under_way == 0


async def test_requests_over_the_limits_are_busy(autojump_clock: MockClock) -> None:
    """Two of a session, three of all; what is no request always comes through."""
    async with opened(requests_total_max=3) as door:
        waiting = [await door.dial() for _ in range(3)]
        for one, session in zip(waiting, "aab", strict=True):
            await one.send(said("hang"), mcp_session_id=session)
        await wait_all_tasks_blocked()
        more = await door.dial()
        status, body = await more.ask("m", mcp_session_id="a")
        assert (status, json.loads(body)["id"], json.loads(body)["error"]["code"]) == (503, 1, -32000)
        assert "2 requests wait" in json.loads(body)["error"]["message"]
        _, body = await more.ask("m")
        assert "3 requests of all clients wait" in json.loads(body)["error"]["message"]
        await more.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled"}).encode())
        assert await more.answer() == (200, b"notifications/cancelled")
        await waiting[0].stream.aclose()
        await wait_all_tasks_blocked()
        assert await more.ask("m", mcp_session_id="a") == (200, b"m")


async def test_over_the_limit_of_clients_the_server_is_busy(autojump_clock: MockClock) -> None:
    async with opened(clients_max=1) as door:
        first, second = await door.dial(), await door.dial()
        await first.ask("a")
        assert await second.ask("a") == (503, b"Server busy: too many clients.")


async def test_a_token_that_ends_closes_its_streams(autojump_clock: MockClock) -> None:
    def check_token(presented: str) -> Accepted | Rejected:
        return Accepted(time.time() + 100) if presented == "right" else Rejected.WRONG

    async with opened(check_token=check_token) as door:
        one = await door.dial()
        start = trio.current_time()
        await one.send(method="GET", authorization="Bearer right")
        assert await one.answer() == (200, b"stream")
        assert trio.current_time() - start == pytest.approx(100, abs=1)
        assert door.applied.under_way == 0


async def test_a_fault_of_ours_costs_one_answer(autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]) -> None:
    async with opened() as door:
        one, other = await door.dial(), await door.dial()
        assert (await one.ask("fail"))[0] == 500
        assert await other.ask("a") == (200, b"a")
        await wait_all_tasks_blocked()
        assert door.clients.statistics().outstanding == 0
    assert "a fault of ours" in capsys.readouterr().err


async def test_a_session_that_ends_under_a_message_is_no_fault(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """The SDK has accepted it, cannot take it in, apologizes, and fails."""
    async with opened() as door:
        one = await door.dial()
        assert await one.ask("late") == (202, b"")
        assert await one.ask("a") == (200, b"a")
    assert "event=crash" not in capsys.readouterr().err


PRIOR = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
UPGRADE = (
    b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
)
WEBSOCKET = (
    b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.mark.parametrize("words", [PRIOR, UPGRADE, WEBSOCKET])
@pytest.mark.parametrize("is_first", [True, False])
async def test_nothing_but_http_1_is_spoken(autojump_clock: MockClock, words: bytes, is_first: bool) -> None:
    async with opened() as door:
        one = await door.dial()
        if not is_first:
            await one.ask("a")
        await one.stream.send_all(words)
        answer = await read_all(one.stream)
        assert b" 200 " not in answer
        assert b"\0\0" not in answer, "a frame of HTTP/2"
        await door.clients.wait_gone()
        assert len(door.applied.entries) == (0 if is_first else 1)


async def test_at_the_end_calls_are_answered_and_streams_closed(autojump_clock: MockClock) -> None:
    async with opened() as door:
        idle, listening, slow, hanging = [await door.dial() for _ in range(4)]
        await idle.ask("a")
        await listening.send(method="GET")
        await slow.send(said("slow"))
        await hanging.send(said("hang"))
        await wait_all_tasks_blocked()
        start = trio.current_time()
        door.clients.stop()
        door.door.close()
        assert await listening.answer() == (200, b"stream")
        assert await read_all(idle.stream) == b""
        assert trio.current_time() == start, "who waits for nothing is told at once"
        assert await slow.answer() == (200, b"slow")
        assert await read_all(slow.stream) == b""
        await door.clients.wait_gone()
        assert trio.current_time() - start <= DRAIN_S + CLOSE_S
        assert door.applied.under_way == 0
