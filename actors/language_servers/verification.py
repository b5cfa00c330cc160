"""How far the verifier is, as others see it.

Written by the verifier; what is read here is of this moment.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum

import msgspec

from actors.messaging.messages import Lane
from codemap.live import Definition, Fact

AskLive = Callable[[Definition, Lane], Awaitable[Fact]]
"""Puts a question to a language server; the asker's cancel scope is the deadline."""


class Stage(Enum):
    OFF = "off"
    WAITING = "waiting"
    """For the map, or for it to be left alone."""
    RUNNING = "running"
    RESTING = "resting"
    """The server is not there, or failed."""
    DONE = "done"


class Verification(msgspec.Struct):
    """How far the uses of each language family are, as others see it."""

    stages: dict[str, Stage] = msgspec.field(default_factory=dict)
    reasons: dict[str, str] = msgspec.field(default_factory=dict)
    """Why a family's server is left alone."""

    def status(self, family: str) -> dict[str, str]:
        """As `map_status` shows it."""
        stage = self.stages.get(family, Stage.OFF)
        reason = self.reasons.get(family, "")
        return {"state": stage.value} | ({"reason": reason} if reason else {})
