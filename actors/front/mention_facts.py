"""Finds and counts the occurrences of a name in the files as they are on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import msgspec
import trio

from actors.files.reading import digest_of
from actors.messaging.messages import FileJob, FileStat
from actors.ports import Content
from actors.service.places import Places
from actors.service.service import Service
from codemap.extract.skipped_files import normalize
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import files_with
from codemap.live_queries import Because, Fact, Found, Mentioned, Missed, NamedInOtherCode, WordsCounted
from codemap.mentions.account import Ledger
from codemap.mentions.accounts import Accounting
from codemap.mentions.other_texts import OTHER_CODE
from codemap.mentions.word_counts import count_words
from codemap.occurrences.words import Sighted, Sightings, glance

T = TypeVar("T")

SCAN_S = 2.0
"""Time limit of a search of all files for a word: a thousand megabytes of source code in memory, or what was read of
them by then."""
FILES_ON_LOOP = 4
"""Files handled on the event loop: half a millisecond, as much as two switches of threads on busy processors."""
GLANCED_AT_ONCE = 200
"""Files read in one step: some megabytes."""


async def mentions_fact(
    service: Service[Snapshot],
    places: Places,
    snapshot: Snapshot | None,
    question: Mentioned | WordsCounted | NamedInOtherCode,
    deadline: float,
) -> Fact:
    """Finds where a name occurs, or counts that, until a deadline by Trio's clock. Files that were not reached are
    counted."""
    if snapshot is None:
        return Missed(Because.NOT_READY, "there is no map yet")
    by = min(trio.current_time() + SCAN_S, deadline)
    if isinstance(question, NamedInOtherCode):
        return Found((await places.count_unindexed(question.name, by, OTHER_CODE)).files)
    sightings = await _glanced(service, places, snapshot, question.name, question.files_max or sys.maxsize, by)
    if sightings is None:
        return Missed(Because.REFUSED, "too many files have the name")
    size = len(sightings.files)
    if isinstance(question, WordsCounted):
        return Found(await _worked(service, size, partial(count_words, snapshot, question.name, sightings)))
    node = snapshot.find(question.node_id) if question.node_id else None
    found = await _worked(service, size, partial(_accounted, snapshot, node, question, sightings))
    if isinstance(found, Accounting):
        files = tuple(FileJob(path, FileStat(snapshot.by_path[path].size, 0)) for path in found.unsettled)
        scanned = await places.scan(question.name, files, by)
        ledger = await _worked(service, size, partial(found.ledger, scanned.files))
        found = msgspec.structs.replace(ledger, unseen=ledger.unseen + len(scanned.unseen))
    beyond = await places.count_unindexed(question.name, by)
    return Found(msgspec.structs.replace(found, elsewhere=beyond.files, unseen=found.unseen + beyond.unseen))


async def _glanced(
    service: Service[Snapshot], places: Places, snapshot: Snapshot, name: str, files_max: int, by: float
) -> Sightings | None:
    """Finds the words in the files that may have the name, as indexed or as changed since; None where these are more
    than `files_max`."""
    having = files_with(snapshot, name)
    if len(having) > files_max:
        return None
    paths = {file.path for file in having}
    paths.update(path for path in places.pending if path in snapshot.by_path)
    if len(paths) > files_max:
        return None
    pending = sorted(paths)
    found: list[Sighted] = []
    while pending and trio.current_time() < by:
        contents = await places.read_files(pending[:GLANCED_AT_ONCE])
        found += await _worked(service, len(contents), partial(_sighted, contents, name))
        del pending[:GLANCED_AT_ONCE]
    return Sightings(tuple(found), len(pending))


async def _worked(service: Service[Snapshot], files: int, work: Callable[[], T]) -> T:
    """Runs work on files: on the event loop where it is done before a thread would begin."""
    return work() if files <= FILES_ON_LOOP else await service.ports.run_in_thread(work)


def _sighted(contents: Mapping[str, Content], name: str) -> list[Sighted]:
    found = [(path, one.content, glance(normalize(one.content), name)) for path, one in contents.items()]
    return [Sighted(path, digest_of(content), words) for path, content, words in found if words]


def _accounted(snapshot: Snapshot, node: int | None, question: Mentioned, sightings: Sightings) -> Ledger | Accounting:
    """Accounts for all occurrences of a name; where files must be read first, says which are known before."""
    accounting = Accounting(snapshot, node, question.name, sightings)
    return accounting if accounting.unsettled else accounting.ledger()
