"""Keeps callers from waiting for an unresponsive language server, and finds out when it answers again.

Whether it answers again is found out by questions of our own, each of which is a flight that nobody waits for: they
start the server as any other, and what becomes of its deaths is the policy's. They go on for an hour after somebody
asked last.

Rules of the file:
- Only an answer shows that it answers: many a server goes on to read, to log and to cancel when nothing else works.
- What is tried is a file other than the one that it fell silent over, as that may be to blame, and every other time
  what was asked last, as not every server can do all.
"""

from __future__ import annotations

from collections.abc import Iterable

import trio

from actors.language_servers.life.questions_in_flight import Flight, Flights
from actors.messaging.messages import Lane
from codemap.live_queries import LiveQuestion, Outline, file_asked_about

WAITED_S = 8.0
"""A caller who leaves after so long marks the server as unresponsive, if it answered nobody meanwhile."""

LIVED_S = 3.0
"""A life that ends sooner does not mark the server."""

TRIED_EVERY_S = 10.0
"""Pause between attempts while the server lives; after its death the next follows at once."""

WANTED_S = 3600.0
"""How long attempts go on after the last caller."""


class Silence:
    """One period in which a server is unresponsive."""

    def __init__(self, why: str, answers: int, asked: LiveQuestion | None) -> None:
        """`why` is a clause; `answers` is its number of answers in all lives; `asked`, the question without an
        answer."""
        self.why = why
        self.answers = answers
        self._blamed = "" if asked is None else file_asked_about(asked)
        self._asked = asked
        self._trial: Flight | None = None
        self._trials = 0
        self._wanted_at = trio.current_time()

    def want(self, question: LiveQuestion) -> None:
        """Notes that a caller was refused."""
        self._asked = question
        self._wanted_at = trio.current_time()

    @property
    def is_wanted(self) -> bool:
        """Whether a caller asked recently."""
        return trio.current_time() - self._wanted_at <= WANTED_S

    def try_again(self, flights: Flights, files: Iterable[str]) -> None:
        """Sends it a question of our own, unless one is under way or nobody asked recently. `files` are those that it
        knows."""
        if self._trial is not None and not self._trial.is_settled:
            return
        if not self.is_wanted:
            return
        other = next((file for file in files if file != self._blamed), "")
        is_turn_of_other = self._trials % 2 == 0 or self._asked is None
        question = Outline(other) if other and is_turn_of_other else self._asked
        if question is None:
            return
        self._trials += 1
        self._trial = Flight(repr(question), question, Lane.BACKGROUND)
        flights.put_back(self._trial)
