"""Says where a low risk is one of what could be followed, and where to look further."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.undecided import open_uses
from codemap.impact.assess import Assessed
from codemap.tools.compact import short_id


def say_lost(snapshot: Snapshot, found: Assessed) -> Iterator[str]:
    """A sentence, where chains of users end at uses that could not be decided."""
    nodes, sites = open_uses(snapshot, found.ends if found.risk == "low" else ())
    if nodes:
        others = f", and of {len(nodes) - 1} more end(s)" if len(nodes) > 1 else ""
        yield (
            f"The risk may be higher: {sites} undecided use(s) of names that many share are not followed, "
            f"see map_neighbors nodeId:{short_id(snapshot, nodes[0])} direction:in{others}."
        )
