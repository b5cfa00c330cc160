"""Assesses what a change of some definitions may break: who depends on them, which tests, how high the risk is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from types import MappingProxyType

import msgspec
import numpy as np

from codemap.facts import Symbol, SymbolFlag
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind, Ints, Numbers
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import Kin, family_of
from codemap.graph.query.undecided import open_uses
from codemap.impact.arrivals import CANDIDATES_MAX, overriding
from codemap.impact.lost_chains import find_ends
from codemap.impact.prototypes import drop_prototypes
from codemap.impact.reach import weighed_reach
from codemap.impact.reached import LastSteps, Reach, Recorded, sites_of
from codemap.impact.risk import Factors, Risk, factors_of, risk_of, score_of, without_tests
from codemap.impact.selection import TestRun, tests_of
from codemap.impact.steps import TIERS

_NONE: Mapping[int, Known] = MappingProxyType({})
_USES = (EdgeKind.CALLS, EdgeKind.REFERENCES)


class Hit(msgspec.Struct, frozen=True):
    """A definition that is reached."""

    node: int
    tier: int
    depth: int
    via: str
    """Qualified name of what it uses by the last step of the best chain; of a file its path."""
    how: int
    sites: Sequence[tuple[int, int]]
    """(line, column) of these uses, in its file."""
    via_node: int = -1
    """The node of `via`; -1 where it is no longer in the map."""


class Assessed(msgspec.Struct, frozen=True):
    reached: Reach
    """The surest first, then the nearest, then the best hub; what is `known` has no way to it."""
    known: Mapping[int, Known]
    """By node."""
    tests: tuple[TestRun, ...]
    score: float
    risk: Risk
    factors: Factors
    is_public: bool
    """Whether any of what changed can be used from outside its file."""
    open_sites: int
    """Undecided uses of names that too many definitions have to say of any which is meant."""
    open_nodes: tuple[int, ...]
    """The changed definitions that these may mean."""
    bases: tuple[int, ...]
    """The methods that the changed ones override: a new signature is one for all of them."""
    overrides: Ints
    """Those that override the changed ones, whatever else leads to them."""
    ends: Sequence[int]
    """Of a low risk: where chains of users end, and may be lost."""


class Known(msgspec.Struct, frozen=True):
    """A definition that is known to be reached from what is not in the map any more."""

    tier: int
    depth: int
    via: str
    how: int


def assess(
    snapshot: Snapshot,
    changed: Sequence[int],
    gone: Sequence[int] = (),
    known: Mapping[int, Known] = _NONE,
    alone: Collection[int] = (),
) -> Assessed:
    """Of some definitions, or files, and of others by whom they are `known` to be reached; importers of `gone` count,
    too, which are among them. Overloads of one change with it, but for those that are meant `alone`."""
    seeds = dict.fromkeys(changed)
    bases: dict[int, None] = {}
    for node in changed:
        family = family_of(snapshot, node)
        alike = (Kin.PART,) if node in alone else (Kin.PART, Kin.OVERLOAD)
        seeds.update((other, None) for other, kin in family.items() if kin in alike)
        bases.update((other, None) for other, kin in family.items() if kin is Kin.BASE)
    reached = _with_overloads(snapshot, weighed_reach(snapshot, list(seeds), gone), [*seeds], set(changed))
    known = {node: one for node, one in known.items() if node not in seeds and _is_better(reached, node, one)}
    if known:
        reached = _merge(snapshot, reached, known)
    reached = drop_prototypes(snapshot, reached, seeds)
    others = without_tests(snapshot, reached)
    score = score_of(snapshot, others)
    risk = risk_of(score)
    open_nodes, open_sites = _open(snapshot, list(seeds))
    return Assessed(
        reached,
        known,
        tests_of(snapshot, seeds, reached),
        score,
        risk,
        factors_of(snapshot, others),
        any(is_public(snapshot, node) for node in seeds),
        open_sites,
        open_nodes,
        tuple(base for base in bases if base not in seeds),
        overriding(snapshot, np.array(list(seeds), dtype=np.int32)).source,
        find_ends(snapshot, reached) if risk == "low" else (),
    )


def _with_overloads(snapshot: Snapshot, reached: Reach, seeds: Sequence[int], changed: Set[int]) -> Reach:
    """The same with the overloads of what changed that use another of them, as one that fills in a default does."""
    own = frozenset(seeds)
    uses = {
        edge.source: edge
        for seed in seeds
        if seed not in changed
        for edge in reversed(list(snapshot.edges_out(seed, _USES)))
        if edge.target in own and edge.target != seed
    }
    if not uses:
        return reached
    found = [
        (edge.source, int(TIERS[edge.confidence]), 1, edge.target, edge.row, int(edge.kind)) for edge in uses.values()
    ]
    node, tier, depth, *steps = np.array(found, dtype=np.int32).T
    return _join(snapshot, reached, node, tier, depth, LastSteps(*steps))


def _join(snapshot: Snapshot, reached: Reach, node: Ints, tier: Ints, depth: Ints, steps: LastSteps) -> Reach:
    """It and others that are not among it, in one order."""
    own = reached.last
    nodes = np.concatenate((reached.node, node))
    pairs = ((own.via, steps.via), (own.row, steps.row), (own.how, steps.how))
    chains = Recorded.of(snapshot.node_count, nodes, LastSteps(*map(np.concatenate, pairs)))
    merged = Reach(nodes, np.concatenate((reached.tier, tier)), np.concatenate((reached.depth, depth)), chains)
    return merged.where(np.lexsort((columns_of(snapshot).rank[merged.node], merged.depth, merged.tier)))


def _is_better(reached: Reach, node: int, known: Known) -> bool:
    place = reached.place.get(node)
    return place is None or (known.tier, known.depth) < (int(reached.tier[place]), int(reached.depth[place]))


def _merge(snapshot: Snapshot, reached: Reach, known: Mapping[int, Known]) -> Reach:
    rest = reached.where(~np.isin(reached.node, list(known)))
    none = np.full(len(known), -1, dtype=np.int32)

    def column(name: str) -> Ints:
        return np.array([getattr(one, name) for one in known.values()], dtype=np.int32)

    nodes = np.array(list(known), dtype=np.int32)
    steps = LastSteps(none, none, column("how"))
    return _join(snapshot, rest, nodes, column("tier"), column("depth"), steps)


class Listed(msgspec.Struct, frozen=True):
    """Some of those that are reached, with their last steps, as columns."""

    node: Ints
    tier: Ints
    depth: Ints
    via: Ints
    row: Ints
    how: Ints

    def __len__(self) -> int:
        return len(self.node)


def listed(reached: Reach, places: Numbers) -> Listed:
    """Cost: a look at all uses by these."""
    some = reached.where(places)
    return Listed(some.node, some.tier, some.depth, some.last.via, some.last.row, some.last.how)


def hit_at(snapshot: Snapshot, found: Assessed, some: Listed, place: int) -> Hit:
    """One of some that are reached, by its place among them."""
    columns = (some.node, some.tier, some.depth, some.via, some.row, some.how)
    node, tier, depth, via, row, how = (int(column[place]) for column in columns)
    name = _name_node(snapshot, via) if via >= 0 else found.known[node].via
    return Hit(node, tier, depth, name, how, sites_of(snapshot, row, how), via)


def _name_node(snapshot: Snapshot, node: int) -> str:
    if snapshot.is_external(node):
        return snapshot.name_of(node)
    file, row = snapshot.row_of(node)
    return file.qualified_name(row) or file.path


def is_public(snapshot: Snapshot, node: int) -> bool:
    """By what its language exports; a member is as public as its owners."""
    while node >= 0 and not snapshot.is_external(node) and not snapshot.is_file(node):
        parent = snapshot.parent_of(node)
        is_top = parent is None or snapshot.is_file(parent)
        if snapshot.name_of(node).startswith("_") and not snapshot.name_of(node).startswith("__"):
            return False
        if is_top:
            return bool(snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.EXPORTED)
        node = -1 if parent is None else parent
    return node >= 0


def _open(snapshot: Snapshot, seeds: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """The undecided uses of some definitions that are not followed, and whose they may be."""
    return open_uses(snapshot, list_common(snapshot, seeds))


def list_common(snapshot: Snapshot, nodes: Iterable[int]) -> list[int]:
    """Those of some nodes whose names so many definitions have that undecided uses of them are not followed."""
    names = snapshot.node_names
    inside = (node for node in nodes if not snapshot.is_external(node) and not snapshot.is_file(node))
    return [node for node in inside if len(names.namesakes(node)) > CANDIDATES_MAX]
