"""About how long each file of tests takes, so that a run can begin with the longest and its processes end together."""

from __future__ import annotations

import pytest

_SYSTEM_S, _RANDOM_S, _OTHER_S = 4.0, 2.0, 0.02
"""A test that starts processes, one of many random inputs, any other: on two cores."""
FILES_S = {
    "tests/test_costs.py": 60.0,
    "tests/system/test_traps.py": 150.0,
    "tests/system/test_store.py": 60.0,
    "tests/graph/test_incremental.py": 80.0,
}
"""Files whose tests are longer than others of their kind."""


def longest_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests, file by file, in their order within a file."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(_file_of(item), []).append(item)
    return [item for file in sorted(files, key=lambda file: -_seconds(file, files[file])) for item in files[file]]


def _seconds(file: str, items: list[pytest.Item]) -> float:
    return FILES_S.get(file) or sum(map(_seconds_of_one, items))


def _seconds_of_one(item: pytest.Item) -> float:
    if _file_of(item).startswith("tests/system/"):
        return _SYSTEM_S
    return _RANDOM_S if item.get_closest_marker("hypothesis") else _OTHER_S


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
