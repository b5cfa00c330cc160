"""Lines and columns of byte offsets, against what decoding the line up to there gives."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.fact_building.positions import Places
from tests.costs import is_within

PIECES = (b"a", b"\n", b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b"\r", b"\t")
BROKEN = (
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f",
    b"\xf0\x9f\x98",
    b"\x80",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xf5\x80",
)
sources = st.lists(st.sampled_from((*PIECES, *BROKEN))).map(b"".join) | st.binary()


def place(source: bytes, offset: int) -> tuple[int, int]:
    """What a place is by definition."""
    start = source.rfind(b"\n", 0, offset) + 1
    column = len(source[start:offset].decode("utf-8", "replace").encode("utf-16-le")) // 2 + 1
    return source.count(b"\n", 0, offset) + 1, column


@given(sources)
def test_every_offset_of_any_bytes(source: bytes) -> None:
    places = Places(source)
    expected = [place(source, offset) for offset in range(len(source) + 1)]
    assert [places(offset) for offset in range(len(source) + 1)] == expected
    assert places.cells(range(len(source) + 1)) == [cell for pair in expected for cell in pair]


@pytest.mark.parametrize("character", ["é".encode(), b"\xff", "😀".encode()])
def test_a_long_line_is_not_decoded_for_each_place(character: bytes) -> None:
    """A minified file is one line, of which each name is a place."""
    source = character + b"f();" * 200_000
    places = Places(source)
    start = time.process_time()
    cells = places.cells(range(len(character), len(source), 4))
    assert is_within(time.process_time() - start, 5), "it takes a fifth of a second; decoding takes minutes"
    assert cells[:2] == [1, 3 if len(character) == 4 else 2]
    assert cells[-1] == cells[1] + 4 * 199_999
