"""The progress of the verifier, as others see it.

Written by the verifier; what is read here is of this moment.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum

import msgspec

from actors.messaging.messages import Lane
from codemap.live_queries import Definition, Fact

AskLive = Callable[[Definition, Lane], Awaitable[Fact]]
"""Puts a question to a language server; the asker's cancel scope is the deadline."""


class Stage(Enum):
    OFF = "off"
    WAITING = "waiting"
    """Waits for the map, or until it stops changing."""
    RUNNING = "running"
    RESTING = "resting"
    """Pauses: the server is missing, or failed."""
    DONE = "done"


class Verification(msgspec.Struct):
    """The progress for each language family."""

    stages: dict[str, Stage] = msgspec.field(default_factory=dict)
    reasons: dict[str, str] = msgspec.field(default_factory=dict)
    """Why a family's server is not asked for now."""

    def status(self, family: str) -> dict[str, str]:
        """The progress of a family, for `map_status`."""
        stage = self.stages.get(family, Stage.OFF)
        reason = self.reasons.get(family, "")
        return {"state": stage.value} | ({"reason": reason} if reason else {})
