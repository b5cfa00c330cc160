"""Turns answers of a language server into confirmations of the map's edges.

Rules of the file:
- An answer counts only where it is complete and the files that it is about, and leads to, are on disk as indexed.
- Servers count the uses of overridden and of overriding members alike among the references of one. So a reference to a
  member of a class confirms only what the map knows itself, otherwise than by its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from codemap.graph.model.edges import BARE, EdgeTable, Ints, UnresolvedTable, distinct
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS, Confidence
from codemap.graph.verified.confirmations import Confirmation, Confirmed, Inside, pack_confirmations
from codemap.graph.verified.overlay import without_overlay
from codemap.graph.verified.reconciliation import USES, place_key
from codemap.graph.verified.target_mapping import TargetMap
from codemap.graph.verified.unverified_sites import Site, find_sites_at
from codemap.live_queries import At, Fact, Found, Place, Source, SourceNow
from codemap.tools.nav.target import Target
from codemap.tools.tool import Asking, World

FILES_MAX = 64
"""Files that one answer has read again to make sure that they are as indexed."""


def learn_definition(world: World, target: Target, fact: Fact) -> Asking[Mapping[str, Confirmed]]:
    """Confirms a use by its definition; nothing where the target is a definition itself."""
    snapshot = world.snapshot
    if snapshot is None or not isinstance(fact, Found) or fact.incomplete or not target.now.is_as_in(world):
        return {}
    sites = uses_at(snapshot, snapshot.by_path[target.at.file], [target.at])
    if not sites:
        return {}
    places: tuple[Place, ...] = fact.value
    paths = [target.at.file, *(place.file for place in places)]
    current = yield from _find_current(world, snapshot, paths)
    if not _are_current(snapshot, paths, current):
        return {}
    meanings = TargetMap(snapshot)
    return _pack_said(snapshot, fact.server, [(site, meanings.confirmation(site, places)) for site in sites])


def learn_references(
    world: World, target: Target, definition: Fact, references: Fact
) -> Asking[Mapping[str, Confirmed]]:
    """Confirms the references of a target: all of them have its definition."""
    snapshot = world.snapshot
    if snapshot is None or not isinstance(definition, Found) or not isinstance(references, Found):
        return {}
    places: tuple[Place, ...] = definition.value
    if not places or definition.incomplete or references.incomplete or not target.now.is_as_in(world):
        return {}
    used: dict[str, list[At]] = {}
    for place in references.value:
        if not place.is_external and place.file in snapshot.by_path:
            used.setdefault(place.file, []).append(place.at)
    paths = [target.at.file, *(place.file for place in places)]
    current = yield from _find_current(world, snapshot, [*paths, *used])
    if not _are_current(snapshot, paths, current):
        return {}
    meanings = TargetMap(snapshot)
    said = [
        (site, confirmation)
        for path, ats in used.items()
        if path in current
        for site in uses_at(snapshot, snapshot.by_path[path], ats)
        if _counts(snapshot, site, confirmation := meanings.confirmation(site, places))
    ]
    return _pack_said(snapshot, references.server, said)


def uses_at(snapshot: Snapshot, file: IndexedFile, places: Iterable[At]) -> list[Site]:
    """The uses in a file that are at some places. Cost: the edges of the file."""
    under = without_overlay(snapshot)
    wanted = {(at.line, at.col) for at in places}
    keys = place_key(*np.array(sorted(wanted), dtype=np.int32).reshape(-1, 2).T)

    def rows(table: EdgeTable | UnresolvedTable) -> Ints:
        begin, end = table.out_start[file.base], table.out_start[file.base + file.symbol_count]
        own = np.arange(begin, end, dtype=np.int32)
        own = own[np.isin(table.kind[own] & ~BARE, USES)]
        sites, at = expand_ranges(table.first[own], table.count[own])
        return distinct(own[at[np.isin(place_key(*table.sites[sites].T), keys)]])

    found = find_sites_at(under, rows(under.edges), rows(under.unresolved))
    return [site for site in found if (site.line, site.col) in wanted]


def _counts(snapshot: Snapshot, site: Site, confirmation: Confirmation) -> bool:
    """Whether a reference says what a definition would."""
    nodes = [snapshot.by_path[one.path].base + one.row for one in confirmation.meant if isinstance(one, Inside)]
    if len(nodes) < len(confirmation.meant) or not nodes:
        return False
    return not any(_is_member(snapshot, node) for node in nodes) or bool(_find_known(snapshot, site) & set(nodes))


def _is_member(snapshot: Snapshot, node: int) -> bool:
    parent = snapshot.parent_of(node)
    return parent is not None and snapshot.kind_of(parent) in CLASS_KINDS


def _find_known(snapshot: Snapshot, site: Site) -> set[int]:
    """The nodes that the map resolves a use to, without confirmations and guesses."""
    under = without_overlay(snapshot)
    owner = under.by_path[site.path].base + site.owner
    return {
        edge.target
        for edge in under.edges_out(owner)
        if edge.kind is site.kind and edge.confidence < Confidence.NAME and (site.line, site.col) in under.sites(edge)
    }


def _find_current(world: World, snapshot: Snapshot, paths: Iterable[str]) -> Asking[Collection[str]]:
    """Selects the first indexed files that are on disk as they are indexed."""
    known = [path for path in dict.fromkeys(paths) if path in snapshot.by_path][:FILES_MAX]
    known = [path for path in known if path not in world.disk.stale and path not in world.disk.deleted]
    facts = (yield tuple(Source(path) for path in known)) if known else ()
    return {
        path
        for path, fact in zip(known, facts, strict=True)
        if isinstance(fact, Found)
        and isinstance(fact.value, SourceNow)
        and fact.value.digest == snapshot.by_path[path].stamp.digest
    }


def _are_current(snapshot: Snapshot, paths: Iterable[str], current: Collection[str]) -> bool:
    """Whether those of the paths that are indexed are among the current ones."""
    return all(path in current for path in paths if path in snapshot.by_path)


def _pack_said(snapshot: Snapshot, server: str, said: Sequence[tuple[Site, Confirmation]]) -> Mapping[str, Confirmed]:
    by_path: dict[str, list[Confirmation]] = {}
    for site, confirmation in said:
        by_path.setdefault(site.path, []).append(confirmation)
    return {
        path: pack_confirmations(snapshot.by_path[path].stamp.digest, server, found) for path, found in by_path.items()
    }
