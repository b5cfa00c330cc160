"""Files of tests that take long come first, so that no process is left with one of them at the end."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.durations import FILES_S, longest_first


class Item:
    """What the order asks of a test."""

    def __init__(self, nodeid: str, *, is_random: bool = False) -> None:
        self.nodeid = nodeid
        self._is_random = is_random

    def get_closest_marker(self, name: str) -> object:
        return self if self._is_random and name == "hypothesis" else None


def test_files_stay_whole_and_the_longest_of_each_half_come_first() -> None:
    items = [
        Item("tests/a.py::one"),
        Item("tests/b.py::one", is_random=True),
        Item("tests/a.py::two"),
        Item("tests/system/c.py::one"),
        Item("tests/system/test_traps.py::one"),
        Item("tests/test_costs.py::one"),
    ]
    found = [item.nodeid for item in longest_first(cast(list[pytest.Item], items))]
    assert found == [
        "tests/test_costs.py::one",
        "tests/system/test_traps.py::one",
        "tests/system/c.py::one",
        "tests/b.py::one",
        "tests/a.py::one",
        "tests/a.py::two",
    ]


@pytest.mark.parametrize("file", FILES_S)
def test_files_that_are_named_exist(file: str) -> None:
    assert (Path(__file__).parents[1] / file).is_file()
