"""`codemap export`: the map on a stream, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import islice

import msgspec

from actors.command import Shown, built
from actors.messages import Unavailable
from actors.output import answer
from codemap.graph.export import ExportedEdge, ExportedNode, exported_edges, exported_nodes
from codemap.graph.snapshot import Snapshot
from codemap.settings import Configured

LINES_A_WRITE = 4096
"""Few writes, and little held at a time."""


class Listed(Enum):
    """What is listed."""

    EDGES = "edges"
    NODES = "nodes"


def export(listed: Listed, root: str, configured: Configured) -> Unavailable | bool:
    """Builds the map and writes it to stdout, as far as that is read; why it could not be built, or whether no signal
    came. Raises Unwritten."""
    found = built(root, configured, Shown.ON_A_TERMINAL)
    if isinstance(found, Unavailable):
        return found
    if found is None:
        return False
    encoder = msgspec.json.Encoder()
    lines = _listed(found, listed)
    while batch := list(islice(lines, LINES_A_WRITE)):
        if not answer(encoder.encode_lines(batch)):
            break
    return True


def _listed(snapshot: Snapshot, listed: Listed) -> Iterator[ExportedEdge | ExportedNode]:
    return iter(exported_edges(snapshot) if listed is Listed.EDGES else exported_nodes(snapshot))
