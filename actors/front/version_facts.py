"""Finds facts about versions: what changed since a commit, the map of another version, present files, the history."""

from __future__ import annotations

import trio

from actors.messaging.messages import SourceText
from actors.ports import NoGit
from actors.revisions.change_sets import Wanted, change_set
from actors.revisions.texts_at import texts_at
from actors.service.places import Places
from actors.service.service import Service
from codemap.changes.change_set import ChangeSet
from codemap.changes.version import Version
from codemap.graph.model.snapshot import Snapshot
from codemap.history.past import Past
from codemap.live_queries import Because, ChangedSince, Fact, Found, MapWith, Missed, PastOf, TextsAt, VersionsNow


async def version_fact(
    service: Service[Snapshot],
    snapshot: Snapshot,
    own: Snapshot,
    places: Places,
    question: ChangedSince | MapWith | TextsAt | VersionsNow | PastOf,
    deadline: float,
) -> Fact:
    """Answers such a question until a deadline by Trio's clock. What git knows is of the root that is asked, and so is
    the map `own`."""
    if isinstance(question, PastOf):
        return await _past_fact(service, own, question, deadline)
    with trio.move_on_at(deadline):
        if isinstance(question, MapWith):
            return Found(await service.variants.build(snapshot, question))
        if isinstance(question, TextsAt):
            texts = await texts_at(service.ports, question.commit, question.files)
            return Missed(Because.UNAVAILABLE, texts.why) if isinstance(texts, NoGit) else Found(texts)
        if isinstance(question, VersionsNow):
            return Found(await _versions_now(service, places, question.files))
        wanted = Wanted(question.base, question.head, question.is_staged)
        found = await change_set(service.ports, service.versions.read, own, service.ports.file_max_bytes, wanted)
        if isinstance(found, ChangeSet):
            return Found(found)
        return Missed(Because.REFUSED if found.is_argument else Because.UNAVAILABLE, found.why)
    return Missed(Because.TIMEOUT, "The changes could not be compared in time")


async def _versions_now(service: Service[Snapshot], places: Places, files: tuple[str, ...]) -> dict[str, Version]:
    contents = await places.read_files(files)
    read = await service.versions.read([SourceText(path, one.content) for path, one in contents.items()])
    return {path: version for path, version in zip(contents, read, strict=True) if version is not None}


async def _past_fact(service: Service[Snapshot], snapshot: Snapshot, question: PastOf, deadline: float) -> Fact:
    """Finds the history, as far as it is read by the deadline."""
    with trio.move_on_at(deadline):
        by = min(trio.current_time() + question.wait_s, deadline)
        found = await service.pasts.of(snapshot, by, begins=question.begins, walks=question.walks)
        if isinstance(found, Past):
            return Found(found)
        return Missed(Because.NOT_READY if found.is_reading else Because.UNAVAILABLE, found.why)
    return Missed(Because.TIMEOUT, "The history could not be read in time.")
