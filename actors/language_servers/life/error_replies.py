"""Decides what follows when a language server answers with an error: retry, give up, or restart. Pure.

Source: LSP 3.17, error codes; what servers mean by them is measured, see `codemap/lsp/errors.py`.
"""

from __future__ import annotations

from typing import assert_never

import msgspec

from actors.language_servers.life.restart_policy import RETRY_DELAYS_S
from codemap.live_queries import Because
from codemap.lsp.errors import Fault, ServerError


class Retry(msgspec.Struct, frozen=True):
    """Ask the same question again, after a while."""

    delay_s: float


class Refusal(msgspec.Struct, frozen=True):
    """Give up: there is no answer."""

    because: Because
    message: str


class Nothing(msgspec.Struct, frozen=True):
    """The error means that there is nothing at this place."""


class Broken(msgspec.Struct, frozen=True):
    """Only a new server process can answer."""

    message: str


def after_error(error: ServerError, retries: int, title: str) -> Retry | Refusal | Nothing | Broken:
    """Decides what follows an error; `retries` is how often the question was repeated, `title` names the server."""
    match error.fault:
        case Fault.CONTENT_MODIFIED | Fault.NOT_READY:
            if retries < len(RETRY_DELAYS_S):
                return Retry(RETRY_DELAYS_S[retries])
            return Refusal(Because.NOT_READY, f"{title} puts it off: {error.message}")
        case Fault.CANCELLED:
            if not retries:
                return Retry(0.0)
            return Refusal(Because.REFUSED, f"{title} gave it up: {error.message}")
        case Fault.UNSUPPORTED:
            return Refusal(Because.UNSUPPORTED, f"{title} cannot do this: {error.message}")
        case Fault.NO_SYMBOL:
            return Nothing()
        case Fault.BROKEN:
            return Broken(f"it is broken: {error.message}")
        case Fault.MALFORMED | Fault.SERVER:
            return Refusal(Because.REFUSED, f"{title}: {error.message}")
        case _:
            assert_never(error.fault)
