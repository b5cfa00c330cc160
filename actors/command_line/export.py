"""`codemap export`: writes the map to stdout, one JSON object a line, or as a page."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from enum import Enum
from itertools import islice

import msgspec

from actors.command_line.one_command import Shown, ask
from actors.messaging.output import answer, complain
from actors.view.page import page_of_map
from codemap.escapes import is_plain
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.export import ExportedEdge, ExportedNode, exported_edges, exported_nodes
from codemap.settings import Configured
from codemap.tools.graph.tool import TOOL, WHOLE

OK, NOT_OK, INTERRUPTED = 0, 1, 130
LINES_A_WRITE = 4096
"""Lines in one write."""


class Listed(Enum):
    """What to export."""

    EDGES = "edges"
    NODES = "nodes"


def export(listed: Listed, snapshot: Snapshot, candidates_max: int) -> None:
    """Writes a map to stdout, until nobody reads it; of an undecided use so many candidates. Raises Unwritten.

    A line with characters that nobody sees is ASCII, with JSON's own escapes: the same data, harmless on a terminal.
    """
    encoder = msgspec.json.Encoder()
    lines = _listed(snapshot, listed, candidates_max)
    while batch := list(islice(lines, LINES_A_WRITE)):
        written = encoder.encode_lines(batch)
        if not answer(written if is_plain(written) else _in_ascii(written)):
            break


def _in_ascii(lines: bytes) -> bytes:
    return b"".join(
        line if is_plain(line) else json.dumps(json.loads(line), separators=(",", ":")).encode() + b"\n"
        for line in lines.splitlines(keepends=True)
    )


def _listed(snapshot: Snapshot, listed: Listed, candidates_max: int) -> Iterator[ExportedEdge | ExportedNode]:
    if listed is Listed.NODES:
        return iter(exported_nodes(snapshot))
    return iter(exported_edges(snapshot, candidates_max))


def export_page(root: str, configured: Configured) -> int:
    """Writes a page with the whole map in it to stdout; the same map gives the same page. Returns the exit code.

    Raises Unwritten.
    """
    settings = msgspec.structs.replace(configured.settings, envelope="native")
    reply = ask(TOOL, WHOLE, root, msgspec.structs.replace(configured, settings=settings), Shown.ON_A_TERMINAL)
    if reply is None:
        return INTERRUPTED
    if not reply.envelope["ok"]:
        complain(reply.envelope["error"]["message"])
        return NOT_OK
    for warning in reply.envelope["warnings"]:
        complain(warning)
    data = msgspec.json.decode(reply.text)["data"]
    del data["builtAt"]
    answer(page_of_map(msgspec.json.encode(data).decode(), os.path.basename(root)))
    return NOT_OK if reply.is_error else OK
