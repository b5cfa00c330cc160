"""Finds uses whose code a change left as it was, and where they are after it."""

from __future__ import annotations

from collections.abc import Mapping

from codemap.changes.changed_definitions import Pair
from codemap.facts import Symbol
from codemap.graph.model.edges import Edge
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.impact.breakage.not_adapted import is_same

_UNSURE = (Confidence.NAME, Confidence.CANDIDATE)


def standing(
    edge: Edge, pairs: Mapping[str, Pair], before: Snapshot, after: Snapshot
) -> tuple[int, set[tuple[int, int]]] | None:
    """(user, sites) after the change of an edge before it that is sure; None where its code changed, or went."""
    user = None if edge.confidence in _UNSURE else after.find(before.id_of(edge.source))
    if user is None or before.is_external(edge.source):
        return None
    (old, row), (new, new_row) = before.row_of(edge.source), after.row_of(user)
    pair = pairs.get(old.path)
    if pair is not None and not (row and is_same(pair, row, new_row)):  # the lines of a file's own code move apart
        return None
    shift = new.cell(new_row, Symbol.START_LINE) - old.cell(row, Symbol.START_LINE) if row else 0
    return user, {(line + shift, column) for line, column in before.sites(edge)}
