"""Lines out of bytes, however they arrive."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from actors.front.transports.line_framing import LineBuffer, TooLong


def lines_of(chunks: list[bytes], max_bytes: int = 1000) -> list[bytes | TooLong]:
    buffer = LineBuffer(max_bytes)
    return [line for chunk in chunks for line in buffer.feed(chunk)] + buffer.end()


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b""))), st.data())
def test_lines_do_not_depend_on_how_the_stream_was_chunked(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    edges = [0, *cuts, len(stream)]
    assert lines_of([stream[a:b] for a, b in pairwise(edges)]) == lines


def test_a_last_line_needs_no_line_feed() -> None:
    assert lines_of([b"one\ntw", b"o"]) == [b"one", b"two"]
    assert lines_of([b"one\n"]) == [b"one"]


def test_a_line_of_the_limit_passes_and_one_byte_more_is_reported_once() -> None:
    assert lines_of([b"12345\n"], max_bytes=5) == [b"12345"]
    assert lines_of([b"123456\nok\n"], max_bytes=5) == [TooLong(5), b"ok"]
    assert lines_of([b"123", b"456", b"789", b"0\nok\n"], max_bytes=5) == [TooLong(5), b"ok"]
    assert lines_of([b"123456"], max_bytes=5) == [TooLong(5)]


def test_a_line_that_is_too_long_is_reported_before_it_ends_and_not_held() -> None:
    buffer = LineBuffer(5)
    assert buffer.feed(b"123456") == [TooLong(5)]
    assert buffer.feed(b"x" * 1000) == []
    assert buffer.feed(b"\nok\n") == [b"ok"]
