"""Facts about versions of the repository: what changed since a commit, and the map of another version."""

from __future__ import annotations

import trio

from actors.ports import NoGit
from actors.revisions.change_sets import Wanted, change_set
from actors.revisions.texts_at import texts_at
from actors.service.service import Service
from codemap.changes.change_set import ChangeSet
from codemap.graph.model.snapshot import Snapshot
from codemap.live import Because, ChangedSince, Fact, Found, MapWith, Missed, TextsAt


async def version_fact(
    service: Service[Snapshot], snapshot: Snapshot | None, question: ChangedSince | MapWith | TextsAt, deadline: float
) -> Fact:
    """The answer to such a question, by the clock of trio not later than that."""
    if snapshot is None:
        return Missed(Because.NOT_READY, "There is no map yet")
    with trio.move_on_at(deadline):
        if isinstance(question, MapWith):
            return Found(await service.variants.build(snapshot, question))
        if isinstance(question, TextsAt):
            texts = await texts_at(service.ports, question.commit, question.files)
            return Missed(Because.UNAVAILABLE, texts.why) if isinstance(texts, NoGit) else Found(texts)
        wanted = Wanted(question.base, question.head, question.is_staged)
        found = await change_set(service.ports, service.versions.read, snapshot, service.ports.file_max_bytes, wanted)
        if isinstance(found, ChangeSet):
            return Found(found)
        return Missed(Because.REFUSED if found.is_argument else Because.UNAVAILABLE, found.why)
    return Missed(Because.TIMEOUT, "The changes could not be compared in time")
