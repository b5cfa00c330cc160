"""Asks a language server about the uses around a node, and applies what it says to the map of an answer.

The uncertain uses go first: those that could not be decided and those that were guessed by name, by the node and where
it could be meant, the nearest before the others; then all other uses on its edges.

Rules of the file:
- An answer counts only where the files that it is about, and leads to, are on disk as the map has them.
- What may be incomplete does not count. What could not be asked, or had no answer, is named in a warning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.model.edges import BARE, EdgeKind, Ints
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.undecided import Side
from codemap.graph.verified.confirmations import Confirmation, Confirmed, pack_confirmations
from codemap.graph.verified.overlay import confirm, without_overlay
from codemap.graph.verified.reconciliation import USES
from codemap.graph.verified.target_mapping import TargetMap
from codemap.graph.verified.unverified_sites import Site, find_sites_at, select_unasked
from codemap.live_queries import Because, Definition, Fact, Found, Missed, Place, Source, SourceNow
from codemap.tools.tool import Asking

SITES_MAX = 2_000
"""Uses that one call asks about: a quick server answers them within the time of a call."""

AT_ONCE = 128
"""Questions in one round: what is given up together when time is up."""

_OVER = frozenset((Because.TIMEOUT, Because.NOT_READY, Because.UNAVAILABLE, Because.FAILED, Because.UNSUPPORTED))
"""Reasons for which the next question of the language would have no answer either."""


class Checked(msgspec.Struct, frozen=True):
    """The map as it is with what was found out."""

    snapshot: Snapshot
    found: Mapping[str, Confirmed]
    """By path, for the map to keep."""
    warnings: tuple[str, ...]
    incomplete: str
    """How many uses were not verified, as a sentence; empty where all were."""


def check_around(
    snapshot: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]
) -> Asking[Checked]:
    """Puts the uses around a node to the language server that were not put to it as they are now."""
    wanted = select_unasked(snapshot, uses_around(without_overlay(snapshot), node, sides, kinds))
    beyond = wanted[SITES_MAX:]
    facts: dict[Site, Fact] = {}
    over: set[str] = set()
    todo = wanted[:SITES_MAX]
    while todo:
        some = [site for site in todo[:AT_ONCE] if _find_language(snapshot, site) not in over]
        todo = todo[AT_ONCE:]
        if some:
            facts.update(zip(some, (yield tuple(Definition(site.at) for site in some)), strict=True))
        over = {_find_language(snapshot, site) for site, fact in facts.items() if _is_over(fact)}
    home = snapshot.file_of(node)
    current = yield from _find_current(snapshot, facts, () if home is None else (home.path,))
    found = _confirm_sites(snapshot, facts, current)
    warnings = tuple(_list_warnings(wanted, beyond, facts, current))
    left = len(wanted) - sum(_counts(snapshot, site, fact, current) for site, fact in facts.items())
    incomplete = f"{left} of {len(wanted)} use(s) around it were not verified." if left else ""
    return Checked(confirm(snapshot, found), found, warnings, incomplete)


def uses_around(under: Snapshot, node: int, sides: Collection[Side], kinds: Collection[EdgeKind]) -> list[Site]:
    """The uses on the edges of a node, the uncertain first, of a snapshot without confirmations."""
    wanted = [int(kind) for kind in kinds if kind in USES]
    edges, undecided = under.edges, under.unresolved
    out = np.arange(edges.out_start[node], edges.out_start[node + 1], dtype=np.int32)
    into = edges.by_target[edges.in_start[node] : edges.in_start[node + 1]]
    open_out = np.arange(undecided.out_start[node], undecided.out_start[node + 1], dtype=np.int32)
    none = np.empty(0, dtype=np.int32)
    open_in = unresolved_rows_in(under, node) if "in" in sides else none
    open_rows = np.concatenate((open_out if "out" in sides else none, open_in))
    open_rows = open_rows[np.isin(undecided.kind[open_rows] & ~BARE, wanted)]
    rows = np.concatenate((out if "out" in sides else none, into if "in" in sides else none))
    rows = rows[np.isin(edges.kind[rows], wanted)]
    is_guess = edges.confidence[rows] == Confidence.NAME
    is_call = edges.kind[rows] == EdgeKind.CALLS
    stages: list[tuple[Ints, Ints]] = [
        (rows[is_guess], open_rows),
        (rows[~is_guess & is_call], none),
        (rows[~is_guess & ~is_call], none),
    ]
    found: dict[tuple[str, int, int], Site] = {}
    for some, some_open in stages:
        for site in _sort_by_distance(under, node, find_sites_at(under, some, some_open)):
            found.setdefault((site.path, site.line, site.col), site)
    return list(found.values())


def _sort_by_distance(under: Snapshot, node: int, sites: list[Site]) -> list[Site]:
    file = under.file_of(node)
    if file is None:
        return sites
    numbers = np.array([under.by_path[site.path].number for site in sites], dtype=np.int32)
    order = np.argsort(path_distances_of(under).apart(file.number, numbers), kind="stable")
    return [sites[place] for place in order.tolist()]


def _find_language(snapshot: Snapshot, site: Site) -> str:
    return snapshot.by_path[site.path].family


def _is_over(fact: Fact) -> bool:
    return isinstance(fact, Missed) and fact.because in _OVER


def _find_current(snapshot: Snapshot, facts: Mapping[Site, Fact], others: Iterable[str]) -> Asking[frozenset[str]]:
    """The files of questions and answers, and others, that are on disk as they are indexed. Asked after the answers
    came."""
    paths = {*others, *(site.path for site in facts)}
    paths |= {place.file for fact in facts.values() if isinstance(fact, Found) for place in fact.value}
    paths &= snapshot.by_path.keys()
    ordered = tuple(sorted(paths))
    sources = yield tuple(Source(path) for path in ordered)
    return frozenset(
        path
        for path, fact in zip(ordered, sources, strict=True)
        if isinstance(fact, Found)
        and isinstance(fact.value, SourceNow)
        and fact.value.digest == snapshot.by_path[path].stamp.digest
    )


def _confirm_sites(snapshot: Snapshot, facts: Mapping[Site, Fact], current: Collection[str]) -> dict[str, Confirmed]:
    meanings = TargetMap(snapshot)
    said: dict[tuple[str, str], list[Confirmation]] = {}
    for site, fact in facts.items():
        if _counts(snapshot, site, fact, current) and isinstance(fact, Found):
            said.setdefault((site.path, fact.server), []).append(meanings.confirmation(site, fact.value))
    return {
        path: pack_confirmations(snapshot.by_path[path].stamp.digest, server, confirmations)
        for (path, server), confirmations in said.items()
    }


def _counts(snapshot: Snapshot, site: Site, fact: Fact, current: Collection[str]) -> bool:
    if not isinstance(fact, Found) or fact.incomplete or site.path not in current:
        return False
    places: Iterable[Place] = fact.value
    return all(place.file in current or place.file not in snapshot.by_path for place in places)


def _list_warnings(
    wanted: Sequence[Site], beyond: Sequence[Site], facts: Mapping[Site, Fact], current: Collection[str]
) -> Iterable[str]:
    if not wanted:
        return
    whole = len(wanted)
    missed = [fact for fact in facts.values() if isinstance(fact, Missed)]
    late = whole - len(beyond) - len(facts)
    reasons = Counter(fact.message.rstrip(".") for fact in missed)
    if missed:
        why = "; ".join(reason for reason, _ in reasons.most_common(2))
        hints = {fact.hint for fact in missed if fact.hint}
        hint = f" ({', '.join(sorted(hints))})" if hints else ""
        yield (
            f"{len(missed) + late} of {whole} use(s) around it were not verified: {why}{hint}. "
            "Their edges are as the map has them."
        )
    if beyond:
        yield f"{len(beyond)} more use(s) were not put to the language server; repeat the call, or pass edgeKinds."
    incomplete = next((fact.incomplete for fact in facts.values() if isinstance(fact, Found) and fact.incomplete), "")
    if incomplete:
        yield f"Some answers of the language server did not count: {incomplete.rstrip('.')}."
    differing = {site.path for site in facts} - set(current)
    if differing:
        yield f"{len(differing)} file(s) changed since the last index: what was said of them did not count."
