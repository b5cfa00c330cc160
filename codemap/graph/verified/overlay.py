"""A snapshot with what language servers confirmed laid over its edges, from one edit to the next.

`confirm` adds confirmations, `overlaid` takes those of the previous snapshot over to the next one. The tables are made
when something first asks for them: the files are judged again whose content, edges or confirmations changed since they
were made last, or of which a target's content did; what was found for the others is moved along.

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

from codemap.graph.model.edges import EdgeTable, Ints, Mask, UnresolvedTable
from codemap.graph.model.index_slots import share_indexes
from codemap.graph.model.indexed import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.confirmed import Confirmed, merged
from codemap.graph.verified.edge_edits import shown_edges, shown_unresolved
from codemap.graph.verified.reconciliation import ADDED_WIDTH, Verdict, judge
from codemap.graph.verified.snapshot_diff import Move, moved, row_slice, site_slice

VERIFIED_MARK = "v"
"""Stands in the token between that of the contents and that of what was confirmed."""


class Laid(msgspec.Struct, frozen=True):
    """What confirmations change of the tables of a snapshot."""

    hit: Mask
    """Of the edges: which are verified."""
    cut: Mask
    """Of their sites: which are gone."""
    cut_open: Mask
    """The same of undecided uses."""
    added: Ints
    """See `Judged.added`; in order."""
    counts: Ints
    """Row a file, by file number: how many uses have each Verdict."""


class Mark(msgspec.Struct, frozen=True):
    """Tells what was confirmed of one file, and how much of it holds, from anything else."""

    number: int
    is_lapsed: bool
    """Whether some of it leads to a content that is not indexed now."""


class Overlay:
    """What lies over the edges of a snapshot; what it changes of them is worked out when something first asks."""

    __slots__ = ("_base", "_laid", "found", "marks", "plain")

    def __init__(
        self, plain: Snapshot, found: Mapping[str, Confirmed], marks: Mapping[str, Mark], before: Overlay | None
    ) -> None:
        self.plain = plain
        """The same snapshot without confirmations."""
        self.found = found
        """By path, of contents that are indexed."""
        self.marks = marks
        """Of the same paths."""
        made = before is not None and before._laid is not None
        self._base: Overlay | None = before if made or before is None else before._base
        """The latest one that was worked out: what is the same since then is taken from it."""
        self._laid: Laid | None = None

    @property
    def laid(self) -> Laid:
        laid, base = self._laid, self._base  # in this order: another thread may be working it out
        if laid is None:
            laid = self._laid = _laid(self, base)
            self._base = None
        return laid

    @property
    def token(self) -> str:
        """Of what was confirmed; empty where nothing was."""
        total = sum(mark.number for mark in self.marks.values())
        return f"{VERIFIED_MARK}{total & 0xFFFF_FFFF_FFFF:012x}" if self.marks else ""


class View(Snapshot, frozen=True, dict=True, weakref=True, kw_only=True):
    """A snapshot whose tables of edges show what language servers confirmed: base, overlay, and what both give."""

    overlay: Overlay


def overlay_of(snapshot: Snapshot) -> Overlay | None:
    """What is laid over the edges of a snapshot; None where nothing was confirmed."""
    return snapshot.overlay if isinstance(snapshot, View) else None


def plain(snapshot: Snapshot) -> Snapshot:
    """The snapshot without what was confirmed."""
    return snapshot.overlay.plain if isinstance(snapshot, View) else snapshot


def verdicts(snapshot: Snapshot) -> dict[Verdict, int]:
    """How many uses have each verdict."""
    overlay = overlay_of(snapshot)
    if overlay is None:
        return dict.fromkeys(Verdict, 0)
    return dict(zip(Verdict, overlay.laid.counts.sum(axis=0).tolist(), strict=True))


def lapsed_files(snapshot: Snapshot) -> frozenset[str]:
    """Paths of the files of which some confirmation leads to a content that is not indexed now."""
    overlay = overlay_of(snapshot)
    if overlay is None:
        return frozenset()
    return frozenset(path for path, mark in overlay.marks.items() if mark.is_lapsed)


def confirm(snapshot: Snapshot, found: Mapping[str, Confirmed]) -> Snapshot:
    """The snapshot with more confirmations, by path; the same one where they change nothing that is held.

    Those of contents that are not indexed are left out.
    """
    before = overlay_of(snapshot)
    held = {} if before is None else before.found
    new: dict[str, Confirmed] = {}
    for path, one in found.items():
        file, old = snapshot.by_path.get(path), held.get(path)
        if file is not None and file.stamp.digest == one.digest and one.sites and one != old:
            whole = merged(old, one)
            if whole != old:
                new[path] = whole
    if not new:
        return snapshot
    under = plain(snapshot)
    marks = {} if before is None else before.marks
    fresh = {path: _mark(under, path, one) for path, one in new.items()}
    return _shown(Overlay(under, {**held, **new}, {**marks, **fresh}, before))


def overlaid(previous: Snapshot | None, snapshot: Snapshot) -> Snapshot:
    """A snapshot without confirmations, with those of the previous one that still hold.

    Cost: a look at every confirmed file. The tables cost what changed, and a copy, when something asks for them.
    """
    before = None if previous is None else overlay_of(previous)
    if before is None or previous is None:
        return snapshot
    files, changed = snapshot.by_path, _changed(before.plain, snapshot)
    found = {path: one for path, one in before.found.items() if path not in changed or _is_of(files.get(path), one)}
    if not found:
        return snapshot
    marks = {
        path: before.marks[path] if changed.isdisjoint(one.paths) else _mark(snapshot, path, one)
        for path, one in found.items()
    }
    overlay = Overlay(snapshot, found, marks, before)
    if not changed and snapshot.edges is before.plain.edges and snapshot.unresolved is before.plain.unresolved:
        return _put_over(overlay, previous.edges, previous.unresolved)
    return _shown(overlay)


def _is_of(file: IndexedFile | None, one: Confirmed) -> bool:
    return file is not None and file.stamp.digest == one.digest


def _changed(old: Snapshot, new: Snapshot) -> frozenset[str]:
    """Paths of the files that came, went or have another content."""
    was, now = old.by_path, new.by_path
    other = {path for path in now.differing(was) if path not in was or was[path].held is not now[path].held}
    if not now.has_keys_of(was):
        other |= was.keys() - now.keys()
    return frozenset(other)


def _mark(snapshot: Snapshot, path: str, one: Confirmed) -> Mark:
    gone = [number for number, (other, digest) in enumerate(one.files) if not _has(snapshot, other, digest)]
    lapsed = np.isin(one.target_table[:, 0], gone)
    whole = path.encode("utf-8", "surrogateescape") + one.mark + np.packbits(lapsed).tobytes()
    return Mark(int.from_bytes(blake2b(whole, digest_size=8).digest(), "little"), bool(lapsed.any()))


def _has(snapshot: Snapshot, path: str, digest: bytes) -> bool:
    file = snapshot.by_path.get(path)
    return file is not None and file.stamp.digest == digest


# -- the tables -----------------------------------------------------------------------------------------------------


def _shown(overlay: Overlay) -> Snapshot:
    """The snapshot that an overlay makes."""
    under = overlay.plain

    def edges() -> EdgeTable:
        laid = overlay.laid
        return shown_edges(under.edges, under.node_count, laid.hit, laid.cut, laid.added)

    def unresolved() -> UnresolvedTable:
        return shown_unresolved(under.unresolved, under.node_count, len(under.names), overlay.laid.cut_open)

    return _put_over(overlay, EdgeTable.later(edges), UnresolvedTable.later(unresolved))


def _put_over(overlay: Overlay, edges: EdgeTable, unresolved: UnresolvedTable) -> Snapshot:
    under = overlay.plain
    fields = msgspec.structs.asdict(under)
    fields |= {"token": under.token + overlay.token, "edges": edges, "unresolved": unresolved}
    shown = View(**fields, overlay=overlay)
    share_indexes(under, shown)
    return shown


def _laid(overlay: Overlay, base: Overlay | None) -> Laid:
    under, found = overlay.plain, overlay.found
    if base is None:
        return _judged_again(under, _nothing(under), found, found)
    move = moved(base.plain, under)
    held = base.found
    again = {
        path for path, one in found.items() if one is not held.get(path) or move.concerns(under.by_path[path], one)
    }
    again |= {path for path in held.keys() - found.keys() if path in under.by_path}
    return _judged_again(under, _moved(base, under, move), found, again)


def _nothing(snapshot: Snapshot) -> Laid:
    return Laid(
        hit=np.zeros(len(snapshot.edges.source), dtype=np.bool_),
        cut=np.zeros(len(snapshot.edges.sites), dtype=np.bool_),
        cut_open=np.zeros(len(snapshot.unresolved.sites), dtype=np.bool_),
        added=np.empty((0, ADDED_WIDTH), dtype=np.int32),
        counts=np.zeros((len(snapshot.files), len(Verdict)), dtype=np.int32),
    )


def _judged_again(under: Snapshot, before: Laid, found: Mapping[str, Confirmed], paths: Iterable[str]) -> Laid:
    """What is laid when some files are judged by their confirmations, or by none. Writes into the masks given."""
    files = sorted((under.by_path[path] for path in paths), key=lambda file: file.number)
    if not files:
        return before
    edges, undecided = under.edges, under.unresolved
    for file in files:
        rows = _rows(edges, file)
        before.hit[rows] = False
        before.cut[site_slice(edges, rows)] = False
        before.cut_open[site_slice(undecided, _rows(undecided, file))] = False
        before.counts[file.number] = 0
    pairs = [(file, found[file.path]) for file in files if file.path in found]
    judged = judge(under, pairs)
    before.hit[judged.hit] = True
    before.cut[judged.cut] = True
    before.cut_open[judged.cut_open] = True
    before.counts[[file.number for file, _ in pairs]] = judged.counts
    added = np.concatenate((before.added[~_of_files(before.added, files)], judged.added))
    return msgspec.structs.replace(before, added=_in_order(added))


def _moved(base: Overlay, under: Snapshot, move: Move) -> Laid:
    """What is laid where the edges are as they were, and nothing on the others."""
    old, before, after = base.plain, base.laid, _nothing(under)
    for run in move.runs:
        was, now = run.rows(old.edges, under.edges, old.bases, under.bases)
        after.hit[now] = before.hit[was]
        after.cut[site_slice(under.edges, now)] = before.cut[site_slice(old.edges, was)]
        was, now = run.rows(old.unresolved, under.unresolved, old.bases, under.bases)
        after.cut_open[site_slice(under.unresolved, now)] = before.cut_open[site_slice(old.unresolved, was)]
        after.counts[run.new_slice] = before.counts[run.old_slice]
    added = before.added.copy()
    added[:, 0], added[:, 2] = move.kept[added[:, 0]], move.renumber[added[:, 2]]
    return msgspec.structs.replace(after, added=_in_order(added[(added[:, 0] >= 0) & (added[:, 2] >= 0)]))


def _rows(table: EdgeTable | UnresolvedTable, file: IndexedFile) -> slice:
    return row_slice(table, slice(file.base, file.base + file.symbol_count))


def _of_files(added: Ints, files: Sequence[IndexedFile]) -> Mask:
    """Which added sites lie in some files, given in order."""
    begin = np.array([file.base for file in files])
    end = np.array([file.base + file.symbol_count for file in files])
    at = np.searchsorted(begin, added[:, 0], "right") - 1
    return (at >= 0) & (added[:, 0] < end[at])


def _in_order(added: Ints) -> Ints:
    """Added sites by edge, then by place; the same array where they are."""
    source, kind, target, line, col = added.T.astype(np.int64)
    edge, place = (source << 36) | (kind << 32) | target, (line << 32) | col
    rises = (edge[1:] > edge[:-1]) | ((edge[1:] == edge[:-1]) & (place[1:] > place[:-1]))
    return added if rises.all() else added[np.lexsort((place, edge))]
