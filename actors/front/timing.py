"""How long a call took, in all and by stage."""

from __future__ import annotations

from collections.abc import Callable

import trio


class Timer:
    """Begins when it is made; a stage that comes twice is added up."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._now = trio.lowlevel.current_clock().current_time
        self._start = self._now()

    def stage(self, name: str) -> _Stage:
        """A context manager whose time is that of the stage."""
        return _Stage(self.stages, name, self._now)

    def total_ms(self) -> float:
        return _ms(self._now() - self._start)


class _Stage:
    def __init__(self, stages: dict[str, float], name: str, now: Callable[[], float]) -> None:
        self._stages = stages
        self._name = name
        self._now = now

    def __enter__(self) -> None:
        self._start = self._now()

    def __exit__(self, *_: object) -> None:
        own = _ms(self._now() - self._start)
        before = self._stages.get(self._name)
        self._stages[self._name] = own if before is None else round(before + own, 3)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
