"""JSON-RPC over any frames: what is read, refused, answered, cancelled and drained."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
import trio.testing

from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Malformed, Notification, Request, decode, encode
from actors.front.transports.line_framing import TooLong


class Pipe:
    """Frames from a list, then silence or the end; what is sent is kept."""

    def __init__(self) -> None:
        self.feed, self._incoming = trio.open_memory_channel[bytes | TooLong](100)
        self.sent: list[dict[str, Any]] = []
        self.is_writable = trio.Event()
        self.is_writable.set()
        self.is_broken = False

    async def receive(self) -> bytes | TooLong | None:
        try:
            return await self._incoming.receive()
        except trio.EndOfChannel:
            return None

    async def send(self, frame: bytes) -> None:
        await self.is_writable.wait()
        if self.is_broken:
            raise trio.BrokenResourceError
        assert b"\n" not in frame
        self.sent.append(json.loads(frame))


def request(number: int | str, method: str = "m") -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method}).encode()


def error_of(answer: dict[str, Any]) -> tuple[Any, int]:
    return answer.get("id", "absent"), answer["error"]["code"]


@pytest.mark.parametrize(
    ("frame", "wanted"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"a"}', Request(1, "a", None)),
        (b'{"jsonrpc":"2.0","id":"x","method":"a","params":{"b":[1]}}', Request("x", "a", {"b": [1]})),
        (b' {"jsonrpc":"2.0","method":"a"} \r', Notification("a", None)),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', None),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}', None),
    ],
)
def test_messages(frame: bytes, wanted: object) -> None:
    assert decode(frame) == wanted


@pytest.mark.parametrize(
    ("frame", "request_id", "code"),
    [
        (b"nonsense", None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"a"', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"a"} x', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"a"}]', None, -32600),
        (b"[]", None, -32600),
        (b"7", None, -32600),
        (b"null", None, -32600),
        (b"{}", None, -32600),
        (b'{"id":1,"method":"a"}', 1, -32600),
        (b'{"jsonrpc":"1.0","id":"x","method":"a"}', "x", -32600),
        (b'{"jsonrpc":"2.0","id":1}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"a"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"a"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"a"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}', 1, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":"x"}', 1, -32602),
        (b'{"jsonrpc":"2.0","id":"a\\udce9","method":"a"}', "a\udce9", -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7,"params":{"a":"\\udce9"}}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"', None, -32700),
    ],
)
def test_what_is_no_message_gets_the_reason(frame: bytes, request_id: object, code: int) -> None:
    found = decode(frame)
    assert isinstance(found, Malformed)
    assert (found.id, found.code) == (request_id, code)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"caf\udce9.py", r"caf\udce9.py"),
        (r"\uD83D\uDE00", "\N{GRINNING FACE}"),
        (r"\uD83D\uDE00\uDE00", "\N{GRINNING FACE}" + r"\ude00"),
        (r"\ud83d\ud83d\ude00", r"\ud83d" + "\N{GRINNING FACE}"),
        (r"\ud83d", r"\ud83d"),
        (r"\ud83dx\n\"\ud83d", '\\ud83dx\n"\\ud83d'),
        (r"\\ud83d\ud83d", r"\ud83d\ud83d"),
        (r"\\\ud83d", r"\\ud83d"),
    ],
)
def test_half_a_surrogate_pair_stands_as_its_escape(text: str, wanted: str) -> None:
    """Clients can send it, as `JSON.stringify` does, though no text has it; the request is answered like any other."""
    frame = (
        f'{{"jsonrpc":"2.0","id":10000000000000000000000000,"method":"a","params":{{"b":"\\udfff","c":["{text}"]}}}}'
    )
    assert decode(frame.encode()) == Request(10**25, "a", {"b": r"\udfff", "c": [wanted]})


def test_every_message_can_be_written() -> None:
    assert json.loads(encode({"file": "caf\udce9.py", "id": 10**30})) == {"file": "caf\udce9.py", "id": 10**30}


Serve = Callable[[Connection], Awaitable[None]]


async def answer_all(connection: Connection) -> None:
    """Answers each request with its own method, at once."""
    while (message := await connection.receive()) is not None:
        if isinstance(message, Request):
            await connection.send({"id": message.id, "result": message.method}, message.id)


async def test_bad_frames_are_answered_and_the_next_one_is_served(autojump_clock: trio.testing.MockClock) -> None:
    pipe = Pipe()
    for frame in (b"bad", b"", b"  \r", b"[]", TooLong(9), request(1)):
        pipe.feed.send_nowait(frame)
    pipe.feed.close()
    with trio.fail_after(1):
        await Connection(pipe, requests_max=4).run(answer_all)
    assert [error_of(answer) for answer in pipe.sent[:-1]] == [
        ("absent", -32700),
        ("absent", -32600),
        ("absent", -32700),
    ]
    assert pipe.sent[-1] == {"id": 1, "result": "m"}


async def test_requests_over_the_limit_are_busy_until_one_is_answered(autojump_clock: trio.testing.MockClock) -> None:
    pipe = Pipe()
    connection = Connection(pipe, requests_max=2)

    async def serve(connection: Connection) -> None:
        pipe.feed.send_nowait(request(1))
        pipe.feed.send_nowait(request(2))
        pipe.feed.send_nowait(request(3))
        pipe.feed.send_nowait(b'{"jsonrpc":"2.0","method":"notifications/cancelled"}')
        first, second, cancellation = [await connection.receive() for _ in range(3)]
        assert first == Request(1, "m", None)
        assert second == Request(2, "m", None)
        assert cancellation == Notification("notifications/cancelled", None)
        await trio.testing.wait_all_tasks_blocked()
        assert [error_of(answer) for answer in pipe.sent] == [(3, -32000)]
        connection.settle(1)  # cancelled: no answer comes
        pipe.feed.send_nowait(request(4))
        assert await connection.receive() == Request(4, "m", None)
        assert connection.statistics().outstanding == 2
        await connection.send({"id": 2}, 2)
        await connection.send({"id": 4}, 4)
        pipe.feed.close()
        assert await connection.receive() is None

    with trio.fail_after(1):
        await connection.run(serve)
    assert connection.statistics().outstanding == 0


async def test_an_id_in_use_is_refused_and_its_first_request_goes_on(autojump_clock: trio.testing.MockClock) -> None:
    pipe = Pipe()

    async def serve(connection: Connection) -> None:
        pipe.feed.send_nowait(request(1))
        pipe.feed.send_nowait(request(1))
        pipe.feed.send_nowait(request("1"))
        assert await connection.receive() == Request(1, "m", None)
        assert await connection.receive() == Request("1", "m", None)
        await trio.testing.wait_all_tasks_blocked()
        assert [error_of(answer) for answer in pipe.sent] == [(1, -32600)]
        assert connection.statistics().outstanding == 2
        connection.settle(1)
        connection.settle("1")

    with trio.fail_after(1):
        await Connection(pipe, requests_max=4).run(serve)


@pytest.mark.parametrize(("takes_s", "ends_s", "answers"), [(3.0, 3.0, 1), (100.0, 5.0, 0)])
async def test_calls_under_way_at_the_end_of_input_have_their_time(
    autojump_clock: trio.testing.MockClock, takes_s: float, ends_s: float, answers: int
) -> None:
    pipe = Pipe()
    pipe.feed.send_nowait(request(1))
    pipe.feed.close()

    async def serve(connection: Connection) -> None:
        async def answer() -> None:
            await trio.sleep(takes_s)
            await connection.send({"id": 1}, 1)

        assert await connection.receive() == Request(1, "m", None)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer)
            assert await connection.receive() is None
            nursery.cancel_scope.cancel()

    start = trio.current_time()
    with trio.fail_after(50):
        await Connection(pipe, requests_max=4, drain_s=5.0).run(serve)
    assert trio.current_time() - start == pytest.approx(ends_s)
    assert len(pipe.sent) == answers


async def test_a_peer_that_takes_no_answers_ends_the_connection(autojump_clock: trio.testing.MockClock) -> None:
    pipe = Pipe()
    pipe.is_broken = True
    pipe.feed.send_nowait(request(1))
    with trio.fail_after(1):
        await Connection(pipe, requests_max=4).run(answer_all)


async def test_a_call_that_is_cancelled_while_its_answer_waits_writes_nothing(
    autojump_clock: trio.testing.MockClock,
) -> None:
    pipe = Pipe()

    async def serve(connection: Connection) -> None:
        pipe.is_writable = trio.Event()
        await connection.send({"n": 1})  # in the writer's hands, which cannot write it yet
        with trio.move_on_after(1) as scope:
            await connection.send({"n": 2})
        assert scope.cancelled_caught
        pipe.is_writable.set()
        await connection.send({"n": 3})

    with trio.fail_after(10):
        await Connection(pipe, requests_max=4).run(serve)
    assert [answer["n"] for answer in pipe.sent] == [1, 3]


async def test_the_last_answer_is_written_before_the_connection_ends(autojump_clock: trio.testing.MockClock) -> None:
    pipe = Pipe()

    async def serve(connection: Connection) -> None:
        pipe.is_writable = trio.Event()
        await connection.send({"n": 1}, 1)
        assert not connection.answered.is_set()

    async def write_later() -> None:
        await trio.sleep(2)
        pipe.is_writable.set()

    connection = Connection(pipe, requests_max=4)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(write_later)
            await connection.run(serve)
    assert pipe.sent == [{"n": 1}]
    assert connection.answered.is_set()
