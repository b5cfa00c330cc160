"""Applies what language servers confirmed over the edges of a snapshot, and carries it over edits.

`confirm` adds confirmations; `carry_overlay` carries those of the previous snapshot over to the next one. The tables of
a view are computed when something first asks for them. Then only those files are reconciled again whose content, edges
or confirmations changed since the last time, or a target of which did; the changes to the others are renumbered.
The file is long because the computation of the tables is beside the rules for carrying it on.

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
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.confirmations import Confirmed, merge_confirmations
from codemap.graph.verified.edge_edits import edit_edges, edit_unresolved
from codemap.graph.verified.reconciliation import ADDED_WIDTH, Verdict, reconcile
from codemap.graph.verified.snapshot_diff import SnapshotDiff, compare_snapshots, row_slice, site_slice

VERIFIED_MARK = "v"
"""Separates the two halves of a view's token: that of the contents, and that of the confirmations."""


class TableChanges(msgspec.Struct, frozen=True):
    """The changes that confirmations make in the tables of a snapshot."""

    hit: Mask
    """Edges that are verified."""
    cut: Mask
    """Sites that their edges lose."""
    cut_open: Mask
    """Sites that undecided uses lose."""
    added: Ints
    """See `Judged.added`; in order."""
    counts: Ints
    """One row a file, by file number: how many uses have each Verdict."""


class ConfirmationMark(msgspec.Struct, frozen=True):
    """Identifies the confirmations of one file, and which of them hold."""

    number: int
    is_lapsed: bool
    """Whether the target of some confirmation has another content by now."""


class Overlay:
    """Confirmations to apply over a snapshot; `changes` is computed when something first asks for it."""

    __slots__ = ("_base", "_changes", "found", "marks", "plain")

    def __init__(
        self,
        plain: Snapshot,
        found: Mapping[str, Confirmed],
        marks: Mapping[str, ConfirmationMark],
        before: Overlay | None,
    ) -> None:
        self.plain = plain
        """The same snapshot without confirmations."""
        self.found = found
        """Confirmations by path, of indexed contents."""
        self.marks = marks
        """Of the same paths, what identifies the confirmations."""
        made = before is not None and before._changes is not None
        self._base: Overlay | None = before if made or before is None else before._base
        """The latest overlay whose changes were computed: what did not change since then is reused."""
        self._changes: TableChanges | None = None

    @property
    def changes(self) -> TableChanges:
        changes, base = self._changes, self._base  # in this order: another thread may be computing them
        if changes is None:
            changes = self._changes = _compute_changes(self, base)
            self._base = None
        return changes

    @property
    def token(self) -> str:
        """Identifies the confirmations; empty where there are none."""
        total = sum(mark.number for mark in self.marks.values())
        return f"{VERIFIED_MARK}{total & 0xFFFF_FFFF_FFFF:012x}" if self.marks else ""


class View(Snapshot, frozen=True, dict=True, weakref=True, kw_only=True):
    """A snapshot with confirmations applied to its tables of edges."""

    overlay: Overlay


def overlay_of(snapshot: Snapshot) -> Overlay | None:
    """The confirmations of a snapshot; None where there are none."""
    return snapshot.overlay if isinstance(snapshot, View) else None


def without_overlay(snapshot: Snapshot) -> Snapshot:
    """The plain snapshot, without confirmations."""
    return snapshot.overlay.plain if isinstance(snapshot, View) else snapshot


def count_verdicts(snapshot: Snapshot) -> dict[Verdict, int]:
    """The number of uses with each verdict."""
    overlay = overlay_of(snapshot)
    if overlay is None:
        return dict.fromkeys(Verdict, 0)
    return dict(zip(Verdict, overlay.changes.counts.sum(axis=0).tolist(), strict=True))


def find_lapsed_files(snapshot: Snapshot) -> frozenset[str]:
    """Paths of the files with a confirmation whose target has another content by now."""
    overlay = overlay_of(snapshot)
    if overlay is None:
        return frozenset()
    return frozenset(path for path, mark in overlay.marks.items() if mark.is_lapsed)


def confirm(snapshot: Snapshot, found: Mapping[str, Confirmed]) -> Snapshot:
    """The snapshot with further confirmations, by path; the same object where they add nothing.

    Confirmations of contents that are not indexed are left out.
    """
    before = overlay_of(snapshot)
    held = {} if before is None else before.found
    new: dict[str, Confirmed] = {}
    for path, one in found.items():
        file, old = snapshot.by_path.get(path), held.get(path)
        if file is not None and file.stamp.digest == one.digest and one.sites and one != old:
            whole = merge_confirmations(old, one)
            if whole != old:
                new[path] = whole
    if not new:
        return snapshot
    under = without_overlay(snapshot)
    marks = {} if before is None else before.marks
    fresh = {path: _make_mark(under, path, one) for path, one in new.items()}
    return _apply_overlay(Overlay(under, {**held, **new}, {**marks, **fresh}, before))


def carry_overlay(previous: Snapshot | None, snapshot: Snapshot) -> Snapshot:
    """A plain snapshot with those confirmations of the previous one that still hold.

    Cost: every confirmed file is checked. Computing the tables, later, costs what changed, and a copy of them.
    """
    before = None if previous is None else overlay_of(previous)
    if before is None or previous is None:
        return snapshot
    files, changed = snapshot.by_path, _find_changed(before.plain, snapshot)
    found = {path: one for path, one in before.found.items() if path not in changed or _is_about(files.get(path), one)}
    if not found:
        return snapshot
    marks = {
        path: before.marks[path] if changed.isdisjoint(one.paths) else _make_mark(snapshot, path, one)
        for path, one in found.items()
    }
    overlay = Overlay(snapshot, found, marks, before)
    if not changed and snapshot.edges is before.plain.edges and snapshot.unresolved is before.plain.unresolved:
        return _make_view(overlay, previous.edges, previous.unresolved)
    return _apply_overlay(overlay)


def _is_about(file: IndexedFile | None, one: Confirmed) -> bool:
    return file is not None and file.stamp.digest == one.digest


def _find_changed(old: Snapshot, new: Snapshot) -> frozenset[str]:
    """Paths of the files that came, went or have another content."""
    was, now = old.by_path, new.by_path
    other = {path for path in now.differing(was) if path not in was or was[path].held is not now[path].held}
    if not now.has_keys_of(was):
        other |= was.keys() - now.keys()
    return frozenset(other)


def _make_mark(snapshot: Snapshot, path: str, one: Confirmed) -> ConfirmationMark:
    gone = [number for number, (other, digest) in enumerate(one.files) if not _is_indexed(snapshot, other, digest)]
    lapsed = np.isin(one.target_table[:, 0], gone)
    whole = path.encode("utf-8", "surrogateescape") + one.mark + np.packbits(lapsed).tobytes()
    return ConfirmationMark(int.from_bytes(blake2b(whole, digest_size=8).digest(), "little"), bool(lapsed.any()))


def _is_indexed(snapshot: Snapshot, path: str, digest: bytes) -> bool:
    file = snapshot.by_path.get(path)
    return file is not None and file.stamp.digest == digest


# -- the tables -----------------------------------------------------------------------------------------------------


def _apply_overlay(overlay: Overlay) -> Snapshot:
    """The view of a snapshot with an overlay."""
    under = overlay.plain

    def edges() -> EdgeTable:
        changes = overlay.changes
        return edit_edges(under.edges, under.node_count, changes.hit, changes.cut, changes.added)

    def unresolved() -> UnresolvedTable:
        return edit_unresolved(under.unresolved, under.node_count, len(under.names), overlay.changes.cut_open)

    return _make_view(overlay, EdgeTable.later(edges), UnresolvedTable.later(unresolved))


def _make_view(overlay: Overlay, edges: EdgeTable, unresolved: UnresolvedTable) -> Snapshot:
    under = overlay.plain
    fields = msgspec.structs.asdict(under)
    fields |= {"token": under.token + overlay.token, "edges": edges, "unresolved": unresolved}
    shown = View(**fields, overlay=overlay)
    share_indexes(under, shown)
    return shown


def _compute_changes(overlay: Overlay, base: Overlay | None) -> TableChanges:
    under, found = overlay.plain, overlay.found
    if base is None:
        return _reconcile_files(under, _change_nothing(under), found, found)
    diff = compare_snapshots(base.plain, under)
    held = base.found
    again = {
        path for path, one in found.items() if one is not held.get(path) or diff.concerns(under.by_path[path], one)
    }
    again |= {path for path in held.keys() - found.keys() if path in under.by_path}
    return _reconcile_files(under, _carry_changes(base, under, diff), found, again)


def _change_nothing(snapshot: Snapshot) -> TableChanges:
    return TableChanges(
        hit=np.zeros(len(snapshot.edges.source), dtype=np.bool_),
        cut=np.zeros(len(snapshot.edges.sites), dtype=np.bool_),
        cut_open=np.zeros(len(snapshot.unresolved.sites), dtype=np.bool_),
        added=np.empty((0, ADDED_WIDTH), dtype=np.int32),
        counts=np.zeros((len(snapshot.files), len(Verdict)), dtype=np.int32),
    )


def _reconcile_files(
    under: Snapshot, before: TableChanges, found: Mapping[str, Confirmed], paths: Iterable[str]
) -> TableChanges:
    """The changes once some files are reconciled again. Writes into the masks of `before`."""
    files = sorted((under.by_path[path] for path in paths), key=lambda file: file.number)
    if not files:
        return before
    edges, undecided = under.edges, under.unresolved
    for file in files:
        rows = _find_rows(edges, file)
        before.hit[rows] = False
        before.cut[site_slice(edges, rows)] = False
        before.cut_open[site_slice(undecided, _find_rows(undecided, file))] = False
        before.counts[file.number] = 0
    pairs = [(file, found[file.path]) for file in files if file.path in found]
    judged = reconcile(under, pairs)
    before.hit[judged.hit] = True
    before.cut[judged.cut] = True
    before.cut_open[judged.cut_open] = True
    before.counts[[file.number for file, _ in pairs]] = judged.counts
    added = np.concatenate((before.added[~_are_in_files(before.added, files)], judged.added))
    return msgspec.structs.replace(before, added=_sort_added(added))


def _carry_changes(base: Overlay, under: Snapshot, diff: SnapshotDiff) -> TableChanges:
    """The changes to files whose edges are the same in both snapshots; none to the others."""
    old, before, after = base.plain, base.changes, _change_nothing(under)
    for run in diff.runs:
        was, now = run.rows(old.edges, under.edges, old.bases, under.bases)
        after.hit[now] = before.hit[was]
        after.cut[site_slice(under.edges, now)] = before.cut[site_slice(old.edges, was)]
        was, now = run.rows(old.unresolved, under.unresolved, old.bases, under.bases)
        after.cut_open[site_slice(under.unresolved, now)] = before.cut_open[site_slice(old.unresolved, was)]
        after.counts[run.new_slice] = before.counts[run.old_slice]
    added = before.added.copy()
    added[:, 0], added[:, 2] = diff.kept[added[:, 0]], diff.renumber[added[:, 2]]
    return msgspec.structs.replace(after, added=_sort_added(added[(added[:, 0] >= 0) & (added[:, 2] >= 0)]))


def _find_rows(table: EdgeTable | UnresolvedTable, file: IndexedFile) -> slice:
    return row_slice(table, slice(file.base, file.base + file.symbol_count))


def _are_in_files(added: Ints, files: Sequence[IndexedFile]) -> Mask:
    """Marks the added sites that are in some files, which are sorted."""
    begin = np.array([file.base for file in files])
    end = np.array([file.base + file.symbol_count for file in files])
    at = np.searchsorted(begin, added[:, 0], "right") - 1
    return (at >= 0) & (added[:, 0] < end[at])


def _sort_added(added: Ints) -> Ints:
    """Added sites sorted by edge, then by place; the same array where they are sorted already."""
    source, kind, target, line, col = added.T.astype(np.int64)
    edge, place = (source << 36) | (kind << 32) | target, (line << 32) | col
    rises = (edge[1:] > edge[:-1]) | ((edge[1:] == edge[:-1]) & (place[1:] > place[:-1]))
    return added if rises.all() else added[np.lexsort((place, edge))]
