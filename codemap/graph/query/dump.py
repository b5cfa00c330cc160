"""Writes the edges of a snapshot as sorted lines of text, which the literate tests compare."""

from __future__ import annotations

from codemap.graph.likelihood.candidates import Candidates
from codemap.graph.model.edges import Edge, EdgeKind, Unresolved
from codemap.graph.model.snapshot import Snapshot


def edge_lines(snapshot: Snapshot) -> list[str]:
    """`<source> <kind> <target> <confidence> <line:col>[,…]`, `contains` edges left out.

    Unresolved uses: `<source> <kind> ?<name> candidate(<n>) <sites>`.
    """
    lines, candidates = [], Candidates(snapshot)
    for node in range(snapshot.node_count):
        for edge in snapshot.edges_out(node):
            if edge.kind != EdgeKind.CONTAINS:
                certainty = edge.confidence.name.lower()
                lines.append(_write_line(snapshot, edge, edge.kind, snapshot.id_of(edge.target), certainty))
        for use in snapshot.unresolved_out(node):
            certainty = f"candidate({len(candidates.possible(use))})"
            lines.append(_write_line(snapshot, use, use.kind, f"?{use.name}", certainty))
    return sorted(lines)


def _write_line(snapshot: Snapshot, edge: Edge | Unresolved, kind: EdgeKind, target: str, certainty: str) -> str:
    sites = ",".join(f"{line}:{col}" for line, col in snapshot.sites(edge))
    return f"{snapshot.id_of(edge.source)} {kind.name.lower()} {target} {certainty} {sites}"
