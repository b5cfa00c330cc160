"""The scripted server as a process of its own: see `argv_for`. Standard library only."""

from __future__ import annotations

import heapq
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from itertools import count

from tests.language_server.script import Burn, Complain, Deafen, Deed, Exit, Fork, Later, Scenario, Script, Stop, Write
from tests.language_server.sources import Code

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def argv_for(*scenarios: Scenario, starts: str = os.devnull) -> tuple[str, ...]:
    """The command line that serves a scenario: each start the next, the last for all that follow.

    `starts` is the file by which starts are counted; needed for more than one scenario.
    """
    start = f"import sys; sys.path.insert(0, {ROOT!r}); from tests.language_server.serve import main; main()"
    return (sys.executable, "-E", "-S", "-c", start, starts, json.dumps([asdict(one) for one in scenarios]))


class Process:
    def __init__(self, scenario: Scenario) -> None:
        code = Code(os.getcwd(), _read, lambda: _walk(code.root))
        self._script = Script(scenario, code)
        self._timers: list[tuple[float, int, object]] = []
        self._order = count()
        self._is_deaf = self._is_ended = False
        self._diary = scenario.diary
        self._noted = 0

    def run(self) -> None:
        while True:
            wait_s = max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None
            listens = [] if self._is_deaf or self._is_ended else [0]
            readable, _, _ = select.select(listens, [], [], 3600.0 if wait_s is None else wait_s)
            if readable:
                data = os.read(0, 65536)
                self._is_ended = not data
                self._do(self._script.receive(data) if data else self._script.end_of_input())
                self._note()
            while self._timers and self._timers[0][0] <= time.monotonic():
                self._do(self._script.wake(heapq.heappop(self._timers)[2]))

    def _note(self) -> None:
        if self._diary:
            with open(self._diary, "a", encoding="utf-8") as diary:
                diary.writelines(f"{method}\n" for method in self._script.asked[self._noted :])
            self._noted = len(self._script.asked)

    def _do(self, deeds: Iterable[Deed]) -> None:
        for deed in deeds:
            match deed:
                case Write(data, is_dripped):
                    _write(1, data, 1 if is_dripped else len(data))
                case Complain(data):
                    _write(2, data, len(data))
                case Later(seconds, tag):
                    heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), tag))
                case Burn(seconds):
                    until = time.process_time() + seconds
                    while time.process_time() < until:
                        pass
                case Exit(code):
                    os._exit(code)
                case Stop():
                    os.kill(os.getpid(), signal.SIGSTOP)
                case Deafen():
                    self._is_deaf = True
                case Fork(kind):
                    _fork(kind, self._diary or os.getcwd())


def _fork(kind: str, word: str) -> None:
    """`word` is on the command line of what throws its environment away, so that it can be found."""
    if os.fork():
        if kind == "orphan":
            os.wait()  # its parent is gone then
        return
    if kind in ("session", "orphan"):
        os.setsid()
    if kind == "orphan" and os.fork():
        os._exit(0)
    if kind != "holder":
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
    if kind == "orphan":
        os.execve(sys.executable, (sys.executable, "-S", "-c", "import time; time.sleep(3600)", word), {})
    while True:
        time.sleep(3600)


def _write(descriptor: int, data: bytes, size: int) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:size]) :]


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except OSError:
        return None


def _walk(root: str) -> list[str]:
    return [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]


def main() -> None:
    """The words are those of `argv_for`; others mean nothing."""
    with open(sys.argv[1], "a+b") as starts:
        number = starts.seek(0, os.SEEK_END)
        starts.write(b".")
    scenarios = [Scenario(**scenario) for scenario in json.loads(sys.argv[2])]
    scenario = scenarios[min(number, len(scenarios) - 1)]
    if scenario.ignores_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Process(scenario).run()


if __name__ == "__main__":
    main()
