"""Options of the test run."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from tests.examples import register_profiles
from tests.forking import Forks

register_profiles()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expected tables of the literate tests")
    parser.addoption("--processes", type=int, default=1, help="how many processes the tests run in")
    parser.addoption("--fresh-steps", type=int, default=300, help="random steps of the test of freshness")
    parser.addoption("--kills", type=int, default=24, help="how many processes the tests of the store kill")


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # to look for garbage in what is imported takes a quarter of the collection of tests
    processes: int = config.getoption("processes")
    if processes > 1:
        config.pluginmanager.register(Forks(config, processes))


def pytest_collection_finish() -> None:
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache directory, for tests: what they keep is their own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture
def autojump_clock(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> MockClock:
    """Virtual time that stands still while a thread works: else it would leap over a deadline whenever the machine is
    so busy that the thread takes its time."""
    run_sync = trio.to_thread.run_sync
    at_work = 0

    async def run_in_no_time(function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        nonlocal at_work
        at_work += 1
        autojump_clock.autojump_threshold = math.inf
        try:
            return await run_sync(function, *given, **options)
        finally:
            at_work -= 1
            if not at_work:
                autojump_clock.autojump_threshold = 0.0

    monkeypatch.setattr(trio.to_thread, "run_sync", run_in_no_time)
    return autojump_clock
