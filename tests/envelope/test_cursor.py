"""Cursors: round trips, and every way to be refused."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.cursor import CursorRefused, Offset, Origin, Position, Window, decode_cursor, encode_cursor

HERE = Origin("map_search", {"query": "refresh", "limit": 20}, "v1")
POSITION = (Offset(20), Offset(7, window=Window(3, (0, 2), 4)), Offset())

counts = st.integers(0, 2**40)
windows = st.none() | st.builds(Window, counts, st.lists(counts, max_size=4).map(tuple), counts)
positions = st.lists(st.builds(Offset, counts, counts, windows), max_size=5).map(tuple)


@given(positions, st.text(), st.dictionaries(st.text(), st.text() | st.integers()), st.text())
def test_a_cursor_comes_back_as_it_went(
    position: Position, tool: str, arguments: dict[str, object], version: str
) -> None:
    origin = Origin(tool, arguments, version)
    text = encode_cursor(origin, position)
    assert decode_cursor(text, origin) == position
    assert encode_cursor(origin, position) == text


def test_no_cursor_looks_like_an_option_and_those_that_do_are_read() -> None:
    origins = [Origin("map_search", {}, str(number)) for number in range(1000)]
    texts = [encode_cursor(origin, POSITION) for origin in origins]
    assert not any(text.startswith("-") for text in texts)
    dotted = [(text, origin) for text, origin in zip(texts, origins, strict=True) if text.startswith(".")]
    assert dotted
    for text, origin in dotted:
        assert decode_cursor(text, origin) == decode_cursor(f"-{text[1:]}", origin) == POSITION


def test_it_is_short() -> None:
    assert len(encode_cursor(HERE, (Offset(20, 3),))) == 27
    assert len(encode_cursor(HERE, POSITION)) == 39


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (Origin("map_neighbors", HERE.arguments, "v1"), "another tool than map_neighbors"),
        (Origin("map_search", {"query": "refresher", "limit": 20}, "v1"), "other arguments"),
        (Origin("map_search", {"query": "refresh"}, "v1"), "other arguments"),
        (Origin("map_search", HERE.arguments, "v2"), "the map or the code has moved on"),
    ],
)
def test_refused_elsewhere(there: Origin, why: str) -> None:
    with pytest.raises(CursorRefused, match=why):
        decode_cursor(encode_cursor(HERE, POSITION), there)


def test_the_budget_and_the_order_of_arguments_may_change() -> None:
    there = Origin("map_search", {"tokenBudget": 500, "cursor": "x", "limit": 20, "query": "refresh"}, "v1")
    assert decode_cursor(encode_cursor(HERE, POSITION), there) == POSITION


@given(st.text(max_size=60) | st.from_regex(r"[A-Za-z0-9_-]{0,60}", fullmatch=True) | st.just("A" * 5000))
def test_anything_else_is_not_a_cursor(text: str) -> None:
    with pytest.raises(CursorRefused):
        decode_cursor(text, HERE)


@given(st.data())
def test_a_mistyped_cursor_is_refused(data: st.DataObject) -> None:
    text = encode_cursor(HERE, POSITION)
    index = data.draw(st.integers(0, len(text) - 2))
    letter = data.draw(st.sampled_from("ABCxyz019_-").filter(lambda other: other != text[index]))
    with pytest.raises(CursorRefused, match="not a cursor"):
        decode_cursor(text[:index] + letter + text[index + 1 :], HERE)
    with pytest.raises(CursorRefused, match="not a cursor"):
        decode_cursor(text[:index], HERE)
    with pytest.raises(CursorRefused, match="not a cursor"):
        decode_cursor(text + text, HERE)


def test_a_position_that_is_none_is_refused() -> None:
    class Lying(msgspec.Struct, frozen=True, array_like=True):
        shown: int
        pages: int = 0
        window: None = None
        part: int = 0

    with pytest.raises(CursorRefused, match="not a cursor"):
        decode_cursor(encode_cursor(HERE, (Lying(-1),)), HERE)  # type: ignore[arg-type]
