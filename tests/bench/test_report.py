"""The table of results."""

from __future__ import annotations

import pytest

from bench.bars import MEASURES, Better, Measure
from bench.report import Counts, Figure, Section, merged, report, rounded
from bench.stats import Sample

COUNTS = Counts(2, 1500, 12, {"contains": {"exact": 10}, "calls": {"exact": 1, "candidate": 2}})


def test_the_report_has_machine_counts_bars_and_verdicts() -> None:
    figures = [
        Figure("map_search against rg -w NAME", Sample(25.0, 20.0, 31.5, 5)),
        Figure("cold index, wall", Sample(4.04, 3.5, 5.0, 5), "noted"),
        Figure("the limit itself", Sample(1.5, 1.25, 2.0, 5)),
    ]
    text = report("2 cores, Some CPU", [Section("thing 1.0", "bench it", figures, COUNTS)])
    assert text[text.index("## ") :] == (
        "## thing 1.0\n"
        "\n"
        "2 cores, Some CPU. `bench it`.\n"
        "\n"
        "2 files, 1,500 bytes, 12 symbols, 13 edges:\n"
        "\n"
        "| kind | exact | import | type | name | candidate |\n"
        "|---|---|---|---|---|---|\n"
        "| contains | 10 | 0 | 0 | 0 | 0 |\n"
        "| calls | 1 | 0 | 0 | 0 | 2 |\n"
        "\n"
        "| measure | first | goal | measured | least – greatest | rounds | unit | |\n"
        "|---|---|---|---|---|---|---|---|\n"
        "| cold index, wall (noted) | 4 | 2 | 4.04 | 3.5 – 5 | 5 | × limit | **missed** |\n"
        "| the limit itself | – | – | 1.5 | 1.25 – 2 | 5 | s CPU |  |\n"
        "| map_search against rg -w NAME | 20 | 100 | 25 | 20 – 31.5 | 5 | × faster | holds |\n"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (3.0, "3"), (3.14159, "3.14"), (0.01234, "0.0123"), (99.96, "100"), (1234.5, "1,234")],
)
def test_three_digits_count(value: float, text: str) -> None:
    assert rounded(value) == text


def test_a_bar_holds_on_its_own_side() -> None:
    less, more = Measure("a", "s", 2), Measure("b", "s", 2, None, Better.MORE)
    assert [less.holds(value) for value in (1, 2, 3)] == [True, True, False]
    assert [more.holds(value) for value in (1, 2, 3)] == [False, True, True]
    assert Measure("c", "s").holds(1) is None


def test_every_goal_is_beyond_its_first_bar() -> None:
    for measure in MEASURES.values():
        if measure.goal is not None:
            assert measure.holds(measure.goal), measure.name


def test_the_verdict_goes_by_the_figure_not_by_its_rounding() -> None:
    text = report("m", [Section("t", "c", [Figure("cold index, wall", Sample(4.001, 4.0, 4.1, 5))])])
    assert "| 4 | 4 – 4.1 | 5 | × limit | **missed** |" in text


PAGE = "# Measured\n\nOne machine.\n\n## a\n\n1\n\n### of it\n\n2\n\n## b\n\n3\n"


def test_new_sections_take_the_place_of_old_ones_and_others_stay() -> None:
    new = "## c\n\n4\n\n## a\n\n5\n"
    assert merged(PAGE, new) == "# Measured\n\nOne machine.\n\n## a\n\n5\n\n## b\n\n3\n\n## c\n\n4\n"
    assert merged(PAGE, "# Measured\n\nAnother.\n\n## b\n\n6\n") == (
        "# Measured\n\nAnother.\n\n## a\n\n1\n\n### of it\n\n2\n\n## b\n\n6\n"
    )
    assert merged(PAGE, PAGE) == merged(PAGE, "") == PAGE
