"""What a search hit, tier by tier, and the best of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType

import msgspec
import numpy as np

from codemap.facts import ADDITION, SymbolKind
from codemap.graph.index.name_index import FEW, NameIndex, Numbers
from codemap.graph.model.edges import Ints, Mask, are_first
from codemap.graph.words.question import Concept

_PLACE_STEP = 5.0
"""More than any worth, so that a better hit wins."""
_NODE_STEP = 1e-13
"""Less than any difference in worth that counts: among equals the earlier node wins."""


class Tier(IntEnum):
    EXACT = 0
    PREFIX = 1
    SUBSTRING = 2
    QUALIFIED = 3
    PATH = 4
    SUBWORDS = 5
    WORDS = 6
    TYPO = 7


class Found(msgspec.Struct, frozen=True):
    nodes: tuple[int, ...]
    """The best ones."""
    total: int
    """All matches."""
    hidden: int = 0
    """Matches that only the kind filter left out, counted where nothing else was found."""
    is_too_early: bool = False
    """Whether words were looked for in names alone because their index is still being made."""
    tiers: tuple[Tier, ...] = ()
    """Of each node."""
    reasons: tuple[str, ...] = ()
    """Why each node was found, in a few letters; empty where its name says it all, or what is about it does."""
    about: Mapping[int, Sequence[Concept]] = MappingProxyType({})
    """Node -> the concepts of a question that it was found by."""
    alike: Mapping[int, int] = MappingProxyType({})
    """Node -> how many were found of its owner and name, where there are several: it stands for all of them."""

    @property
    def tier(self) -> Tier:
        """Of the first node."""
        return self.tiers[0] if self.tiers else Tier.EXACT


NOTHING = Found((), 0)


class Hits(msgspec.Struct, frozen=True):
    """Nodes of one tier; of a node in several tiers the first counts."""

    tier: Tier
    nodes: Numbers
    are_loose: bool = False
    """Whether those in tests come after all others."""


def ranked(index: NameIndex, hits: list[Hits], kinds: frozenset[SymbolKind], limit: int) -> Found:
    """The best nodes: by the place of their first hit, then worth, then node."""
    if not hits:
        return NOTHING
    if sum(len(hit.nodes) for hit in hits) <= FEW:
        return _few_ranked(index, hits, kinds, limit)
    hidden = 0
    nodes, places = _firsts(index, hits)
    if index.columns.has_parts:
        are_definitions = index.columns.are_definitions(nodes)
        nodes, places = nodes[are_definitions], places[are_definitions]
    if kinds:
        of_kind = np.isin(index.columns.kind[nodes], [int(kind) for kind in kinds])
        hidden = int(len(nodes) - of_kind.sum())
        nodes, places = nodes[of_kind], places[of_kind]
    if not len(nodes):
        return Found((), 0, hidden)
    key = places * _PLACE_STEP - index.worth[nodes] + nodes * _NODE_STEP
    best = key.argsort() if len(nodes) <= limit else key.argpartition(limit)[:limit]
    if len(nodes) > limit:
        best = best[key[best].argsort()]
    tiers = tuple(hits[place % len(hits)].tier for place in places[best].tolist())
    return Found(tuple(nodes[best].tolist()), len(nodes), tiers=tiers)


def _few_ranked(index: NameIndex, hits: list[Hits], kinds: frozenset[SymbolKind], limit: int) -> Found:
    """Ranks few hits, node by node."""
    firsts: dict[int, int] = {}
    flags = index.columns.flags.data
    for place, hit in enumerate(hits):
        later = place + len(hits)
        for node in listed(hit.nodes):
            if node not in firsts and flags[node] & ADDITION != ADDITION:
                firsts[node] = later if hit.are_loose and index.is_test[node] else place
    total = len(firsts)
    if kinds:
        kind = index.columns.kind.data
        firsts = {node: place for node, place in firsts.items() if kind[node] in kinds}
    if not firsts:
        return Found((), 0, total)
    worth = index.worth.data
    keys = {node: place * _PLACE_STEP - worth[node] + node * _NODE_STEP for node, place in firsts.items()}
    best = sorted(keys, key=keys.__getitem__)[:limit]
    return Found(tuple(best), len(firsts), tiers=tuple(hits[firsts[node] % len(hits)].tier for node in best))


def _firsts(index: NameIndex, hits: list[Hits]) -> tuple[Ints, Ints]:
    """Each node that was hit, once, and the place of its first hit; for loose ones in tests, that after all others."""
    nodes = np.concatenate([np.asarray(hit.nodes, dtype=np.int32) for hit in hits])
    places = np.repeat(np.arange(len(hits), dtype=np.int32), [len(hit.nodes) for hit in hits])
    order = nodes.argsort(kind="stable")
    nodes = nodes[order]
    is_first = are_first(nodes)
    nodes, places = nodes[is_first], places[order[is_first]]
    if any(hit.are_loose for hit in hits):
        are_loose = np.array([hit.are_loose for hit in hits])[places]
        places += len(hits) * (are_loose & index.is_test[nodes])
    return nodes, places


def listed(nodes: Numbers) -> list[int]:
    return nodes.tolist() if isinstance(nodes, np.ndarray) else [*nodes]


def numbers(mask: Mask) -> Ints:
    return np.flatnonzero(mask).astype(np.int32)


def ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int32)
