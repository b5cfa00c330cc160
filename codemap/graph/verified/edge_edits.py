"""Edits tables of edges: removes sites, adds sites, and marks edges as verified.

Rules of the file:
- A table without changes shares its arrays with the original.
- The edges of a node stay in the order of kind and target, the sites of an edge that gains some in source order.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import EdgeTable, Ints, Mask, UnresolvedTable
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.values import Confidence

_TARGET_BITS = 32


def edit_edges(table: EdgeTable, node_count: int, hit: Mask, cut: Mask, added: Ints) -> EdgeTable:
    """The edges with `hit` rows verified, `cut` sites gone and `added` ones (see `Judged.added`) there, verified."""
    confidence = np.where(hit, np.int32(Confidence.VERIFIED), table.confidence)
    if not cut.any() and not len(added):
        return table.with_columns(confidence=confidence)
    left = _count_left(cut)
    count = left[table.first + table.count] - left[table.first]
    groups = _group_sites(table, added)
    old, is_old = groups.row[groups.is_old], groups.is_old
    count[old] += groups.count[is_old]
    confidence[old] = Confidence.VERIFIED
    keep, new = count > 0, ~is_old
    place = _sum_before(keep)[groups.row[new]]
    fresh = added[groups.first[new]]
    origin = _insert(keep, place)
    source, kind, target, confidence, count = (
        np.concatenate((column, values), dtype=np.int32).take(origin)
        for column, values in (
            (table.source, fresh[:, 0]),
            (table.kind, fresh[:, 1]),
            (table.target, fresh[:, 2]),
            (confidence, np.full(len(fresh), Confidence.VERIFIED)),
            (count, groups.count[new]),
        )
    )
    first = _find_firsts(count)
    behind = np.concatenate((table.first, [len(table.sites)]))[groups.row]
    behind[is_old] += table.count[old]
    all_sites = np.concatenate((table.sites, added[:, 3:5]), dtype=np.int32)
    sites = _take_rows(all_sites, _insert(~cut, np.repeat(left[behind], groups.count)))
    gained = np.zeros(len(table.source) + len(fresh), dtype=np.bool_)
    gained[old] = True
    _sort_sites(sites, first, count, gained[origin])
    by_target = _order_by_target(target)
    return EdgeTable(
        source=source,
        target=target,
        kind=kind,
        confidence=confidence,
        first=first,
        count=count,
        sites=sites,
        out_start=_find_starts(source, node_count),
        by_target=by_target,
        in_start=_find_starts(target, node_count),
    )


def edit_unresolved(table: UnresolvedTable, node_count: int, name_count: int, cut: Mask) -> UnresolvedTable:
    """The undecided uses without the `cut` sites."""
    if not cut.any():
        return table
    left = _count_left(cut)
    count = left[table.first + table.count] - left[table.first]
    keep = count > 0
    row = np.cumsum(keep) - 1
    source, name, count = table.source[keep], table.name[keep], count[keep].astype(np.int32)
    return UnresolvedTable(
        source=source,
        name=name,
        kind=table.kind[keep],
        first=_find_firsts(count),
        count=count,
        sites=_take_rows(table.sites, np.flatnonzero(~cut).astype(np.int32)),
        out_start=_find_starts(source, node_count),
        by_name=row[table.by_name[keep[table.by_name]]].astype(np.int32),
        name_start=_find_starts(name, name_count),
    )


class _Groups(msgspec.Struct, frozen=True):
    """Added sites by edge, in the order of the table."""

    first: Ints
    """Where the sites of each begin."""
    count: Ints
    row: Ints
    """Of the edge, where the table has it; else of the one before which it belongs."""
    is_old: Mask


def _group_sites(table: EdgeTable, added: Ints) -> _Groups:
    """`added` is in order of source, kind, target; each site is listed once."""
    is_first = np.ones(len(added), dtype=np.bool_)
    is_first[1:] = (added[1:, :3] != added[:-1, :3]).any(axis=1)
    first = np.flatnonzero(is_first).astype(np.int32)
    count = np.diff(first, append=len(added)).astype(np.int32)
    source, own = added[first, 0], _key_of(added[first, 1], added[first, 2])
    begin = table.out_start[source]
    rows, group = expand_ranges(begin, table.out_start[source + 1] - begin)
    key = _key_of(table.kind[rows], table.target[rows])
    row = begin + np.bincount(group[key < own[group]], minlength=len(first))
    same = key == own[group]
    is_old = np.zeros(len(first), dtype=np.bool_)
    is_old[group[same]] = True
    row[group[same]] = rows[same]
    return _Groups(first, count, row.astype(np.int32), is_old)


def _key_of(kind: Ints, target: Ints) -> NDArray[np.int64]:
    return (kind.astype(np.int64) << _TARGET_BITS) | target


def _insert(keep: Mask, place: Ints) -> Ints:
    """Numbers of the things that are kept, with further ones, numbered on, before the places (of what is kept) given.

    `place` ascends.
    """
    kept = np.flatnonzero(keep).astype(np.int32)
    result = np.empty(len(kept) + len(place), dtype=np.int32)
    is_new = np.zeros(len(result), dtype=np.bool_)
    is_new[place + np.arange(len(place))] = True
    result[is_new] = len(keep) + np.arange(len(place))
    result[~is_new] = kept
    return result


def _take_rows(pairs: Ints, rows: Ints) -> Ints:
    """Some rows of an array of pairs; a pair is taken as one number, which is several times as quick."""
    return np.ascontiguousarray(pairs).view(np.int64).reshape(-1).take(rows).view(np.int32).reshape(-1, 2)


def _count_left(cut: Mask) -> Ints:
    """Counts the sites that are left before each one; one longer than there are sites."""
    return _sum_before(~cut)


def _sort_sites(sites: Ints, first: Ints, count: Ints, gained: Mask) -> None:
    """Puts the sites of some rows in source order."""
    rows = np.flatnonzero(gained)
    at, owner = expand_ranges(first[rows], count[rows])
    some = sites[at]
    sites[at] = some[np.lexsort((some[:, 1], some[:, 0], owner))]


def _order_by_target(target: Ints) -> Ints:
    """The rows in order of target, stable. Sorting whole numbers is several times as quick as an indirect sort."""
    keys = (target.astype(np.int64) << _TARGET_BITS) | np.arange(len(target))
    keys.sort()
    return (keys & ((1 << _TARGET_BITS) - 1)).astype(np.int32)


def _find_starts(keys: Ints, count: int) -> Ints:
    """Where each of `count` keys begins when they are sorted; one longer than `count`."""
    return _sum_before(np.bincount(keys, minlength=count))


def _find_firsts(count: Ints) -> Ints:
    return _sum_before(count)[:-1]


def _sum_before(numbers: Ints | Mask | NDArray[np.int64]) -> Ints:
    """The sum of all before each one; one longer."""
    sums = np.zeros(len(numbers) + 1, dtype=np.int32)
    np.cumsum(numbers, dtype=np.int32, out=sums[1:])
    return sums
