"""Measures how long a call takes, in all and by stage."""

from __future__ import annotations

import trio


class Timer:
    """A timer of stages. A stage begins where the one before ended; times of the same stage are added."""

    def __init__(self) -> None:
        self._now = trio.lowlevel.current_clock().current_time
        self._start = self._since = self._now()
        self._stages: dict[str, float] = {}

    def end(self, stage: str) -> None:
        """Ends a stage, which began when the last one ended."""
        now = self._now()
        self._stages[stage] = self._stages.get(stage, 0.0) + now - self._since
        self._since = now

    def total_ms(self) -> float:
        return _ms(self._now() - self._start)

    def stages_ms(self) -> dict[str, float]:
        """Milliseconds of the stages that have ended."""
        return {stage: _ms(seconds) for stage, seconds in self._stages.items()}


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
