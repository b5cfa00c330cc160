"""A snapshot with what language servers confirmed laid over its edges, from one edit to the next.

`confirm` adds confirmations, `overlaid` takes those of the previous snapshot over to the next one: the files are judged
again whose content or edges changed, or of which a target's did; what was found for the others is moved along.

Rules of the file:
- What is shown is a function of the snapshot without confirmations and of the confirmations, not of their history.
- Hub scores and clusters are those of the edges without confirmations: the order of answers does not depend on how far
  a verification is. The token does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.edges import EdgeTable, Ints, Mask, UnresolvedTable
from codemap.graph.indexed import IndexedFile
from codemap.graph.snapshot import Snapshot
from codemap.graph.verified import Confirmed, merged
from codemap.graph.verified_judge import ADDED_WIDTH, Judged, Verdict, judge
from codemap.graph.verified_move import Move, moved, row_slice, site_slice
from codemap.graph.verified_show import shown_edges, shown_unresolved
from codemap.graph.warm import carry

VERIFIED_MARK = "v"
"""Stands in the token between that of the contents and that of what was confirmed."""


class Overlay(msgspec.Struct, frozen=True):
    """What lies over the edges of a snapshot."""

    plain: Snapshot
    """The same without confirmations."""
    found: Mapping[str, Confirmed]
    """By path, of contents that are indexed."""
    hit: Mask
    """Of the edges of `plain`: which are verified."""
    cut: Mask
    """Of their sites: which are gone."""
    cut_open: Mask
    """The same of undecided uses."""
    added: Ints
    """See `Judged.added`; in order."""
    counts: Ints
    """Row a file, by file number: how many uses have each Verdict."""
    marks: NDArray[np.uint64]
    """By file number, see `Judged.marks`."""


def plain(snapshot: Snapshot) -> Snapshot:
    """The snapshot without what was confirmed."""
    return snapshot if snapshot.overlay is None else snapshot.overlay.plain


def verdicts(snapshot: Snapshot) -> dict[Verdict, int]:
    """How many uses have each verdict."""
    if snapshot.overlay is None:
        return dict.fromkeys(Verdict, 0)
    return dict(zip(Verdict, snapshot.overlay.counts.sum(axis=0).tolist(), strict=True))


def lapsed_files(snapshot: Snapshot) -> frozenset[str]:
    """Paths of the files of which some confirmation leads to a content that is not indexed now."""
    if snapshot.overlay is None:
        return frozenset()
    numbers = np.flatnonzero(snapshot.overlay.counts[:, Verdict.LAPSED]).tolist()
    return frozenset(snapshot.files[number].path for number in numbers)


def confirm(snapshot: Snapshot, found: Mapping[str, Confirmed]) -> Snapshot:
    """The snapshot with more confirmations, by path; the same one where they change nothing that is held.

    Those of contents that are not indexed are left out. Cost: the files that they are about, and a copy of the edges.
    """
    before = snapshot.overlay if snapshot.overlay is not None else _nothing_over(snapshot)
    new: dict[str, Confirmed] = {}
    for path, one in found.items():
        file, old = snapshot.by_path.get(path), before.found.get(path)
        if file is not None and file.stamp.digest == one.digest and one != old:
            whole = merged(old, one)
            if whole != old:
                new[path] = whole
    if not new:
        return snapshot
    return _shown(_judged_again(before, {**before.found, **new}, new))


def overlaid(previous: Snapshot | None, snapshot: Snapshot) -> Snapshot:
    """A snapshot without confirmations, with those of the previous one that still hold.

    Cost: what changed between them, and a copy of the edges.
    """
    before = None if previous is None else previous.overlay
    if before is None or previous is None:
        return snapshot
    files = snapshot.by_path
    found = {
        path: one for path, one in before.found.items() if path in files and files[path].stamp.digest == one.digest
    }
    if snapshot.edges is before.plain.edges and snapshot.unresolved is before.plain.unresolved:
        return _put_over(msgspec.structs.replace(before, plain=snapshot), previous.edges, previous.unresolved)
    move = moved(before.plain, snapshot)
    again = [path for path, one in found.items() if move.concerns(snapshot.by_path[path], one)]
    return _shown(_judged_again(_moved(before, snapshot, move), found, again))


def _nothing_over(snapshot: Snapshot) -> Overlay:
    files = len(snapshot.files)
    return Overlay(
        plain=snapshot,
        found={},
        hit=np.zeros(len(snapshot.edges.source), dtype=np.bool_),
        cut=np.zeros(len(snapshot.edges.sites), dtype=np.bool_),
        cut_open=np.zeros(len(snapshot.unresolved.sites), dtype=np.bool_),
        added=np.empty((0, ADDED_WIDTH), dtype=np.int32),
        counts=np.zeros((files, len(Verdict)), dtype=np.int32),
        marks=np.zeros(files, dtype=np.uint64),
    )


def _judged_again(before: Overlay, found: Mapping[str, Confirmed], paths: Iterable[str]) -> Overlay:
    """The overlay with other confirmations in some files."""
    snapshot = before.plain
    pairs = sorted(((snapshot.by_path[path], found[path]) for path in paths), key=lambda pair: pair[0].number)
    if not pairs:
        return msgspec.structs.replace(before, found=found)
    files = [file for file, _ in pairs]
    hit, cut, cut_open = before.hit.copy(), before.cut.copy(), before.cut_open.copy()
    edges, unresolved = snapshot.edges, snapshot.unresolved
    for file in files:
        rows = _rows(edges, file)
        hit[rows] = False
        cut[site_slice(edges, rows)] = False
        cut_open[site_slice(unresolved, _rows(unresolved, file))] = False
    judged = judge(snapshot, pairs)
    hit[judged.hit] = True
    cut[judged.cut] = True
    cut_open[judged.cut_open] = True
    numbers = [file.number for file in files]
    counts, marks = before.counts.copy(), before.marks.copy()
    counts[numbers], marks[numbers] = judged.counts, judged.marks
    added = _joined(before.added, _of_files(before.added, files), judged)
    return Overlay(snapshot, found, hit, cut, cut_open, added, counts, marks)


def _moved(before: Overlay, snapshot: Snapshot, move: Move) -> Overlay:
    """The overlay where the edges are as they were, and nothing over the others."""
    old, new, after = before.plain, snapshot, _nothing_over(snapshot)
    for run in move.runs:
        was, now = run.rows(old.edges, new.edges, old.bases, new.bases)
        after.hit[now] = before.hit[was]
        after.cut[site_slice(new.edges, now)] = before.cut[site_slice(old.edges, was)]
        was, now = run.rows(old.unresolved, new.unresolved, old.bases, new.bases)
        after.cut_open[site_slice(new.unresolved, now)] = before.cut_open[site_slice(old.unresolved, was)]
        after.counts[run.new_slice] = before.counts[run.old_slice]
        after.marks[run.new_slice] = before.marks[run.old_slice]
    added = before.added.copy()
    added[:, 0], added[:, 2] = move.kept[added[:, 0]], move.renumber[added[:, 2]]
    added = added[(added[:, 0] >= 0) & (added[:, 2] >= 0)]
    return msgspec.structs.replace(after, added=_in_order(added))


def _rows(table: EdgeTable | UnresolvedTable, file: IndexedFile) -> slice:
    return row_slice(table, slice(file.base, file.base + file.symbol_count))


def _of_files(added: Ints, files: Sequence[IndexedFile]) -> Mask:
    """Which added sites lie in some files, given in order."""
    begin = np.array([file.base for file in files])
    end = np.array([file.base + file.symbol_count for file in files])
    at = np.searchsorted(begin, added[:, 0], "right") - 1
    return (at >= 0) & (added[:, 0] < end[at])


def _joined(added: Ints, without: Mask, judged: Judged) -> Ints:
    rows = np.concatenate((added[~without], judged.added))
    return _in_order(rows)


def _in_order(added: Ints) -> Ints:
    """Added sites by edge, then by place; the same array where they are."""
    source, kind, target, line, col = added.T.astype(np.int64)
    edge, place = (source << 36) | (kind << 32) | target, (line << 32) | col
    rises = (edge[1:] > edge[:-1]) | ((edge[1:] == edge[:-1]) & (place[1:] > place[:-1]))
    return added if rises.all() else added[np.lexsort((place, edge))]


def _shown(overlay: Overlay) -> Snapshot:
    """The snapshot that an overlay makes."""
    snapshot = overlay.plain
    if not overlay.found:
        return snapshot
    edges = shown_edges(snapshot.edges, snapshot.node_count, overlay.hit, overlay.cut, overlay.added)
    names = len(snapshot.names)
    unresolved = shown_unresolved(snapshot.unresolved, snapshot.node_count, names, overlay.cut_open)
    return _put_over(overlay, edges, unresolved)


def _put_over(overlay: Overlay, edges: EdgeTable, unresolved: UnresolvedTable) -> Snapshot:
    snapshot = overlay.plain
    token = snapshot.token
    if overlay.marks.any():
        token += VERIFIED_MARK + blake2b(overlay.marks.tobytes(), digest_size=6).hexdigest()
    shown = msgspec.structs.replace(snapshot, token=token, edges=edges, unresolved=unresolved, overlay=overlay)
    carry(snapshot, shown)
    return shown
