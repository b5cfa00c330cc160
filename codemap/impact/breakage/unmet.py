"""Finds types that a change leaves without a member which a type above asks for: their own went or has another name,
or what is asked for came.

Who asks are abstract members, and members of interfaces as their language says. Where types implement interfaces
without saying so, that they do not any more is a guess at what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from codemap.changes.changed_definitions import Change, What
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.index.inheritance import inheritance
from codemap.graph.index.overrides import overrides
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.index.type_methods import ARE_METHODS
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.breakage.not_adapted import Left, node_of, taken_nodes, why_left
from codemap.languages import by_name

_LEVELS_MAX = 12
_GONE, _ABSENT = "no longer implemented", "not implemented"
_ARRIVED = (What.ADDED, What.RENAMED, What.MOVED)


def asks_for_more(changes: Sequence[Change], after: Snapshot) -> bool:
    """Whether types that implement an interface before a change, and do not say so, may do so no more."""
    return any(by_name()[after.row_of(node)[0].lang].is_structural for node in _came(changes, after))


def unmet(changes: Sequence[Change], before: Snapshot | None, after: Snapshot) -> tuple[Left, ...]:
    """The types, by file and line."""
    found: dict[tuple[int, int], Left] = {}
    for asking in _came(changes, after):
        is_structural = by_name()[after.row_of(asking)[0].lang].is_structural
        for heir in _heirs_before(asking, before, after) if is_structural else _heirs(after, asking):
            if _lacks(after, heir, asking):
                found[heir, asking] = _left(after, heir, asking, _ABSENT, is_guess=is_structural)
    for heir, asking in _gone(changes, before, after) if before is not None else ():
        if _lacks(after, heir, asking):
            is_guess = by_name()[after.row_of(asking)[0].lang].is_structural
            found.setdefault((heir, asking), _left(after, heir, asking, _GONE, is_guess=is_guess))
    return tuple(sorted(found.values()))


def orphaned(changes: Sequence[Change], before: Snapshot, after: Snapshot) -> tuple[Left, ...]:
    """Methods that overrode one which was taken away, and override none any more: by file and line."""
    taken = {node: change for node, change in taken_nodes(changes, before).items() if ARE_METHODS[before.kind_of(node)]}
    if not taken:
        return ()
    own, below = overrides(before, np.array(sorted(taken), dtype=np.int32), downwards=True)
    found = []
    for node, other in zip(own.tolist(), below.tolist(), strict=True):
        now = None if other in taken else after.find(before.id_of(other))
        if now is None or len(overrides(after, np.array([now], dtype=np.int32), downwards=False)[1]):
            continue
        file, row = after.row_of(now)
        line, used, why = file.cell(row, Symbol.LINE), before.qualified_name_of(node), why_left(taken[node], after)
        found.append(Left(file.path, line, file.qualified_name(row), (line,), used, why, is_guess=True))
    return tuple(sorted(found))


def _left(after: Snapshot, heir: int, asking: int, why: str, *, is_guess: bool) -> Left:
    file, row = after.row_of(heir)
    line = file.cell(row, Symbol.LINE)
    return Left(file.path, line, file.qualified_name(row), (line,), after.qualified_name_of(asking), why, is_guess)


def _came(changes: Sequence[Change], after: Snapshot) -> Iterator[int]:
    """What types are asked for since the change, of types that were there before it."""
    for change in changes:
        node = node_of(after, change.after) if change.what in _ARRIVED else None
        if node is not None and not after.is_file(node) and _is_asked_for(after, node):
            yield node


def _gone(changes: Sequence[Change], before: Snapshot, after: Snapshot) -> Iterator[tuple[int, int]]:
    """(type, what it is asked for), after the change, where its own, or that of a type above, was taken away."""
    taken = [node for node in taken_nodes(changes, before) if ARE_METHODS[before.kind_of(node)]]
    if not taken:
        return
    own, bases = overrides(before, np.array(sorted(taken), dtype=np.int32), downwards=False)
    for node, base in zip(own.tolist(), bases.tolist(), strict=True):
        asking, owner = after.find(before.id_of(base)), before.parent_of(node)
        if asking is None or owner is None or not _is_asked_for(after, asking):
            continue
        is_structural = by_name()[after.row_of(asking)[0].lang].is_structural
        still = frozenset[int]() if is_structural else frozenset(_heirs(after, asking))
        for one in (owner, *_heirs(before, node)):
            heir = after.find(before.id_of(one))
            if heir is not None and (is_structural or heir in still):
                yield heir, asking


def _is_asked_for(snapshot: Snapshot, node: int) -> bool:
    if not ARE_METHODS[snapshot.kind_of(node)]:
        return False
    if snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.ABSTRACT:
        return True
    parent = snapshot.parent_of(node)
    pattern = by_name()[snapshot.row_of(node)[0].lang].asks_for_members
    if parent is None or not pattern or snapshot.kind_of(parent) is not SymbolKind.INTERFACE:
        return False
    return re.match(pattern, snapshot.text_of(node, Symbol.SIGNATURE)) is not None


def _heirs(snapshot: Snapshot, member: int) -> Iterator[int]:
    """The types below that of a member."""
    parent = snapshot.parent_of(member)
    level = [] if parent is None else [parent]
    seen = set(level)
    for _ in range(_LEVELS_MAX):
        rows, _ = inheritance(snapshot, np.array(level, dtype=np.int32), downwards=True)
        level = sorted(set(snapshot.edges.source[rows].tolist()) - seen)
        seen.update(level)
        yield from level


def _heirs_before(asking: int, before: Snapshot | None, after: Snapshot) -> Iterator[int]:
    """The types that implemented the interface of what came, as nodes after the change."""
    parent = after.parent_of(asking)
    owner = None if before is None or parent is None else before.find(after.id_of(parent))
    if before is None or owner is None:
        return
    rows, _ = inheritance(before, np.array([owner], dtype=np.int32), downwards=True)
    for one in sorted(set(before.edges.source[rows].tolist())):
        heir = after.find(before.id_of(one))
        if heir is not None:
            yield heir


def _lacks(after: Snapshot, heir: int, asking: int) -> bool:
    """Whether values are made of a type that neither has the member nor inherits it."""
    file, row = after.row_of(heir)
    if after.kind_of(heir) not in (SymbolKind.CLASS, SymbolKind.ENUM):
        return False
    if file.cell(row, Symbol.FLAGS) & SymbolFlag.ABSTRACT:
        return False
    language = by_name()[file.lang]
    if language.hands_on and re.search(language.hands_on, after.text_of(heir, Symbol.SIGNATURE)):
        return False
    name, types = after.name_of(asking), _list_types(after, heir, after.parent_of(asking))
    if any(after.is_external(one) for one in types):
        return False
    if any(after.name_of(child) == name for one in _list_merged(after, heir) for child in after.children_of(one)):
        return False
    members = (child for one in types for child in after.children_of(one) if after.name_of(child) == name)
    return not any(child != asking and not _is_asked_for(after, child) for child in members)


def _list_merged(after: Snapshot, heir: int) -> Iterator[int]:
    """The other declarations of a type beside it, whose members it has as well."""
    parent = after.parent_of(heir)
    return (one for one in after.named(after.name_of(heir)) if one != heir and after.parent_of(one) == parent)


def _list_types(after: Snapshot, heir: int, asking: int | None) -> Collection[int]:
    """A type with its parts and what is above it, but for what is above the one that asks for a member."""
    level = np.array([heir], dtype=np.int32)
    seen: set[int] = set()
    for _ in range(_LEVELS_MAX):
        level, _ = PARTS.of(after).unite(level[level < after.first_external])
        fresh = sorted(set(level.tolist()) - seen)
        seen.update(fresh)
        rows, _ = inheritance(after, np.array([one for one in fresh if one != asking], dtype=np.int32), downwards=False)
        level = after.edges.target[rows]
        seen.update(node for node in level.tolist() if after.is_external(node))
        if not len(level):
            break
    return seen
