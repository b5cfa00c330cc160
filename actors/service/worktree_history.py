"""Joins the history with the lines of the work tree that differ from the commit that is checked out."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from actors.indexing.step_runner import run_steps
from actors.messaging.messages import HistoryRead
from actors.ports import NoGit, Ports
from actors.revisions.uncommitted import uncommitted
from codemap.graph.model.snapshot import Snapshot
from codemap.history.churn import walk_all
from codemap.history.past import Past


class ReadHistory(Protocol):
    def __call__(self, by: float, *, begins: bool) -> Awaitable[HistoryRead]: ...


class Pasts:
    """Caches the last result: most calls ask for it again."""

    def __init__(self, ports: Ports, read: ReadHistory) -> None:
        self._ports = ports
        self._read = read
        self._last: tuple[object, Snapshot, Past] | None = None

    async def of(self, snapshot: Snapshot, by: float, *, begins: bool, walks: bool) -> Past | HistoryRead:
        """Finds the past of a map, or says why there is none. `by` limits the wait for the history, not for git's list
        of what differs from it.

        `walks`: finds the commits of all definitions as well, in steps that let others run; what did not change since
        the last time is not walked again.
        """
        past = await self._past(snapshot, by, begins=begins)
        if walks and isinstance(past, Past):
            await run_steps(walk_all(past, snapshot))
        return past

    async def _past(self, snapshot: Snapshot, by: float, *, begins: bool) -> Past | HistoryRead:
        read = await self._read(by, begins=begins)
        if read.history is None:
            return read
        stamp = self._ports.git_stamp()
        key = (stamp, id(read.history), read.gaps)
        if self._last is not None and self._last[0] == key and self._last[1] is snapshot:
            return self._last[2]
        differing = await uncommitted(self._ports, snapshot, read.history.head)
        gaps = read.gaps
        if isinstance(differing, NoGit):
            gaps = (*gaps, f"Uncommitted changes could not be found: {differing.why}.")
            differing = {}
        past = Past(read.history, "" if stamp is None else stamp.above, differing, gaps)
        if self._last is not None:
            past.take_walks(self._last[2])
        self._last = (key, snapshot, past)
        return past
