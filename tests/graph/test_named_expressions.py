"""The names by which source code says what an expression means."""

from __future__ import annotations

import pytest

from codemap.extract.extract import extract
from codemap.facts import Base, rows
from codemap.graph.model.named_expressions import last_name


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("Plain", "Plain"),
        ("a.b.Inner", "Inner"),
        ("make(1)", "make"),
        ("Box[int]", "Box"),
        ("Exception", "Exception"),
        ("one or other", "other"),
    ],
)
def test_the_last_name_of_an_expression(base: str, name: str) -> None:
    facts = extract("a.py", f"def make(): ...\nclass A({base}): ...\n".encode())
    assert last_name(facts, rows(facts.bases)[Base.EXPR]) == name
