"""Finds the methods that others run by names that are put together: `getattr(self, f"visit_{kind}")`.

They may be of the class that asks, or of any that inherits from it. Those in the file of the class that asks are known
to the resolver, too, which reads a file at a time. Where nothing of the name is constant (`getattr(self, token.type)`),
it may be that of each method that nobody names: of these, who makes the object is better evidence than who asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.facts import EXPR_WIDTH, Binding, FileFacts, Op, Source, SourceKind, rows
from codemap.graph.frameworks.injected_parameters import Users
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.index.inheritance import LEVELS_MAX, inheritance
from codemap.graph.index.overrides import overrides
from codemap.graph.index.type_methods import ARE_METHODS
from codemap.graph.model.edges import EdgeKind, Ints, are_among, distinct
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

_SPECIAL = re.compile(r"__\w+__\Z")
_USES = (int(EdgeKind.CALLS), int(EdgeKind.REFERENCES))


def _find_askers(snapshot: Snapshot) -> dict[int, Users]:
    found: dict[int, list[int]] = {}
    for file in snapshot.files:
        for method, cls, prefix in _find_asked(file.facts):
            asker = file.base + method
            for heir in _find_heirs(snapshot, file.base + cls):
                for member in snapshot.children_of(heir):
                    if member != asker and snapshot.name_of(member).startswith(prefix):
                        found.setdefault(member, []).append(asker)
    return {member: Users(np.array(askers, dtype=np.int32), is_guess=False) for member, askers in found.items()}


ASKERS = Slot[Mapping[int, Users]](_find_askers)
"""Member -> the methods that ask for it by the beginning of its name."""


class Looking(msgspec.Struct, frozen=True):
    """The classes that ask their own objects for members by computed names, and their heirs."""

    classes: Ints
    """In order."""
    askers: Ints
    """For each, a method that asks."""


def _find_looking_classes(snapshot: Snapshot) -> Looking:
    found: dict[int, int] = {}
    for file in snapshot.files:
        for method, cls in _find_looking(file.facts, by_name()[file.lang].strings.member_lookups):
            for heir in _find_heirs(snapshot, file.base + cls):
                found.setdefault(heir, file.base + method)
    classes = sorted(found)
    return Looking(np.array(classes, np.int32), np.array([found[cls] for cls in classes], np.int32))


_LOOKING = Slot[Looking](_find_looking_classes)


def find_looked_up(snapshot: Snapshot, methods: Ints) -> Ints:
    """Those of some methods that nobody names, in classes that ask their own objects for members by computed names."""
    owners = columns_of(snapshot).parent[methods]
    return _find_unnamed(snapshot, methods[are_among(owners, _LOOKING.of(snapshot).classes)])


def asks_itself(snapshot: Snapshot, cls: int) -> bool:
    """Whether a class, or one above it, asks its own objects for members by names that it does not write."""
    classes = _LOOKING.of(snapshot).classes
    at = int(np.searchsorted(classes, cls))
    return at < len(classes) and int(classes[at]) == cls


def askers_of(snapshot: Snapshot, member: int) -> list[int]:
    """The methods that may ask for a member by a name that is put together."""
    users = ASKERS.of(snapshot).get(member)
    found: list[int] = [] if users is None else users.nodes.tolist()
    if len(find_looked_up(snapshot, np.array([member], np.int32))):
        looking = _LOOKING.of(snapshot)
        at = np.searchsorted(looking.classes, columns_of(snapshot).parent[member])
        found.append(int(looking.askers[at]))
    return list(dict.fromkeys(found))


def _find_asked(facts: FileFacts) -> Iterator[tuple[int, int, str]]:
    """The rows of methods that ask their own object for a member, and of its class; how the member's name begins."""
    table = np.frombuffer(facts.exprs, dtype="<i4").reshape(-1, EXPR_WIDTH)
    for at in np.flatnonzero(table[:, 0] == int(Op.PREFIX)).tolist():
        _, asked, literal = table[at].tolist()
        asker = _read_self(facts, table[asked].tolist())
        if asker is not None:
            yield *asker, facts.names[table[literal, 1]]


def _find_looking(facts: FileFacts, lookups: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The rows of methods that ask their own object for a member of which nothing is known, and of their classes."""
    if lookups.isdisjoint(facts.names):
        return
    table = np.frombuffer(facts.exprs, dtype="<i4").reshape(-1, EXPR_WIDTH)
    for at in np.flatnonzero(table[:, 0] == int(Op.CALL)).tolist():
        _, function, first = table[at].tolist()
        op, *operands = table[function].tolist()
        name = facts.names[operands[op == Op.ATTR]] if op in (Op.GLOBAL, Op.ATTR) else ""
        asked = int(table[first, 1]) if first >= 0 and name in lookups else -1
        asker = _read_self(facts, table[asked].tolist()) if asked >= 0 else None
        if asker is not None:
            yield asker


def _read_self(facts: FileFacts, expression: Sequence[int]) -> tuple[int, int] | None:
    """The rows of the method and the class whose own object an expression is."""
    op, binding, _ = expression
    if op != Op.NAME:
        return None
    bindings, sources = rows(facts.bindings), rows(facts.sources)
    first = Binding.WIDTH * binding
    source = Source.WIDTH * bindings[first + Binding.FIRST]
    if sources[source + Source.KIND] != SourceKind.SELF:
        return None
    return bindings[first + Binding.SPACE], sources[source + Source.A]


def _find_unnamed(snapshot: Snapshot, members: Ints) -> Ints:
    """The methods among some members that nobody uses, nor what they override; without special ones."""
    columns, edges, names = columns_of(snapshot), snapshot.edges, snapshot.node_names
    own = members[ARE_METHODS[columns.kind[members]]]
    numbers = names.of_node[own]
    special = [number for number in distinct(numbers).tolist() if _SPECIAL.match(names.names[number])]
    own = own[~np.isin(numbers, special)]
    of, bases = overrides(snapshot, own, downwards=False)
    owners = np.concatenate((own, of))
    rows_, at = gathered(edges.by_target, edges.in_start, np.concatenate((own, bases)))
    is_use = np.isin(edges.kind[rows_], _USES)
    return distinct(own[~np.isin(own, owners[at[is_use]])])


def _find_heirs(snapshot: Snapshot, cls: int) -> list[int]:
    """A class and those below it."""
    level = found = np.array([cls], dtype=np.int32)
    for _ in range(LEVELS_MAX):
        level = snapshot.edges.source[inheritance(snapshot, level, downwards=True)[0]]
        if not len(level):
            break
        found = np.concatenate((found, level))
    heirs: list[int] = distinct(found).tolist()
    return heirs
