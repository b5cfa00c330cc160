"""Medians, percentiles and ratios."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats import Sample, percentile, ratios, sample

NUMBERS = st.lists(st.floats(min_value=-1e9, max_value=1e9), min_size=1)


def test_a_sample_has_the_median_and_its_bounds() -> None:
    assert sample([5.0, 1.0, 2.0]) == Sample(2.0, 1.0, 5.0, 3)
    assert sample([4.0, 1.0]) == Sample(2.5, 1.0, 4.0, 2)


def test_no_rounds_are_no_sample() -> None:
    with pytest.raises(ValueError, match="no rounds"):
        sample([])


@given(NUMBERS)
def test_the_median_lies_between_the_bounds(values: list[float]) -> None:
    taken = sample(values)
    assert taken.low <= taken.median <= taken.high
    assert taken.rounds == len(values)


def test_ratios_are_taken_round_by_round() -> None:
    # A round on a machine that was twice as slow leaves the ratio alone; the ratio of the medians would show it.
    assert ratios([6.0, 12.0, 3.0], [2.0, 4.0, 1.0]) == [3.0, 3.0, 3.0]


def test_ratios_need_both_sides_of_each_round() -> None:
    with pytest.raises(ValueError, match="shorter"):
        ratios([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("share", "expected"), [(0.01, 1), (0.5, 50), (0.501, 51), (0.99, 99), (0.991, 100), (1.0, 100)]
)
def test_a_percentile_is_a_value_that_was_seen(share: float, expected: int) -> None:
    assert percentile(list(range(100, 0, -1)), share) == expected


def test_a_percentile_of_few_values_is_the_greatest() -> None:
    assert percentile([3.0, 9.0, 1.0], 0.99) == 9.0


@pytest.mark.parametrize(("values", "share"), [([], 0.5), ([1.0], 0.0), ([1.0], 1.1)])
def test_a_percentile_needs_values_and_a_share(values: list[float], share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        percentile(values, share)
