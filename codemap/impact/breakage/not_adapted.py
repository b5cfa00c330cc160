"""Finds uses of what a change removed, renamed or moved that the change did not adapt.

A definition is taken away where it was removed, renamed or moved. A use is left where the code that it is in is the
same in both versions, and means nothing of that name any more; in code that did change, where the name is still used
there and means nothing. What is in a type goes with it: where that has another name or place, its members are the same,
and where it was removed, a line that names it says all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from codemap.changes.changed_definitions import Change, Pair, Place, What
from codemap.facts import Symbol, SymbolFlag
from codemap.graph.model.edges import Edge, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.override_family import find_wholes, is_constructor

TAKEN = (What.REMOVED, What.RENAMED, What.MOVED)
_USES: frozenset[EdgeKind] = frozenset(EdgeKind) - {EdgeKind.CONTAINS, EdgeKind.EXPORTS}


class Left(msgspec.Struct, frozen=True, order=True):
    """Uses that are left in one definition."""

    file: str
    line: int
    """Of the first, as the file is after the change."""
    name: str
    """Qualified, of the definition that they are in; empty: the code outside of definitions."""
    lines: tuple[int, ...]
    used: str
    """Qualified name of what they use."""
    why: str
    is_guess: bool
    """Whether that they used it is a guess by name, or that they still do."""
    is_misfit: bool = False
    """Whether it is there, and `why` says what of their arguments does not fit its parameters."""


def without_taken(misfits: Iterable[Left], left: Iterable[Left]) -> Iterator[Left]:
    """The misfits but in lines that use what was taken away: as another overload is left, they seem to mean that."""
    taken = {(one.file, one.used, line) for one in left for line in one.lines}
    for one in misfits:
        lines = tuple(line for line in one.lines if (one.file, one.used, line) not in taken)
        if lines:
            yield msgspec.structs.replace(one, line=lines[0], lines=lines)


def node_of(snapshot: Snapshot, place: Place | None) -> int | None:
    """A definition; None where there is none, or its file is not in the map."""
    file = None if place is None else snapshot.by_path.get(place.file)
    return None if file is None or place is None else file.base + place.row


def nodes_of(snapshot: Snapshot, place: Place) -> list[int]:
    """A definition and all that is in it; of a file the file alone, as its definitions are changes of their own."""
    file = snapshot.by_path[place.file]
    if place.row == 0:
        return [file.base]
    found = [place.row]
    for row in range(place.row + 1, file.symbol_count):
        if file.cell(row, Symbol.PARENT) in found:
            found.append(row)
    return [file.base + row for row in found]


def taken_nodes(changes: Sequence[Change], before: Snapshot) -> dict[int, Change]:
    """The nodes, before the changes, of what was taken away, each with the change that did it."""
    return {
        node: change
        for change in changes
        if change.what in TAKEN and change.before is not None and change.before.file in before.by_path
        for node in nodes_of(before, change.before)
    }


def not_adapted(
    changes: Sequence[Change], pairs: Mapping[str, Pair], before: Snapshot, after: Snapshot
) -> tuple[Left, ...]:
    """The uses that are left, by file and line."""
    taken = taken_nodes(changes, before)
    orphans = _find_orphans(taken, before, after)
    of_wholes: dict[int, list[Left]] = {}
    of_members: dict[int, list[Left]] = {}
    """By the definition that they were taken away with."""
    for node, change in taken.items():
        whole = node_of(before, change.before)
        assert whole is not None, "it was taken away"
        found = (of_wholes if node == whole else of_members).setdefault(whole, [])
        for edge in before.edges_in(node, _USES):
            if edge.confidence is Confidence.CANDIDATE or (node != whole and _goes_on(before, change, edge)):
                continue
            if edge.source == node and change.what is What.RENAMED:
                found += _left_inside(change, before, after, before.sites(edge))
            if edge.source in taken:
                continue
            left = _left(change, pairs, before, after, node, edge.source, before.sites(edge), orphans, edge.confidence)
            if left is not None:
                is_guess = left.is_guess or edge.confidence is Confidence.NAME
                found.append(msgspec.structs.replace(left, is_guess=is_guess))
    members = (one for whole, some in of_members.items() for one in _uses_of_members(some, of_wholes.get(whole, ())))
    return tuple(sorted({*(one for some in of_wholes.values() for one in some), *members}))


def _goes_on(before: Snapshot, change: Change, edge: Edge) -> bool:
    """Whether a use of a member lasts where the type has another name or place: unless an import names it, or it is a
    constructor, which may have the name of the type."""
    is_same = change.what is not What.REMOVED and edge.kind is not EdgeKind.IMPORTS
    return is_same and not is_constructor(before, edge.target)


def _uses_of_members(some: Iterable[Left], of_whole: Collection[Left]) -> Iterator[Left]:
    """The uses of members of what was removed, but in lines that name it; guesses by their names alone only where any
    use of it is left for sure."""
    named = {(one.file, line) for one in of_whole for line in one.lines}
    rest = []
    for one in some:
        lines = tuple(line for line in one.lines if (one.file, line) not in named)
        if lines:
            rest.append(msgspec.structs.replace(one, line=lines[0], lines=lines))
    if not all(one.is_guess for one in (*of_whole, *rest)):
        yield from rest


def _left_inside(change: Change, before: Snapshot, after: Snapshot, sites: Sequence[tuple[int, int]]) -> Iterator[Left]:
    """Where a definition still uses itself by the name that it had: its code is as it was, or it would be another."""
    assert change.before is not None, "it was renamed"
    assert change.after is not None, "it was renamed"
    (old, row), (new, new_row) = (
        (snapshot.by_path[place.file], place.row)
        for snapshot, place in ((before, change.before), (after, change.after))
    )
    if not row or _meant(after, new.base + new_row, old.name_of(row), (), Confidence.EXACT):
        return
    shift = new.cell(new_row, Symbol.START_LINE) - old.cell(row, Symbol.START_LINE)
    lines = tuple(sorted({line + shift for line, _ in sites}))
    used, why = old.qualified_name(row), why_left(change, after)
    yield Left(new.path, lines[0], new.qualified_name(new_row), lines, used, why, is_guess=False)


def _left(
    change: Change,
    pairs: Mapping[str, Pair],
    before: Snapshot,
    after: Snapshot,
    node: int,
    source: int,
    sites: Sequence[tuple[int, int]],
    orphans: Collection[int],
    confidence: Confidence,
) -> Left | None:
    """The uses by one definition that are left."""
    user = after.find(before.id_of(source))
    if user is None:
        return None
    name = before.name_of(node)
    used = before.qualified_name_of(node) or before.row_of(node)[0].path
    (old, row), (new, new_row) = before.row_of(source), after.row_of(user)
    pair = pairs.get(old.path)
    if _meant(after, user, name, orphans, confidence):
        return None
    is_as_it_was = pair is None or is_same(pair, row, new_row)
    named = tuple(sorted({line for line, _ in _named(after, user, name, orphans)}))
    if is_as_it_was and (row or pair is None):
        shift = new.cell(new_row, Symbol.START_LINE) - old.cell(row, Symbol.START_LINE) if row else 0
        lines = tuple(sorted({line + shift for line, _ in sites}))
    elif is_as_it_was:  # the lines of a file's own code do not move as one
        lines = named or tuple(sorted({line for line, _ in sites}))
    else:
        lines = named
    if not lines:
        return None
    return Left(new.path, lines[0], new.qualified_name(new_row), lines, used, why_left(change, after), not is_as_it_was)


def is_same(pair: Pair, row: int, new_row: int) -> bool:
    """Whether the code of a definition is the same in both versions; of a file, its imports as well."""
    if pair.before is None or pair.after is None:
        return False
    left, right = pair.before.fingerprints[row], pair.after.fingerprints[new_row]
    return left.code == right.code and (row != 0 or left.header == right.header)


def _meant(after: Snapshot, user: int, name: str, orphans: Collection[int], confidence: Confidence) -> bool:
    """Whether something of the name is used there after the change, and is more than a prototype that is left; where
    the use had a meaning of that confidence before, more than a guess by the name."""
    uses = (edge for edge in after.edges_out(user, _USES) if after.name_of(edge.target) == name)
    surest = Confidence.NAME if confidence is Confidence.NAME else Confidence.TYPE
    return any(edge.target not in orphans and edge.confidence <= surest for edge in uses)


def _find_orphans(taken: Iterable[int], before: Snapshot, after: Snapshot) -> frozenset[int]:
    """The prototypes that are left of definitions that were taken away, after the change."""
    left = (after.find(before.id_of(node)) for node in taken)
    return frozenset(
        node
        for node in left
        if node is not None
        and after.cell(node, Symbol.FLAGS) & SymbolFlag.DECLARATION
        and find_wholes(after, [node]) == [node]
    )


def _named(after: Snapshot, user: int, name: str, orphans: Collection[int]) -> list[tuple[int, int]]:
    """Undecided uses of the name there, and those of a prototype that is left."""
    found = [site for use in after.unresolved_out(user) if use.name == name for site in after.sites(use)]
    edges = (edge for edge in after.edges_out(user, _USES) if edge.target in orphans)
    return found + [site for edge in edges if after.name_of(edge.target) == name for site in after.sites(edge)]


def why_left(change: Change, after: Snapshot) -> str:
    """What became of a definition that was taken away."""
    if change.after is None:
        return "removed"
    file = after.by_path[change.after.file]
    new = file.qualified_name(change.after.row) or file.path
    is_elsewhere = change.before is not None and change.before.file != change.after.file
    return f"{change.what} to {file.path}#{new}" if is_elsewhere else f"{change.what} to {new}"
