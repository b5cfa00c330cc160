"""Where boxes stand: columns from left to right, nothing on top of another, the same every time."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from codemap.pictures.layered import layered


def test_a_chain_leads_to_the_right_on_one_line() -> None:
    layout = layered(3, [(0, 1), (1, 2)])
    assert layout.columns == (0, 1, 2)
    assert layout.heights == (0, 0, 0)


def test_callers_stand_left_of_the_middle_and_callees_right() -> None:
    layout = layered(5, [(1, 0), (2, 0), (0, 3), (0, 4)])
    assert layout.columns == (1, 0, 0, 2, 2)
    assert layout.heights[0] == 0.5
    assert sorted(layout.heights[1:3]) == [0, 1]


def test_what_nothing_leads_to_stands_next_to_what_it_leads_to() -> None:
    assert layered(4, [(0, 1), (1, 2), (3, 2)]).columns == (0, 1, 2, 1)


def test_an_arrow_over_a_column_bends_in_it() -> None:
    layout = layered(3, [(0, 1), (1, 2), (0, 2)])
    assert [[column for column, _ in route] for route in layout.routes] == [[], [], [1]]
    bend = layout.routes[2][0][1]
    assert abs(bend - layout.heights[1]) >= 0.7


def test_an_arrow_that_closes_a_circle_is_turned() -> None:
    layout = layered(3, [(0, 1), (1, 2), (2, 0), (1, 1)])
    assert layout.columns == (0, 1, 2)
    assert layout.turned == {2, 3}
    assert [column for column, _ in layout.routes[2]] == [1]


def test_arrows_that_could_go_without_crossing_do() -> None:
    layout = layered(6, [(0, 5), (1, 4), (2, 3)])
    first = [layout.heights[place] for place in (0, 1, 2)]
    last = [layout.heights[place] for place in (5, 4, 3)]
    assert sorted(range(3), key=first.__getitem__) == sorted(range(3), key=last.__getitem__)


def test_nothing() -> None:
    assert layered(0, []).columns == ()


@given(st.integers(1, 14).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_any_graph(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, arrows = graph
    layout = layered(count, arrows)
    assert layout == layered(count, arrows)
    places = list(zip(layout.columns, layout.heights, strict=True))
    for column in set(layout.columns):
        heights = sorted(height for of, height in places if of == column)
        assert all(other - one >= 0.99 for one, other in pairwise(heights))
    assert min(layout.heights) >= 0
    for place, (start, end) in enumerate(arrows):
        ends = layout.columns[start], layout.columns[end]
        step = -1 if place in layout.turned else 1
        if start != end:
            assert (ends[1] - ends[0]) * step > 0
            assert [column for column, _ in layout.routes[place]] == list(range(ends[0] + step, ends[1], step))
