"""Caches the files that were read last, with what was made of them: calls in a row ask about the same ones.

Rules of the file:
- A file whose stat differs from that of its content is never in what `unchanged` finds.
- A content that may change without another stat is not kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from actors.messaging.messages import FileStat
from actors.ports import Content, Ports
from codemap.live_queries import SourceNow

BYTES_MAX = 4_000_000
"""Of the contents: what an answer with much code reads, many times over. What is made of them is several times as
large."""


class Sources:
    """A cache of sources by path, the least recently used first."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._kept: OrderedDict[str, tuple[FileStat, SourceNow]] = OrderedDict()
        self._bytes = 0

    async def unchanged(self, paths: Iterable[str]) -> dict[str, SourceNow]:
        """The files among these that are kept and on disk as they were read."""
        known = [path for path in paths if path in self._kept]
        if not known:
            return {}
        stats = await self._ports.stat_files(known)
        found: dict[str, SourceNow] = {}
        for path in known:
            kept = self._kept.get(path)
            if kept is not None and kept[0] == stats.get(path):
                self._kept.move_to_end(path)
                found[path] = kept[1]
        return found

    def keep(self, path: str, content: Content, source: SourceNow) -> None:
        """Keeps what was made of a content, in place of what was kept of the file before."""
        self._drop(path)
        if not content.is_settled or len(source.content) > BYTES_MAX:
            return
        self._kept[path] = content.stat, source
        self._bytes += len(source.content)
        while self._bytes > BYTES_MAX:
            self._drop(next(iter(self._kept)))

    def _drop(self, path: str) -> None:
        kept = self._kept.pop(path, None)
        if kept is not None:
            self._bytes -= len(kept[1].content)
