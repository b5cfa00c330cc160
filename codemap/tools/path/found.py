"""Finds the chains between two definitions; where there are none as asked, the nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec
from msgspec.structs import replace

from codemap.file_roles import Role, role_of
from codemap.graph.index.node_roles import FILE_ROLES
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.chain_marks import Mark, mark_of
from codemap.graph.query.chain_steps import (
    BRIDGE,
    NAMESAKE,
    NAMESAKES_MAX,
    UNDECIDED,
    Along,
    Ways,
    find_namesakes,
    ways_of,
)
from codemap.graph.query.chains import Alike, Chains, Step, chains
from codemap.graph.query.shortest_path import STRUCTURAL, edge_between, route
from codemap.tools.path.bridges import BRIDGES_MAX, Bridges, add_shared, find_bridges
from codemap.tools.path.guesses import Standing, find_likely, weigh
from codemap.tools.path.halves import find_halves
from codemap.tools.view import SideName

CHAINS_MAX = 3
LIKELY_MAX = 2
"""Chains over bridges, which say less."""
GUESSED = "this one takes undecided calls, too, as calls of one of their candidates"
CALLED_BACK = "in this one a base outside calls what overrides its methods"
WEAK = "this one also follows what is named or has a base outside"
BRIDGED = "this one has steps that are likely and no calls, marked `may`"
SHARED = "this one leads through what two of its functions use and few others do"
PARTS = "Parts of one: how near `from` gets to what leads to `to`, and from where that is reached."
LEN_MOST, LEN_SEARCHED = 10, 16
"""Steps that may be asked for, and that a chain has at most where none is so short."""
_LONGER_MAX = 2
"""Chains of more steps than were asked for."""
_UNFOLLOWED = f"not followed: functions passed on in variables, names that over {NAMESAKES_MAX} definitions have"

_CALLS = (Along.INDIRECT, Along.CANDIDATES, Along.LOOSE)
_BY_PLACE = frozenset((EdgeKind.CONTAINS, EdgeKind.IMPORTS, EdgeKind.EXPORTS))
"""What says where code is, and not what it runs."""
_UNWRITTEN = {
    Mark.HAS: EdgeKind.CONTAINS,
    Mark.CONSTRUCTOR: EdgeKind.CALLS,
    Mark.OVERRIDE: EdgeKind.CALLS,
    Mark.CALLBACK: EdgeKind.CALLS,
    Mark.NAMESAKE: EdgeKind.CALLS,
    Mark.DEFINES: EdgeKind.CONTAINS,
    Mark.HOLDS: EdgeKind.REFERENCES,
    Mark.DECLARES: EdgeKind.CALLS,
}
"""Kinds of steps that no edge stands for."""
_OVER_BRIDGES = (Mark.GIVES, Mark.OUTSIDE, Mark.SENDS, Mark.MESSAGE, Mark.SHARES)
_BY_USE = (Mark.SENDS, Mark.MESSAGE, Mark.SHARES)
WEAK_MARKS = frozenset((Mark.HAS, Mark.NAMES, Mark.USES, Mark.SHARES))
"""Steps after which nothing need run."""


class Wanted(msgspec.Struct, frozen=True):
    """The question for a path, beside its two ends."""

    max_len: int
    is_directed: bool
    has_references: bool
    alike: Alike = ((), ())


class Link(msgspec.Struct, frozen=True):
    """A step of a chain, from either of its ends."""

    node: int
    after: int
    kind: EdgeKind
    side: SideName
    confidence: Confidence
    line: int
    """Where the step is written, in the file of the edge's source; 0 where it is written nowhere."""
    mark: Mark
    candidates: int = 0
    """Definitions that may be meant as well as this one, with it; 0 where that is decided."""
    standing: Standing = Standing.EVEN
    """Of this one among them."""
    through: int = -1
    """What a bridge goes by."""


class Found(msgspec.Struct, frozen=True):
    chains: tuple[tuple[Link, ...], ...]
    why: str = ""
    """Empty where they are chains of calls, or of the references that were asked for."""
    direction: Literal["", "reverse", "undirected"] = ""
    """Empty for the direction of calls."""
    is_whole: bool = True
    is_longer: bool = False
    """Whether there are only such that have more steps than were asked for."""
    is_guessed: bool = False
    """Whether they take undecided calls as calls of one of their candidates, or bases outside as callers."""
    parts: tuple[tuple[Link, ...], ...] = ()
    """Where none leads from one to the other: from the start to near what leads to the end; to the end from where it is
    reached."""


def chains_for(snapshot: Snapshot, start: int, end: int, wanted: Wanted) -> Found:
    """The chains that were asked for; else what comes nearest to them, and what it is instead."""
    if start == end:
        return Found(((),))
    if not wanted.is_directed:
        return Found(_find_either_way(snapshot, start, end, wanted, is_asked=True), direction="undirected")
    is_whole = True
    unlikely: Found | None = None
    for along in _list_kinds(snapshot, start, end, wanted):
        if along is Along.CANDIDATES:
            ways = _ways_along(snapshot, start, end, along)
            found = find_likely(ways, start, end, wanted.max_len, wanted.alike, LEN_SEARCHED)
        elif along is Along.LOOSE:
            found = _find_along(snapshot, start, end, along, wanted.max_len, 1, alike=wanted.alike)
        else:
            found = _find_along(snapshot, start, end, along, wanted.max_len, CHAINS_MAX, LEN_SEARCHED, wanted.alike)
        is_whole = is_whole and found.is_whole
        if found.chains:
            why = ""
            if along is Along.CANDIDATES:
                why = f"No chain of decided calls within {LEN_SEARCHED} steps; {GUESSED}."
            links = _make_links(snapshot, found)[: _LONGER_MAX if found.is_longer else CHAINS_MAX]
            is_guessed = along is Along.CANDIDATES
            if along is Along.LOOSE:
                is_guessed = not any(link.mark in WEAK_MARKS for link in links[0])
                why = f"No chain of calls within {LEN_SEARCHED} steps; {CALLED_BACK if is_guessed else WEAK}."
            made = Found(links, why, is_whole=found.is_whole, is_longer=found.is_longer, is_guessed=is_guessed)
            is_weak = along is Along.LOOSE and not is_guessed
            if not is_weak and not any(link.standing is Standing.UNLIKELY for chain in links for link in chain):
                return made
            unlikely = made
    ways = _ways_along(snapshot, start, end, Along.INDIRECT)
    bridges = find_bridges(ways, [end, *wanted.alike[1]])
    bridged = _find_over(ways, bridges, start, end, wanted, LIKELY_MAX)
    return bridged or unlikely or _find_other_way(ways, bridges, start, end, wanted, is_whole=is_whole)


def are_connected(snapshot: Snapshot, start: int, end: int, wanted: Wanted) -> bool:
    """Whether a chain without guesses leads from one to the other, or edges in either direction, if these were asked
    for."""
    if start == end or not wanted.is_directed:
        return start == end or bool(chains_for(snapshot, start, end, wanted).chains)
    return any(
        _find_along(snapshot, start, end, along, wanted.max_len, 1, LEN_SEARCHED, wanted.alike).chains
        for along in _list_kinds(snapshot, start, end, wanted)
        if along not in (Along.CANDIDATES, Along.LOOSE)
    )


def _list_kinds(snapshot: Snapshot, start: int, end: int, wanted: Wanted) -> list[Along]:
    kinds = [Along.REFERENCES, Along.CANDIDATES] if wanted.has_references else list(_CALLS)
    return [Along.IMPORTS, *kinds] if _are_files(snapshot, start, end) else kinds


def _find_over(ways: Ways, bridges: Bridges, start: int, end: int, wanted: Wanted, most: int) -> Found | None:
    """The cheapest chains that also go where no call leads, but probably the program."""
    over = replace(ways, bridges=bridges.steps)
    found = chains(over, start, end, wanted.max_len, most, LEN_SEARCHED, wanted.alike)
    links = tuple(chain for chain in _make_links(ways.snapshot, found, bridges) if _is_plausible(chain))
    if not links:
        return None
    is_guessed = not any(link.mark in WEAK_MARKS for link in links[0])
    why = f"No chain of calls within {LEN_SEARCHED} steps; {BRIDGED if is_guessed else SHARED}."
    return Found(links, why, is_whole=found.is_whole, is_longer=found.is_longer, is_guessed=is_guessed)


def _is_plausible(chain: Sequence[Link]) -> bool:
    return sum(link.mark in _OVER_BRIDGES for link in chain) <= BRIDGES_MAX


def chain_of_calls(snapshot: Snapshot, start: int, end: int, max_len: int) -> tuple[Link, ...]:
    """The best of what `chains_for` finds of at most `max_len` steps in the direction of calls; empty where there is
    none. It looks for nothing else in its place."""
    if start == end:
        return ()
    if _are_files(snapshot, start, end):
        imported = _find_along(snapshot, start, end, Along.IMPORTS, max_len, 1, LEN_SEARCHED)
        if imported.chains:
            return () if imported.is_longer else _make_links(snapshot, imported)[0]
    found = _find_along(snapshot, start, end, Along.CALLS, max_len, 1)
    return _make_links(snapshot, found)[0] if found.chains else ()


def _find_other_way(ways: Ways, bridges: Bridges, start: int, end: int, wanted: Wanted, *, is_whole: bool) -> Found:
    """A chain in the other direction, else one by what two functions share, else of edges in either direction. Imports
    say nothing of who calls whom."""
    snapshot = ways.snapshot
    none = f"No chain of calls within {LEN_SEARCHED} steps, decided or not ({_UNFOLLOWED})"
    for along in (Along.INDIRECT, Along.IMPORTS) if _are_files(snapshot, start, end) else (Along.INDIRECT,):
        back = _find_along(snapshot, end, start, along, wanted.max_len, 1, alike=(wanted.alike[1], wanted.alike[0]))
        if back.chains:
            return Found(
                _make_links(snapshot, back), f"{none}; this one leads from `to` to `from`.", "reverse", is_whole
            )
    if shared := _find_over(ways, add_shared(ways, start, bridges), start, end, wanted, 1):
        return shared
    either = _find_either_way(snapshot, start, end, wanted, is_asked=False)
    if not either:
        none = f"{none}, nor of at most {wanted.max_len} edges in either direction"
    why = f"{none}; only edges in either direction connect them." if either else f"{none}."
    direction: Literal["", "undirected"] = "undirected" if either else ""
    departing, arriving = find_halves(ways, start, end)
    return Found(
        either,
        why,
        direction,
        is_whole,
        parts=tuple(tuple(_link(snapshot, step) for step in part) for part in (departing, *arriving) if part),
    )


def _find_along(
    snapshot: Snapshot,
    start: int,
    end: int,
    along: Along,
    max_len: int,
    most: int,
    longest: int = 0,
    alike: Alike = ((), ()),
) -> Chains:
    return chains(_ways_along(snapshot, start, end, along), start, end, max_len, most, longest, alike)


def _ways_along(snapshot: Snapshot, start: int, end: int, along: Along) -> Ways:
    ends = [file for file in map(snapshot.file_of, (start, end)) if file is not None]
    goals = (end,) if snapshot.is_external(end) else tuple({end, snapshot.parent_of(end) or end})
    return ways_of(snapshot, {role_of(file.path) for file in ends}, along, goals)


def _make_links(snapshot: Snapshot, found: Chains, bridges: Bridges | None = None) -> tuple[tuple[Link, ...], ...]:
    return tuple(tuple(_link(snapshot, step, bridges) for step in chain) for chain in found.chains)


def _link(snapshot: Snapshot, step: Step, bridges: Bridges | None = None) -> Link:
    if step.row <= BRIDGE:
        assert bridges is not None, "only chains over bridges have such steps"
        over = bridges.of(step.row)
        kind = EdgeKind.REFERENCES if over.mark in _BY_USE else EdgeKind.CALLS
        return Link(step.source, step.target, kind, "out", Confidence.TYPE, over.line, over.mark, through=over.through)
    mark = mark_of(snapshot, step.source, step.target, step.row)
    if step.row <= UNDECIDED:
        undecided, row = snapshot.unresolved, UNDECIDED - step.row
        line = int(undecided.sites[undecided.first[row]][0])
        count, its_standing = weigh(snapshot, row, step.target)
        return Link(
            step.source, step.target, EdgeKind.CALLS, "out", Confidence.CANDIDATE, line, mark, count, its_standing
        )
    if step.row == NAMESAKE:
        count = len(find_namesakes(snapshot, step.source))
        return Link(step.source, step.target, EdgeKind.CALLS, "out", Confidence.CANDIDATE, 0, mark, count)
    if step.row < 0:
        return Link(step.source, step.target, _UNWRITTEN[mark], "out", Confidence.TYPE, 0, mark)
    table = snapshot.edges
    kind, confidence = EdgeKind(int(table.kind[step.row])), Confidence(int(table.confidence[step.row]))
    line = int(table.sites[table.first[step.row]][0])
    return Link(step.source, step.target, kind, "out", confidence, line, mark)


def _are_files(snapshot: Snapshot, start: int, end: int) -> bool:
    return all(snapshot.is_external(node) or snapshot.is_file(node) for node in (start, end))


def _find_either_way(
    snapshot: Snapshot, start: int, end: int, wanted: Wanted, *, is_asked: bool
) -> tuple[tuple[Link, ...], ...]:
    """The shortest chain of edges in either direction; through tests and examples only where there is no other. Where
    that is not what was asked for, only edges of product code count by which it runs other code, unless both ends are
    files."""
    kinds = frozenset(EdgeKind) if wanted.has_references else STRUCTURAL
    if not is_asked and not _are_files(snapshot, start, end):
        kinds -= _BY_PLACE
    are_aside = FILE_ROLES.of(snapshot) != Role.PRODUCT
    nodes = route(snapshot, start, end, wanted.max_len, kinds, are_aside)
    if nodes is None and (is_asked or kinds >= _BY_PLACE):
        nodes = route(snapshot, start, end, wanted.max_len, kinds)
    if nodes is None:
        return ()
    links = []
    for node, after in pairwise(nodes):
        found = edge_between(snapshot, node, after, kinds)
        assert found is not None, "the route follows edges"
        edge, side = found
        line = 0 if edge.kind is EdgeKind.CONTAINS else snapshot.sites(edge)[0][0]
        links.append(Link(node, after, edge.kind, side, edge.confidence, line, Mark.CALL))
    return (tuple(links),)
