"""Queues questions to a language server, and lets all who ask the same share one answer.

Rules of the file:
- Who asks what is already waiting to be sent joins it. What was sent is joined later, when it is known that the disk
  has not changed since.
- Callers come before the background.
- A flight ends once: with a fact for all who wait, or when the last of them has left.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator

import msgspec
import trio

from actors.messaging.inbox import Delivery
from actors.messaging.messages import Lane, LanguageMessage, Live
from codemap.live_queries import Fact, LiveQuestion


class Flight:
    """One question, with all who wait for its answer."""

    __slots__ = (
        "crashes",
        "died_at",
        "is_settled",
        "key",
        "lane",
        "left_out",
        "on_left",
        "question",
        "repeats",
        "retries",
        "successor",
        "waiting",
    )

    def __init__(self, key: str, question: LiveQuestion, lane: Lane) -> None:
        self.key = key
        self.question = question
        self.lane = lane
        self.waiting: list[Delivery[LanguageMessage]] = []
        self.on_left: Callable[[], None] | None = None
        """Called when nobody waits any more; set while a server works on it."""
        self.is_settled = False
        self.successor: Flight | None = None
        """The flight that those who waited wait for now."""
        self.retries = 0
        """How often the server refused for the moment."""
        self.repeats = 0
        """How often files changed while it was asked."""
        self.left_out = 0
        """Files that the server ought to know to answer, and does not."""
        self.crashes = 0
        """How many lives ended with it."""
        self.died_at = 0.0
        """When the last of them did."""


class Counts(msgspec.Struct, frozen=True):
    foreground: int
    background: int


class Flights:
    """The queue of one server."""

    def __init__(self) -> None:
        self._queued: dict[Lane, OrderedDict[str, Flight]] = {lane: OrderedDict() for lane in Lane}
        self.changed = trio.lowlevel.ParkingLot()
        """Unparked when something came to wait, or may be sent now."""

    def join(self, delivery: Delivery[LanguageMessage], ask: Live) -> Flight:
        """Joins a waiting flight with the same question, or queues a new one."""
        key = repr(ask.question)
        flight = self._find(key)
        if flight is None:
            flight = Flight(key, ask.question, ask.lane)
            self._queued[ask.lane][key] = flight
        elif ask.lane is Lane.FOREGROUND and flight.lane is Lane.BACKGROUND:
            del self._queued[flight.lane][key]
            flight.lane = ask.lane
            self._queued[ask.lane][key] = flight
        flight.waiting.append(delivery)
        self.changed.unpark_all()
        return flight

    def leave(self, flight: Flight, delivery: Delivery[LanguageMessage]) -> bool:
        """Removes an asker, who left or has the answer; whether it left without one."""
        while flight.successor is not None:
            flight = flight.successor
        if flight.is_settled:
            return False
        flight.waiting.remove(delivery)
        if not flight.waiting:
            flight.is_settled = True
            self._drop(flight)
            if flight.on_left is not None:
                flight.on_left()
        return True

    def merge(self, flight: Flight, into: Flight) -> None:
        """Moves all who wait for a flight to another with the same question."""
        flight.successor, flight.is_settled = into, True
        into.waiting += flight.waiting
        flight.waiting = []
        if flight.lane is Lane.FOREGROUND:
            into.lane = flight.lane

    def settle(self, flight: Flight, fact: Fact) -> None:
        """Answers everyone who waits; does nothing where nobody does any more."""
        if flight.is_settled:
            return
        flight.is_settled = True
        self._drop(flight)
        for delivery in flight.waiting:
            delivery.answer(delivery.message, fact)
        flight.waiting.clear()

    def drop(self, flight: Flight) -> None:
        """Ends a flight that nobody waits for."""
        flight.is_settled = True
        self._drop(flight)

    def put_back(self, flight: Flight) -> None:
        """Queues a flight again, before others. One with the same question may have come meanwhile."""
        if flight.is_settled:
            return
        key = flight.key
        while self._find(key) is not None:
            key += "'"
        flight.key = key
        lane = self._queued[flight.lane]
        lane[key] = flight
        lane.move_to_end(key, last=False)
        self.changed.unpark_all()

    def take(self) -> Flight | None:
        """Takes the next flight to send, callers first; None where there is none."""
        for lane in (Lane.FOREGROUND, Lane.BACKGROUND):
            if self._queued[lane]:
                return self._queued[lane].popitem(last=False)[1]
        return None

    def peek(self) -> Flight | None:
        """The flight that `take` would return."""
        return next(iter(self), None)

    async def wait_any(self) -> None:
        """Waits until a flight is queued."""
        while self.peek() is None:
            await self.changed.park()

    def counts(self) -> Counts:
        return Counts(len(self._queued[Lane.FOREGROUND]), len(self._queued[Lane.BACKGROUND]))

    def __iter__(self) -> Iterator[Flight]:
        for lane in (Lane.FOREGROUND, Lane.BACKGROUND):
            yield from self._queued[lane].values()

    def _find(self, key: str) -> Flight | None:
        return next((self._queued[lane][key] for lane in Lane if key in self._queued[lane]), None)

    def _drop(self, flight: Flight) -> None:
        queued = self._queued[flight.lane]
        if queued.get(flight.key) is flight:
            del queued[flight.key]
