"""Finds uses that the map has and the answer of a language server lacks: such an answer must not look complete.

A server names what it can decide. A use on a value whose type no source states is none to it, where the map has a guess
or a candidate.

Rules of the file:
- Sites count where their file is on disk as it is indexed: elsewhere they may have moved.
- Files and external packages are left alone: the map has one node for all of them that is used.
- A use that the server led elsewhere is no use of the node any more: the map keeps what servers confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec
import numpy as np

from codemap.facts import Symbol, SymbolKind
from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.model.edges import BARE, INHERITANCE, EdgeKind, Ints
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.used_names import places_named, places_of_variables
from codemap.graph.model.values import Confidence
from codemap.graph.query.dispatch import dispatched, implementers, is_abstract
from codemap.graph.query.undecided import Side
from codemap.graph.verified.unverified_sites import Site, find_sites_at, select_unasked
from codemap.languages import by_name
from codemap.live_queries import Place
from codemap.tools.nav.map_meaning import map_meaning
from codemap.tools.nav.no_answer import neighbors_call
from codemap.tools.nav.target import Target
from codemap.tools.tool import World

_NONE = np.empty(0, dtype=np.int32)


class Further(msgspec.Struct, frozen=True):
    """Sites that a server did not name."""

    firm: tuple[Site, ...] = ()
    """By the map's rules they are uses."""
    possible: tuple[Site, ...] = ()
    """Guessed by name, or undecided."""
    is_asked: bool = True
    """Whether a server was asked about each of them as it is now."""

    @property
    def files(self) -> frozenset[str]:
        return frozenset(site.path for site in (*self.firm, *self.possible))

    def sentence(self, noun: str) -> str:
        """Says that the map has more; empty where it has not."""
        counted = [(len(self.firm), f"{noun}(s)"), (len(self.possible), f"possible {noun}(s)")]
        found = " and ".join(f"{count} {words}" for count, words in counted if count)
        return f"The map has {found} that the server does not name." if found else ""

    def warning(self, world: World, target: Target, side: Side, noun: str, *kinds: str) -> tuple[str, ...]:
        """As `sentence`, with the call that lists them, and puts them to the server where nobody has."""
        said = self.sentence(noun)
        if not said:
            return ()
        others = {} if self.is_asked else {"verify": True}
        return (f"{said[:-1]}: {neighbors_call(world, target, side, *kinds, **others)}.",)


def uses_of(world: World, node: int, kinds: Collection[EdgeKind], is_said: Callable[[Site], bool]) -> Further:
    """The uses of a definition beyond those that are said. Cost: its uses, and the undecided ones of its name."""
    snapshot = world.snapshot
    if snapshot is None or snapshot.is_external(node) or snapshot.is_file(node):
        return Further()
    edges = snapshot.edges
    rows = edges.by_target[edges.in_start[node] : edges.in_start[node + 1]]
    rows = rows[np.isin(edges.kind[rows], [int(kind) for kind in kinds])]
    through = np.array([call.edge.row for call in dispatched(snapshot, node, ("in",), kinds)], dtype=np.int32)
    return _count_further(world, snapshot, rows, through, _find_undecided(snapshot, node, kinds), is_said)


def calls_by(world: World, node: int, is_said: Callable[[Site], bool]) -> Further:
    """The calls in the body of a function beyond those that are said, of what is or may be in the repository."""
    snapshot = world.snapshot
    if snapshot is None or snapshot.is_external(node) or snapshot.is_file(node):
        return Further()
    edges, undecided = snapshot.edges, snapshot.unresolved
    rows = np.arange(edges.out_start[node], edges.out_start[node + 1], dtype=np.int32)
    rows = rows[(edges.kind[rows] == EdgeKind.CALLS) & (edges.target[rows] < snapshot.first_external)]
    open_rows = np.arange(undecided.out_start[node], undecided.out_start[node + 1], dtype=np.int32)
    open_rows = open_rows[(undecided.kind[open_rows] & ~BARE) == EdgeKind.CALLS]
    head = snapshot.cell(node, Symbol.LINE)
    is_in_head = snapshot.cell(node, Symbol.END_LINE) > head
    return _count_further(
        world,
        snapshot,
        rows,
        _NONE,
        open_rows,
        lambda site: is_said(site) or (is_in_head and site.line <= head),
    )


def further_implementers(world: World, target: Target, said: Iterable[Place]) -> list[tuple[str, int]]:
    """Path and line of the classes right below an interface, or of the methods for an abstract one, beyond those that
    are said. What extends a class need not implement it (embedding), so such are not counted."""
    snapshot, meaning = world.snapshot, map_meaning(world, target.now, target.at)
    if snapshot is None or meaning is None or meaning.confidence is Confidence.NAME:
        return []
    node = meaning.node
    if snapshot.kind_of(node) is SymbolKind.INTERFACE:
        below = {edge.source for edge in snapshot.edges_in(node) if edge.kind in INHERITANCE}
        below = {one for one in below if snapshot.kind_of(one) is not SymbolKind.INTERFACE}
    else:
        below = set(implementers(snapshot, node)) if is_abstract(snapshot, node) else set()
    lines: dict[str, list[int]] = {}
    for place in said:
        lines.setdefault(place.file, []).append(place.line)
    changed = world.disk.stale | world.disk.deleted
    found = []
    for one in sorted(below):
        file, row = snapshot.row_of(one)
        whole = row if snapshot.kind_of(one) is SymbolKind.CLASS else file.cell(row, Symbol.PARENT)
        span = range(file.cell(whole, Symbol.START_LINE), file.cell(whole, Symbol.END_LINE) + 1)
        if file.path not in changed and not any(line in span for line in lines.get(file.path, ())):
            found.append((file.path, file.cell(row, Symbol.LINE)))
    return found


def is_named(snapshot: Snapshot, node: int) -> Callable[[Site], bool]:
    """Whether the name of a definition is at a site: it is not at `super()`, nor where a variable is called."""
    return _is_at(snapshot, lambda file: places_named(file, snapshot.name_of(node)))


def is_of_variable(snapshot: Snapshot, nodes: Sequence[int]) -> Callable[[Site], bool]:
    """Whether a variable of the name of definitions is at a site, none of them, which holds one or what it gives."""
    own = frozenset(nodes)
    return _is_at(snapshot, lambda file: places_of_variables(file, snapshot.name_of(nodes[0]), own))


def _is_at(snapshot: Snapshot, find: Callable[[IndexedFile], frozenset[tuple[int, int]]]) -> Callable[[Site], bool]:
    """Whether a site is among the places that are found in its file."""
    known: dict[str, frozenset[tuple[int, int]]] = {}

    def is_found(site: Site) -> bool:
        if site.path not in known:
            known[site.path] = find(snapshot.by_path[site.path])
        return (site.line, site.col) in known[site.path]

    return is_found


def _count_further(
    world: World, snapshot: Snapshot, rows: Ints, guessed: Ints, undecided: Ints, is_said: Callable[[Site], bool]
) -> Further:
    """Counts edges, further edges that are guesses, and undecided uses that the answer of the server lacks."""
    is_firm = snapshot.edges.confidence[rows] < Confidence.NAME

    def beyond(some: Ints, some_open: Ints) -> list[Site]:
        sites = find_sites_at(snapshot, some, some_open)
        changed = world.disk.stale | world.disk.deleted
        return [site for site in sites if site.path not in changed and not is_said(site)]

    firm = beyond(rows[is_firm], _NONE)
    sure = {site.at for site in firm}
    possible = beyond(np.concatenate((rows[~is_firm], guessed)), undecided)
    possible = [site for site in possible if site.at not in sure]
    return Further(tuple(firm), tuple(possible), not select_unasked(snapshot, (*firm, *possible)))


def _find_undecided(snapshot: Snapshot, node: int, kinds: Collection[EdgeKind]) -> Ints:
    """The undecided uses that may be of a definition. One inside a function is no member that a value could have, and a
    constructor is called, not read."""
    parent = snapshot.parent_of(node)
    if parent is not None and snapshot.kind_of(parent) in (SymbolKind.FUNCTION, SymbolKind.METHOD):
        return _NONE
    rows = unresolved_rows_in(snapshot, node)
    file, row = snapshot.row_of(node)
    wanted = {EdgeKind.CALLS} if file.name_of(row) in by_name()[file.lang].constructors else kinds
    return rows[np.isin(snapshot.unresolved.kind[rows] & ~BARE, [int(kind) for kind in wanted])]
