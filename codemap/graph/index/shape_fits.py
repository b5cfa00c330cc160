"""Finds methods that run for calls of a class which any value with its members fits, of whatever class: `Protocol`.

A class fits when it has the members, its own or inherited, by name; types are not compared. What its bases outside the
repository have is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES, list_ancestors
from codemap.graph.index.type_methods import ARE_METHODS
from codemap.graph.model.edges import INHERITANCE, Ints, Mask
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

_ABSTRACT = int(SymbolFlag.ABSTRACT)
NAMESAKES_MAX = 500
"""Of a name that more have, nothing is said."""
HEIRS_MAX = 50
"""Of a class, looked through for one that fits where it does not itself."""


def find_asking(snapshot: Snapshot, method: int) -> list[int]:
    """The methods of such classes whose calls may run a method, in node order."""
    named = _list_namesakes(snapshot, method, _ABSTRACT)
    return [one for one, cls in named if _is_shape(snapshot, cls) and _runs_for(snapshot, method, cls)]


def find_fitting(snapshot: Snapshot, method: int) -> list[int]:
    """The methods that a call of a method of such a class may run, in node order; none of a method of another class."""
    shape = snapshot.parent_of(method)
    if shape is None or not by_name()[snapshot.row_of(method)[0].lang].shape_classes or not _is_shape(snapshot, shape):
        return []
    return [one for one, _ in _list_namesakes(snapshot, method) if _runs_for(snapshot, one, shape)]


def are_of_shapes(snapshot: Snapshot, methods: Ints) -> Mask:
    """Which of some methods are of such classes."""
    columns = columns_of(snapshot)
    owners = columns.parent.take(methods)
    found: Mask = (owners >= 0) & (columns.flags.take(np.maximum(owners, 0)) & _ABSTRACT != 0)
    for at in np.flatnonzero(found).tolist():
        found[at] = _is_shape(snapshot, int(owners[at]))
    return found


def _list_namesakes(snapshot: Snapshot, method: int, flags: int = 0) -> Iterator[tuple[int, int]]:
    """The other methods of the name of one, each with its class, which has some flags; none in a language that has no
    such classes."""
    columns = columns_of(snapshot)
    language = by_name()[snapshot.row_of(method)[0].lang]
    if not language.shape_classes or snapshot.name_of(method) in language.constructors:
        return
    named = snapshot.node_names.namesakes(method)
    if len(named) > NAMESAKES_MAX:
        return
    named = named[(named < snapshot.first_external) & (named != method)]
    named = named[ARE_METHODS[columns.kind.take(named)] & (columns.parent.take(named) >= 0)]
    owners = columns.parent.take(named)
    chosen = ARE_TYPES[columns.kind.take(owners)] & (columns.flags.take(owners) & flags == flags)
    for one, cls in zip(named[chosen].tolist(), owners[chosen].tolist(), strict=True):
        if snapshot.row_of(one)[0].lang == language.name:
            yield one, cls


def _is_shape(snapshot: Snapshot, cls: int) -> bool:
    columns = columns_of(snapshot)
    if columns.kind[cls] != SymbolKind.CLASS or not columns.flags[cls] & _ABSTRACT:
        return False
    pattern = by_name()[snapshot.row_of(cls)[0].lang].shape_classes
    return bool(pattern) and re.search(pattern, f"{snapshot.text_of(cls, Symbol.SIGNATURE)}:") is not None


def _runs_for(snapshot: Snapshot, method: int, shape: int) -> bool:
    """Whether the class of a method, or an heir of it, fits another one that it says nothing of."""
    owner = snapshot.parent_of(method)
    if owner is None or owner == shape or _is_shape(snapshot, owner) or shape in list_ancestors(snapshot, owner):
        return False
    wanted = _name_members(snapshot, shape).difference(by_name()[snapshot.row_of(method)[0].lang].constructors)
    below = [owner]
    for cls in below:
        if wanted <= _name_members(snapshot, cls):
            return True
        heirs = (edge.source for edge in snapshot.edges_in(cls, INHERITANCE))
        below += [heir for heir in heirs if heir not in below and len(below) < HEIRS_MAX]
    return False


def _name_members(snapshot: Snapshot, cls: int) -> set[str]:
    """The names of the members of a class, those that it inherits in the repository among them."""
    return {
        snapshot.name_of(child) for one in (cls, *list_ancestors(snapshot, cls)) for child in snapshot.children_of(one)
    }
