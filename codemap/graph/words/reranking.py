"""The best definitions for a question, compared closely: by how much of a name was asked for, by what its class, its
members and the functions that it calls are about, by its size, and by all that its file says of the question.

A function that calls helpers is the answer more often than one of its helpers, where both are about the question. A
long definition is the answer more often than a short one. So is one whose neighbors in the file are about it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol
from codemap.graph.index.columns import places
from codemap.graph.index.name_index import NameIndex
from codemap.graph.index.terms import subwords
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse, reuse_for_contents
from codemap.graph.model.indexed_file import IndexedFile
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
OF_FILE = 0.5
"""What it adds that the file is about the question, where no other is so more than it."""
FILE_SATURATION, FILE_LENGTH_SHARE = 10.0, 0.75
"""`k1` and `b` of BM25 over files: a file is what its definitions say."""
LINES_SMALL, LINES_POWER = 12, 0.05
"""A definition of more lines counts more, by a power of the share that they are of so many."""

_CALLS = int(EdgeKind.CALLS)
_LEAST = np.finfo(np.float32).tiny


def compared(
    index: NameIndex, nodes: Places, scores: Floats, named: Floats, of_files: Floats, names: Sequence[str]
) -> Floats:
    """The scores of the best nodes, ascending ones, by their names, sizes and what is around them.

    `named` counts the concepts in the name of each, `of_files` is as `compare_files` finds it; `names` are those that
    the question spells as code does, in lower case.
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
    found *= (1 + np.float32(OF_FILE) * of_files) * SIZES.of(index.snapshot)[nodes]
    return found


def compare_files(index: NameIndex, nodes: Places, table: Floats, rarity: Floats) -> Floats:
    """How much the files of the best nodes are about a question, by what all of these nodes in them say; 1 is the most.

    The nodes ascend. Row c of the table: how much each is about concept c.
    """
    file = index.columns.file[nodes]
    is_first = np.ones(len(file), dtype=np.bool_)
    np.not_equal(file[1:], file[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    files = file[first]
    said = np.add.reduceat(table, first, axis=1)
    share = index.file_sizes[files].astype(np.float32) * np.float32(len(index.file_sizes) / index.bases[-1])
    usual = np.float32(FILE_SATURATION) * (np.float32(1 - FILE_LENGTH_SHARE) + np.float32(FILE_LENGTH_SHARE) * share)
    about: Floats = rarity @ (said / (said + usual))
    found: Floats = about[np.cumsum(is_first) - 1] / about.max(initial=_LEAST)
    return found


def _sizes_of(files: Sequence[IndexedFile]) -> Floats:
    """The factors of the lines of all definitions of some files; files have none."""
    table = np.concatenate([np.frombuffer(file.symbols, "<i4") for file in files] or [np.empty(0, dtype=np.int32)])
    lines = table[Symbol.END_LINE :: Symbol.WIDTH] - table[Symbol.START_LINE :: Symbol.WIDTH] + 1
    found: Floats = (np.maximum(lines, LINES_SMALL) / np.float32(LINES_SMALL)).astype(np.float32)
    found **= np.float32(LINES_POWER)
    found[[0, *accumulate(file.symbol_count for file in files)][:-1]] = 1
    return found


def _carry_sizes(before: Floats, edit: Edit) -> Floats | None:
    if edit.reach is not Reach.CONTENTS:
        return None
    found = before.copy()
    for file in map(edit.snapshot.by_path.__getitem__, edit.paths):
        found[file.base : file.base + file.symbol_count] = _sizes_of([file])
    return found


SIZES = Slot[Floats](lambda snapshot: _sizes_of(snapshot.files), carry=_carry_sizes, rescore=reuse)
"""For each node the factor of its lines."""


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
