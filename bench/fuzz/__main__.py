"""The runner: `python -m bench.fuzz [MINUTES] [--only TARGET] [--first NUMBER] [--inputs COUNT]`.

All targets take turns until the time is over. A failure is printed with the command that replays it, the run goes on
behind it, and its exit code is 1 in the end.
"""

from __future__ import annotations

import faulthandler
import resource
import signal
import sys
import time
import traceback
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from itertools import count
from types import FrameType

from bench.fuzz.target import Broken, Inputs, Target
from bench.fuzz.targets import TARGETS

TURN_S = 20.0
"""What a target has before the next one."""
INPUT_S = 20.0
"""Of the processor, for one input; ordinary ones take a hundredth."""
WAIT_S = 50.0
"""By the clock, for one that waits, or has a small share of a busy machine."""
STUCK_S = 60
"""After which a process that takes no signal is ended, with the stacks of its threads."""
GROWTH_MAX_MB = 1500
"""By which the process may grow at one input."""
STACK_MAX = 12
"""Of the frames of a failure, the innermost."""
FAILURES_MAX = 20
"""Of one target; then something is wrong that more of them do not show."""


class Hung(BaseException):
    """An input took too long. No Exception, so that nothing under test takes it for its own."""


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    parser = ArgumentParser("python -m bench.fuzz", description="Breaks what comes from outside, in every way.")
    parser.add_argument("minutes", nargs="?", type=float, default=60.0, help="how long; default: 60")
    names = [target.name for target in TARGETS]
    parser.add_argument("--only", action="append", choices=names, help="only this target")
    parser.add_argument("--first", type=int, help="number of the first input; default: another at every run")
    parser.add_argument("--inputs", type=int, help="so many inputs of each target instead of minutes")
    given = parser.parse_args(words)
    start = int(time.time()) * 1000 if given.first is None else given.first
    signal.signal(signal.SIGPROF, _hang)
    signal.signal(signal.SIGALRM, _hang)
    runs = [Run(target, start) for target in TARGETS if given.only is None or target.name in given.only]
    end = time.monotonic() + given.minutes * 60
    if given.inputs is not None:
        for run in runs:
            run.turn(range(start, start + given.inputs), None)
    else:
        while (left := end - time.monotonic()) > 0 and any(not run.is_over for run in runs):
            for run in runs:
                if not run.is_over:
                    run.turn(count(run.next), min(TURN_S, max(left, 1)))
    for run in runs:
        _tell(f"{run.target.name}: {run.count} inputs, {run.failures} failures")
    return 1 if any(run.failures for run in runs) else 0


class Run:
    """One target, as far as it has come."""

    def __init__(self, target: Target, start: int) -> None:
        self.target = target
        self.next = start
        self.count = self.failures = 0

    @property
    def is_over(self) -> bool:
        return self.failures >= FAILURES_MAX

    def turn(self, numbers: Iterable[int], seconds: float | None) -> None:
        """Works on inputs until they end; behind one that fails, it goes on."""
        guard = Guard() if self.target.is_alone else None
        inputs = Inputs(self.target.name, numbers, seconds, guard.before_input if guard else lambda: None)
        begun = self.next
        while not self.is_over:
            try:
                self.target.run(inputs)
                if guard is not None:
                    guard.before_input()
                break
            except (Exception, Hung) as error:
                if inputs.number is None:
                    raise
                self._failed(begun, inputs.number, error)
                begun = inputs.number + 1
            finally:
                _disarm()
        self.count += inputs.count
        self.next = self.next if inputs.number is None else inputs.number + 1

    def _failed(self, begun: int, number: int, error: BaseException) -> None:
        self.failures += 1
        begin, inputs = (number, 1) if self.target.is_alone else (begun, number - begun + 1)
        _tell(f"FAILED {self.target.name}, input {number}; again by:\n  {replay(self.target, begin, inputs)}")
        _tell(
            f"  {error}" if isinstance(error, Broken) else "".join(traceback.format_exception(error, limit=-STACK_MAX))
        )


def replay(target: Target, begin: int, inputs: int) -> str:
    """The command that makes the same inputs again."""
    return f"python -m bench.fuzz --only {target.name} --first {begin} --inputs {inputs}"


class Guard:
    """Sees to it that an input ends, and does not take all memory."""

    def __init__(self) -> None:
        self._peak = _peak_mb()

    def before_input(self) -> None:
        """The clock of the one before it stops, that of the next begins. Raises Broken."""
        _disarm()
        peak = _peak_mb()
        grown, self._peak = peak - self._peak, peak
        if grown > GROWTH_MAX_MB:
            raise Broken(f"the process grew by {grown:.0f} MB")
        signal.setitimer(signal.ITIMER_PROF, INPUT_S)
        signal.setitimer(signal.ITIMER_REAL, WAIT_S)
        faulthandler.dump_traceback_later(STUCK_S, exit=True, file=sys.__stderr__ or sys.stderr)


def _disarm() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    faulthandler.cancel_dump_traceback_later()


def _hang(number: int, _frame: FrameType | None) -> None:
    took = f"{INPUT_S:g} s of the processor" if number == signal.SIGPROF else f"{WAIT_S:g} s"
    raise Hung(f"an input took more than {took}")


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
