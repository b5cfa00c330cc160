"""Finds the most imported modules and the most used symbols of a repository.

Uses by product code count, as everywhere in an overview, unless `tests` asks for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import roles_of_nodes
from codemap.graph.model.edges import USES, EdgeKind, Ints, Mask, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.overview.about import files_text
from codemap.tools.overview.areas import definition_text, stale_word
from codemap.tools.params import TestPolicy
from codemap.tools.tool import World
from codemap.tools.view import NodeView, node_place


class Weighed(msgspec.Struct, frozen=True):
    node: int
    uses: int
    files: int
    """That use it."""


class WeighedView(TypedDict, total=False):
    node: NodeView
    uses: int
    files: int


Top = dict[str, list[str | WeighedView]]
"""`imported` and `used`, the most first; texts in the compact form."""


def top_texts(world: World, snapshot: Snapshot, imported: Sequence[Weighed], used: Sequence[Weighed]) -> Top:
    return {
        "imported": [f"{_place(world, snapshot, one.node)}: {files_text(one.files)}" for one in imported],
        "used": [f"{_place(world, snapshot, one.node)}: {_show_uses(one)}" for one in used],
    }


def top_views(world: World, snapshot: Snapshot, imported: Sequence[Weighed], used: Sequence[Weighed]) -> Top:
    def view(one: Weighed) -> str | WeighedView:
        return {"node": node_place(world, snapshot, one.node), "uses": one.uses, "files": one.files}

    return {"imported": [view(one) for one in imported], "used": [view(one) for one in used]}


def most_imported(snapshot: Snapshot, chosen: Sequence[int], policy: TestPolicy, most: int) -> list[Weighed]:
    """The files among some that most others import something of."""
    file_of = columns_of(snapshot).file
    rows = _choose_edges(snapshot, policy, np.isin(snapshot.edges.kind, (int(EdgeKind.IMPORTS), int(EdgeKind.EXPORTS))))
    bases = np.array(snapshot.bases, dtype=np.int32)
    targets = bases[file_of[snapshot.edges.target[rows]]]
    wanted = np.zeros(snapshot.node_count, dtype=np.bool_)
    wanted[bases[list(chosen)]] = True
    return _find_most_used(snapshot, rows, targets, wanted, most)


def most_used(
    snapshot: Snapshot, chosen: Sequence[int], policy: TestPolicy, kinds: frozenset[SymbolKind], most: int
) -> list[Weighed]:
    """The definitions in some files that are used in most places, of some kinds; of all where none is given."""
    columns = columns_of(snapshot)
    rows = _choose_edges(snapshot, policy, np.isin(snapshot.edges.kind, [int(kind) for kind in USES]))
    in_files = np.zeros(len(snapshot.files), dtype=np.bool_)
    in_files[list(chosen)] = True
    wanted = np.zeros(snapshot.node_count, dtype=np.bool_)
    wanted[: snapshot.first_external] = in_files[columns.file] & (columns.parent >= 0)
    if kinds:
        wanted[: snapshot.first_external] &= np.isin(columns.kind, [int(kind) for kind in kinds])
    return _find_most_used(snapshot, rows, snapshot.edges.target[rows], wanted, most)


def _choose_edges(snapshot: Snapshot, policy: TestPolicy, of_kind: Mask) -> Ints:
    """The edges of some kinds, inside the repository and from one node to another, that the policy counts."""
    edges = snapshot.edges
    inside = of_kind & (edges.source < snapshot.first_external) & (edges.target < snapshot.first_external)
    rows = np.flatnonzero(inside & (edges.source != edges.target))
    is_product = roles_of_nodes(snapshot, edges.source[rows]) == int(Role.PRODUCT)
    if policy != "include":
        rows = rows[is_product != (policy == "only")]
    found: Ints = rows.astype(np.int32)
    return found


def _find_most_used(snapshot: Snapshot, rows: Ints, targets: Ints, wanted: Mask, most: int) -> list[Weighed]:
    """The wanted targets of some edges that have the most sites; `targets` are what the edges count for."""
    edges, file_of = snapshot.edges, columns_of(snapshot).file
    keep = wanted[targets] & (file_of[edges.source[rows]] != file_of[targets])
    keep |= wanted[targets] & (np.isin(edges.kind[rows], (int(EdgeKind.IMPORTS), int(EdgeKind.EXPORTS)), invert=True))
    rows, targets = rows[keep], targets[keep]
    uses = np.bincount(targets, weights=edges.count[rows], minlength=snapshot.node_count).astype(np.int64)
    width = len(snapshot.files)
    pairs = distinct(targets.astype(np.int64) * width + file_of[edges.source[rows]])
    files = np.bincount(pairs // max(width, 1), minlength=snapshot.node_count)
    order = np.argsort(-uses, kind="stable")[:most]
    return [Weighed(node, int(uses[node]), int(files[node])) for node in order.tolist() if uses[node]]


def _place(world: World, snapshot: Snapshot, node: int) -> str:
    return definition_text(snapshot, node) + stale_word(world, snapshot.row_of(node)[0].path)


def _show_uses(one: Weighed) -> str:
    return f"{one.uses} {'uses' if one.uses != 1 else 'use'} in {files_text(one.files)}"
