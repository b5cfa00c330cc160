"""Finds and counts the occurrences of a name in the files as they are on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import msgspec
import trio

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
from codemap.occurrences.words import Sighted, Sightings, find_places, glance

T = TypeVar("T")

SCAN_S = 2.0
"""Time limit of a search of all files for a word: a thousand megabytes of source code in memory, or what was read of
them by then."""
UNINDEXED_S = 0.5
"""Time limit of a search of the files that are not indexed: some thousands, which say little about code."""
BYTES_ON_LOOP = 1_000_000
"""What is looked through on the event loop: half a millisecond, as much as two switches of threads on busy
processors."""
COUNTED_ON_LOOP, ACCOUNTED_ON_LOOP = 64, 4
"""Files whose words are counted there, or accounted for: the same."""
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
    sightings = await _sightings(service, places, snapshot, question, by)
    if sightings is None:
        return Missed(Because.REFUSED, "too many files have the name")
    size = len(sightings.files)
    if isinstance(question, WordsCounted):
        is_quick = size <= COUNTED_ON_LOOP
        return Found(
            await _worked(service, partial(count_words, snapshot, question.name, sightings), is_quick=is_quick)
        )
    node = snapshot.find(question.node_id) if question.node_id else None
    is_quick = size <= ACCOUNTED_ON_LOOP
    found = await _worked(service, partial(_accounted, snapshot, node, question, sightings), is_quick=is_quick)
    if isinstance(found, Accounting):
        files = tuple(FileJob(path, FileStat(snapshot.by_path[path].size, 0)) for path in found.unsettled)
        scanned = await places.scan(question.name, files, by)
        ledger = await _worked(service, partial(found.ledger, scanned.files), is_quick=is_quick)
        found = msgspec.structs.replace(ledger, unseen=ledger.unseen + len(scanned.unseen))
    beyond = await places.count_unindexed(question.name, min(by, trio.current_time() + UNINDEXED_S))
    return Found(msgspec.structs.replace(found, elsewhere=beyond.files, unseen=found.unseen + beyond.unseen))


async def _sightings(
    service: Service[Snapshot], places: Places, snapshot: Snapshot, question: Mentioned | WordsCounted, by: float
) -> Sightings | None:
    """Finds the words in the files that may have the name, as indexed or as changed since; None where these are more
    than it may be."""
    files_max = question.files_max or sys.maxsize
    find = find_places if isinstance(question, WordsCounted) else glance
    having = files_with(snapshot, question.name)
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
        is_quick = sum(len(one.content) for one in contents.values()) <= BYTES_ON_LOOP
        look = partial(_sighted, places, contents, partial(find, name=question.name))
        found += await _worked(service, look, is_quick=is_quick)
        del pending[:GLANCED_AT_ONCE]
    return Sightings(tuple(found), len(pending))


async def _worked(service: Service[Snapshot], work: Callable[[], T], *, is_quick: bool) -> T:
    """Runs work on files: on the event loop where it is done before a thread would begin."""
    return work() if is_quick else await service.ports.run_in_thread(work)


def _sighted(places: Places, contents: Mapping[str, Content], find: Callable[[bytes], bytes]) -> list[Sighted]:
    found = [(path, one, find(normalize(one.content))) for path, one in contents.items()]
    return [Sighted(path, places.digest_of(path, one), words) for path, one, words in found if words]


def _accounted(snapshot: Snapshot, node: int | None, question: Mentioned, sightings: Sightings) -> Ledger | Accounting:
    """Accounts for all occurrences of a name; where files must be read first, says which are known before."""
    accounting = Accounting(snapshot, node, question.name, sightings)
    return accounting if accounting.unsettled else accounting.ledger()
