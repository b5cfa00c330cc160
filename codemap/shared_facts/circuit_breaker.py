"""Decides when a shared store is asked: one that is down, slow or of no use must not cost a build its time.

Times are seconds of any clock, and come as arguments. A store that failed is asked for entries again only after a
probe, which nobody waits for, was answered.

Source: Nygard, Release It! (circuit breaker).
"""

from __future__ import annotations

import math

FAILURES_MAX = 2
"""Failures in a row after which it is not asked: one may be a single lost connection."""

FRUITLESS_MAX = 6
"""Batches in a row of which it had nothing that was accepted: it then most likely has nothing of this repository or
version, or lies."""

PAUSE_S = 5.0
"""Pause before the next probe; each that follows without an answer in between is twice as long."""

PAUSE_MAX_S = 300.0

FRUITLESS_PAUSE_S = 60.0


class CircuitBreaker:
    """It begins open, which is to say that nothing is asked, with a probe that is due at once."""

    def __init__(self) -> None:
        self.is_answering = False
        """Whether the last that it was asked was answered, or one failure is forgiven."""
        self._probe_at = -math.inf
        self._pause_s = PAUSE_S
        self._failures = self._fruitless = 0
        self._rests_until = -math.inf

    def may_ask(self, now_s: float) -> bool:
        """Whether the store may be asked for entries now."""
        return self.is_answering and now_s >= self._rests_until

    @property
    def probe_at(self) -> float:
        """When the next probe is due; infinite while the store answers."""
        return math.inf if self.is_answering else self._probe_at

    def note_probe(self) -> None:
        """Notes that a probe was answered."""
        self.is_answering = True
        self._failures = 0

    def note_answer(self, found: int, now_s: float) -> None:
        """Notes an answer to a batch: of how many files it had facts."""
        self._failures = 0
        self._pause_s = PAUSE_S
        self._fruitless = 0 if found else self._fruitless + 1
        if self._fruitless >= FRUITLESS_MAX:
            self._fruitless = 0
            self._rests_until = now_s + FRUITLESS_PAUSE_S

    def note_failure(self, now_s: float) -> None:
        """Notes that it failed, or did not answer in time."""
        self._failures += 1
        if self.is_answering and self._failures < FAILURES_MAX:
            return
        if self.is_answering or now_s >= self._probe_at:
            self._probe_at = now_s + self._pause_s
            self._pause_s = min(2 * self._pause_s, PAUSE_MAX_S)
        self.is_answering = False
