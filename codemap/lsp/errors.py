"""Errors that a server answers with, sorted by what a client can do about them.

Source: JSON-RPC 2.0, section 5.1; LSP 3.17, ErrorCodes and LSPErrorCodes; what servers really send is measured.
"""

from __future__ import annotations

from enum import Enum

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
    """Its first line."""
    code: int = 0


class Unsupported(Exception):
    """The server cannot be asked this; the message is a clause that says why."""


class ProtocolViolation(Exception):
    """What came is not the language server protocol; the connection cannot be used any more."""


def classify(code: int, message: str) -> ServerError:
    """The error with what it means."""
    raise NotImplementedError
