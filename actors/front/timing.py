"""How long a call took, in all and by stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import trio


class Timer:
    """Begins when it is made; a stage that comes twice is added up."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._start = trio.current_time()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = trio.current_time()
        try:
            yield
        finally:
            self.stages[name] = round(self.stages.get(name, 0.0) + _ms_since(start), 3)

    def total_ms(self) -> float:
        return round(_ms_since(self._start), 3)


def _ms_since(start: float) -> float:
    return (trio.current_time() - start) * 1000
