"""Finds the definitions that a call may run beside the one that it names: implementers of abstract methods, overrides.

A call of a method that only states what implementers must do (abstract, or of an interface) runs one of them. Which one
is not known, so each is a candidate, of a known number. Classes that any value with their members fits count as
interfaces of what has all of these.

A call of a method with a body may run an override, too, and callers that know more of a value name that themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES, CLASSES_MAX, find_ancestors
from codemap.graph.index.overrides import overrides
from codemap.graph.index.part_nodes import united
from codemap.graph.index.shape_fits import are_of_shapes, find_asking, find_fitting
from codemap.graph.index.type_methods import ARE_METHODS, are_stated
from codemap.graph.model.edges import INHERITANCE, Edge, EdgeKind, Ints, Mask, distinct
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_contents
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.languages import by_name

_CALLS = frozenset((EdgeKind.CALLS,))
_CALL = int(EdgeKind.CALLS)
"""Plain numbers: an array is compared with an enum's member six times slower."""


class Dispatched(msgspec.Struct, frozen=True):
    """A call of an abstract method, seen from its caller (`out`) or from one that may run (`in`)."""

    edge: Edge
    side: Literal["in", "out"]
    implementers: tuple[int, ...]


def dispatched(
    snapshot: Snapshot, node: int, sides: Collection[str], kinds: Collection[EdgeKind]
) -> Iterator[Dispatched]:
    """Calls by a node that reach it only through an abstract method, and calls by it of abstract methods."""
    if EdgeKind.CALLS not in kinds or snapshot.is_external(node):
        return
    if "in" in sides and (bases := abstract_bases(snapshot, node)) and not is_abstract(snapshot, node):
        for base in bases:
            found = implementers(snapshot, base)
            for edge in snapshot.edges_in(base, _CALLS):
                yield Dispatched(edge, "in", found)
    if "out" in sides:
        table = snapshot.edges
        rows = table.leaving(node)
        called = table.target.take(rows.compress(table.kind.take(rows) == _CALL))
        stated = frozenset(_find_abstract(snapshot, called).tolist())
        for edge in snapshot.edges_out(node, _CALLS) if stated else ():
            if edge.target in stated and (found := implementers(snapshot, edge.target)):
                yield Dispatched(edge, "out", found)


def is_abstract(snapshot: Snapshot, node: int) -> bool:
    """Whether a method only states what implementers must do."""
    state = 0 if snapshot.is_external(node) else _STATES.of(snapshot)[node]
    return bool(state == _STATED or (state == _PERHAPS and are_of_shapes(snapshot, np.array([node], np.int32))[0]))


def _find_abstract(snapshot: Snapshot, nodes: Ints) -> Ints:
    """Selects the methods that only state what implementers must do."""
    if not len(nodes):
        return nodes
    nodes = nodes[nodes < snapshot.first_external]
    states = _STATES.of(snapshot).take(nodes)
    are_chosen: Mask = states == _STATED
    perhaps = (states == _PERHAPS).nonzero()[0]
    if len(perhaps):
        are_chosen[perhaps] = are_of_shapes(snapshot, nodes[perhaps])
    return nodes[are_chosen]


_STATED, _PERHAPS = 1, 2


def _find_states(snapshot: Snapshot) -> NDArray[np.uint8]:
    """By node: whether it is a method that only states what implementers must do, or perhaps, as its class is one that
    other classes may fit."""
    columns, owners = columns_of(snapshot), columns_of(snapshot).parent
    of_abstract = (owners >= 0) & (columns.flags.take(np.maximum(owners, 0)) & int(SymbolFlag.ABSTRACT) != 0)
    found = np.where(of_abstract, _PERHAPS, 0).astype(np.uint8)
    found[are_stated(columns, np.arange(len(owners), dtype=np.int32))] = _STATED
    found[~ARE_METHODS[columns.kind]] = 0
    return found


_STATES = Slot[NDArray[np.uint8]](_find_states, carry=reuse_for_contents, rescore=reuse)


def implementers(snapshot: Snapshot, method: int) -> tuple[int, ...]:
    """The methods that a call of an abstract one may run, in node order."""
    found = _find_related(snapshot, method, downwards=True)
    if fitting := find_fitting(snapshot, method):
        found = distinct(np.concatenate((found, np.array(fitting, dtype=np.int32))))
    return tuple(np.setdiff1d(found, _find_abstract(snapshot, found), assume_unique=True).tolist())


def find_only_implementer(snapshot: Snapshot, method: int, besides: int = -1) -> int | None:
    """The only method that a call of an abstract one may run, but for one that is left out; None where it is no such
    method, or there are several."""
    if snapshot.is_external(method) or not is_abstract(snapshot, method):
        return None
    found = [one for one in implementers(snapshot, method) if one != besides]
    return found[0] if len(found) == 1 else None


def abstract_bases(snapshot: Snapshot, method: int) -> tuple[int, ...]:
    """The abstract methods that a method implements, those first that its class says it does."""
    if not ARE_METHODS[snapshot.kind_of(method)] or len(snapshot.node_names.namesakes(method)) == 1:
        return ()
    stated = _find_abstract(snapshot, _find_related(snapshot, method, downwards=False)).tolist()
    return (*stated, *find_asking(snapshot, method))


def calls_of_overridden(snapshot: Snapshot, method: int) -> Mapping[int, tuple[Edge, ...]]:
    """By each method with a body that a method overrides, the calls of it that may run the method."""
    if by_name()[snapshot.row_of(method)[0].lang].is_structural:
        return {}  # a type has methods by embedding another, whose calls stay with that
    overridden = _find_related(snapshot, method, downwards=False).tolist()
    bases = [base for base in overridden if not is_abstract(snapshot, base)]
    called = {base: edges for base in bases if (edges := tuple(snapshot.edges_in(base, _CALLS)))}
    if not called:
        return {}
    around = _find_around(snapshot, method)
    found = {base: tuple(edge for edge in edges if _may_run(snapshot, edge, around)) for base, edges in called.items()}
    return {base: edges for base, edges in found.items() if edges}


def calls_of_overrides(snapshot: Snapshot, method: int) -> Iterator[Edge]:
    """The calls of what overrides or implements a method, by `super` too; none that may be one of the method itself."""
    known = {(edge.source, *site) for edge in snapshot.edges_in(method, _CALLS) for site in snapshot.sites(edge)}
    below = _find_related(snapshot, method, downwards=True).tolist()
    for one in dict.fromkeys((*below, *find_fitting(snapshot, method))):
        for edge in snapshot.edges_in(one, _CALLS):
            if any((edge.source, *site) not in known for site in snapshot.sites(edge)):
                yield edge


def _may_run(snapshot: Snapshot, call: Edge, around: Collection[int]) -> bool:
    """Whether a call of a method may run an override of it: not by `super` or where its own class is named, which was
    imported (`Base.update(self)`), nor on an instance of a class that is never one of the override's; `around` are the
    classes of which its instances may be."""
    if call.confidence is not Confidence.EXACT:
        return call.confidence is not Confidence.IMPORT
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
        edges = (edge for part in united(snapshot, cls) for edge in snapshot.edges_in(part, INHERITANCE))
        heirs = dict.fromkeys(edge.source for edge in edges)
        below += [heir for heir in heirs if heir not in below and len(below) < CLASSES_MAX]
    keys = find_ancestors(snapshot, distinct(np.array(below, dtype=np.int32)))
    return {*below, *(keys % np.int64(snapshot.node_count)).tolist()}


def _find_related(snapshot: Snapshot, method: int, *, downwards: bool) -> Ints:
    """What overrides a method, or what it overrides, in node order."""
    return distinct(overrides(snapshot, np.array([method], dtype=np.int32), downwards=downwards)[1])
