"""Counts the clients of a process over all transports, limits them, and waits until the last one has gone."""

from __future__ import annotations

from typing import Protocol

import msgspec
import trio

from actors.front.transports.connection import Connection, ConnectionStatistics, Frames
from actors.front.transports.quota import Quota


class Client(Protocol):
    """A connected client of any transport."""

    def stop(self) -> None:
        """Takes no more requests; those under way may finish."""
        ...

    def statistics(self) -> ConnectionStatistics: ...


class ClientsStatistics(msgspec.Struct, frozen=True, rename="camel"):
    connected: int
    """Clients that are connected now."""
    total: int
    """Clients since the start."""
    turned_away: int
    """Clients that were turned away because there were too many."""
    received: int
    """Valid messages of all clients since the start."""
    refused: int
    """Frames that were no valid message, and requests over a limit."""
    outstanding: int
    """Requests without an answer yet."""


class Clients:
    """All connected clients."""

    def __init__(self, clients_max: int, requests_total_max: int) -> None:
        self._places = Quota(clients_max)
        self.requests = Quota(requests_total_max)
        """A place for each unanswered request of all clients."""
        self._live: set[Client] = set()
        self._changed = trio.lowlevel.ParkingLot()
        self._total = self._turned_away = self._received = self._refused = 0
        self.is_stopping = False

    def is_welcome(self) -> bool:
        """Whether there is room for one more client; counts those that are turned away."""
        has_room = not self.is_stopping and self._places.taken < self._places.limit
        self._turned_away += not has_room
        return has_room

    def enter(self, frames: Frames, requests_max: int) -> Connection | None:
        """Admits a client and makes its connection, which must `leave`; None when there is no room."""
        connection = Connection(frames, requests_max=requests_max, quota=self.requests)
        return connection if self.admit(connection) else None

    def admit(self, client: Client) -> bool:
        """Admits a client, which then must `leave`; False when there is no room."""
        if self.is_stopping or not self._places.take():
            self._turned_away += 1
            return False
        self._live.add(client)
        self._total += 1
        self._changed.unpark_all()
        return True

    def leave(self, client: Client) -> None:
        statistics = client.statistics()
        self._received += statistics.received
        self._refused += statistics.refused
        self._live.remove(client)
        self._places.give()
        self._changed.unpark_all()

    def stop(self) -> None:
        """Admits nobody any more, and takes no more requests."""
        self.is_stopping = True
        for client in self._live:
            client.stop()
        self._changed.unpark_all()

    async def wait_gone(self, for_s: float = 0.0, first_s: float = 0.0) -> None:
        """Waits until there has been no client for `for_s`, or none is left at the end; the first may take
        `first_s`."""
        while True:
            while self._live:
                await self._changed.park()
            patience_s = for_s if self._total else max(for_s, first_s)
            with trio.move_on_after(0 if self.is_stopping else patience_s) as waiting:
                await self._changed.park()
            if waiting.cancelled_caught and not self._live:
                return

    def statistics(self) -> ClientsStatistics:
        live = [client.statistics() for client in self._live]
        return ClientsStatistics(
            connected=len(live),
            total=self._total,
            turned_away=self._turned_away,
            received=self._received + sum(one.received for one in live),
            refused=self._refused + sum(one.refused for one in live),
            outstanding=self.requests.taken,
        )
