"""A rendered reply, and the limits that it has to keep to, in any dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from codemap.envelope.cursor import Origin
from codemap.envelope.limits import COMMUNITY, Limits

BYTES_MAX = 8192
"""Of a reply in the dialect that counts bytes."""


class Reply(msgspec.Struct, frozen=True):
    text: str
    """The compact JSON that is sent."""
    structured: dict[str, Any]
    """The same object."""
    is_error: bool


class Terms(msgspec.Struct, frozen=True):
    """The conditions of a reply beside its answer: its budget and limits, and the call that it belongs to."""

    budget: int | None = None
    """Tokens, as the caller or the settings want it; None: nobody does."""
    origin: Origin | None = None
    """The call; without it, what is cut gets a note but no cursor."""
    is_budget_asked: bool = False
    """Whether the caller itself named the budget."""
    bytes_max: int = BYTES_MAX
    limits: Limits = COMMUNITY
    """The profile in force."""
    duration_ms: float = 0.0
    """What the call took so far."""
    timings: Mapping[str, float] = {}
    """Milliseconds by stage."""
    budget_max: int | None = None
    """Tokens that the tool may have at most; None: as many as any."""
