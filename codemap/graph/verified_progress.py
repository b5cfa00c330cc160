"""How many uses of the map were put to language servers, and what became of them, by language."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.edges import EdgeKind, EdgeTable, Ints, UnresolvedTable
from codemap.graph.snapshot import Snapshot
from codemap.graph.verified_judge import COL_BITS, LINE_BITS, Verdict, place_key, spread
from codemap.graph.verified_overlay import plain

_PLACE_BITS = LINE_BITS + COL_BITS


class VerifiedUses(msgspec.Struct, frozen=True, rename="camel"):
    sites_total: int
    """Places of calls, and of undecided uses of other kinds."""
    sites_done: int
    """Places that a server was asked about; after `map_neighbors` with verify, of any kind."""
    verified: int
    moved: int
    """To a definition that the map did not have there."""
    outside: int
    """Outside the repository."""
    unanswered: int
    """The server said nothing, which refutes nothing."""


def verified_uses(snapshot: Snapshot) -> dict[str, VerifiedUses]:
    """By short name of the language."""
    under = plain(snapshot)
    edges, undecided = under.edges, under.unresolved
    calls = np.flatnonzero(edges.kind == EdgeKind.CALLS).astype(np.int32)
    undecided_rows = np.arange(len(undecided.source), dtype=np.int32)
    places = np.unique(np.concatenate((_places(under, edges, calls), _places(under, undecided, undecided_rows))))
    totals = np.bincount(places >> _PLACE_BITS, minlength=len(under.files))
    counts = np.zeros((len(under.files), len(Verdict)), dtype=np.int64)
    if snapshot.overlay is not None:
        counts += snapshot.overlay.laid.counts
    langs = [file.lang for file in under.files]
    found: dict[str, VerifiedUses] = {}
    for lang in sorted(set(langs)):
        its = np.array([one == lang for one in langs], dtype=np.bool_)
        by_verdict = counts[its].sum(axis=0)
        found[lang] = VerifiedUses(
            sites_total=int(totals[its].sum()),
            sites_done=int(by_verdict.sum() - by_verdict[Verdict.LAPSED]),
            verified=int(by_verdict[Verdict.VERIFIED]),
            moved=int(by_verdict[Verdict.MOVED]),
            outside=int(by_verdict[Verdict.OUTSIDE]),
            unanswered=int(by_verdict[Verdict.UNANSWERED]),
        )
    return found


def _places(under: Snapshot, table: EdgeTable | UnresolvedTable, rows: Ints) -> NDArray[np.int64]:
    """The number of the file, the line and the column of every site of some rows, as one number."""
    sites, row = spread(table.first[rows], table.count[rows])
    file = np.searchsorted(np.array(under.bases[:-1]), table.source[rows], "right") - 1
    return (file[row].astype(np.int64) << _PLACE_BITS) | place_key(table.sites[sites, 0], table.sites[sites, 1])
