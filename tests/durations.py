"""About how long each file of tests takes, so that a run can begin with the longest and its processes end together."""

from __future__ import annotations

import pytest

_SYSTEM = "tests/system/"
_SYSTEM_S, _RANDOM_S, _OTHER_S = 2.0, 0.8, 0.02
"""A test that starts processes, one of many random inputs, any other: on two cores."""
FILES_S = {
    "tests/actors/front/transports/test_http_sessions.py": 11.0,
    "tests/actors/language_servers/test_supervisor.py": 8.0,
    "tests/actors/listing/test_listing.py": 9.0,
    "tests/actors/test_language_chaos.py": 8.0,
    "tests/actors/test_language_diagnostics.py": 12.0,
    "tests/actors/test_worker.py": 8.0,
    "tests/actors/test_world.py": 13.0,
    "tests/extract/test_nesting.py": 12.0,
    "tests/graph/test_cycles.py": 10.0,
    "tests/graph/test_incremental.py": 25.0,
    "tests/graph/test_order.py": 7.0,
    "tests/mentions/test_literate.py": 9.0,
    "tests/test_costs.py": 20.0,
    "tests/test_ignore.py": 11.0,
    "tests/system/test_command_line.py": 30.0,
    "tests/system/test_command_output.py": 20.0,
    "tests/system/test_live_python.py": 30.0,
    "tests/system/test_live_typescript.py": 40.0,
    "tests/system/test_live_untrusted.py": 40.0,
    "tests/system/test_store.py": 60.0,
    "tests/system/test_traps.py": 150.0,
    "tests/system/test_view.py": 40.0,
    "tests/system/test_workers.py": 50.0,
}
"""Files whose tests are longer or shorter than others of their kind."""
_WHILE_FETCHING_S = 4.0
"""Files that take so long come before those that need what is fetched when a run begins."""


def longest_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests, file by file, in their order within a file: at first the long ones of the pure half, while what the
    system tests need is fetched; then those, then the short ones.
    """
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(file_of(item), []).append(item)
    return [item for file in sorted(files, key=lambda file: _place(file, files[file])) for item in files[file]]


def _place(file: str, items: list[pytest.Item]) -> tuple[int, float]:
    seconds = _seconds(file, items)
    if file.startswith(_SYSTEM):
        return 1, -seconds
    return (0 if seconds >= _WHILE_FETCHING_S else 2), -seconds


def _seconds(file: str, items: list[pytest.Item]) -> float:
    return FILES_S.get(file) or sum(map(_seconds_of_one, items))


def _seconds_of_one(item: pytest.Item) -> float:
    if file_of(item).startswith(_SYSTEM):
        return _SYSTEM_S
    return _RANDOM_S if item.get_closest_marker("hypothesis") else _OTHER_S


def file_of(item: pytest.Item) -> str:
    """The path of its file, from the root."""
    return item.nodeid.partition("::")[0]
