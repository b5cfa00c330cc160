"""`codemap export`: writes the map to stdout, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from itertools import islice

import msgspec

from actors.messaging.output import answer
from codemap.escapes import is_plain
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.export import ExportedEdge, ExportedNode, exported_edges, exported_nodes

LINES_A_WRITE = 4096
"""Lines in one write."""


class Listed(Enum):
    """What to export."""

    EDGES = "edges"
    NODES = "nodes"


def export(listed: Listed, snapshot: Snapshot) -> None:
    """Writes a map to stdout, until nobody reads it. Raises Unwritten.

    A line with characters that nobody sees is ASCII, with JSON's own escapes: the same data, harmless on a terminal.
    """
    encoder = msgspec.json.Encoder()
    lines = _listed(snapshot, listed)
    while batch := list(islice(lines, LINES_A_WRITE)):
        written = encoder.encode_lines(batch)
        if not answer(written if is_plain(written) else _in_ascii(written)):
            break


def _in_ascii(lines: bytes) -> bytes:
    return b"".join(
        line if is_plain(line) else json.dumps(json.loads(line), separators=(",", ":")).encode() + b"\n"
        for line in lines.splitlines(keepends=True)
    )


def _listed(snapshot: Snapshot, listed: Listed) -> Iterator[ExportedEdge | ExportedNode]:
    return iter(exported_edges(snapshot) if listed is Listed.EDGES else exported_nodes(snapshot))
