"""Finds the methods of object literals that are stated to be of an interface, which its calls may run.

    const system: System = { relay(event) {…} };        function make(): System { return { relay(event) {…} }; }
    const system = {} as System; system.relay = (event) => {…};

A variable, a member or a function states the type of what it holds or gives; or a cast does, of one type. All methods
of the literal are members of that type, since nothing else may be written in one. Names alone are compared, as of all
overrides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from codemap.facts import Symbol, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES, list_ancestors
from codemap.graph.model.edges import EdgeKind, Numbers, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot

_STATED = re.compile(r":\s*(?:[\w$]+\.)*(?P<name>[\w$]+)(?:<[^=]*>)?\s*\Z")
"""The type at the end of a signature, without its type arguments."""
_ARE_STATED = np.array([kind in (SymbolKind.INTERFACE, SymbolKind.TYPE_ALIAS) for kind in SymbolKind])
_METHOD, _VARIABLE, _REFERENCES = int(SymbolKind.METHOD), int(SymbolKind.VARIABLE), int(EdgeKind.REFERENCES)


def _find_pairs(snapshot: Snapshot) -> Numbers:
    columns, table = columns_of(snapshot), snapshot.edges
    owners = columns.parent[np.flatnonzero(columns.kind == _METHOD)]
    owners = distinct(owners[~ARE_TYPES[columns.kind[owners]]])
    names_type = np.zeros(snapshot.node_count, dtype=np.bool_)
    inside = np.flatnonzero((table.kind == _REFERENCES) & (table.target < snapshot.first_external))
    names_type[table.source[inside[_ARE_STATED[columns.kind[table.target[inside]]]]]] = True
    found = [pair for owner in owners[names_type[owners]].tolist() for pair in _pair_up(snapshot, owner)]
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def _pair_up(snapshot: Snapshot, owner: int) -> Iterator[tuple[int, int]]:
    columns = columns_of(snapshot)
    stated = _STATED.search(snapshot.text_of(owner, Symbol.SIGNATURE))
    if stated is None and columns.kind[owner] != _VARIABLE:
        return
    types = (edge.target for edge in snapshot.edges_out(owner, (EdgeKind.REFERENCES,)))
    named = {
        node
        for node in types
        if not snapshot.is_external(node)
        and _ARE_STATED[columns.kind[node]]
        and (stated is None or snapshot.name_of(node) == stated["name"])
    }
    if len(named) != 1:
        return
    [type_] = named
    members = {
        snapshot.name_of(member): member
        for one in (*sorted(list_ancestors(snapshot, type_)), type_)
        if not snapshot.is_external(one)
        for member in columns.children_of(one).tolist()
    }
    methods = [node for node in columns.children_of(owner).tolist() if columns.kind[node] == _METHOD]
    wanted = [members.get(snapshot.name_of(method)) for method in methods]
    if None not in wanted:
        yield from ((method, member) for method, member in zip(methods, wanted, strict=True) if member is not None)


LITERAL_PAIRS = Slot[Numbers](_find_pairs, rescore=reuse)
"""Pairs of a method of a literal and the member of an interface, in order; shape (n, 2)."""
