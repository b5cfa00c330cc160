"""The question of a call of `map_neighbors`, with all that its answers share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from codemap.envelope.answer import Dropped
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.index.part_nodes import whole_of
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.neighborhood import FAN_OUT_MAX, Neighbor, Neighborhood, neighborhood
from codemap.graph.query.override_family import Kin, family_of, not_of_constructor
from codemap.graph.query.undecided import BOTH, Side
from codemap.tools import diagram
from codemap.tools.compact import row_place, short_id, shortest_id
from codemap.tools.joined_answers import NODES_MAX
from codemap.tools.neighbors.payload import NeighborView
from codemap.tools.neighbors.relative_calls import RelativeCalls, find_relative_calls
from codemap.tools.overview.entries import packages_of
from codemap.tools.params import DEPTH_MOST, NODES_MOST, Direction, EdgeKindName, MapListParams, NodeIdText
from codemap.tools.row_selection import policy_of
from codemap.tools.tool import World

NODES_USUAL = 50
"""Neighbors of an answer in full rows."""

ROUTES_MAX = 3
"""Ways to a neighbor at several steps that compact rows show."""
WHOLE_DEPTH = 10
"""Steps in one direction, whatever the limits profile."""
WHOLE_MAX = 50_000
"""Neighbors of a whole hierarchy, or of all importers, to be had page by page."""
INHERITANCE = frozenset(("extends", "implements"))
_WHOLE = (INHERITANCE, frozenset(("imports",)), frozenset(("exports",)))


class Params(MapListParams, frozen=True, kw_only=True):
    node_id: NodeIdText = ""
    node_ids: Annotated[tuple[NodeIdText, ...], Meta(max_length=NODES_MAX)] = ()
    direction: Annotated[Direction, Meta(description="in: who uses it; out: what it uses")] = "both"
    edge_kinds: Annotated[tuple[EdgeKindName, ...], Meta(description="Default: all")] = ()
    depth: Annotated[int, Meta(description="Over 3 one way", ge=1, le=DEPTH_MOST)] = 1
    max_nodes: Annotated[int, Meta(ge=1, le=NODES_MOST)] | UnsetType = UNSET
    code: Annotated[bool, Meta(description="Show each use's line")] = False
    mentions: Annotated[bool, Meta(description="List what else has the name: strings, comments, …")] = False
    family: Annotated[bool, Meta(description="Also uses of overrides, bases, overloads; who passes it on")] = False
    verify: Annotated[bool, Meta(description="Ask the language server first: seconds")] = False
    diagram: diagram.Wanted = False


class Asked(msgspec.Struct, frozen=True, dict=True):
    """A call about a node that there is."""

    world: World
    snapshot: Snapshot
    node: int
    params: Params
    others: tuple[int, ...] = ()
    """What the name that was given may mean as well."""
    known: dict[str, Mapping[int, Kin]] = msgspec.field(default_factory=dict)
    """What was found of the node, whatever is asked about it: for all calls that this one turns into."""

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        return BOTH if self.params.direction == "both" else (self.params.direction,)

    @cached_property
    def kinds(self) -> frozenset[EdgeKind]:
        return frozenset(EdgeKind[name.upper()] for name in self.params.edge_kinds) or frozenset(EdgeKind)

    @property
    def relatives(self) -> Mapping[int, Kin]:
        """Its family, asked for or not."""
        if "relatives" not in self.known:
            self.known["relatives"] = family_of(self.snapshot, self.node)
        return self.known["relatives"]

    @cached_property
    def family(self) -> Mapping[int, Kin]:
        """The others whose users count as the node's."""
        found = dict(self.relatives) if self.params.family else {}
        owners = {self.snapshot.parent_of(one) for one in (self.node, *found)}
        for one in self.others:
            is_overload = self.snapshot.kind_of(one) in FUNCTION_KINDS and self.snapshot.parent_of(one) in owners
            found.setdefault(one, Kin.OVERLOAD if is_overload else Kin.NAMESAKE)
            owners.add(self.snapshot.parent_of(one))
        for one in self.others:
            for other, how in family_of(self.snapshot, one).items():
                if other != self.node:
                    found.setdefault(other, how)
        return found

    @cached_property
    def relative_calls(self) -> RelativeCalls:
        """Where who calls a method is asked, and not of a whole family, calls of its relatives that are an answer."""
        is_asked = "in" in self.sides and EdgeKind.CALLS in self.kinds and self.params.depth == 1
        is_asked = is_asked and self.params.rows == "compact" and not self.params.family
        if not is_asked or self.others or self.snapshot.is_external(self.node):
            return RelativeCalls()
        return find_relative_calls(self.snapshot, self.node, self.params, self.role)

    @cached_property
    def writer(self) -> int | None:
        """The method that sets what the node gets, where who uses that is asked: `name=` beside `name`."""
        snapshot, node = self.snapshot, self.node
        is_asked = "in" in self.sides and self.params.depth == 1 and not self.is_about_heirs
        if not is_asked or snapshot.is_external(node) or snapshot.kind_of(node) != SymbolKind.METHOD:
            return None
        parent, name = snapshot.parent_of(node), f"{snapshot.name_of(node)}="
        siblings = () if parent is None or snapshot.node_names.place(name) is None else snapshot.children_of(parent)
        return next((one for one in siblings if snapshot.name_of(one) == name), None)

    @cached_property
    def family_sites(self) -> frozenset[tuple[str, int, int]]:
        """Where the others of its family are defined and used, and calls of relatives: file, line, column."""
        snapshot = self.snapshot
        own = (*self.family, *([] if self.writer is None else [self.writer]))
        places = {(one, snapshot.cell(one, Symbol.LINE), snapshot.cell(one, Symbol.COL)) for one in own}
        uses = [edge for one in own for edge in snapshot.edges_in(one)]
        for edge in (*uses, *self.relative_calls.edges):
            places.update((edge.source, *site) for site in snapshot.sites(edge))
        return frozenset((snapshot.row_of(node)[0].path, line, col) for node, line, col in places)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all of a hierarchy is asked for, up or down."""
        return self.params.depth > 1 and goes_deep(self.params)

    @cached_property
    def is_hierarchy(self) -> bool:
        return self.is_whole and self.is_about_heirs

    @property
    def is_about_heirs(self) -> bool:
        """Whether inheritance alone is asked for."""
        return bool(self.params.edge_kinds) and INHERITANCE.issuperset(self.params.edge_kinds)

    @cached_property
    def namesakes(self) -> frozenset[str]:
        """Qualified names that several of its family have, else of the neighbors."""
        nodes = {self.node, *self.family} if self.family else set[int]()
        if self.is_hierarchy or not nodes:
            nodes |= self.listed
        counts = Counter(self.snapshot.qualified_name_of(node) for node in nodes)
        return frozenset(name for name, count in counts.items() if count > 1)

    @cached_property
    def listed(self) -> frozenset[int]:
        """The neighbors."""
        return frozenset(one.node for one in self.around.neighbors)

    @cached_property
    def entries(self) -> Mapping[str, str]:
        """The files that importing a package means, with the names of these."""
        packages = packages_of(self.snapshot)
        return {one.file: package.name for package in packages for one in package.entries if one.kind == "library"}

    @cached_property
    def role(self) -> Role:
        """The role of the node."""
        return role_of_node(self.snapshot, self.node)

    @cached_property
    def row_place(self) -> Callable[[int], tuple[str, str]]:
        """`compact.row_place` of a node; most nodes that neighbors were reached from brought several."""
        return cache(partial(row_place, self.snapshot))

    @cached_property
    def short_id(self) -> Callable[[int], str]:
        """`compact.short_id` of a node, likewise."""
        return cache(partial(short_id, self.snapshot))

    @cached_property
    def shortest_id(self) -> Callable[[int], str]:
        """`short_ids.shortest_id` of a node, likewise."""
        return cache(partial(shortest_id, self.snapshot))

    @cached_property
    def inner(self) -> Sequence[int]:
        """All definitions inside the function whose uses are asked for, outer ones first; none at several steps."""
        snapshot, node = self.snapshot, self.node
        if self.params.depth > 1 or "out" not in self.sides or snapshot.is_external(node):
            return ()
        columns = columns_of(snapshot)
        if not len(columns.children_of(node)) or snapshot.kind_of(node) not in FUNCTION_KINDS:
            return ()
        found: list[int] = columns.children_of(node).tolist()
        for one in found:
            found += columns.children_of(one).tolist()
        return found

    def is_stale(self, path: str) -> bool:
        return self.world.disk.differs(path)

    @cached_property
    def around(self) -> Neighborhood:
        """Its neighbors in the order of their worth, as many as were asked for."""
        params = self.params
        usual = WHOLE_MAX if self.is_whole else NODES_USUAL
        return self.within(self.kinds, usual if params.max_nodes is UNSET else params.max_nodes)

    def within(self, kinds: frozenset[EdgeKind], most: int) -> Neighborhood:
        """Its neighbors along some kinds of edges; with its family, who uses that, and who passes any of it on."""
        if self.params.family:
            return _find_around_family(self, kinds, most)
        fan_out = self.snapshot.node_count if self.is_whole else FAN_OUT_MAX
        routes = 1 if self.is_whole or self.params.rows == "full" else ROUTES_MAX
        found = neighborhood(self.snapshot, self.node, self.sides, kinds, self.params.depth, most, fan_out, routes)
        if policy_of(self.params) == "exclude":
            found = msgspec.structs.replace(found, beyond_fan_out=found.beyond_fan_out - found.aside, aside=0)
        return found


class Listed(msgspec.Struct, frozen=True):
    """The lists of a node's neighbors in an answer."""

    sections: list[NeighborView]
    is_empty: bool
    """Whether no neighbor is shown, though some may be counted."""
    hidden: int = 0
    only: tuple[str, ...] = ()
    """As in `sifted`."""
    packages: tuple[str, ...] = ()
    files: frozenset[str] = frozenset()
    """Paths that it rests on."""
    dropped: tuple[Dropped, ...] = ()
    omitted: int = 0
    unmade: Sequence[int] = ()
    """How many rows each section with rows is without, as no page holds so many."""
    identity: str = ""
    """Of the sections with all rows, where they may be without some."""


def crowded_out(around: Neighborhood) -> tuple[Dropped, ...]:
    """The neighbors that a node brought too many of."""
    if not around.beyond_fan_out:
        return ()
    aside = f"{around.aside} of them in tests and the like; " if around.aside else ""
    note = f"{aside}with depth 2 and more a node brings {FAN_OUT_MAX}; pass depth:1 for all of one node's"
    return (Dropped("neighbors", around.beyond_fan_out, note),)


def _find_around_family(asked: Asked, kinds: frozenset[EdgeKind], most: int) -> Neighborhood:
    snapshot = asked.snapshot
    is_alone = not asked.others  # else uses of all that have the name are asked for, not all of one
    if is_alone and EdgeKind.CALLS in kinds and snapshot.kind_of(asked.node) in FUNCTION_KINDS:
        kinds = kinds | {EdgeKind.REFERENCES}  # what is named and not called is passed on
    found: list[Neighbor] = []
    beyond = 0
    known: set[tuple[int, EdgeKind, Sequence[tuple[int, int]]]] = set()
    of_class = kinds if asked.params.edge_kinds else kinds.difference(not_of_constructor(snapshot, asked.node))
    for member in (asked.node, *asked.family):
        sides = asked.sides if member == asked.node else [side for side in asked.sides if side == "in"]
        its = of_class if asked.family.get(member) is Kin.CLASS else kinds
        around = neighborhood(snapshot, member, sides, its, asked.params.depth, most, snapshot.node_count)
        for one in around.neighbors:
            use = one.node, one.edge.kind, tuple(snapshot.sites(one.edge))
            if one.side == "out" or not (use in known or _is_part_of(asked, one)):
                known.add(use)  # a use that names several, as an import of all overloads does, is one row
                found.append(one)
        beyond += around.omitted
    return Neighborhood(tuple(found), beyond, 0)


def _is_part_of(asked: Asked, one: Neighbor) -> bool:
    """Whether a reference only says that something is a part of the node."""
    kin = asked.family.get(one.node)
    is_class = kin is Kin.CLASS and whole_of(asked.snapshot, one.node) == one.via  # that a constructor opens again
    return one.edge.kind is EdgeKind.REFERENCES and (kin is Kin.PART or is_class)


def goes_deep(params: Params) -> bool:
    """Whether a call follows one kind of inheritance or import in one direction."""
    kinds = frozenset(params.edge_kinds)
    return params.direction != "both" and bool(kinds) and any(kinds <= whole for whole in _WHOLE)


def narrowing(params: Params) -> str:
    """Says how the call can ask for less."""
    ways = ["depth:1"] if params.depth > 1 else []
    ways += ["edgeKinds with one kind"] if len(params.edge_kinds) != 1 else []
    ways += ["direction"] if params.direction == "both" else []
    ways += ["fileFilter"] if params.rows == "compact" and not params.file_filter else []
    return f"pass {' or '.join(ways)}" if ways else "the call is as narrow as it can be"
