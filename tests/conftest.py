"""Options of the test run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durations import longest_first
from tests.examples import register_profiles

register_profiles()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected tables of the literate tests")
    parser.addoption("--fresh-steps", type=int, default=300, help="random steps of the test of freshness")
    parser.addoption("--kills", type=int, default=24, help="how many processes the tests of the store kill")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):  # one of several processes, which are given files in the order of their tests
        items[:] = longest_first(items)


@pytest.fixture(scope="session", autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache directory, for tests: what they keep is their own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder
