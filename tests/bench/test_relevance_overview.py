"""How overviews are held against documentation."""

from __future__ import annotations

import pytest

from bench.corpora import corpora
from bench.relevance.overview import Scored, documented, hearts_in, is_heart, is_within, report


def test_twelve_repositories_are_measured_and_others_made_on() -> None:
    known = documented()
    assert len([one for one in known.values() if not one.made_on]) == 12
    for name, one in known.items():
        assert len(set(one.hearts)) == 10, name
        assert all((one.areas, one.aside, one.source)), name
        assert (one.pinned is not None) != (one.corpus in corpora()), name


def test_hearts_are_read_with_the_folder_of_their_area() -> None:
    areas = [
        {"area": "src/flask", "hearts": ["app.py#Flask 81"]},
        {"area": "lib: url.c", "hearts": ["url.c#parse 7 stale"]},
        {"area": ".", "hearts": ["setup.py#main 1"]},
    ]
    assert hearts_in({"areas": areas}) == ["src/flask/app.py#Flask", "lib/url.c#parse", "setup.py#main"]


@pytest.mark.parametrize(
    ("documented", "shown", "is_same"),
    [
        ("Flask", "src/app.py#Flask", True),
        ("Flask", "src/app.py#x.Flask~2", True),
        ("Flask", "src/app.py#Flask.run", False),
        ("scrape/manager.go#Manager", "scrape/manager.go#Manager", True),
        ("scrape/manager.go#Manager", "discovery/manager.go#Manager", False),
        ("manager.go#Manager", "scrape/xmanager.go#Manager", False),
    ],
)
def test_a_documented_heart_is_one_of_its_name(documented: str, shown: str, *, is_same: bool) -> None:
    assert is_heart(documented, shown) == is_same


def test_a_documented_folder_is_named_by_what_lies_in_it() -> None:
    assert is_within("databind/ser", "src/main/java/databind/ser/std")
    assert is_within("src/db.c", "src/db.c")
    assert not is_within("databind/ser", "databind/serial")


def test_what_the_rules_were_made_on_stands_in_a_table_of_its_own() -> None:
    one = Scored("a", "A 1", False, 900, 20, ("X",), (), (), 0.9, 1.0)
    other = Scored("b", "B 2", True, 800, 30, (), (), ("tests/x.py#f",), 1.0, 0.5)
    measured, made_on = report([one, other]).split("## The rules were made on")
    assert "| A 1 | 0.90 | 1.00 | 0 | 20 | 900 |" in measured
    assert "| B 2 | 1.00 | 0.50 | 1 | 30 | 800 |" in made_on
