"""Counts the calls, errors and tokens of each tool of one service since the process began.

Besides the tokens that were sent, it counts what reading every mentioned file whole would have cost. That is
an upper bound of what was saved, and called one: nobody reads all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import UTC, datetime
from typing import Any

import msgspec

from actors.indexing.latest_snapshot import Published
from codemap.envelope.answer import Answer, Failure
from codemap.envelope.reply import Reply
from codemap.tools import mentioned_files
from codemap.tools.status import MetricsReport, ToolUse

CHARS_PER_TOKEN = 4
"""Characters per token, as in budgets."""


class Used(msgspec.Struct):
    """The counts of one tool."""

    calls: int = 0
    errors: int = 0
    tokens_sent: int = 0
    whole_files: int = 0
    """Tokens of reading whole every mentioned file."""

    def shown(self) -> ToolUse:
        return {
            "calls": self.calls,
            "errors": self.errors,
            "tokensSent": self.tokens_sent,
            "wholeFilesUpperBound": self.whole_files,
        }


class Usage:
    def __init__(self) -> None:
        self._since = datetime.now(UTC)
        self._tools: dict[str, Used] = {}

    def record(
        self,
        tool: str,
        reply: Reply,
        answer: Answer | Failure,
        published: Published[Any] | None,
        mentioned: Set[str] | None = None,
    ) -> None:
        """Counts a reply, and the indexed files that the answer behind it mentions, which may be known."""
        used = self._tools.setdefault(tool, Used())
        used.calls += 1
        used.tokens_sent += _tokens(len(reply.text))
        if isinstance(answer, Failure):
            used.errors += 1
        elif published is not None:
            files = published.files
            mentioned = mentioned_files(answer) if mentioned is None else mentioned
            used.whole_files += sum(_tokens(files[path].stat.size) for path in mentioned if path in files)

    def by_tool(self) -> Mapping[str, Used]:
        """The counts of the tools, in the order of their names."""
        return dict(sorted(self._tools.items()))

    def report(self) -> MetricsReport:
        """The counts for `map_status`."""
        tools = self.by_tool()
        whole = Used(
            sum(used.calls for used in tools.values()),
            sum(used.errors for used in tools.values()),
            sum(used.tokens_sent for used in tools.values()),
            sum(used.whole_files for used in tools.values()),
        )
        return {
            "since": f"{self._since:%Y-%m-%dT%H:%M:%SZ}",
            **whole.shown(),
            "tools": {tool: used.shown() for tool, used in tools.items()},
        }


def _tokens(length: int) -> int:
    return -(-length // CHARS_PER_TOKEN)
