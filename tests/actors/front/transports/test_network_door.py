"""The network door over streams in memory: who gets in, who is kept out, and who is dropped, on a virtual clock."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio
import trio_websocket
import wsproto
import wsproto.events
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from actors.front.transports.admission import Entry, Page, Rules
from actors.front.transports.clients import Clients
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Request
from actors.front.transports.network_door import HALF_OPEN_MAX, Door
from actors.front.transports.tokens import Accepted, Rejected
from actors.front.transports.websocket import MESSAGE_MAX, Close, WebsocketFrames, run_websocket

HANDSHAKE_S, PING_S, DEADLINE_S = 5.0, 20.0, 3600.0
HEAD = b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n"
HANDSHAKE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n"
)


class Dialled(trio.abc.Listener[trio.abc.Stream]):
    """A listener at which tests dial."""

    def __init__(self) -> None:
        self._dial, self._come = trio.open_memory_channel[trio.abc.Stream](0)

    async def accept(self) -> trio.abc.Stream:
        return await self._come.receive()

    async def aclose(self) -> None:
        self._come.close()

    async def dial(self, pair: Callable[[], tuple[trio.abc.Stream, trio.abc.Stream]]) -> trio.abc.Stream:
        ours, theirs = pair()
        await self._dial.send(ours)
        return theirs


async def echo(connection: Connection) -> None:
    """Answers each request with its method; `hang` never, `fill` with all that a line may hold."""
    async with trio.open_nursery() as nursery:
        while (message := await connection.receive()) is not None:
            if isinstance(message, Request) and message.method != "hang":
                result = "x" * MESSAGE_MAX if message.method == "fill" else message.method
                nursery.start_soon(connection.send, {"id": message.id, "result": result}, message.id)
        nursery.cancel_scope.cancel()


class Opened:
    """A door, those behind it, and the way in."""

    def __init__(
        self, nursery: trio.Nursery, clients_max: int, check_token: Callable[[str], Accepted | Rejected] | None
    ) -> None:
        self.clients = Clients(clients_max, 10)
        self.ended: list[Close | None] = []
        self.listener = Dialled()
        rules = Rules(frozenset(), frozenset(), check_token, ("app",))
        self.door = Door(
            rules,
            self.clients,
            handshake_s=HANDSHAKE_S,
            speak=partial(run_websocket, ping_s=PING_S, serve=lambda entry, frames: self.serve(entry, frames)),
            show=lambda page: page.name,
        )
        self.nursery = nursery

    async def serve(self, entry: Entry, frames: WebsocketFrames) -> Close:
        assert entry.root == "app"
        connection = self.clients.enter(frames, 4)
        if connection is None:
            return Close.BUSY
        code = None
        try:
            await connection.run(echo)
            code = Close.GOING_AWAY if self.clients.is_stopping else Close.NORMAL
        finally:
            self.clients.leave(connection)
            self.ended.append(code)
        return code

    async def dial(self) -> trio.abc.Stream:
        return await self.listener.dial(memory_stream_pair)

    async def connect(self, **headers: str) -> trio_websocket.WebSocketConnection:
        stream = await self.dial()
        extra = [(name.encode(), value.encode()) for name, value in headers.items()]
        return await trio_websocket.wrap_client_stream(
            self.nursery, stream, "localhost", "/mcp", subprotocols=["mcp"], extra_headers=extra
        )

    async def rejection(self, header: bytes = b"") -> bytes:
        """What a handshake is answered that does not come to be."""
        stream = await self.dial()
        await stream.send_all(HEAD + HANDSHAKE + header + b"\r\n")
        return await read_all(stream)


@asynccontextmanager
async def opened(
    clients_max: int = 10, check_token: Callable[[str], Accepted | Rejected] | None = None
) -> AsyncIterator[Opened]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:
            door = Opened(nursery, clients_max, check_token)
            nursery.start_soon(door.door.run, [door.listener])
            await wait_all_tasks_blocked()
            yield door
            nursery.cancel_scope.cancel()


async def ask(socket: trio_websocket.WebSocketConnection, number: int, method: str = "m") -> object:
    await socket.send_message(json.dumps({"jsonrpc": "2.0", "id": number, "method": method}))
    return json.loads(await socket.get_message())


async def read_all(stream: trio.abc.Stream) -> bytes:
    text = b""
    try:
        while chunk := await stream.receive_some(65_536):
            text += chunk
    except trio.BrokenResourceError:
        pass
    return text


async def closed_with(socket: trio_websocket.WebSocketConnection) -> int:
    try:
        while True:
            await socket.get_message()
    except trio_websocket.ConnectionClosed:
        pass
    assert socket.closed is not None
    return int(socket.closed.code)


async def test_clients_are_answered(autojump_clock: MockClock) -> None:
    async with opened() as door:
        first, second = await door.connect(), await door.connect()
        assert first.subprotocol == "mcp"
        assert await ask(first, 1, "a") == {"id": 1, "result": "a"}
        assert await ask(second, 1, "b") == {"id": 1, "result": "b"}
        assert door.clients.statistics().connected == 2
        await first.aclose()
        await second.aclose()
        await wait_all_tasks_blocked()
        assert door.ended == [Close.NORMAL] * 2
        assert door.clients.statistics().connected == 0
        assert door.door.statistics().half_open == 0


async def test_pages_are_shown_and_the_connection_is_closed(autojump_clock: MockClock) -> None:
    async with opened() as door:
        for page in Page:
            stream = await door.dial()
            await stream.send_all(f"GET {page.value} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            answer = await read_all(stream)
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
            assert answer.endswith(b"\r\n\r\n" + page.name.encode())


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (HEAD + b"\r\n", 426),
        (b"GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (HEAD + b"Origin: https://evil.example\r\n\r\n", 403),
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 426),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"\x16\x03\x01" + bytes(100), 400),
        (HEAD + b"X: " + b"x" * 40_000 + b"\r\n\r\n", 431),
    ],
)
async def test_the_uninvited_are_given_the_reason(autojump_clock: MockClock, head: bytes, status: int) -> None:
    async with opened() as door:
        stream = await door.dial()
        await stream.send_all(head)
        assert (await read_all(stream)).startswith(b"HTTP/1.1 %d " % status)
        assert door.door.statistics().refused == 1


@pytest.mark.parametrize("word", [b"", b"G", HEAD])
async def test_who_never_finishes_a_handshake_is_dropped_in_time(autojump_clock: MockClock, word: bytes) -> None:
    """Slowly or not at all: a byte now and then buys no time."""
    async with opened() as door:
        stream = await door.dial()
        if word:
            await stream.send_all(word)
        start = trio.current_time()

        async def trickle() -> None:
            try:
                while word:
                    await trio.sleep(1)
                    await stream.send_all(b"X: y\r\n")
            except trio.BrokenResourceError:
                pass

        door.nursery.start_soon(trickle)
        assert await read_all(stream) == b""
        assert trio.current_time() - start == pytest.approx(HANDSHAKE_S)
        assert door.door.statistics().timed_out == 1


async def test_who_takes_no_refusal_is_dropped_in_time(autojump_clock: MockClock) -> None:
    async with opened() as door:
        stream = await door.listener.dial(lockstep_stream_pair)
        await stream.send_all(b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await trio.sleep(HANDSHAKE_S + 1)
        assert door.door.statistics().half_open == 0


async def test_clients_who_come_all_at_once_are_all_let_in(autojump_clock: MockClock) -> None:
    async with opened(clients_max=HALF_OPEN_MAX) as door:

        async def come() -> None:
            assert await ask(await door.connect(), 1) == {"id": 1, "result": "m"}

        async with trio.open_nursery() as nursery:
            for _ in range(300):
                nursery.start_soon(come)
        assert door.clients.statistics().total == 300
        assert door.door.statistics().crowded_out == 0


async def test_half_open_connections_without_number_keep_no_client_out(autojump_clock: MockClock) -> None:
    async with opened() as door:
        strangers = [await door.dial() for _ in range(HALF_OPEN_MAX + 500)]
        await wait_all_tasks_blocked()
        statistics = door.door.statistics()
        assert statistics.half_open == HALF_OPEN_MAX
        assert statistics.crowded_out == 500
        socket = await door.connect()
        assert await ask(socket, 1) == {"id": 1, "result": "m"}
        assert await read_all(strangers[0]) == b"", "the oldest went"
        await trio.sleep(HANDSHAKE_S + 1)
        assert door.door.statistics().half_open == 0
        assert await ask(socket, 2) == {"id": 2, "result": "m"}
        assert trio.current_time() < PING_S


async def test_over_the_limit_the_server_is_busy(autojump_clock: MockClock) -> None:
    async with opened(clients_max=1) as door:
        first = await door.connect()
        answer = await door.rejection()
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"\r\nretry-after: 5\r\n" in answer
        await first.aclose()
        await wait_all_tasks_blocked()
        assert await ask(await door.connect(), 1) == {"id": 1, "result": "m"}
        assert door.clients.statistics().turned_away == 1


async def test_binary_messages_close(autojump_clock: MockClock) -> None:
    async with opened() as door:
        socket = await door.connect()
        await socket.send_message(b'{"jsonrpc":"2.0","id":1,"method":"m"}')
        assert await closed_with(socket) == 1003


@pytest.mark.parametrize("parts", [1, 64])
async def test_oversize_messages_close(autojump_clock: MockClock, parts: int) -> None:
    """In one frame or in many."""
    async with opened() as door:
        socket = await door.connect()
        size = MESSAGE_MAX // parts + 1
        for _ in range(parts):
            event = wsproto.events.TextMessage("x" * size, message_finished=parts == 1)
            await socket._send(event)
        assert await closed_with(socket) == 1009
        assert door.ended == [None if parts == 1 else Close.NORMAL], (
            "one is known before it has come: calls are cancelled"
        )


async def test_a_frame_that_announces_too_much_is_refused_at_its_header(autojump_clock: MockClock) -> None:
    """Whatever comes of it is read and dropped, so that the refusal is not lost; others are served meanwhile."""
    async with opened() as door:
        socket, good = await door.connect(), await door.connect()
        start = trio.current_time()
        assert await ask(socket, 1) == {"id": 1, "result": "m"}
        await socket._stream.send_all(b"\x81\xff" + (1 << 30).to_bytes(8, "big") + b"mask" + bytes(100_000))
        await wait_all_tasks_blocked()
        assert door.ended == [None], "its calls are cancelled"
        assert await closed_with(socket) == 1009
        assert trio.current_time() == start
        assert await ask(good, 1) == {"id": 1, "result": "m"}


@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_client_that_announces_too_much_and_never_closes_is_closed_at_once(
    autojump_clock: MockClock, goes_on: bool
) -> None:
    """Whether it goes on to send what it announced, or waits."""
    async with opened() as door:
        stream = await door.dial()
        await stream.send_all(HEAD + HANDSHAKE + b"\r\n")
        while b"101" not in await stream.receive_some(65_536):
            pass
        start = trio.current_time()
        await stream.send_all(b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"mask")

        async def send_on() -> None:
            with suppress(trio.BrokenResourceError):
                while True:
                    await stream.send_all(bytes(65_536))
                    await trio.sleep(0.01)

        async with trio.open_nursery() as nursery:
            if goes_on:
                nursery.start_soon(send_on)
            said = await read_all(stream)
        assert said[:4] == b"\x88" + bytes([len(said) - 2]) + Close.TOO_LARGE.to_bytes(2, "big")
        assert trio.current_time() - start < (2.5 if goes_on else 0.5)
        await wait_all_tasks_blocked()
        assert door.ended == [None], "its calls are cancelled"


async def test_the_largest_message_is_answered(autojump_clock: MockClock) -> None:
    async with opened() as door:
        socket = await door.connect()
        frame = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": ""}})
        await socket.send_message(frame[:-3] + "x" * (MESSAGE_MAX - len(frame)) + frame[-3:])
        assert json.loads(await socket.get_message()) == {"id": 1, "result": "m"}


async def test_what_is_no_json_is_answered_and_the_next_is_served(autojump_clock: MockClock) -> None:
    async with opened() as door:
        socket = await door.connect()
        await socket.send_message("nonsense")
        assert json.loads(await socket.get_message())["error"]["code"] == -32700
        assert await ask(socket, 1) == {"id": 1, "result": "m"}


async def test_what_is_no_websocket_frame_ends_only_itself(autojump_clock: MockClock) -> None:
    async with opened() as door:
        good, bad = await door.connect(), await door.connect()
        await bad._stream.send_all(b"\xff\x85 garbage")
        assert await closed_with(bad) in (1002, 1006)
        assert await ask(good, 1) == {"id": 1, "result": "m"}
        await wait_all_tasks_blocked()
        assert door.ended == [Close.NORMAL]


async def test_requests_over_the_limits_are_busy(autojump_clock: MockClock) -> None:
    """Four of a connection, ten of all."""
    async with opened() as door:
        sockets = [await door.connect() for _ in range(3)]
        for socket in sockets:
            for number in range(5):
                await socket.send_message(json.dumps({"jsonrpc": "2.0", "id": number, "method": "hang"}))
            refusal = json.loads(await socket.get_message())
            assert refusal["error"]["code"] == -32000
        assert door.clients.statistics().outstanding == 10
        assert "of all clients" in refusal["error"]["message"]
        await sockets[0].aclose()
        await wait_all_tasks_blocked()
        assert door.clients.statistics().outstanding == 6


async def test_a_client_that_sleeps_is_dropped(autojump_clock: MockClock) -> None:
    """It reads nothing and answers no ping, as one that is stopped or whose network is gone."""
    async with opened() as door:
        stream = await door.dial()
        await stream.send_all(HEAD + HANDSHAKE + b"\r\n")
        await wait_all_tasks_blocked()
        assert door.clients.statistics().connected == 1
        start = trio.current_time()
        await door.clients.wait_gone()
        assert trio.current_time() - start == pytest.approx(2 * PING_S)
        assert door.ended == [None]


async def test_a_client_that_lives_stays(autojump_clock: MockClock) -> None:
    async with opened() as door:
        socket = await door.connect()
        await trio.sleep(50 * PING_S)
        assert await ask(socket, 1) == {"id": 1, "result": "m"}


async def test_a_client_that_never_reads_is_dropped_with_what_it_asked(autojump_clock: MockClock) -> None:
    async with opened() as door:
        stream = await door.listener.dial(lockstep_stream_pair)
        client = wsproto.WSConnection(wsproto.ConnectionType.CLIENT)
        await stream.send_all(client.send(wsproto.events.Request("localhost", "/mcp", subprotocols=["mcp"])))
        client.receive_data(await stream.receive_some(4096))
        assert [type(event) for event in client.events()] == [wsproto.events.AcceptConnection]
        for number, method in enumerate(("hang", "fill")):
            text = json.dumps({"jsonrpc": "2.0", "id": number, "method": method})
            await stream.send_all(client.send(wsproto.events.TextMessage(text)))
        await wait_all_tasks_blocked()
        assert door.clients.statistics().outstanding == 2
        start = trio.current_time()
        await door.clients.wait_gone()
        assert trio.current_time() - start <= 2 * PING_S
        assert door.clients.statistics().outstanding == 0


async def test_a_token_that_ends_closes_its_connection(autojump_clock: MockClock) -> None:
    def check_token(presented: str) -> Accepted | Rejected:
        return Accepted(time.time() + 100) if presented == "right" else Rejected.WRONG

    async with opened(check_token=check_token) as door:
        answer = await door.rejection(b"Authorization: Bearer wrong\r\n")
        assert answer.startswith(b"HTTP/1.1 401 Unauthorized\r\n")
        start = trio.current_time()
        socket = await door.connect(authorization="Bearer right")
        assert await closed_with(socket) == 1008
        assert trio.current_time() - start == pytest.approx(100, abs=1)


async def test_at_the_end_calls_are_answered_and_clients_notified(autojump_clock: MockClock) -> None:
    async with opened() as door:
        waiting, quiet = await door.connect(), await door.connect()
        codes: list[int] = []

        async def note(socket: trio_websocket.WebSocketConnection) -> None:
            codes.append(await closed_with(socket))

        await waiting.send_message(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hang"}))
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(note, quiet)
            nursery.start_soon(note, waiting)
            await wait_all_tasks_blocked()
            start = trio.current_time()
            door.clients.stop()
            door.door.close()
            await wait_all_tasks_blocked()
            assert codes == [1001], "who waits for nothing is told at once"
        assert codes == [1001, 1001]
        assert trio.current_time() - start == pytest.approx(5.0, abs=0.1), "calls under way had their time"
        with pytest.raises(trio.BrokenResourceError):
            await door.dial()


Serve = Callable[[Entry, WebsocketFrames], Awaitable[Close]]


async def test_a_client_whose_serving_fails_ends_alone(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    async def serve(door: Opened, was: Serve, entry: Entry, frames: WebsocketFrames) -> Close:
        if door.clients.statistics().connected:
            raise RuntimeError("a fault of ours")
        return await was(entry, frames)

    async with opened() as door:
        door.serve = partial(serve, door, door.serve)  # type: ignore[method-assign]
        good, bad = await door.connect(), await door.connect()
        assert await closed_with(bad) == 1006
        assert await ask(good, 1) == {"id": 1, "result": "m"}
    assert "a fault of ours" in capsys.readouterr().err
