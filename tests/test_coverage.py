"""The README says of each language what its tests do; `--update` writes it."""

from __future__ import annotations

import pytest

from tests import coverage

README = coverage.ROOT / "README.md"


def test_the_readme_has_the_table_of_the_tests(request: pytest.FixtureRequest) -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count(coverage.BEGIN) == text.count(coverage.END) == 1
    wanted = coverage.in_readme(text, coverage.table())
    if request.config.getoption("update"):
        README.write_text(wanted, encoding="utf-8")
        return
    assert text == wanted, "run `pytest tests/test_coverage.py --update`"


def test_every_language_has_a_row_and_examples() -> None:
    rows = [row.strip("| ").split(" | ") for row in coverage.table().splitlines()[2:]]
    assert sorted(row[0] for row in rows) == sorted(language.title for _, language in coverage.folders())
    assert [row[0] for row in rows if int(row[1]) == 0] == []


def test_what_is_said_is_found_wherever_it_stands() -> None:
    texts = {"a": "# A\n\nHas: one,\n`two`.\n\n## B\n\nLeft out: `x.y` and z.\n", "b": "# C\n\nHas: three.\n"}
    assert coverage._said(texts, "Has") == "one, `two`; three"
    assert coverage._said(texts, "Left out") == "`x.y` and z"
    assert coverage._said(texts, "Else") == "–"
