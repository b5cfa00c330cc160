"""Finds where many names occur in all files under the root, source code or not."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from actors.messaging.messages import FileJob, FileStat
from actors.service.service import Service
from codemap.extract.skipped_files import SkipReason
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Because, Fact, Found, Missed, NamesRead, NamesSought
from codemap.mentions.other_texts import is_text
from codemap.mentions.seeking import Sought

SEEK_S = 20.0
"""Time limit of a search of all files: twenty megabytes of source a second and core."""
_UNREAD = frozenset((SkipReason.GENERATED, SkipReason.MINIFIED, SkipReason.EXCLUDED, SkipReason.UNPARSABLE))
"""Reasons to skip source files that can still be searched."""


async def names_fact(
    service: Service[Snapshot], snapshot: Snapshot, question: NamesSought | NamesRead, deadline: float
) -> Fact:
    """Searches for names until a deadline by Trio's clock; files that were not reached are counted."""
    by = min(trio.current_time() + SEEK_S, deadline)
    if isinstance(question, NamesRead):
        files = [FileJob(path, _stat(snapshot, path)) for path in sorted(question.names)]
        return Found(await service.seek((), files, question.names, by) if files else Sought(()))
    stats: dict[str, FileStat] = {file.path: FileStat(file.size, 0) for file in snapshot.files}
    with trio.move_on_at(by):
        listing = await service.ports.list_files("")
        stats |= {path: stat for path, stat in listing.unknown.items() if is_text(path, stat.size)}
        stats |= await _unread(service, listing.skipped)
        found = await service.seek(question.names, [FileJob(path, stats[path]) for path in sorted(stats)], {}, by)
        return Found(found)
    return Missed(Because.TIMEOUT, "the files could not be listed in time")


async def _unread(service: Service[Snapshot], skipped: Mapping[str, SkipReason]) -> dict[str, FileStat]:
    """Lists the source files that the map leaves out."""
    published = service.latest.get()
    paths = {path for path, why in skipped.items() if why in _UNREAD}
    if published is not None:
        paths.update(path for path, record in published.files.items() if record.skipped in _UNREAD)
    return await service.ports.stat_files(sorted(path for path in paths if not path.endswith("/")))


def _stat(snapshot: Snapshot, path: str) -> FileStat:
    file = snapshot.by_path.get(path)
    return FileStat(0 if file is None else file.size, 0)
