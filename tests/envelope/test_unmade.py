"""A page of a list of which only as much was made as it may show is that of the whole list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.envelope.answer import Answer, CutList
from codemap.envelope.cursor import Origin
from codemap.envelope.native import CHARS_PER_TOKEN, render
from codemap.tools.compact import GroupedRows, fill_groups
from tests.examples import examples

Section = list[tuple[str, str]]
"""(file, row)."""

ORIGIN = Origin("map_neighbors", {}, "token")
texts = st.text(alphabet='ab "\\é', min_size=1, max_size=30)
sections = st.lists(st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), texts), min_size=1, max_size=40), max_size=5)


def answer(made: Sequence[GroupedRows], beside: list[str], unmade: Sequence[int]) -> Answer:
    data: dict[str, Any] = {"neighbors": [{"edge": f"e{at}", "rows": rows} for at, rows in enumerate(made)]}
    lists = (
        CutList(("beside",), "others", "pass b"),
        CutList(("neighbors", "*", "rows"), "neighbors", "pass a", keep=1, is_grouped=True, unmade=unmade),
        CutList(("neighbors",), "kinds", "pass a", key=("edge",)),
    )
    return Answer({**data, "beside": beside}, lists)


def rows_of(section: Section) -> GroupedRows:
    """Sorted by file, as rows in groups are."""
    rows: GroupedRows = {}
    for file, text in section:
        rows.setdefault(file, []).append(text)
    return rows


@settings(deadline=None, max_examples=examples(150))
@given(sections, st.lists(texts, max_size=20), st.integers(100, 500))
def test_what_was_not_made_is_counted_as_if_it_were_there(
    given_sections: list[Section], beside: list[str], budget: int
) -> None:
    whole = [rows_of(section) for section in given_sections]
    pairs = [[(file, text) for file, its in rows.items() for text in its] for rows in whole]
    made: list[GroupedRows] = [{} for _ in whole]
    fill_groups(made, [iter(some) for some in pairs], CHARS_PER_TOKEN * budget, 1)
    unmade = [len(some) - sum(map(len, rows.values())) for some, rows in zip(pairs, made, strict=True)]
    expected = render(answer(whole, beside, ()), budget, ORIGIN)
    assert render(answer(made, beside, unmade), budget, ORIGIN).text == expected.text
