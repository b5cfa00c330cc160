"""Answers what clients of the handshake era ask first, on connections: `initialize`, `ping` and the lists.

With `handshake_era_calls` that is all that most clients ever ask, so that a process starts and serves without the SDK,
whose import costs as much CPU as everything else at a start. What is asked besides is the SDK's (`speaking`).

Rules of the file:
- A client gets what the SDK would send: a test compares the two in all versions.
- What is not plainly right is left to the SDK, which knows what is wrong with it.

Source: MCP 2024-11-05 to 2025-11-25, "Lifecycle", "Ping", "Pagination".
"""

from __future__ import annotations

from typing import Any

import msgspec

from actors.front.protocol.handshake_era_calls import ToolCalls
from actors.front.protocol.listings import Listings, shows_apps
from actors.front.transports.connection import Connection
from actors.front.transports.jsonrpc import Notification, Request

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Of the era; a client that wants another one is offered the last."""


class _About(msgspec.Struct):
    name: str
    version: str


class _Initialize(msgspec.Struct, rename="camel"):
    """The parameters of `initialize`; members that are not listed mean nothing here."""

    protocol_version: str
    capabilities: dict[str, Any]
    client_info: _About
    meta: msgspec.UnsetType = msgspec.field(name="_meta", default=msgspec.UNSET)
    """Must not be there: it may be of a later era."""


class Handshake:
    """What one client was answered of it."""

    def __init__(self, connection: Connection, listings: Listings, calls: ToolCalls) -> None:
        self.begun: list[Request | Notification] = []
        """What the client has begun with, as far as it was answered here."""
        self._connection = connection
        self._listings = listings
        self._calls = calls
        self._with_apps = False

    async def take(self, message: Request | Notification) -> bool:
        """Answers a message if it is one of those; False if it is not. Raises trio.ClosedResourceError or
        BrokenResourceError at the end."""
        if isinstance(message, Notification):
            if message.method == "notifications/initialized" and len(self.begun) == 1:
                self.begun.append(message)
                return True
            return False
        result = self._greet(message) if message.method == "initialize" else self._list(message)
        if result is None:
            return False
        await self._connection.send({"jsonrpc": "2.0", "id": message.id, "result": result}, message.id)
        return True

    def _greet(self, request: Request) -> dict[str, Any] | None:
        if self.begun or self._calls.is_agreed:
            return None
        try:
            wanted = msgspec.convert(request.params, _Initialize)
        except msgspec.ValidationError:
            return None
        self.begun.append(request)
        self._calls.is_agreed = True
        self._with_apps = shows_apps(wanted.capabilities)
        version = wanted.protocol_version
        return self._listings.greet(version if version in VERSIONS else VERSIONS[-1])

    def _list(self, request: Request) -> dict[str, Any] | None:
        if not self.begun or request.params:  # a cursor, or what a later era has
            return None
        return {} if request.method == "ping" else self._listings.find(request.method, with_apps=self._with_apps)
