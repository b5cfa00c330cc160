"""Finds what is made in one place and read in another: cases of enumerations, classes without methods."""

from __future__ import annotations

import re

import numpy as np

from codemap.facts import SymbolKind
from codemap.graph.index.columns import Columns, columns_of, gathered, places
from codemap.graph.index.inheritance import list_ancestors
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.model.edges import ARE_FUNCTIONS, EdgeKind, Ints, Mask
from codemap.graph.model.snapshot import Snapshot

USERS_MAX = 12
"""Of a message: what more code uses says less of who reads it."""

_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)
_ERRORS = re.compile(r"(?:Error|Exception|Failure|Warning)\Z")


def list_called(snapshot: Snapshot, nodes: Ints) -> tuple[Ints, Ints]:
    """(called, caller) of the functions here that some nodes call."""
    table = snapshot.edges
    rows, at = places(table.out_start, nodes)
    chosen = np.flatnonzero((table.kind[rows] == _CALLS) & (table.target[rows] < snapshot.first_external))
    called = table.target[rows[chosen]]
    are_functions = ARE_FUNCTIONS[columns_of(snapshot).kind[called]]
    return called[are_functions], nodes[at[chosen]][are_functions]


def are_messages(snapshot: Snapshot, columns: Columns, nodes: Ints) -> Mask:
    """Which definitions few name but to make them, and are a case of an enumeration or a class without methods."""
    table = snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, nodes)
    few = np.bincount(of[table.kind[rows] == _REFERENCES], minlength=len(nodes)) <= USERS_MAX
    owner = columns.parent[nodes]
    are_cases = (owner >= 0) & (columns.kind[np.maximum(owner, 0)] == int(SymbolKind.ENUM))
    are_cases &= ~ARE_FUNCTIONS[columns.kind[nodes]]
    children, at = gathered(columns.children, columns.child_start, nodes)
    methods = np.zeros(len(nodes), dtype=np.bool_)
    methods[at[ARE_FUNCTIONS[columns.kind[children]] & ~constructors_of(snapshot)[children]]] = True
    found: Mask = few & (are_cases | ((columns.kind[nodes] == int(SymbolKind.CLASS)) & ~methods))
    return found


def is_raised(snapshot: Snapshot, node: int) -> bool:
    """Whether a class is one of errors by its name or that of a base: these go back to the caller, and lead nowhere."""
    if snapshot.kind_of(node) is not SymbolKind.CLASS:
        return False
    return any(_ERRORS.search(snapshot.name_of(one)) for one in (node, *list_ancestors(snapshot, node)))


def list_makers(snapshot: Snapshot, columns: Columns, message: int) -> tuple[int, dict[int, int]]:
    """How many name a message and do not make it; who makes it, each with the first line of that."""
    table = snapshot.edges
    rows = table.arriving(message)
    kinds = table.kind[rows]
    rows = rows[kinds == _CALLS]
    source, first = table.source[rows], table.sites[table.first[rows]][:, 0]
    chosen = ARE_FUNCTIONS[columns.kind[source]]
    return int((kinds == _REFERENCES).sum()), dict(zip(source[chosen].tolist(), first[chosen].tolist(), strict=True))
