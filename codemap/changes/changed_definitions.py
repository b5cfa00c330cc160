"""Compares two versions of some files, definition by definition.

Rules of the file:
- A definition of one version is that of the other where both have its qualified name in its file; of several of one
  name, those with equal code first, then the others in order.
- What is left on both sides is the same definition, moved or renamed, where code of at least `TOKENS_MIN` tokens is
  equal and no other definition that is left has it; under the same name, shorter code will do.
- A definition inside one that was added, removed or moved is part of that change, and not listed by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from codemap.changes.import_lines import list_exports, list_gone, list_imports
from codemap.changes.version import Version
from codemap.facts import Symbol, SymbolFlag, SymbolKind

TOKENS_MIN = 12
"""Tokens of code that is not equal by chance."""
NAMESAKE_TOKENS_MIN = 4
"""The same of code under one name."""


class What(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    RENAMED = "renamed"
    SIGNATURE = "signature"
    BODY = "body"
    IMPORTS = "imports"
    """What a file imports."""
    EXPORTS = "exports"
    """What a file offers, but for definitions that came or went."""


class Place(msgspec.Struct, frozen=True, order=True):
    """A definition in one version."""

    file: str
    row: int
    """In the table of symbols; 0: the code of the file outside of definitions."""


class Change(msgspec.Struct, frozen=True):
    what: What
    before: Place | None
    """None where it was added."""
    after: Place | None
    """None where it was removed."""


class Compared(msgspec.Struct, frozen=True):
    changes: tuple[Change, ...]
    """By file, then place."""
    unchanged: tuple[str, ...]
    """Files of which only comments or layout changed."""


class Pair(msgspec.Struct, frozen=True):
    """A file in two versions."""

    path: str
    before: Version | None
    """None where there was no such file."""
    after: Version | None


def compare(pairs: Sequence[Pair]) -> Compared:
    """Compares both versions of some files."""
    befores = {pair.path: pair.before for pair in pairs if pair.before is not None}
    afters = {pair.path: pair.after for pair in pairs if pair.after is not None}
    changes: list[Change] = []
    gone: list[Place] = []
    came: list[Place] = []
    for pair in pairs:
        names_before, names_after = _map_names(pair.before), _map_names(pair.after)
        for name in dict.fromkeys((*names_before, *names_after)):
            left, right = names_before.get(name, []), names_after.get(name, [])
            matched = list(_match_rows(pair, left, right))
            declared = {other for one, other in matched if _is_only_declared(pair, one, other)}
            matched = [(one, other) for one, other in matched if other not in declared]
            changes += [change for one, other in matched if (change := _compare_code(pair, one, other)) is not None]
            gone += [Place(pair.path, row) for row in left if row not in {one for one, _ in matched}]
            came += [Place(pair.path, row) for row in right if row not in declared.union(other for _, other in matched)]
    moves = _find_moves(gone, came, befores, afters)
    left_moved, right_moved = set(moves), set(moves.values())
    for before, after in moves.items():
        old, new = befores[before.file], afters[after.file]
        is_moved = before.file != after.file or _find_owner(old, before.row) != _find_owner(new, after.row)
        is_renamed = old.name_of(before.row) != new.name_of(after.row)
        changes.append(Change(What.RENAMED if is_renamed and not is_moved else What.MOVED, before, after))
    outer_gone, outer_came = set(gone), set(came)
    changes += [
        Change(What.REMOVED, place, None)
        for place in gone
        if place not in left_moved and not _is_within(place, befores, outer_gone)
    ]
    changes += [
        Change(What.ADDED, None, place)
        for place in came
        if place not in right_moved and not _is_within(place, afters, outer_came)
    ]
    changes = [one for one in changes if not _is_part_of_move(one, moves, befores)]
    changes += [change for pair in pairs for change in _compare_lines(pair)]
    touched = changed_files(changes)
    unchanged = tuple(pair.path for pair in pairs if pair.path not in touched)
    return Compared(tuple(sorted(changes, key=_order)), unchanged)


def changed_files(changes: Iterable[Change]) -> frozenset[str]:
    """The paths of the files, before and after, in which definitions changed."""
    return frozenset(place.file for change in changes for place in (change.before, change.after) if place is not None)


def _order(change: Change) -> tuple[Place, str]:
    place = change.after or change.before
    assert place is not None, "a change has a side"
    return place, change.what


def _map_names(version: Version | None) -> dict[str, list[int]]:
    """Qualified name -> rows, in source order; the file itself under none."""
    found: dict[str, list[int]] = {}
    if version is not None:
        for row, name in enumerate(version.qualified_names):
            found.setdefault(name, []).append(row)
    return found


def _match_rows(pair: Pair, left: Sequence[int], right: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Rows of one name that are the same definition."""
    if pair.before is None or pair.after is None:
        return
    if len(left) == 1 and len(right) == 1:
        yield left[0], right[0]
        return
    before, after = pair.before.fingerprints, pair.after.fingerprints
    others = list(right)
    rest = []
    for row in left:
        same = next((other for other in others if after[other].whole == before[row].whole), None)
        if same is None:
            rest.append(row)
        else:
            others.remove(same)
            yield row, same
    yield from zip(rest, others, strict=False)


def _is_only_declared(pair: Pair, before: int, after: int) -> bool:
    """Whether a definition went, and what has its name is a prototype that is left."""
    assert pair.before is not None, "it has the row"
    assert pair.after is not None, "it has the other row"
    flags = pair.before.cell(before, Symbol.FLAGS), pair.after.cell(after, Symbol.FLAGS)
    return not flags[0] & SymbolFlag.DECLARATION and bool(flags[1] & SymbolFlag.DECLARATION)


def _compare_code(pair: Pair, before: int, after: int) -> Change | None:
    """The change of a definition that both versions have; None where its code is the same."""
    assert pair.before is not None, "it has the row"
    assert pair.after is not None, "it has the other row"
    left, right = pair.before.fingerprints[before], pair.after.fingerprints[after]
    if left.code == right.code:
        return None
    was, kind = pair.before.cell(before, Symbol.KIND), pair.after.cell(after, Symbol.KIND)
    is_signed = after != 0 and left.header != right.header and (kind not in _UNSIGNED or was not in _UNSIGNED)
    return Change(What.SIGNATURE if is_signed else What.BODY, Place(pair.path, before), Place(pair.path, after))


def _compare_lines(pair: Pair) -> Iterator[Change]:
    """The changes of what a file imports and passes on."""
    if pair.before is None or pair.after is None:
        return
    for what, read in ((What.IMPORTS, list_imports), (What.EXPORTS, list_exports)):
        if list_gone(read, pair.before, pair.after) or list_gone(read, pair.after, pair.before):
            yield Change(what, Place(pair.path, 0), Place(pair.path, 0))


_UNSIGNED = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))


def _find_moves(
    gone: Iterable[Place],
    came: Iterable[Place],
    befores: Mapping[str, Version],
    afters: Mapping[str, Version],
) -> dict[Place, Place]:
    """Pairs definitions that are gone with added ones that have the same code, outer ones first."""
    found: dict[Place, Place] = {}
    taken: set[Place] = set()
    for has_name in (True, False):
        left = _group_by_code(gone, befores, found.keys(), has_name=has_name)
        right = _group_by_code(came, afters, taken, has_name=has_name)
        for key, places in left.items():
            others = right.get(key, [])
            if len(places) == 1 and len(others) == 1:
                found[places[0]] = others[0]
                taken.add(others[0])
    return found


def _group_by_code(
    places: Iterable[Place], versions: Mapping[str, Version], taken: Iterable[Place], *, has_name: bool
) -> dict[tuple[int, bytes, str], list[Place]]:
    """Places by kind, code and, where it counts, name; without those that are short."""
    without = set(taken)
    found: dict[tuple[int, bytes, str], list[Place]] = {}
    for place in places:
        version = versions[place.file]
        fingerprint = version.fingerprints[place.row]
        least = NAMESAKE_TOKENS_MIN if has_name else TOKENS_MIN
        if place in without or place.row == 0 or fingerprint.tokens < least:
            continue
        kind = version.cell(place.row, Symbol.KIND)
        key = (_equate_kinds(kind), fingerprint.whole, version.name_of(place.row) if has_name else "")
        found.setdefault(key, []).append(place)
    return found


def _equate_kinds(kind: int) -> int:
    """A function that becomes a method stays what it is."""
    return int(SymbolKind.FUNCTION) if kind == SymbolKind.METHOD else kind


def _find_owner(version: Version, row: int) -> str:
    return version.qualified_names[row].rpartition(".")[0]


def _is_within(place: Place, versions: Mapping[str, Version], outer: set[Place]) -> bool:
    """Whether what is around it came or went as well; the file itself counts only by its definitions."""
    version = versions[place.file]
    parent = version.cell(place.row, Symbol.PARENT)
    while parent > 0:
        if Place(place.file, parent) in outer:
            return True
        parent = version.cell(parent, Symbol.PARENT)
    return False


def _is_part_of_move(change: Change, moves: Mapping[Place, Place], befores: Mapping[str, Version]) -> bool:
    """Whether what moved is in something that moved with it."""
    if change.what not in (What.MOVED, What.RENAMED) or change.before is None:
        return False
    return _is_within(change.before, befores, set(moves))
