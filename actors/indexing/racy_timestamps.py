"""Remembers files that were read so soon after a change that another change might not show in their stat."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from actors.files.reading import COARSE_SETTLED_NS, settles_ns
from actors.indexing.latest_snapshot import FileRecord

MARGIN_S = 0.001
"""Margin after which a file is read again, as clocks are not that precise."""


class Unsettled:
    def __init__(self) -> None:
        self._settles_ns: dict[str, int] = {}
        """Path -> the wall clock at which the file settles, in nanoseconds."""

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(self._settles_ns)

    def due_s(self, now_ns: int) -> float:
        """Seconds until all of them can be checked; infinite where there are none."""
        left_s = (max(self._settles_ns.values()) - now_ns) / 1e9 if self._settles_ns else math.inf
        return max(left_s, 0.0) + MARGIN_S

    def update(self, records: Mapping[str, FileRecord], looked_at: Iterable[str], now_ns: int) -> None:
        """Notes when to look again at files that changed just before they were read.

        Those that would never settle by waiting, unreadable or with a time to come, are left to the next round.
        """
        for path in [*looked_at, *self._settles_ns]:
            self._settles_ns.pop(path, None)
            record = records.get(path)
            if record is not None and not record.is_settled and record.digest:
                at_ns = settles_ns(record.stat)
                if at_ns - now_ns <= COARSE_SETTLED_NS:
                    self._settles_ns[path] = at_ns
