"""The best definitions for a question, compared closely: by how much of a name was asked for, and by what its class,
its members and the functions that it calls are about.

A function that calls helpers is the answer more often than one of its helpers, where both are about the question.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from codemap.graph.index.columns import places
from codemap.graph.index.name_index import NameIndex
from codemap.graph.index.terms import subwords
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.index_slots import Slot, reuse_for_contents
from codemap.graph.model.snapshot import Snapshot

Floats = NDArray[np.float32]
Places = NDArray[np.intp]

NAMED = 0.6
"""What a name that was asked for as a whole adds."""
NAMED_FULLY = 3
"""So many concepts in a name are no chance; with fewer it adds less."""
CALLED = 0.5
"""What a name adds that the question spells as code does."""
OF_MEMBERS, OF_OWNER = 0.3, 0.2
"""What the best member of a definition adds to it, and what its owner does."""
OF_CALLED = 0.15
"""What the best function that it calls adds, whose score counts up to that of the definition itself."""

_CALLS = int(EdgeKind.CALLS)


def compared(index: NameIndex, nodes: Places, scores: Floats, named: Floats, names: Sequence[str]) -> Floats:
    """The scores of the best nodes, ascending ones, by their names and what is around them.

    `named` counts the concepts in the name of each; `names` are those that the question spells as code does, in lower
    case.
    """
    share = np.minimum(1, named / _lengths(index, nodes))
    own: Floats = scores * (1 + np.float32(NAMED) * share * np.minimum(1, named / np.float32(NAMED_FULLY)))
    for name in names:
        own[np.isin(nodes, index.called(name))] *= 1 + np.float32(CALLED)
    of_members, of_owner, of_called = np.zeros((3, len(nodes)), dtype=np.float32)
    inside, owner = _among(nodes, index.columns.parent[nodes])
    np.maximum.at(of_members, owner, own[inside])
    of_owner[inside] = own[owner]
    caller, called = _calls(index.snapshot, nodes)
    np.maximum.at(of_called, caller, np.minimum(own[called], own[caller]))
    found: Floats = own + np.float32(OF_MEMBERS) * of_members + np.float32(OF_OWNER) * of_owner
    found += np.float32(OF_CALLED) * of_called
    return found


def _calls(snapshot: Snapshot, nodes: Places) -> tuple[Places, Places]:
    """Places of nodes that call another of the nodes, and the places of what they call."""
    edges = snapshot.edges
    rows, caller = places(edges.out_start, nodes.astype(np.int32))
    is_call = edges.kind[rows] == _CALLS
    caller = caller[is_call].astype(np.intp)
    known, called = _among(nodes, edges.target[rows[is_call]])
    caller = caller[known]
    others = caller != called
    return caller[others], called[others]


def _among(nodes: Places, wanted: NDArray[np.integer]) -> tuple[Places, Places]:
    """Which of the wanted nodes are among some, ascending ones, and their places there."""
    place = nodes.searchsorted(wanted)
    known = (nodes.take(place, mode="clip") == wanted).nonzero()[0]
    return known, place[known]


def _make_lengths(snapshot: Snapshot) -> NDArray[np.uint8]:
    return np.zeros(len(snapshot.node_names.names), dtype=np.uint8)


NAME_LENGTHS = Slot[NDArray[np.uint8]](_make_lengths, carry=reuse_for_contents)
"""For each name, its number of significant words; 0 where it was not counted yet."""


def _lengths(index: NameIndex, nodes: Places) -> Floats:
    """The number of significant words in the name of each node, at least 1."""
    held = NAME_LENGTHS.of(index.snapshot)
    names = index.name_of_node[nodes]
    for name in set(names[held[names] == 0].tolist()):
        held[name] = min(max(1, len(subwords(index.names[name]))), np.iinfo(np.uint8).max)
    return held[names].astype(np.float32)
