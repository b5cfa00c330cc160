"""Frames: each case whole, byte by byte, in two parts, and with trailing bytes."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.lsp.errors import ProtocolViolation
from codemap.lsp.frames import BODY_MAX, SKIPPED_MAX, FrameReader, frame
from tests.costs import is_within
from tests.lsp.peer import cuts


def feed(reader: FrameReader, chunks: Iterable[bytes]) -> list[bytes]:
    return [body for chunk in chunks for body in reader.feed(chunk)]


GOOD = {
    "plain": (b"Content-Length: 2\r\n\r\n{}", [b"{}"]),
    "empty body": (b"Content-Length: 0\r\n\r\n", [b""]),
    "two": (b"Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\nnull", [b"{}", b"null"]),
    "type after length": (b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n{}", [b"{}"]),
    "type before length": (b"Content-Type: application/vscode-jsonrpc\r\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
    "any case": (b"content-LENGTH:2\r\n\r\n{}", [b"{}"]),
    "spaces": (b"Content-Length :   2  \r\n\r\n{}", [b"{}"]),
    "line feeds only": (b"Content-Length: 2\n\n{}", [b"{}"]),
    "garbage lines before": (b"Warning: no tty\nhello\n\n\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
    "garbage lines between": (b"Content-Length: 2\r\n\r\n{}\noops: 3\nContent-Length: 2\r\n\r\n[]", [b"{}", b"[]"]),
    "garbage bytes": (b"\xff\xfe\x00\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
    "a frame in a body": (b"Content-Length: 21\r\n\r\nContent-Length: 2\r\n\r\n", [b"Content-Length: 2\r\n\r\n"]),
    "line ends in a body": (b"Content-Length: 4\r\n\r\n\n\r\n\r", [b"\n\r\n\r"]),
    "said twice, the last counts": (b"Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
    "characters of several bytes": ('Content-Length: 6\r\n\r\n"é😀'.encode()[:-1], [b'"\xc3\xa9\xf0\x9f\x98']),
}


@pytest.mark.parametrize(("stream", "bodies"), GOOD.values(), ids=GOOD)
def test_read_however_it_is_cut(stream: bytes, bodies: list[bytes]) -> None:
    for chunks in cuts(stream):
        assert feed(FrameReader(), chunks) == bodies


@pytest.mark.parametrize(("stream", "bodies"), GOOD.values(), ids=GOOD)
def test_the_beginning_of_the_next_frame_waits(stream: bytes, bodies: list[bytes]) -> None:
    for trailing in (b"C", b"Content-Length: 3", b"Content-Length: 3\r\n\r\n[]"):
        reader = FrameReader()
        assert reader.feed(stream + trailing) == bodies
        assert reader.feed(b"") == []


BAD = {
    "negative": b"Content-Length: -1\r\n\r\n",
    "no number": b"Content-Length: two\r\n\r\n",
    "nothing": b"Content-Length:\r\n\r\n",
    "underscore": b"Content-Length: 1_0\r\n\r\n",
    "sign": b"Content-Length: +1\r\n\r\n",
    "other digits": "Content-Length: ٣\r\n\r\n".encode(),
    "too large": b"Content-Length: %d\r\n\r\n" % (BODY_MAX + 1),
    "far too large": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("stream", BAD.values(), ids=BAD)
def test_a_bad_length_is_a_violation_however_it_is_cut(stream: bytes) -> None:
    for chunks in ([stream], [stream[i : i + 1] for i in range(len(stream))], [stream + b"{}"]):
        with pytest.raises(ProtocolViolation):
            feed(FrameReader(), chunks)


def test_the_largest_body_is_taken() -> None:
    reader = FrameReader()
    assert reader.feed(b"Content-Length: %d\r\n\r\n" % BODY_MAX) == []
    assert reader.feed(b" " * (BODY_MAX - 1)) == []
    assert [len(body) for body in reader.feed(b" ")] == [BODY_MAX]


@pytest.mark.parametrize("line", [b"x" * 1000 + b"\n", b"x" * 1000], ids=["lines", "one line"])
def test_endless_garbage_is_a_violation(line: bytes) -> None:
    reader = FrameReader()
    assert feed(reader, [line] * (SKIPPED_MAX // len(line))) == []
    with pytest.raises(ProtocolViolation):
        reader.feed(line)


def test_garbage_is_counted_from_frame_to_frame() -> None:
    reader = FrameReader()
    garbage = b"x\n" * (SKIPPED_MAX // 4)
    for _ in range(4):
        assert reader.feed(garbage + frame(b"{}")) == [b"{}"]


def test_a_large_body_in_small_chunks_costs_no_more_than_its_length() -> None:
    size = 8 * 1024 * 1024
    stream = frame(b"x" * size)
    reader = FrameReader()
    began = time.process_time()
    bodies = feed(reader, [stream[i : i + 4096] for i in range(0, len(stream), 4096)])
    assert [len(body) for body in bodies] == [size]
    # A reader that copies or searches what it has with every chunk takes half a minute.
    assert is_within(time.process_time() - began, 3)


@given(st.lists(st.binary(max_size=200), max_size=6), st.data())
def test_what_is_framed_comes_back(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, bodies))
    offsets = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=8)))
    parts = [stream[start:stop] for start, stop in zip([0, *offsets], [*offsets, len(stream)], strict=True)]
    assert feed(FrameReader(), parts) == bodies


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes_are_read_or_refused(chunks: list[bytes]) -> None:
    try:
        feed(FrameReader(), chunks)
    except ProtocolViolation:
        pass
