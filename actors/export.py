"""`codemap export`: the map on a stream, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import islice

import msgspec

from actors.output import answer
from codemap.graph.export import ExportedEdge, ExportedNode, exported_edges, exported_nodes
from codemap.graph.snapshot import Snapshot

LINES_A_WRITE = 4096
"""Few writes, and little held at a time."""


class Listed(Enum):
    """What is listed."""

    EDGES = "edges"
    NODES = "nodes"


def export(listed: Listed, snapshot: Snapshot) -> None:
    """Writes a map to stdout, as far as that is read. Raises Unwritten."""
    encoder = msgspec.json.Encoder()
    lines = _listed(snapshot, listed)
    while batch := list(islice(lines, LINES_A_WRITE)):
        if not answer(encoder.encode_lines(batch)):
            break


def _listed(snapshot: Snapshot, listed: Listed) -> Iterator[ExportedEdge | ExportedNode]:
    return iter(exported_edges(snapshot) if listed is Listed.EDGES else exported_nodes(snapshot))
