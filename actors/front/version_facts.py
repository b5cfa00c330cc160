"""Facts about versions of the repository: what changed since a commit, and the map of another version."""

from __future__ import annotations

import trio

from actors.revisions.change_sets import Wanted, change_set
from actors.service.service import Service
from codemap.changes.change_set import ChangeSet
from codemap.graph.model.snapshot import Snapshot
from codemap.live import Because, ChangedSince, Fact, Found, MapWith, Missed


async def version_fact(
    service: Service[Snapshot], snapshot: Snapshot | None, question: ChangedSince | MapWith, deadline: float
) -> Fact:
    """The answer to such a question, by the clock of trio not later than that."""
    if snapshot is None:
        return Missed(Because.NOT_READY, "There is no map yet")
    with trio.move_on_at(deadline):
        if isinstance(question, MapWith):
            return Found(await service.variants.build(snapshot, question))
        wanted = Wanted(question.base, question.head, question.is_staged)
        found = await change_set(service.ports, service.versions.read, snapshot, service.ports.file_max_bytes, wanted)
        if isinstance(found, ChangeSet):
            return Found(found)
        return Missed(Because.REFUSED if found.is_argument else Because.UNAVAILABLE, found.why)
    return Missed(Because.TIMEOUT, "What changed could not be told in time")
