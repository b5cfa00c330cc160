"""How long a call took, in all and by stage."""

from __future__ import annotations

import trio


class Timer:
    """Begins when it is made; a stage that comes twice is added up."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._start = trio.current_time()

    def stage(self, name: str) -> _Stage:
        """A context manager whose time is that of the stage."""
        return _Stage(self.stages, name)

    def total_ms(self) -> float:
        return round(_ms_since(self._start), 3)


class _Stage:
    def __init__(self, stages: dict[str, float], name: str) -> None:
        self._stages = stages
        self._name = name

    def __enter__(self) -> None:
        self._start = trio.current_time()

    def __exit__(self, *_: object) -> None:
        self._stages[self._name] = round(self._stages.get(self._name, 0.0) + _ms_since(self._start), 3)


def _ms_since(start: float) -> float:
    return (trio.current_time() - start) * 1000
