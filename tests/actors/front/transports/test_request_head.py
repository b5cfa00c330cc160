"""Heads of requests: whole, byte by byte, too large, and no request at all; answers; streams that begin again."""

from __future__ import annotations

import h11
import pytest
import trio
from trio.testing import memory_stream_pair

from actors.front.transports.request_head import HEAD_MAX_BYTES, Head, Malformed, Replayed, read_head, response

TEXT = b"GET /mcp?a=%20b HTTP/1.1\r\nHost: x:1\r\nX-Two: a, b\r\nx-two: c\r\n\r\n"


@pytest.mark.parametrize("step", [1, 7, len(TEXT)])
async def test_a_head_is_read_however_it_comes(autojump_clock: trio.testing.MockClock, step: int) -> None:
    ours, theirs = memory_stream_pair()

    async def send() -> None:
        for start in range(0, len(TEXT), step):
            await theirs.send_all(TEXT[start : start + step])
            await trio.sleep(0.01)

    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send)
            head = await read_head(ours)
    assert isinstance(head, Head)
    assert (head.method, head.target) == ("GET", "/mcp?a=%20b")
    assert head.values("host") == ["x:1"]
    assert head.words("x-two") == ["a", "b", "c"]
    assert head.received == TEXT
    assert head.size == len(TEXT)


async def test_what_came_after_the_head_is_kept(autojump_clock: trio.testing.MockClock) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(TEXT + b"\x81\x80")
    head = await read_head(ours)
    assert isinstance(head, Head)
    assert head.size == len(TEXT)
    replayed = Replayed(ours, head.received)
    again = b""
    while len(again) < len(TEXT) + 2:
        again += await replayed.receive_some(10)
    assert again == TEXT + b"\x81\x80"
    await theirs.send_all(b"more")
    assert await replayed.receive_some(10) == b"more"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(60), 400),
        (b"\r\n\r\nnonsense\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n", 400),
        (b"GET /" + b"x" * HEAD_MAX_BYTES, 431),
        (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * HEAD_MAX_BYTES, 431),
    ],
)
async def test_what_is_no_request_is_distinguished(
    autojump_clock: trio.testing.MockClock, text: bytes, status: int
) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(text)
    with trio.fail_after(1):
        assert await read_head(ours) == Malformed(status)


@pytest.mark.parametrize("text", [b"", b"GET", TEXT[:-2]])
async def test_a_peer_that_leaves_early_sends_none(autojump_clock: trio.testing.MockClock, text: bytes) -> None:
    ours, theirs = memory_stream_pair()
    if text:
        await theirs.send_all(text)
    await theirs.aclose()
    with trio.fail_after(1):
        assert await read_head(ours) is None


def test_an_answer_is_whole_http() -> None:
    reader = h11.Connection(h11.CLIENT)
    reader.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    reader.send(h11.EndOfMessage())
    reader.receive_data(response(401, "No.", headers=(("www-authenticate", "Bearer"),)))
    head, body, end = reader.next_event(), reader.next_event(), reader.next_event()
    assert isinstance(head, h11.Response)
    assert (head.status_code, head.reason) == (401, b"Unauthorized")
    assert (b"www-authenticate", b"Bearer") in head.headers
    assert isinstance(body, h11.Data)
    assert (body.data, type(end)) == (b"No.", h11.EndOfMessage)


def test_an_answer_to_head_has_no_body() -> None:
    assert response(200, "text", is_head=True).endswith(b"connection: close\r\n\r\n")
