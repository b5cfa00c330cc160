"""Checks that an answer is about the files as they are on disk now, or has it say that it is not.

Files named by events are checked whether an answer mentions them or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from typing import Any

import trio

from actors.front.tool_call import ToolCall
from actors.indexing.latest_snapshot import Published
from actors.indexing.staleness import compared
from actors.messaging.inbox import ActorDied
from actors.messaging.messages import Unavailable
from actors.service.places import Places
from actors.service.service import Service
from actors.watch.watch_status import Watching
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import Disk, named_files


async def freshen(service: Service[Snapshot], by: float) -> bool:
    """Waits until earlier edits are in the map, or until `by`; whether they are."""
    with trio.CancelScope(deadline=by):
        try:
            return not isinstance(await service.freshen(), Unavailable)
        except ActorDied:
            return False
    return False


async def look_at_changing(service: Service[Snapshot], published: Published[Snapshot], places: Places) -> Disk:
    """Compares the files that are known to be changing with the map; of many, the result may be a moment old."""
    own = await service.recent_disk.of(published, service.watching.pending.files)
    return _both(own, await places.compare(()))


async def look(
    call: ToolCall, published: Published[Snapshot], mentioned: Set[str], changing: Disk, places: Places
) -> Disk:
    """Compares the files that an answer mentions with the map, and adds what is known of changing ones; the same object
    where nothing is new."""
    service, known, pending = call.service, published.files, call.service.watching.pending.paths
    named = named_files(call.params)
    if call.tool.checks_all_files:
        paths = frozenset(path for path, record in zip(known, known.in_order, strict=True) if record.skipped is None)
    else:
        paths = frozenset(path for path in mentioned | named if path in known)
    unknown = {path for path in named if path not in known and path not in pending}
    others = await places.compare(mentioned | named)
    if not paths and not unknown and others.differing == ():
        return changing
    stats = await service.ports.stat_files(paths) if paths else {}
    seen = await compared(service.ports, published, paths, stats)
    glance = await service.ports.list_paths(unknown, ()) if unknown else None
    if glance is not None:
        seen = Disk(seen.stale.union(glance.files), seen.deleted)
    paths |= others.stale | others.deleted
    seen = _both(seen, others)
    if (paths & changing.stale, paths & changing.deleted) == (seen.stale, seen.deleted):
        return changing
    return Disk(seen.stale | (changing.stale - paths), seen.deleted | (changing.deleted - paths))


def _both(own: Disk, others: Disk) -> Disk:
    return Disk(own.stale | others.stale, own.deleted | others.deleted) if others.differing else own


def freshness_warnings(watching: Watching, is_late: bool) -> Iterator[str]:
    """Makes the warnings of every answer about how changes are noticed."""
    if watching.statistics.reason:
        yield (
            f"Changes on disk are noticed late, by a look now and then: {watching.statistics.reason}. "
            "Pass freshWaitMs, or call map_rebuild."
        )
    if watching.pending.is_everything or watching.pending.has_folders:
        yield "Folders changed a moment ago: files in them may be missing here. Pass freshWaitMs."
    if is_late:
        yield "freshWaitMs ran out before the last edits were in the map: repeat the call, with a larger one."


def watcher_status(watching: Watching) -> dict[str, Any]:
    """The status of the watcher, for `map_status`."""
    statistics, pending = watching.statistics, watching.pending
    age_s = trio.current_time() - statistics.last_event_at_s
    status = {
        "mode": statistics.mode,
        "reason": statistics.reason,
        "folders": statistics.folders,
        "events": statistics.events,
        "overflows": statistics.overflows,
        "looks": statistics.looks,
        "lastEventAgeMs": None if math.isinf(age_s) else round(age_s * 1000),
        "pending": "everything" if pending.is_everything else len(pending.paths),
    }
    return {name: value for name, value in status.items() if value is not None}
