"""The files that have a mark are found in one column of the marks of all."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from codemap.mentions.marked_files import MarkedFiles

files = st.dictionaries(st.sampled_from("abcdef"), st.sets(st.integers(0, 2**32 - 1) | st.integers(0, 5), max_size=6))


def packed(marks: dict[str, set[int]]) -> dict[str, bytes]:
    return {path: array("I", sorted(its)).tobytes() for path, its in marks.items()}


@given(files, files, st.sets(st.sampled_from("abcdef")), st.integers(0, 2**32 - 1))
def test_a_mark_is_found_in_the_files_that_have_it(
    first: dict[str, set[int]], further: dict[str, set[int]], kept: set[str], other: int
) -> None:
    """Also after files came and went, and not in the bytes of two marks that lie side by side."""
    marked = MarkedFiles(packed(first)).only(kept).with_files(packed(further))
    expected = {path: its for path, its in first.items() if path in kept} | further
    assert {path for path in "abcdef" if path in marked} == marked.paths == expected.keys()
    for mark in {other, *range(6), *(mark for its in expected.values() for mark in its)}:
        assert marked.having(mark) == [path for path, its in expected.items() if mark in its]
