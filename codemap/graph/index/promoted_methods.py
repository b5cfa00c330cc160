"""Finds the methods that implement others only in a type that inherits both: `class A extends B implements I`, where
`B.m` is what `I.m` asks for and `B` knows nothing of `I`; in Go, what an embedded type brings. Those of object literals
are beside them (`literal_members`).

A type does so where it has several bases, and neither it nor a base below `B` has a member of the name. The method
asked for is one of an interface, or abstract; the one that implements it is neither. Names alone are compared, as of
all overrides.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.facts import SymbolKind
from codemap.graph.index.columns import columns_of, find_equal
from codemap.graph.index.inheritance import ARE_TYPES, find_ancestors
from codemap.graph.index.literal_members import LITERAL_PAIRS
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.index.type_methods import MEMBERS, MethodPairs, are_stated, pair_up
from codemap.graph.model.edges import EdgeKind, Ints, Mask, Numbers, are_among, distinct
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

_INTERFACE = int(SymbolKind.INTERFACE)
_EXTENDS, _IMPLEMENTS = int(EdgeKind.EXTENDS), int(EdgeKind.IMPLEMENTS)
_NONE: Ints = np.empty(0, dtype=np.int32)


class _Asked(msgspec.Struct, frozen=True):
    """The methods of the names that both an abstract method and one with a body have."""

    node: Ints
    """In order of types."""
    owner: Ints
    name: Ints
    is_stated: Mask
    """Abstract, or of an interface."""

    def find_of(self, types: Ints) -> tuple[Ints, Ints]:
        """Places of the methods of types, and the place of the type of each."""
        return find_equal(self.owner, types)


def _find_promoted(snapshot: Snapshot) -> MethodPairs:
    asked = _list_asked(snapshot)
    types = _list_joining(snapshot) if len(asked.node) else _NONE
    names = np.int64(len(snapshot.node_names.names))
    of, bases = _list_bases(snapshot, types, asked)
    own, whose = asked.find_of(bases)
    key = of[whose] * names + asked.name[own]
    united, mine = PARTS.of(snapshot).unite(types)
    stated_here, here = asked.find_of(united)
    key_here = distinct(mine[here] * names + asked.name[stated_here])
    is_stated = asked.is_stated[own]
    chosen = are_among(key, distinct(key[is_stated])) & are_among(key, distinct(key[~is_stated]))
    chosen &= ~are_among(key, key_here)
    order = np.argsort(key[chosen], kind="stable")
    own, key = own[chosen][order], key[chosen][order]
    joined, literal = _join(snapshot, asked, own, key), LITERAL_PAIRS.of(snapshot).astype(np.int32)
    return pair_up(np.concatenate((joined.below, literal[:, 0])), np.concatenate((joined.above, literal[:, 1])))


def _list_asked(snapshot: Snapshot) -> _Asked:
    columns, members, names = columns_of(snapshot), MEMBERS.of(snapshot), snapshot.node_names
    owner, name = columns.parent[members.node], names.of_node[members.node]
    is_stated = are_stated(columns, members.node)
    kinds = np.zeros((2, len(names.names)), dtype=np.bool_)
    kinds[0, name[is_stated]] = kinds[1, name[~is_stated]] = True
    chosen = np.flatnonzero((kinds[0] & kinds[1])[name])
    return _Asked(members.node[chosen], owner[chosen], name[chosen], is_stated[chosen])


def _list_joining(snapshot: Snapshot) -> Ints:
    """The types that have several bases: where they have one, it joins whatever they do. The bases of the parts of a
    type are counted together, by name. Where files include one another (C++) no method implements another so."""
    columns, table = columns_of(snapshot), snapshot.edges
    rows = np.flatnonzero((table.kind == _EXTENDS) | (table.kind == _IMPLEMENTS))
    source = table.source[rows][table.target[rows] < snapshot.first_external]
    keys = snapshot.node_names.of_node[source] if columns.has_parts else source
    heirs = distinct(source[np.bincount(keys)[keys] > 1]) if len(keys) else _NONE
    heirs = heirs[ARE_TYPES[columns.kind[heirs]] & (columns.kind[heirs] != _INTERFACE)]
    includes = np.array([by_name()[file.lang].scopes.sees == "includes" for file in snapshot.files], dtype=np.bool_)
    found: Ints = heirs[~includes[columns.file[heirs]]] if len(heirs) else _NONE
    return found


def _list_bases(snapshot: Snapshot, types: Ints, asked: _Asked) -> tuple[Ints, Ints]:
    """What types inherit from, where some has methods asked for and some has others; and the place of the type."""
    width = np.int64(snapshot.node_count)
    has_stated, has_done = np.zeros((2, snapshot.node_count), dtype=np.bool_)
    has_stated[asked.owner[asked.is_stated]] = has_done[asked.owner[~asked.is_stated]] = True
    keys = find_ancestors(snapshot, types)
    of, bases = keys // width, keys % width
    both = [np.bincount(of[has[bases]], minlength=len(types)) > 0 for has in (has_stated, has_done)]
    chosen = (both[0] & both[1])[of] & (has_stated | has_done)[bases]
    return of[chosen].astype(np.int32), bases[chosen].astype(np.int32)


def _join(snapshot: Snapshot, asked: _Asked, own: Ints, key: Numbers) -> MethodPairs:
    """Joins the methods of each key, which stands for a type and a name: `own` are their places, in order of keys."""
    done = np.flatnonzero(~asked.is_stated[own])
    other, at = find_equal(key, key[done])
    ours, others = own[done[at]], own[other]
    lower, upper = asked.owner[others], asked.owner[ours]
    owners = distinct(np.concatenate((lower, upper)))
    ancestors = find_ancestors(snapshot, owners)
    width = np.int64(snapshot.node_count)
    parts, of = PARTS.of(snapshot).unite(owners)
    place = np.searchsorted(owners, lower) * width
    are_same = are_among(place + upper, distinct(of * width + parts))
    are_below = are_among(place + upper, ancestors)
    are_above = are_among(np.searchsorted(owners, upper) * width + lower, ancestors)
    is_hidden = np.bincount(at[are_below], minlength=len(done)) > 0
    chosen = asked.is_stated[others] & ~(are_same | are_above | is_hidden[at])
    found = distinct(asked.node[ours[chosen]] * width + asked.node[others[chosen]])
    return pair_up((found // width).astype(np.int32), (found % width).astype(np.int32))


def carry_pairs(before: MethodPairs, edit: Edit) -> MethodPairs | None:
    """To carry pairs of methods that depend on definitions and on what types inherit from."""
    if edit.reach is not Reach.CONTENTS or columns_of(edit.snapshot).has_parts:
        return None
    is_same = all(
        np.array_equal(find(edit.previous), find(edit.snapshot)) for find in (_list_inheritance, LITERAL_PAIRS.of)
    )
    return before if is_same else None


def _list_inheritance(snapshot: Snapshot) -> Ints:
    """Heirs and bases."""
    table = snapshot.edges
    rows = np.flatnonzero((table.kind == _EXTENDS) | (table.kind == _IMPLEMENTS))
    found: Ints = np.stack((table.source[rows], table.target[rows]))
    return found


PROMOTED = Slot[MethodPairs](_find_promoted, carry=carry_pairs, rescore=reuse)
