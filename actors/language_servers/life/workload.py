"""Tracks the requests that a language server works on, and limits how many it gets.

Rules of the file:
- A cancelled request is work as well, for a while: until it ends, or the server is taken to have forgotten it.
- A question that a server died of is put to the next alone, so that it is known whose fault another death is.
"""

from __future__ import annotations

from math import inf

import msgspec

from actors.language_servers.life.questions_in_flight import Flight
from actors.language_servers.life.restart_policy import PROBE, TOMBSTONE_BUSY_S, Outstanding, patience_with
from actors.messaging.messages import Lane
from codemap.live_queries import LiveQuestion
from codemap.lsp.server import Server


class Sent(msgspec.Struct, frozen=True):
    """A flight that was sent."""

    flight: Flight
    sent_at: float
    synced_ns: int
    """The wall clock when the server was last notified of changes."""
    doubt: str
    """What it had not finished by then, as a clause; empty where it had finished all."""
    generation: int
    """Number of notifications of changes before it."""

    @property
    def outstanding(self) -> Outstanding:
        return Outstanding(self.sent_at, patience_with(self.flight.question))


class Work:
    """The open requests of one life, by number."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._sent: dict[int, Sent] = {}
        self._buried: dict[int, Outstanding] = {}
        self._probes: dict[int, Outstanding] = {}
        self._answered_at = -inf

    @property
    def flights(self) -> list[Flight]:
        """The flights that somebody waits for."""
        return [sent.flight for sent in self._sent.values()]

    @property
    def outstanding(self) -> list[Outstanding]:
        """Requests and probes that the server has not ended, without cancelled ones that it may have forgotten."""
        sent = [sent.outstanding for sent in self._sent.values()]
        buried = [one for one in self._buried.values() if one.sent_at >= self._answered_at]
        return [*sent, *buried, *self._probes.values()]

    @property
    def buried(self) -> list[Outstanding]:
        """Cancelled requests that have not ended."""
        return list(self._buried.values())

    @property
    def is_probed(self) -> bool:
        """Whether a probe is unanswered."""
        return bool(self._probes)

    def has_room(self, flight: Flight, taken: list[Flight], now: float) -> bool:
        """Whether a flight may be sent, besides those taken already."""
        under_way = [*self.flights, *taken]
        if any(other.crashes for other in under_way) or (flight.crashes and under_way):
            return False
        # A quick server is done with many before a caller notices; a slow one gets one at a time.
        is_one_at_a_time = flight.lane is Lane.BACKGROUND and self._server.verifies != "all"
        if is_one_at_a_time and any(other.lane is Lane.BACKGROUND for other in under_way):
            return False
        dying = sum(now - one.sent_at < TOMBSTONE_BUSY_S for one in self._buried.values())
        return len(under_way) + dying < self._server.in_flight_max

    def twin_of(self, question: LiveQuestion, generation: int) -> Flight | None:
        """Finds a flight with the same question that was sent since the last notification of a change."""
        for sent in self._sent.values():
            if sent.generation == generation and sent.flight.question == question:
                return sent.flight
        return None

    def add(self, number: int, sent: Sent) -> None:
        self._sent[number] = sent

    def answered(self, number: int) -> Sent | None:
        """Removes the request of a number that was answered; None where no flight has it."""
        sent = self._sent.pop(number, None)
        if sent is not None:
            self._answered_at = sent.sent_at
        return sent

    def cancelled(self, number: int) -> Sent:
        """Removes the flight of a cancelled request, which is remembered until it ends."""
        sent = self._sent.pop(number)
        self._buried[number] = sent.outstanding
        return sent

    def bury(self, number: int, outstanding: Outstanding) -> None:
        """Notes that a request of our own is not waited for any more."""
        self._buried[number] = outstanding

    def probed(self, number: int, now: float) -> None:
        """Notes that a probe was sent."""
        self._probes[number] = Outstanding(now, PROBE)

    def ended(self, number: int) -> None:
        """Notes that a cancelled request or a probe has ended."""
        self._buried.pop(number, None)
        self._probes.pop(number, None)
