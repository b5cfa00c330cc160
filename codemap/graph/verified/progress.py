"""Counts how many uses of the map were verified by language servers, and with what outcome, by language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints, UnresolvedTable, distinct
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.overlay import overlay_of, without_overlay
from codemap.graph.verified.reconciliation import COL_BITS, LINE_BITS, Verdict, place_key

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


def count_verified_uses(snapshot: Snapshot) -> dict[str, VerifiedUses]:
    """By short name of the language. Cost: all edges, when asked of the same edges for the first time."""
    under = without_overlay(snapshot)
    sites = _SITES.of(under)
    counts = np.zeros((len(sites.totals), len(Verdict)), dtype=np.int64)
    overlay = overlay_of(snapshot)
    if overlay is not None:
        np.add.at(counts, sites.language_of, overlay.changes.counts)
    return {
        lang: VerifiedUses(
            sites_total=total,
            sites_done=int(by_verdict.sum() - by_verdict[Verdict.LAPSED]),
            verified=int(by_verdict[Verdict.VERIFIED]),
            moved=int(by_verdict[Verdict.MOVED]),
            outside=int(by_verdict[Verdict.OUTSIDE]),
            unanswered=int(by_verdict[Verdict.UNANSWERED]),
        )
        for (lang, total), by_verdict in zip(sites.totals.items(), counts, strict=True)
    }


class _Sites(NamedTuple):
    """The places that servers may be asked about."""

    totals: Mapping[str, int]
    """By short name of the language, in alphabetical order."""
    language_of: Ints
    """Place in `totals` of every file's language."""


def _count_sites(under: Snapshot) -> _Sites:
    edges, undecided = under.edges, under.unresolved
    calls = np.flatnonzero(edges.kind == EdgeKind.CALLS).astype(np.int32)
    undecided_rows = np.arange(len(undecided.source), dtype=np.int32)
    places = distinct(
        np.concatenate((_number_places(under, edges, calls), _number_places(under, undecided, undecided_rows)))
    )
    langs = sorted({file.lang for file in under.files})
    language_of = np.array([langs.index(file.lang) for file in under.files], dtype=np.int32)
    totals = np.bincount(language_of[places >> _PLACE_BITS], minlength=len(langs))
    return _Sites(dict(zip(langs, totals.tolist(), strict=True)), language_of)


_SITES = Slot(_count_sites)


def _number_places(under: Snapshot, table: EdgeTable | UnresolvedTable, rows: Ints) -> NDArray[np.int64]:
    """The number of the file, the line and the column of every site of some rows, as one number."""
    sites, row = expand_ranges(table.first[rows], table.count[rows])
    file = np.searchsorted(np.array(under.bases[:-1]), table.source[rows], "right") - 1
    return (file[row].astype(np.int64) << _PLACE_BITS) | place_key(table.sites[sites, 0], table.sites[sites, 1])
