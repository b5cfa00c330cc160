"""Selects the uses of the map that a language server is asked about.

Rules of the file:
- A place is asked about once. Where several uses are at it, calls come first.
- What is asked about is decided by the snapshot without confirmations: a use that was moved is asked about again after
  a change.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import Enum

import msgspec
import numpy as np

from codemap.graph.model.edges import BARE, EdgeKind, EdgeTable, Ints, Mask, UnresolvedTable, distinct
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.verified.confirmations import Confirmed
from codemap.graph.verified.overlay import find_lapsed_files, overlay_of, without_overlay
from codemap.graph.verified.reconciliation import USES
from codemap.languages import by_name
from codemap.live_queries import At


class SiteSelection(Enum):
    ALL = "all"
    """Calls, whatever is known of them, and all that is uncertain."""
    UNCERTAIN = "uncertain"
    """What is undecided, or guessed by name."""


class Site(msgspec.Struct, frozen=True, gc=False):
    """A use that can be asked about."""

    path: str
    line: int
    col: int
    owner: int
    """Row of the definition that holds it."""
    kind: EdgeKind
    is_constructor: bool
    """Whether a constructor is named there, and not the class (`super().__init__()`)."""

    @property
    def at(self) -> At:
        return At(self.path, self.line, self.col)


def find_sites(snapshot: Snapshot, file: IndexedFile, wanted: SiteSelection) -> list[Site]:
    """The uses in a file that are to be asked about, in order."""
    under = without_overlay(snapshot)
    edges, undecided = under.edges, under.unresolved
    rows = _select_rows(edges, file)
    is_guess = (edges.confidence[rows] == Confidence.NAME) & np.isin(edges.kind[rows], USES)
    if by_name()[file.lang].is_structural:
        is_guess &= edges.kind[rows] != EdgeKind.IMPLEMENTS  # nothing in the source says so
    taken = is_guess if wanted is SiteSelection.UNCERTAIN else is_guess | (edges.kind[rows] == EdgeKind.CALLS)
    return find_sites_at(under, rows[taken], _select_rows(undecided, file))


def find_sites_at(under: Snapshot, rows: Ints, undecided_rows: Ints) -> list[Site]:
    """The uses behind some edges, and behind some undecided uses, of a snapshot without confirmations."""
    edges, undecided = under.edges, under.unresolved
    names = _find_constructors(under)
    found: dict[tuple[int, int, int], Site] = {}
    targets = np.isin(_names_of(under, edges.target[rows]), names.numbers)
    columns: list[tuple[EdgeTable | UnresolvedTable, Ints, Ints, Mask]] = [
        (edges, rows, edges.kind[rows], targets),
        (
            undecided,
            undecided_rows,
            undecided.kind[undecided_rows] & ~BARE,
            _are_among(under, undecided_rows, names.texts),
        ),
    ]
    for table, chosen, kinds, constructors in columns:
        places, at = expand_ranges(table.first[chosen], table.count[chosen])
        owners = table.source[chosen][at]
        number_of = {owner: bisect_right(under.bases, owner) - 1 for owner in distinct(owners).tolist()}
        cells = (owners, kinds[at], constructors[at], *table.sites[places].T)
        for owner, kind, is_constructor, line, col in zip(*(cell.tolist() for cell in cells), strict=True):
            number = number_of[owner]
            old = found.get((number, line, col))
            if old is None or (kind == EdgeKind.CALLS and old.kind != EdgeKind.CALLS):
                file = under.files[number]
                site = Site(file.path, line, col, owner - file.base, EdgeKind(kind), is_constructor)
                found[number, line, col] = site
            elif is_constructor and not old.is_constructor:
                found[number, line, col] = msgspec.structs.replace(old, is_constructor=True)
    return [found[key] for key in sorted(found)]


def select_unasked(snapshot: Snapshot, sites: Iterable[Site], server: str = "") -> list[Site]:
    """Those sites that no server was asked about, or only another than this (its name and version), or that were said
    to lead to a content that is gone."""
    overlay = overlay_of(snapshot)
    if overlay is None:
        return list(sites)
    lapsed = find_lapsed_files(snapshot)
    known: dict[str, frozenset[tuple[int, int]]] = {}
    left = []
    for site in sites:
        places = known.get(site.path)
        if places is None:
            found = overlay.found.get(site.path)
            if found is None or server not in ("", found.server):
                places = frozenset()
            elif site.path in lapsed:
                places = _find_standing(snapshot, found)
            else:
                places = found.places
            known[site.path] = places
        if (site.line, site.col) not in places:
            left.append(site)
    return left


def _find_standing(snapshot: Snapshot, found: Confirmed) -> frozenset[tuple[int, int]]:
    """Line and column of the uses that lead to no content that is gone."""
    files = snapshot.by_path
    gone = [
        number
        for number, (path, digest) in enumerate(found.files)
        if path not in files or files[path].stamp.digest != digest
    ]
    sites, targets = found.site_table, found.target_table
    lapsed = np.zeros(len(sites), dtype=np.bool_)
    lapsed[np.repeat(np.arange(len(sites)), sites[:, 4])[np.isin(targets[:, 0], gone)]] = True
    return frozenset((line, col) for line, col in sites[~lapsed, :2].tolist())


class _Constructors(msgspec.Struct, frozen=True):
    texts: frozenset[str]
    numbers: Ints
    """Of the same names, among those of nodes."""


def _find_constructors(under: Snapshot) -> _Constructors:
    texts = frozenset(name for language in by_name().values() for name in language.constructors)
    places = map(under.node_names.place, texts)
    return _Constructors(texts, np.array(sorted(place for place in places if place is not None), dtype=np.int32))


def _names_of(under: Snapshot, nodes: Ints) -> Ints:
    """Numbers of the names of nodes; -1 for external packages."""
    of_node = under.node_names.of_node
    names = np.full(len(nodes), -1, dtype=np.int32)
    inside = nodes < under.first_external
    names[inside] = of_node[nodes[inside]]
    return names


def _are_among(under: Snapshot, rows: Ints, texts: frozenset[str]) -> Mask:
    numbers = [under.unresolved_names[text] for text in texts if text in under.unresolved_names]
    return np.isin(under.unresolved.name[rows], np.array(numbers, dtype=np.int32))


def _select_rows(table: EdgeTable | UnresolvedTable, file: IndexedFile) -> Ints:
    begin, end = table.out_start[file.base], table.out_start[file.base + file.symbol_count]
    return np.arange(begin, end, dtype=np.int32)
