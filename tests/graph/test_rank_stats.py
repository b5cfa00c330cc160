"""The committed ranking of search: pinned queries, the place of what is meant, recall and mean reciprocal rank."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.query.search import search

DOCUMENT = Path(__file__).parent / "rank_stats.md"
PLACES = 10
_FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (.+?) \| (\S+) \| \S+ \|$", re.MULTILINE)


def test_search_ranks_as_committed(request: pytest.FixtureRequest) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    found = _stats(text)
    if request.config.getoption("update"):
        DOCUMENT.write_text(found, encoding="utf-8")
        return
    assert text == found


def _stats(text: str) -> str:
    """The document with its places and figures as they are now."""
    head = text[: text.index("| query |")]
    snapshot = build_snapshot({path: body.encode() for path, body in _FILE.findall(head)})
    places: list[int | None] = []
    lines = ["| query | meant | place |", "|---|---|---|"]
    for query, meant in _ROW.findall(text[len(head) :])[1:]:
        nodes = search(snapshot, query, frozenset(), PLACES).nodes
        ids = [snapshot.id_of(node).partition(":")[2] for node in nodes]
        places.append(ids.index(meant) + 1 if meant in ids else None)
        lines.append(f"| {query} | {meant} | {places[-1] or '-'} |")
    at = {most: sum(place is not None and place <= most for place in places) / len(places) for most in (1, 3, PLACES)}
    figures = [f"recall@{most}: {share:.3f}" for most, share in at.items()]
    mean = sum(1 / place for place in places if place) / len(places)
    return head + "\n".join([*lines, "", f"{', '.join(figures)}, MRR: {mean:.3f}", ""])
