"""Says where a low risk is one of what could be followed, and where to look further."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed
from codemap.impact.lost_chains import find_lost
from codemap.tools.compact import short_id


def say_lost(snapshot: Snapshot, found: Assessed) -> Iterator[str]:
    """A sentence, where chains of users end at uses that could not be decided."""
    lost = find_lost(snapshot, found.reached) if found.risk == "low" else None
    if lost is not None and lost.nodes:
        others = f", and of {len(lost.nodes) - 1} more end(s)" if len(lost.nodes) > 1 else ""
        yield (
            f"The risk may be higher: {lost.sites} undecided use(s) of names that many share are not followed, "
            f"see map_neighbors nodeId:{short_id(snapshot, lost.nodes[0])} direction:in{others}."
        )
