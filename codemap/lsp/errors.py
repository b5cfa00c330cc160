"""Sorts the errors of a language server by what a client can do about them.

Source: JSON-RPC 2.0, section 5.1; LSP 3.17, ErrorCodes and LSPErrorCodes; what servers really send is measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

import msgspec


class Fault(Enum):
    """What an error means for whoever asked."""

    CONTENT_MODIFIED = "contentModified"
    """Files moved on, or the server gave up by itself; ask again."""
    CANCELLED = "cancelled"
    """It was cancelled; ask again once where nobody of us did that."""
    UNSUPPORTED = "unsupported"
    """There is no such request in this server."""
    NOT_READY = "notReady"
    """It is not as far yet."""
    NO_SYMBOL = "noSymbol"
    """A negative answer: there is nothing at this position."""
    BROKEN = "broken"
    """It will answer this request so for ever; only a restart helps."""
    MALFORMED = "malformed"
    """The answer is no such answer as the protocol knows."""
    SERVER = "server"
    """Anything else: the server's own failure."""


class ServerError(msgspec.Struct, frozen=True):
    """An answer that is an error."""

    fault: Fault
    message: str
    """Its first line, at most `MESSAGE_MAX` characters."""
    code: int = 0


class Unsupported(Exception):
    """The server cannot be asked this; the message is a clause that says why."""


class ProtocolViolation(Exception):
    """What came is not the language server protocol; the connection cannot be used any more."""


MESSAGE_MAX = 300

_BY_CODE: Mapping[int, Fault] = MappingProxyType(
    {
        -32801: Fault.CONTENT_MODIFIED,  # ContentModified
        -32802: Fault.CONTENT_MODIFIED,  # ServerCancelled
        -32800: Fault.CANCELLED,  # RequestCancelled
        -32601: Fault.UNSUPPORTED,  # MethodNotFound
        -32002: Fault.NOT_READY,  # ServerNotInitialized
    }
)
_BROKEN = re.compile(r"cancel is not a function")
"""A request that was cancelled before it began leaves some servers with a token that they can never cancel again."""
_CANCELLED = re.compile(r"\bcontext canceled\b|\brequest cancell?ed\b", re.IGNORECASE)
_NEGATIVE = re.compile(
    r"\bno (?:identifier|object|symbol|definition|type definition|implementation|reference)s?\b"
    r"|\b(?:identifier|symbol|object) not found\b|\bnot an? (?:identifier|symbol|type|function|method|interface)\b",
    re.IGNORECASE,
)
"""`no package`, `file not found` and the like are failures: the server could not look."""
_NEGATIVE_CODES = frozenset({0, -32803})
"""Code 0 is what a server sends that has no codes; RequestFailed is for valid requests without an answer."""


def classify(code: int, message: str) -> ServerError:
    """The error with what it means."""
    stripped = message.strip()
    first = (stripped.splitlines() or [f"error {code}"])[0][:MESSAGE_MAX]
    return ServerError(_fault(code, stripped), first, code)


def _fault(code: int, message: str) -> Fault:
    if _BROKEN.search(message):
        return Fault.BROKEN
    if fault := _BY_CODE.get(code):
        return fault
    if code == 0 and _CANCELLED.search(message):
        return Fault.CANCELLED
    if code in _NEGATIVE_CODES and _NEGATIVE.search(message):
        return Fault.NO_SYMBOL
    return Fault.SERVER
