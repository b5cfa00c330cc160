"""Finds calls of the relatives of a method that answer who calls it: of what it overrides, as they may run it, and of
what overrides it, which callers name where they know more of a value.

Calls of abstract methods are in `codemap.graph.query.dispatch`, as part of what is undecided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES, CLASSES_MAX, find_ancestors
from codemap.graph.index.overrides import overrides
from codemap.graph.model.edges import INHERITANCE, Edge, EdgeKind, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.dispatch import is_abstract
from codemap.graph.query.shape_fits import find_fitting
from codemap.languages import by_name

_CALLS = frozenset((EdgeKind.CALLS,))


def calls_of_overridden(snapshot: Snapshot, method: int) -> Mapping[int, tuple[Edge, ...]]:
    """By each method with a body that a method overrides, the calls of it that may run the method."""
    if by_name()[snapshot.row_of(method)[0].lang].is_structural:
        return {}  # a type has methods by embedding another, whose calls stay with that
    bases = [base for base in _find_related(snapshot, method, downwards=False) if not is_abstract(snapshot, base)]
    called = {base: edges for base in bases if (edges := tuple(snapshot.edges_in(base, _CALLS)))}
    if not called:
        return {}
    around = _find_around(snapshot, method)
    found = {base: tuple(edge for edge in edges if _may_run(snapshot, edge, around)) for base, edges in called.items()}
    return {base: edges for base, edges in found.items() if edges}


def calls_of_overrides(snapshot: Snapshot, method: int) -> Iterator[Edge]:
    """The calls of what overrides or implements a method, by `super` among them, but those of it as well."""
    known = {(edge.source, *site) for edge in snapshot.edges_in(method, _CALLS) for site in snapshot.sites(edge)}
    for one in dict.fromkeys((*_find_related(snapshot, method, downwards=True), *find_fitting(snapshot, method))):
        for edge in snapshot.edges_in(one, _CALLS):
            if any((edge.source, *site) not in known for site in snapshot.sites(edge)):
                yield edge


def _may_run(snapshot: Snapshot, call: Edge, around: Collection[int]) -> bool:
    """Whether a call of a method may run an override of it: not by `super`, nor on an instance of a class that is never
    one of the override's; `around` are the classes of which its instances may be."""
    if call.confidence is not Confidence.EXACT:
        return True
    if call.source != call.target and snapshot.name_of(call.source) == snapshot.name_of(call.target):
        return False
    owner = _find_owner(snapshot, call.source)
    return owner is None or owner in around


def _find_owner(snapshot: Snapshot, node: int) -> int | None:
    """The innermost type around a definition."""
    columns = columns_of(snapshot)
    owner = snapshot.parent_of(node)
    while owner is not None and not ARE_TYPES[columns.kind[owner]]:
        owner = snapshot.parent_of(owner)
    return owner


def _find_around(snapshot: Snapshot, method: int) -> set[int]:
    """The class of a method and its heirs, as far as any are looked for, with all that these inherit from."""
    owner = snapshot.parent_of(method)
    assert owner is not None, "what overrides is in a class"
    below = [owner]
    for cls in below:
        heirs = (edge.source for edge in snapshot.edges_in(cls, INHERITANCE))
        below += [heir for heir in heirs if heir not in below and len(below) < CLASSES_MAX]
    keys = find_ancestors(snapshot, distinct(np.array(below, dtype=np.int32)))
    return {*below, *(keys % np.int64(snapshot.node_count)).tolist()}


def _find_related(snapshot: Snapshot, method: int, *, downwards: bool) -> list[int]:
    found: list[int] = distinct(
        overrides(snapshot, np.array([method], dtype=np.int32), downwards=downwards)[1]
    ).tolist()
    return found
