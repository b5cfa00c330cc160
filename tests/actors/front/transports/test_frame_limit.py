"""Lengths of websocket frames, as their headers announce them: whole, byte by byte, one after the other."""

from __future__ import annotations

import pytest
import wsproto.frame_protocol as protocol
from hypothesis import given
from hypothesis import strategies as st

from actors.front.transports.frame_limit import FrameLimit

MAX = 70_000
HEAD = b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"


def frame(size: int) -> bytes:
    """A masked text frame, as a client sends it."""
    return protocol.FrameProtocol(client=True, extensions=[]).send_data(b"x" * size, fin=True)  # type: ignore[no-any-return]


def header(size: int) -> bytes:
    """That of a frame whose contents do not come."""
    return b"\x81\xff" + size.to_bytes(8, "big") + b"mask"


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, MAX])
def test_frames_within_the_limit_pass(size: int, step: int) -> None:
    limit = FrameLimit(MAX, len(HEAD))
    words = HEAD + frame(size) + frame(2) + frame(size)
    assert not any(limit.is_exceeded_by(words[start : start + step]) for start in range(0, len(words), step))
    assert limit.is_exceeded_by(header(MAX + 1))


@given(
    sizes=st.lists(st.integers(0, 300), max_size=4),
    cuts=st.lists(st.integers(0, 1300)),
    size=st.integers(MAX + 1, (1 << 63) - 1),
)
def test_a_frame_over_the_limit_is_known_by_the_last_byte_of_its_length(
    sizes: list[int], cuts: list[int], size: int
) -> None:
    before = b"".join(map(frame, sizes))
    words = before + header(size)
    limit = FrameLimit(MAX, 0)
    ends = [*sorted({cut for cut in cuts if 0 < cut < len(before) + 10}), len(before) + 10]
    begins = [0, *ends[:-1]]
    told = [limit.is_exceeded_by(words[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    assert told == [False] * (len(ends) - 1) + [True]
    assert limit.is_exceeded_by(b"more")
