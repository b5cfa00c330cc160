"""Runs tests in processes forked from one that has collected them: `--processes N`.

To import and collect all tests takes longer than to run most of them, so it is done once. A process is given a file
at a time, in the order of the tests, and asks for the next one before it ends the last test of the one before, so that
what tests of several files share lives on. A process that dies fails the test that it was at; another takes its place.

Source: pytest's `_pytest.main.pytest_runtestloop`, in whose place this stands, and pytest-xdist's `remote.py`.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Iterator
from itertools import groupby
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies

from actors.processes.frame_stack import call_with_room
from tests.durations import file_of, longest_first
from tests.system.forked import begin

_FORK = multiprocessing.get_context("fork")


class Forked:
    """One process, as seen from the first."""

    def __init__(self, process: ForkProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.left: deque[int] = deque()
        """The tests of its file that have not ended, by number."""


class Forks:
    """The plug-in of the first process."""

    def __init__(self, config: pytest.Config, count: int) -> None:
        self._config = config
        self._count = count
        self._stopping = _FORK.Event()
        self._made = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = longest_first(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.option.collectonly or self._config.option.usepdb:
            return None  # pytest's own says why nothing runs, or where to look
        numbered = groupby(range(len(session.items)), key=lambda number: file_of(session.items[number]))
        files = deque(deque(numbers) for _, numbers in numbered)
        if threading.active_count() > 1:
            raise pytest.UsageError(f"What is imported has started threads: {threading.enumerate()}.")
        strategies.characters().validate()  # computed once and kept; in a clean checkout, seconds
        if any(file_of(item).startswith("tests/system/") for item in session.items):
            begin()
        gc.collect()
        gc.freeze()  # what is here now stays: no process need look at it again
        forks = [self._fork(session) for _ in range(min(self._count, len(files)))]
        try:
            while forks:
                for pipe in wait([fork.pipe for fork in forks]):
                    [fork] = [fork for fork in forks if fork.pipe is pipe]
                    if not self._attend(session, fork, files):
                        forks.remove(fork)
                        if fork.left and not self._stopping.is_set():
                            files.appendleft(fork.left)
                            forks.append(self._fork(session))
        finally:
            for fork in forks:
                fork.process.terminate()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return True

    def _fork(self, session: pytest.Session) -> Forked:
        ours, theirs = _FORK.Pipe()
        self._made += 1
        base = session.config._tmp_path_factory.getbasetemp() / f"process-{self._made}"  # type: ignore[attr-defined]
        process = _FORK.Process(target=_run, args=(session, theirs, base, self._stopping))
        process.start()
        theirs.close()
        return Forked(process, ours)

    def _attend(self, session: pytest.Session, fork: Forked, files: deque[deque[int]]) -> bool:
        """Takes what a process says; false where that was the last."""
        hook = self._config.hook
        try:
            said, what = fork.pipe.recv()
        except (EOFError, ConnectionError):
            fork.process.join()
            if fork.process.exitcode and not fork.left:
                raise RuntimeError("A process of the tests ended beside them.") from None
            if fork.left and not self._stopping.is_set():
                item = session.items[fork.left.popleft()]
                why = f"its process ended with exit code {fork.process.exitcode}"
                self._tell(session, pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call"))
            return False
        match said:
            case "report":
                self._tell(session, hook.pytest_report_from_serializable(config=self._config, data=what))
            case "began":
                item = session.items[what]
                hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            case "ended":
                item = session.items[what]
                fork.left.remove(what)
                hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
            case "next":
                given = files.popleft() if files and not self._stopping.is_set() else deque()
                fork.left.extend(given)
                fork.pipe.send(list(given))
        return True

    def _tell(self, session: pytest.Session, report: pytest.TestReport) -> None:
        self._config.hook.pytest_runtest_logreport(report=report)
        if session.shouldfail or session.shouldstop:
            self._stopping.set()


class _Sender:
    """The plug-in of a forked process."""

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self._config = config
        self._pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._pipe.send(("report", data))


def _run(session: pytest.Session, pipe: Connection, base: Path, stopping: Any) -> None:
    config = session.config
    base.mkdir()
    config._tmp_path_factory._basetemp = base  # type: ignore[attr-defined]
    capture = config.pluginmanager.getplugin("capturemanager")
    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    before = capture._global_capturing
    for captured in (before.out, before.err):  # the files of all processes; what is imported may have kept sys.stderr
        os.dup2(nowhere.fileno(), captured.tmpfile.fileno())
    capture._global_capturing = None
    capture.start_global_capturing()
    capture.suspend_global_capture(in_=True)
    config.get_terminal_writer()._file = nowhere
    config.pluginmanager.register(_Sender(config, pipe))
    call_with_room(lambda: _run_given(session, pipe, stopping))
    pipe.close()


def _run_given(session: pytest.Session, pipe: Connection, stopping: Any) -> None:
    config = session.config
    numbers = _given(pipe, stopping)
    number = next(numbers, None)
    while number is not None:
        pipe.send(("began", number))
        following = next(numbers, None)
        item = session.items[number]
        next_item = None if following is None else session.items[following]
        config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
        pipe.send(("ended", number))
        if session.shouldfail or session.shouldstop:
            break  # pytest has taken down what tests share
        number = following


def _given(pipe: Connection, stopping: Any) -> Iterator[int]:
    """The tests of this process, by number."""
    while True:
        pipe.send(("next", None))
        numbers = pipe.recv()
        if not numbers:
            return
        for number in numbers:
            if stopping.is_set():
                return
            yield number
