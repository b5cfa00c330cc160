"""One decoded call of a tool, with all that answering it needs."""

from __future__ import annotations

import msgspec

from actors.front.progress import Following
from actors.front.timing import Timer
from actors.service.service import Service
from codemap.envelope.limits import Limits
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import Tool


class ToolCall(msgspec.Struct, frozen=True):
    service: Service[Snapshot]
    tool: Tool
    params: msgspec.Struct
    limits: Limits
    following: Following
    """Progress of the call, for its client."""
    timer: Timer
    page_chars: int
    """See `World.page_chars`."""
    fresh_by: float | None
    """Until when the call waits for edits, by Trio's clock; None: not at all."""

    @property
    def wanted(self) -> str:
        """The text that the tool searches for; empty where it searches for none."""
        text: str = getattr(self.params, "query", "")
        return text
