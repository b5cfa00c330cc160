"""One decoded call of a tool, with all that answering it needs."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from actors.front.progress import Following
from actors.front.timing import Timer
from actors.indexing.latest_snapshot import Published
from actors.service.joined_maps import ALONE, Joined, JoinedMaps
from actors.service.service import Service
from codemap.envelope.answer import Failure
from codemap.envelope.limits import Limits
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import Replied, Tool
from codemap.tools.tool import Spans, other_roots_named

P = TypeVar("P", bound=msgspec.Struct)
ALL_ROOTS = "@*"
"""The `fileFilter` that every file of every root passes."""


class Others(msgspec.Struct, frozen=True):
    """The other roots of the process, as a call to one of them sees them."""

    maps: JoinedMaps
    asked: str
    """Name of the root that is asked."""

    named: frozenset[str] = frozenset()
    """Roots that the arguments name."""

    def of_call(self, params: P) -> tuple[Others, P]:
        """The same for a call, and its parameters, where a filter for the files of all roots is none."""
        named = other_roots_named(params, self.maps.names)
        if getattr(params, "file_filter", "") == ALL_ROOTS:
            params = msgspec.structs.replace(params, file_filter="")
        return msgspec.structs.replace(self, named=frozenset(named)), params

    async def find(self, published: Published[Snapshot], tool: Tool, by: float) -> Joined:
        """What a call sees of them."""
        if tool.spans_roots.is_alone or (tool.spans_roots is Spans.NAMED and not self.named):
            return ALONE
        return await self.maps.find(self.asked, published, self.named, by)

    def with_missed(self, answer: Replied, published: Published[Snapshot] | None, tool: Tool) -> Replied:
        """An answer that says which roots were not asked though they may have more, and a failure that says so of roots
        that the arguments name."""
        if published is None:
            return answer
        if isinstance(answer, Failure):
            if not self.named or not tool.spans_roots.is_alone:
                return answer
            where = ", ".join(f"/mcp/{name}" for name in sorted(self.named))
            return msgspec.structs.replace(answer, hint=f"{tool.name} stays in the root that is asked: call {where}.")
        match tool.spans_roots:
            case Spans.MISSED:
                how = "map_neighbors and map_impact are"
            case Spans.NAMED if not self.named and "emptyBecause" in answer.data:
                how = f'fileFilter:"{ALL_ROOTS}" looks in all'
            case _:
                return answer
        missed = self.maps.beside(self.asked, published.snapshot)
        said = (f"Not asked: the root(s) {', '.join(missed)}; {how}.",) if missed else ()
        return msgspec.structs.replace(answer, warnings=(*answer.warnings, *said))


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
    others: Others | None
    """The other roots that are served; None where there are none."""
    fresh_by: float | None
    """Until when the call waits for edits, by Trio's clock; None: not at all."""

    @property
    def wanted(self) -> str:
        """The text that the tool searches for; empty where it searches for none."""
        text: str = getattr(self.params, "query", "")
        return text
