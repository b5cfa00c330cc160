"""Near matches: what is close, in which order."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.near_matches import CANDIDATES_MAX, MATCHES_MAX, Near, edit_distance, near


@pytest.mark.parametrize(
    ("wanted", "candidates", "expected"),
    [
        ("process_ordder", ["handle_order", "process_orders", "process_order"], ["process_order", "process_orders"]),
        ("REFRESH", ["refresher", "refresh", "fresh"], ["refresh", "refresher", "fresh"]),
        (
            "py:app/store.py#Store.refresh",
            ["py:app/api.py#x", "py:app/cache.py#Store.refresh"],
            ["py:app/cache.py#Store.refresh"],
        ),
        ("sessionRefresh", ["refresh_the_session", "refresh"], ["refresh_the_session"]),
        ("fileFliter", ["focus", "fileFilter", "file"], ["fileFilter", "file"]),
        ("src/app.py", ["lib/app.py", "src/apps.py", "src/b.py"], ["lib/app.py", "src/apps.py"]),
        ("xy", ["ab", "cd"], []),
        ("nothing", [], []),
        ("", ["a", "b"], []),
    ],
)
def test_near(wanted: str, candidates: list[str], expected: list[str]) -> None:
    assert list(near(wanted, candidates).matches) == expected


@pytest.mark.parametrize(
    ("matches", "sentence"),
    [
        ((), None),
        (("a",), "Did you mean 'a'?"),
        (("a", "b"), "Did you mean 'a' or 'b'?"),
        (("a", "b", "c"), "Did you mean 'a', 'b' or 'c'?"),
    ],
)
def test_suggestion(matches: tuple[str, ...], sentence: str | None) -> None:
    assert Near(matches).suggestion == sentence


def test_it_looks_at_so_many_and_no_more() -> None:
    endless = (f"name{index}" for index in count())
    assert near("name0", endless).matches[0] == "name0"
    assert next(endless) == f"name{CANDIDATES_MAX + 1}"


@given(st.text("abA_", max_size=8), st.lists(st.text("abA_", max_size=8), max_size=12))
def test_few_and_each_once(wanted: str, candidates: list[str]) -> None:
    matches = near(wanted, candidates).matches
    assert len(set(matches)) == len(matches) <= MATCHES_MAX
    assert set(matches) <= set(candidates)
    if wanted in candidates:
        assert matches[0].casefold() == wanted.casefold()


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_edit_distance_is_symmetric_and_bounded(one: str, other: str) -> None:
    distance = edit_distance(one, other)
    assert distance == edit_distance(other, one)
    assert (distance == 0) == (one == other)
    assert distance in (None, 0, 1, 2)


@given(st.text("abc", max_size=7), st.data())
def test_two_edits_are_found(text: str, data: st.DataObject) -> None:
    edited = text
    for _ in range(2):
        index = data.draw(st.integers(0, len(edited)))
        edited = data.draw(
            st.sampled_from([edited[:index] + "d" + edited[index:], edited[:index] + edited[index + 1 :], edited])
        )
    assert edit_distance(text, edited) is not None
