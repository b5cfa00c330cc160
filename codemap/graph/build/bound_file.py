"""What binding one file found, before it is in the tables of a snapshot."""

from __future__ import annotations

from codemap.facts import SITE_WIDTH
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.incremental.edge_reuse import Kept
from codemap.graph.model.values import Confidence

Target = int | tuple[str, str]
"""A node, or (language, package) of what lies outside."""
Span = tuple[int, int]
"""(first, count) of consecutive sites; from `Bound.table_count` on, they are in `Bound.own_sites`."""
OpenUses = dict[tuple[int, str, int], list[Span]]
"""(source node, name, EdgeKind plus BARE) -> sites."""


class Bound:
    """What binding one file found."""

    __slots__ = (
        "edges",
        "file",
        "kept",
        "missing_imports",
        "own_sites",
        "several",
        "table_count",
        "unknown",
        "unresolved",
    )

    def __init__(self, file: GraphFile, kept: Kept | None) -> None:
        self.file = file
        self.kept = kept
        """Definitions whose edges are not here, but those that they had."""
        self.table_count = len(file.facts.sites) // (4 * SITE_WIDTH)
        self.own_sites: list[tuple[int, int]] = []
        """(line, col) of imports and exports, whose sites are not in the file's table."""
        self.edges: dict[tuple[int, Target, int], tuple[Confidence, list[Span]]] = {}
        """(source node, target, EdgeKind) -> its confidence and sites, in any order, perhaps twice."""
        self.unresolved: OpenUses = {}
        self.unknown: OpenUses = {}
        """The same for members of what may lie outside: no guess makes an edge of them."""
        self.several: OpenUses = {}
        """The same for uses of which it is known that several definitions are meant in turn: nothing to guess at."""
        self.missing_imports = 0

    def add(self, source: int, target: Target, kind: int, confidence: Confidence, spans: list[Span]) -> None:
        key = (source, target, kind)
        known = self.edges.get(key)
        if known is None:
            self.edges[key] = (confidence, list(spans))
        else:
            known[1].extend(spans)
            if confidence < known[0]:
                self.edges[key] = (confidence, known[1])

    def own_site(self, line: int, col: int) -> list[Span]:
        self.own_sites.append((line, col))
        return [(self.table_count + len(self.own_sites) - 1, 1)]
