"""Which rows of a list are shown, folded or hidden."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from codemap.file_roles import Role
from codemap.tools.params import MapListParams
from codemap.tools.row_selection import COUNTS_MAX, Folded, Place, folded_counts, place_of_path, sift

ROWS = ("tests/test_a.py", "src/a.py", "vendor/x.py", "src/b.py", "tests/test_b.py", "examples/run.py")


def params(**members: Any) -> MapListParams:
    return msgspec.convert(members, MapListParams)


def shown(rows: tuple[str, ...] = ROWS, own: Role = Role.PRODUCT, **members: Any) -> tuple[tuple[str, ...], Any, int]:
    found = sift(rows, lambda path: place_of_path(path, 2), params(**members), own)
    return found.rows, folded_counts(found.folded), found.hidden


def test_tests_and_the_like_are_counted_by_file_and_product_code_is_shown() -> None:
    counts = {
        "tests": {"tests/test_a.py": 2, "tests/test_b.py": 2},
        "examples": {"examples/run.py": 2},
        "vendored": {"vendor/x.py": 2},
    }
    assert shown() == (("src/a.py", "src/b.py"), counts, 0)


@pytest.mark.parametrize(
    ("policy", "rows", "hidden"),
    [
        ("include", ("src/a.py", "src/b.py", ROWS[0], ROWS[4], ROWS[5], ROWS[2]), 0),
        ("only", (ROWS[0], ROWS[4], ROWS[5], ROWS[2]), 4),
        ("exclude", ("src/a.py", "src/b.py"), 8),
    ],
)
def test_they_are_shown_last_or_alone_or_not_at_all(policy: str, rows: tuple[str, ...], hidden: int) -> None:
    assert shown(tests=policy) == (rows, {}, hidden)


def test_full_rows_include_them_by_default() -> None:
    whole = sift(ROWS, place_of_path, params(rows="full"))
    assert (len(whole.rows), whole.folded) == (6, ())
    assert len(sift(ROWS, place_of_path, params(rows="full", tests="fold")).rows) == 2


def test_where_there_is_nothing_else_they_are_shown() -> None:
    found = sift(ROWS[::2], place_of_path, params(fileFilter="!src"))
    assert found.rows == (ROWS[0], ROWS[4], ROWS[2])
    assert found.only == ("tests", "vendored")


def test_what_is_asked_about_in_a_test_has_its_uses_there_unfolded() -> None:
    rows, counts, _ = shown(own=Role.TEST)
    assert rows == ("tests/test_a.py", "src/a.py", "src/b.py", "tests/test_b.py")
    assert set(counts) == {"examples", "vendored"}


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [("src", ROWS[1:4:2]), ("!src/", ROWS[::2] + ROWS[5:]), ("*_a.py", ROWS[:1]), ("none", ())],
)
def test_the_filter_goes_first(pattern: str, rows: tuple[str, ...]) -> None:
    found = sift(ROWS, place_of_path, params(fileFilter=pattern, tests="include"))
    assert set(found.rows) == set(rows)
    assert found.hidden == len(ROWS) - len(rows)


def test_what_has_no_file_passes() -> None:
    assert sift(("",), place_of_path, params(fileFilter="src", tests="exclude")).rows == ("",)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([f"tests/{n}.py" for n in range(COUNTS_MAX)], {f"tests/{n}.py": 1 for n in range(COUNTS_MAX)}),
        ([f"tests/{n}.py" for n in range(9)], {"tests/": 9}),
        ([f"tests/{'ab'[n % 2]}/c/{n}.py" for n in range(9)], {"tests/a/c/": 5, "tests/b/c/": 4}),
        ([f"tests/{n}/{n}.py" for n in range(9)], {"tests/": 9}),
        ([f"test_{n}.py" for n in range(9)], {"**": 9}),
        ([*(f"tests/{n}.py" for n in range(9)), "test_x.py"], {"tests/": 9, "./": 1}),
        ([f"p{n}/tests/a.py" for n in range(9)], {"**": 9}),
        (
            [*(f"c/{n}/x.py" for n in range(4)), *(f"b/{n}.py" for n in range(4)), *(f"a/{n}/x.py" for n in range(4))],
            {"c/": 4, "b/": 4, "a/": 4},
        ),
    ],
)
def test_many_files_are_counted_by_folder(paths: list[str], expected: dict[str, int]) -> None:
    found = folded_counts(Folded(Role.TEST, Place(path), path) for path in paths)
    assert [*found] == ["tests"]
    assert [*found["tests"].items()] == [*expected.items()], "in order"
