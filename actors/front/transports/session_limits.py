"""Limits HTTP sessions, and chooses the session to end when there is no place for another. No I/O, no SDK.

A client of the handshake era opens a session and often never closes it. So there are places for a number of them, in
all, for each token and for each address; where one more comes than there are, the one goes that nobody will miss: one
that was opened and never used, else the one that has been idle for longest. One with a request or a stream under way
never goes.

An address counts only where it distinguishes clients: not on the same machine, and not behind a proxy.

Source: MCP 2025-11-25, "Streamable HTTP: session management": a server may end a session at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from ipaddress import IPv6Address, ip_address, ip_network
from itertools import chain

import msgspec

NETWORK_BITS = 64
"""Bits of an IPv6 address that identify a client's network: the client chooses the rest."""
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""Headers of requests that come through a proxy."""


class Caller(msgspec.Struct, frozen=True):
    """The owner of a session."""

    token: str = ""
    """Mark of its token; empty where none is needed."""
    address: str = ""
    """Address; empty where it does not distinguish clients."""


class Limits(msgspec.Struct, frozen=True):
    """Most sessions at a time."""

    total: int
    per_token: int
    per_address: int


class Session:
    """A session that has a place; its name is known once it is open."""

    def __init__(self, marks: tuple[str, ...]) -> None:
        self.marks = marks
        """Of the limits that it counts for."""
        self.name = ""
        self.evict: Callable[[], None] = _nothing
        """Ends it; called once at most."""
        self.idle_since_s = 0.0
        self.under_way = 1
        """Requests and streams; the one that opens it is the first."""
        self.was_used = False
        """Whether there was a second one."""


class SessionPlacesStatistics(msgspec.Struct, frozen=True):
    open: int
    evicted: int
    """Sessions ended to make room for others."""
    refused: int
    """Sessions that found no place."""


class SessionPlaces:
    """All sessions of a process."""

    def __init__(self, limits: Limits, idle_s: float) -> None:
        """`idle_s` is the idle time after which a session ends by itself."""
        self._limits = limits
        self._idle_s = idle_s
        self._sessions: dict[str, Session] = {}
        self._unused: dict[Session, None] = {}
        """Those of which nothing is under way, and of which nothing ever was but the first request; oldest first."""
        self._idle: dict[Session, None] = {}
        """The others of which nothing is under way, longest idle first."""
        self._held: Counter[str] = Counter()
        """Sessions by mark."""
        self._evicted = self._refused = 0

    def take(self, caller: Caller, now_s: float) -> Session | None:
        """Takes a place for one more session, for which another may be ended; None where all are in use."""
        self._expire(now_s)
        limits = dict(self._limits_of(caller))
        for mark, limit in limits.items():
            while self._held[mark] >= limit:
                victim = self._dispensable(mark)
                if victim is None:
                    self._refused += 1
                    return None
                self._evicted += 1
                self._remove(victim)
                victim.evict()
        self._held.update(limits.keys())
        return Session(tuple(limits))

    def opened(self, session: Session, name: str, evict: Callable[[], None]) -> None:
        """Notes the name of a session that was opened; `evict` ends it."""
        session.name, session.evict = name, evict
        self._sessions[name] = session

    def begin(self, name: str) -> Session | None:
        """Notes one more request or stream of a session; None for an unknown name."""
        session = self._sessions.get(name)
        if session is not None:
            session.was_used = True
            session.under_way += 1
            self._at_work(session)
        return session

    def finish(self, session: Session, now_s: float) -> None:
        """Notes the end of a request or stream; a session that was not opened gives its place back."""
        session.under_way -= 1
        if not session.name:
            self._remove(session)
        elif not session.under_way and session.name in self._sessions:
            session.idle_since_s = now_s
            (self._idle if session.was_used else self._unused)[session] = None

    def end(self, session: Session) -> None:
        """Removes a session that has ended."""
        if session.name in self._sessions:
            self._remove(session)

    def statistics(self) -> SessionPlacesStatistics:
        return SessionPlacesStatistics(len(self._sessions), self._evicted, self._refused)

    def _limits_of(self, caller: Caller) -> Iterator[tuple[str, int]]:
        """Lists the limits that a caller's session counts for, its own first: a caller with too many loses one of its
        own."""
        if caller.token:
            yield f"token {caller.token}", self._limits.per_token
        if caller.address:
            yield f"address {caller.address}", self._limits.per_address
        yield "all", self._limits.total

    def _dispensable(self, mark: str) -> Session | None:
        """Chooses the session to end among those with a mark."""
        return next((one for one in chain(self._unused, self._idle) if mark in one.marks), None)

    def _expire(self, now_s: float) -> None:
        """Removes sessions that have ended by themselves."""
        for idle in (self._unused, self._idle):
            while idle and (oldest := next(iter(idle))).idle_since_s + self._idle_s <= now_s:
                self._remove(oldest)

    def _at_work(self, session: Session) -> None:
        self._unused.pop(session, None)
        self._idle.pop(session, None)

    def _remove(self, session: Session) -> None:
        self._sessions.pop(session.name, None)
        self._at_work(session)
        for mark in session.marks:
            self._held[mark] -= 1
            if not self._held[mark]:
                del self._held[mark]


def _nothing() -> None:
    pass


def address_of(host: str, *, is_forwarded: bool) -> str:
    """Finds the part of a peer's address that distinguishes clients; empty for none."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback or is_forwarded:
        return ""
    return str(ip_network((address, NETWORK_BITS), strict=False)) if address.version == 6 else str(address)
