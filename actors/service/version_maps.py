"""Builds maps of other versions: the map with some files as they are in another commit, built like an edit.

Such a map is for one question and is never published; the last few are kept, as a page of an answer needs its again.
"""

from __future__ import annotations

from collections import OrderedDict

from actors.indexing.step_runner import run_steps
from codemap.changes.version import Version
from codemap.graph.build.build import build
from codemap.graph.joined.join import join_version
from codemap.graph.model.indexed_file import Extracted, FileStamp
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.overlay import without_overlay
from codemap.live_queries import MapWith

KEPT_MAX = 4


class Variants:
    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Snapshot] = OrderedDict()

    async def build(self, snapshot: Snapshot, question: MapWith) -> Snapshot:
        """Builds the map that a question is about. Costs as much as an edit of its files. When cancelled, nothing
        remains."""
        key = (snapshot.token, question.name)
        found = self._kept.get(key)
        if found is None:
            found = await _built(snapshot, question)
        self._kept[key] = found
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT_MAX:
            self._kept.popitem(last=False)
        return found


async def _built(snapshot: Snapshot, question: MapWith) -> Snapshot:
    before = without_overlay(snapshot)
    versions: dict[str, Version] = {path: one for path, one in question.files.items() if one is not None}
    removed = {path for path, one in question.files.items() if one is None and path in before.by_path}
    changed = {
        path: Extracted(one.facts, FileStamp(one.facts.size, 0, one.digest))
        for path, one in versions.items()
        if path not in before.by_path or before.by_path[path].stamp.digest != one.digest
    }
    configs = {path: text for path, text in {**before.configs, **question.configs}.items() if text is not None}
    if not changed and not removed and configs == before.configs:
        return snapshot
    if before.roots is not None:
        return await run_steps(join_version(before, changed, removed, configs))
    return await run_steps(build(before, changed, removed, configs, built_at=before.built_at))
