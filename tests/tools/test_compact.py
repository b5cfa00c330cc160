"""The texts of compact rows."""

from __future__ import annotations

import pytest

from codemap.tools.compact import LINES_MAX, Row, group_by_file, lines_of, most_common, texts_of


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Row("a.py", "Session.refresh", ["83"]), "Session.refresh 83"),
        (Row("a.py", "Session.close", ["91", "97"], ["name"]), "Session.close 91,97 name"),
        (Row("a.py", "", ["3"]), "3"),
        (Row("a.py", "Session"), "Session"),
        (Row("a.py", "", [], ["stale"]), "stale"),
    ],
)
def test_a_row_has_a_name_its_lines_and_what_differs(row: Row, text: str) -> None:
    assert texts_of(row) == [text]


def test_many_lines_stand_in_several_rows() -> None:
    lines = [str(line) for line in range(1, 2 * LINES_MAX + 2)]
    texts = texts_of(Row("a.py", "f", lines, ["name"]))
    assert [len(text.split(",")) for text in texts] == [LINES_MAX, LINES_MAX, 1]
    assert all(text.startswith("f ") and text.endswith(" name") for text in texts)
    assert ",".join(text.split()[1] for text in texts) == ",".join(lines)


def test_many_uses_stand_in_several_rows_of_one_definition() -> None:
    used = [f"{line}:5" for line in range(1, LINES_MAX + 2)]
    first, second = texts_of(Row("a.py", "f", ["9"], ["name"], used))
    assert first == f"f 9 used {','.join(used[:-1])} name"
    assert second == f"f 9 used {used[-1]} name"


@pytest.mark.parametrize(
    ("sites", "has_columns", "lines"),
    [
        ([(7, 3), (2, 9)], True, ["2", "7"]),
        ([(7, 3), (7, 3)], True, ["7"]),
        ([(7, 30), (2, 1), (7, 3)], True, ["2", "7:3", "7:30"]),
        ([(7, 30), (2, 1), (7, 3)], False, ["2", "7"]),
    ],
)
def test_a_line_stands_once_or_with_its_columns(
    sites: list[tuple[int, int]], has_columns: bool, lines: list[str]
) -> None:
    assert lines_of(sites, has_columns=has_columns) == lines


def test_rows_are_grouped_by_file_in_their_order() -> None:
    rows = [Row("b.py", "f", ["1"]), Row("a.py", "g", ["2"]), Row("b.py", "h", ["3"])]
    assert group_by_file(rows) == {"b.py": ["f 1", "h 3"], "a.py": ["g 2"]}


def test_what_most_are_is_usual_and_the_first_of_equals() -> None:
    assert [most_common(values) for values in ((), ("a", "b"), ("a", "b", "b"))] == ["", "a", "b"]
