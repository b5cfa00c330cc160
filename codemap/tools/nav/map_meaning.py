"""Looks up what the map resolves the name at a place to."""

from __future__ import annotations

import msgspec

from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.live_queries import At
from codemap.tools.places.current_file import FileNow
from codemap.tools.places.rows import rows_by_name_place
from codemap.tools.tool import World


class Meaning(msgspec.Struct, frozen=True):
    node: int
    confidence: Confidence


def map_meaning(world: World, now: FileNow, at: At) -> Meaning | None:
    """The definition at a place, or the one that a use there goes to; None where the file is not as in the map.

    Cost: the edges of one file.
    """
    snapshot = world.snapshot
    if snapshot is None or not now.is_as_in(world):
        return None
    file = snapshot.by_path[at.file]
    row = rows_by_name_place(file).get((at.line, at.col))
    if row is not None:
        return Meaning(file.base + row, Confidence.EXACT)
    found = [
        Meaning(target, confidence)
        for node in range(file.base, file.base + file.symbol_count)
        for target, confidence in _find_targets(snapshot, node, at)
    ]
    return min(found, key=lambda meaning: (meaning.confidence, meaning.node)) if found else None


def _find_targets(snapshot: Snapshot, node: int, at: At) -> list[tuple[int, Confidence]]:
    table = snapshot.edges
    found = []
    for row in table.out_rows(node):
        first, count = int(table.first[row]), int(table.count[row])
        sites = table.sites[first : first + count]
        is_here = bool(((sites[:, 0] == at.line) & (sites[:, 1] == at.col)).any())
        if is_here and int(table.kind[row]) != EdgeKind.CONTAINS:
            found.append((int(table.target[row]), Confidence(int(table.confidence[row]))))
    return found
