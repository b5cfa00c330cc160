"""Compares a rename with the map: what the server misses, what it edits besides, and where the new name is taken.

Rules of the file:
- A use that the map is sure of and the server leaves alone is missed. What the map only guesses is counted, not
  refused: it may be something else.
- The new name may mean something already wherever it is a bare word in a touched file, or a member of a related class:
  then a use could change its meaning, and nobody would notice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from codemap.facts import EXPR_WIDTH, Binding, Op, Symbol, Use, rows
from codemap.graph.model.edges import INHERITANCE, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.used_names import last_name
from codemap.graph.model.values import Confidence
from codemap.graph.query.override_family import family_of
from codemap.live_queries import At, Edit, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.together import class_of, places_of
from codemap.tools.places.rows import rows_by_name_place
from codemap.tools.places.texts import split_line
from codemap.tools.tool import Asking

_MEMBER = re.compile(r"(?:\.|->|::|\?\.)\s*\Z")
_WORDLESS = frozenset((Account.STRINGS, Account.COMMENTS, Account.NAMES))
"""Occurrences that name nothing which a use could mean."""
_BEGINS_LONGER = re.compile(r"::|\.")
"""Behind the name of an owner, with which that of a definition begins (`Owner::member`)."""
_RELATED_MAX = 500
"""Classes above and below one; of more, the nearest are looked at."""

Texts = Mapping[str, Sequence[str]]
"""Path -> lines of a file."""


def foreign_edits(
    snapshot: Snapshot, node: int, kin: Iterable[int], edits: Iterable[Edit], changed: Set[str]
) -> list[At]:
    """The edits at places of which the map is sure that they mean something else than what is renamed together."""
    own = {node, *kin, *family_of(snapshot, node)}
    own |= {other for one in list(own) for other in family_of(snapshot, one)}
    name = snapshot.name_of(node)
    by_file: dict[str, list[At]] = {}
    for edit in edits:
        by_file.setdefault(edit.place.file, []).append(edit.place.at)
    found: list[At] = []
    uses: list[tuple[At, set[int]]] = []
    along: set[int] = set()
    for path, places in by_file.items():
        file = snapshot.by_path.get(path)
        if file is None or path in changed:
            continue
        defined = rows_by_name_place(file)
        used = find_targets(snapshot, range(file.base, file.base + file.symbol_count))
        for at in places:
            row, meant = defined.get((at.line, at.col)), used.get((at.line, at.col), set())
            if row is None or _BEGINS_LONGER.match(file.name_of(row).removeprefix(name)):
                uses.append((at, meant))
            elif own.isdisjoint({file.base + row, *meant}) and not _is_like(snapshot, file.base + row, node, own):
                found.append(at)
            else:
                along.add(file.base + row)  # as an embedded field, which is called as its type
    own |= along
    for at, meant in uses:
        if meant and own.isdisjoint(meant) and not any(_is_like(snapshot, one, node, own) for one in meant):
            found.append(at)
    return found


def _is_like(snapshot: Snapshot, one: int, node: int, own: Set[int]) -> bool:
    """Whether a node may be another face of what is renamed: a file or a package, a member of the same name, or one of
    what is renamed, whose use begins with that (`Owner::member`)."""
    if snapshot.is_external(one) or snapshot.is_file(one) or snapshot.parent_of(one) in own:
        return True
    are_members = all(not snapshot.is_file(snapshot.parent_of(each) or 0) for each in (one, node))
    return are_members and snapshot.name_of(one) == snapshot.name_of(node)


def outer_names(snapshot: Snapshot, nodes: Iterable[int]) -> set[At]:
    """The places where members get the value of what has their name around their class (`size = size`), which is none
    of them, whatever a server takes it for."""
    found: set[At] = set()
    for node in nodes:
        file, row = snapshot.row_of(node)
        value, owner = file.cell(row, Symbol.VALUE), class_of(snapshot, node)
        if owner is None or value < 0 or last_name(file, value) != file.name_of(row):
            continue
        exprs, bindings = rows(file.facts.exprs), rows(file.facts.bindings)
        op, of = exprs[EXPR_WIDTH * value : EXPR_WIDTH * value + 2].tolist()
        binding = of * Binding.WIDTH
        is_given_twice = op == Op.NAME and bindings[binding + Binding.COUNT] > 1
        if op == Op.GLOBAL or (
            op == Op.NAME and not (is_given_twice and bindings[binding + Binding.SPACE] == owner - file.base)
        ):
            uses, sites = rows(file.facts.uses), rows(file.facts.sites)
            for at in range(0, len(uses), Use.WIDTH):
                first, count = uses[at + Use.FIRST], uses[at + Use.COUNT] if uses[at + Use.EXPR] == value else 0
                places = (sites[2 * site : 2 * site + 2].tolist() for site in range(first, first + count))
                found |= {At(file.path, line, col) for line, col in places if line == file.cell(row, Symbol.LINE)}
    return found


def classes_with(snapshot: Snapshot, node: int) -> list[int]:
    """The class of a member, and those above and below it."""
    owner = class_of(snapshot, node)
    return [] if owner is None else related_classes(snapshot, owner)


def find_targets(snapshot: Snapshot, nodes: range) -> dict[tuple[int, int], set[int]]:
    """Line and column -> what the map is sure is used there."""
    table = snapshot.edges
    found: dict[tuple[int, int], set[int]] = {}
    for node in nodes:
        for row in table.out_rows(node):
            if int(table.confidence[row]) >= Confidence.NAME or int(table.kind[row]) == EdgeKind.CONTAINS:
                continue
            first, count = int(table.first[row]), int(table.count[row])
            for line, col in table.sites[first : first + count].tolist():
                found.setdefault((line, col), set()).add(int(table.target[row]))
    return found


def find_collisions(
    snapshot: Snapshot | None, nodes: Sequence[int], new_name: str, edits: Sequence[Edit], texts: Texts
) -> Asking[list[At]]:
    """Places of the new name as it is now, where a use of it could be taken for the renamed symbol, or the reverse."""
    (fact,) = yield (Mentioned("", new_name),)
    mentions = fact.value.mentions if isinstance(fact, Found) and isinstance(fact.value, Ledger) else ()
    own: frozenset[At] = frozenset()
    if snapshot is not None and nodes and class_of(snapshot, nodes[0]) is not None:
        own = frozenset(places_of(snapshot, (*nodes, *family_of(snapshot, nodes[0]))))
    bare = {edit.place.file for edit in edits if edit.place.at not in own and not _is_member(texts, edit.place.at)}
    places = (At(one.path, one.line, one.col) for one in mentions if one.path in bare and one.account not in _WORDLESS)
    found = [at for at in places if not _is_member(texts, at)]
    if snapshot is not None and nodes:
        found += [at for at in _siblings(snapshot, nodes[0], new_name) if at not in found]
    return found


def _siblings(snapshot: Snapshot, node: int, new_name: str) -> list[At]:
    """Definitions of the new name beside the renamed one: in its scope, or in a class above or below its own."""
    owner = snapshot.parent_of(node)
    if owner is None:
        return []
    owners: Collection[int] = classes_with(snapshot, node) or [owner]
    children = (child for one in owners for child in snapshot.children_of(one))
    return places_of(snapshot, (child for child in children if snapshot.name_of(child) == new_name))


def related_classes(snapshot: Snapshot, owner: int) -> list[int]:
    """A class with those above and below it, the nearest first."""
    table = snapshot.edges
    known = {owner: None}
    waiting = [owner]
    for one in waiting:
        if len(known) >= _RELATED_MAX:
            break
        above = [int(table.target[row]) for row in table.out_rows(one) if int(table.kind[row]) in INHERITANCE]
        below = [int(table.source[row]) for row in table.in_rows(one) if int(table.kind[row]) in INHERITANCE]
        for other in (*above, *below):
            if other not in known and not snapshot.is_external(other):
                known[other] = None
                waiting.append(other)
    return list(known)


def _is_member(texts: Texts, at: At) -> bool:
    """Whether the name at a place is taken from a value, a type or a module."""
    before, _ = split_line(texts.get(at.file, ()), at)
    return _MEMBER.search(before) is not None
