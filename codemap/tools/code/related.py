"""Finds what is related to some definitions: what they call, the types that they name, their callers, and the tests
that reach them.

Relations are the edges of the map, those of what is defined inside the definitions included. Rules of the file:
- A definition is listed once for each relation, at its smallest depth; those asked about are related to nothing.
- The order is that of worth: by depth, then where it is first used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, get_args

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.model.edges import FUNCTION_KINDS, INHERITANCE, USES, Edge, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.override_family import stand_ins_of
from codemap.graph.query.undecided import Side, undecided_sites

Relation = Literal["callees", "types", "callers", "tests"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)

_TYPES = frozenset((SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE_ALIAS))
_CALLS = frozenset((EdgeKind.CALLS,))
_NAMED = frozenset((EdgeKind.REFERENCES, *INHERITANCE))

_USERS: frozenset[Relation] = frozenset(("callers", "tests"))
_NAMES_PACKAGES: frozenset[Relation] = frozenset(("callees", "types"))

_IN: tuple[Side, ...] = ("in",)
_OUT: tuple[Side, ...] = ("out",)
STAND_INS_MAX = 50
"""Functions whose bases are looked for: a file may have thousands."""
RELATED_MAX = 30
"""Definitions of one relation that an answer has: more is a question of its own."""


class Related(msgspec.Struct, frozen=True):
    node: int
    depth: int
    """Edges from one that was asked about, at least."""
    sites: tuple[tuple[int, int], ...]
    """Of the uses: in what was asked about or leads to it, or in the related definition where that is the user."""
    confidence: Confidence
    via: int = -1
    """The method that the users name, where what was asked about overrides it; the prototype or other part of it."""


class Surroundings(msgspec.Struct, frozen=True):
    of: dict[Relation, list[Related]]
    beyond: dict[Relation, int]
    """How many more there are of a relation than an answer has."""


class Unlisted(msgspec.Struct, frozen=True):
    """What some definitions are related to besides: it is in no list of relations."""

    packages: tuple[str, ...]
    """What is used outside the repository, by name."""
    undecided: int
    """Calls in what was asked about that several definitions could be meant by."""
    undecided_uses: int
    """Uses elsewhere that what was asked about could be meant by."""


def find_surroundings(snapshot: Snapshot, nodes: Collection[int], wanted: Collection[str], depth: int) -> Surroundings:
    """The relations that are wanted, over so many steps."""
    inside = set(_add_members(snapshot, nodes))
    found: dict[Relation, list[Related]] = {}
    beyond: dict[Relation, int] = {}
    stand_ins: list[int] | None = None
    for relation in RELATIONS:
        if relation in wanted and depth:
            if relation in _USERS and stand_ins is None:
                stand_ins = _find_stand_ins(snapshot, inside)
            every = list(_find_related(snapshot, inside, stand_ins or [], relation, depth))
            found[relation] = [_show_related(snapshot, one) for one in every[:RELATED_MAX]]
            beyond[relation] = max(0, len(every) - RELATED_MAX)
    return Surroundings(found, beyond)


def find_unlisted(snapshot: Snapshot, nodes: Collection[int], wanted: Collection[Relation]) -> Unlisted:
    """What the relations that were found leave out."""
    inside = set(_add_members(snapshot, nodes))
    undecided = uses = 0
    packages: dict[str, None] = {}
    if not _NAMES_PACKAGES.isdisjoint(wanted):
        packages = dict.fromkeys(
            snapshot.name_of(edge.target)
            for node in sorted(inside)
            for edge in snapshot.edges_out(node, USES)
            if snapshot.is_external(edge.target)
        )
    if "callees" in wanted:
        undecided = sum(undecided_sites(snapshot, node, _OUT, _CALLS) for node in inside)
    if not _USERS.isdisjoint(wanted):
        uses = sum(undecided_sites(snapshot, node, _IN, USES) for node in nodes)
    return Unlisted(tuple(packages), undecided, uses)


class _Reached(msgspec.Struct, frozen=True):
    """A related definition before it is decided whether an answer has it: a hub has thousands."""

    node: int
    depth: int
    edges: Sequence[Edge]
    via: int


def _find_related(
    snapshot: Snapshot, inside: set[int], stand_ins: Sequence[int], relation: Relation, depth: int
) -> Iterator[_Reached]:
    known, frontier = set(inside), inside
    for step in range(1, depth + 1):
        grown = {node: (edges, -1) for node, edges in _step(snapshot, frontier, known, relation).items()}
        if step == 1 and relation in _USERS:
            for kin in stand_ins:
                others = _step(snapshot, (kin,), {*known, *grown}, relation)
                grown |= {node: (edges, kin) for node, edges in others.items()}
        firsts = {node: min(_first_site(snapshot, edge) for edge in edges) for node, (edges, _) in grown.items()}
        for node in sorted(_choose_wanted(snapshot, grown, relation), key=lambda one: (firsts[one], one)):
            yield _Reached(node, step, *grown[node])
        known |= grown.keys()
        frontier = set(_add_members(snapshot, grown)) if relation in ("callees", "types") else set(grown)


def _step(
    snapshot: Snapshot, frontier: Iterable[int], known: Collection[int], relation: Relation
) -> dict[int, list[Edge]]:
    """What is one step away, with the edges that lead there."""
    is_out = relation in ("callees", "types")
    kinds = _CALLS if relation in ("callees", "callers") else _NAMED if relation == "types" else USES
    edges: Callable[[int, Collection[EdgeKind]], Iterator[Edge]] = snapshot.edges_out if is_out else snapshot.edges_in
    grown: dict[int, list[Edge]] = {}
    for node in sorted(frontier):
        for edge in edges(node, kinds):
            other = edge.target if is_out else edge.source
            if other not in known and not snapshot.is_external(other):
                grown.setdefault(other, []).append(edge)
    return grown


def _first_site(snapshot: Snapshot, edge: Edge) -> list[int]:
    """Line and column of its first use."""
    table = snapshot.edges
    begin = int(table.first[edge.row])
    sites: list[list[int]] = table.sites[begin : begin + int(table.count[edge.row])].tolist()
    return min(sites)


def _show_related(snapshot: Snapshot, one: _Reached) -> Related:
    sites = tuple(site for edge in one.edges for site in snapshot.sites(edge))
    return Related(one.node, one.depth, sites, min(edge.confidence for edge in one.edges), one.via)


def _find_stand_ins(snapshot: Snapshot, nodes: Collection[int]) -> list[int]:
    """What users of the nodes may name instead: the methods that they override, their prototypes and other parts."""
    functions = [node for node in sorted(nodes) if snapshot.kind_of(node) in FUNCTION_KINDS]
    if len(functions) > STAND_INS_MAX:
        return []
    kin = dict.fromkeys(one for node in functions for one in stand_ins_of(snapshot, node))
    return [one for one in kin if one not in nodes]


def _choose_wanted(snapshot: Snapshot, nodes: Iterable[int], relation: Relation) -> list[int]:
    match relation:
        case "callees":
            return [node for node in nodes if not snapshot.is_file(node)]
        case "types":
            return [node for node in nodes if snapshot.kind_of(node) in _TYPES]
        case "callers" | "tests":
            users = np.fromiter(nodes, dtype=np.int32)
            are_tests = roles_of_nodes(snapshot, users) == int(Role.TEST)
            chosen: list[int] = users[are_tests == (relation == "tests")].tolist()
            return chosen


def _add_members(snapshot: Snapshot, nodes: Iterable[int]) -> Iterator[int]:
    """The nodes and all that is defined in them; of a file, what is defined at its top and below."""
    pending = list(nodes)
    columns, outside = columns_of(snapshot), snapshot.first_external
    for node in pending:
        yield node
        if node < outside:
            pending += columns.children_of(node).tolist()
