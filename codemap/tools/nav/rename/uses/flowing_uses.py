"""Decides uses of members by the values that flow to them, where neither the map nor the server knows their type.

    @pytest.fixture
    def table(): return Table()

    def test_count(table): table.count()       # what the fixture gives

Rules of the file:
- A use that a value of the class flows to has to be edited. It is, where values of no other class flow there that has a
  member of the name too.
- A use that only objects of classes with the member flow to is of none that a module defines.
- A use of which the map is sure that it is of something outside is left alone where what it is asked of is imported.
  What a function outside gives may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Sequence, Set

import msgspec
import numpy as np

from codemap.facts import Base, Import, Op, UseRole, rows
from codemap.graph.likelihood.flowing_values import Flowing, FlowingValues
from codemap.graph.model.edges import INHERITANCE
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Definition, Instance, Outside
from codemap.graph.verified.unverified_sites import find_sites_at
from codemap.languages import by_name
from codemap.live_queries import At
from codemap.tools.nav.rename.uses.strings import class_of_method, classes_having
from codemap.tools.nav.rename.uses.together import class_of, classes_from
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking, in_turns

_INHERITS = (int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS))
_RECEIVER = re.compile(r"(?<![\w.])(\w+)\.\Z")


class FlowingUses(msgspec.Struct, frozen=True):
    own: tuple[At, ...] = ()
    """These are of what is renamed."""
    others: tuple[At, ...] = ()
    """These are not."""


def find_flowing_uses(snapshot: Snapshot, nodes: Sequence[int], uses: Sequence[At]) -> Asking[FlowingUses]:
    """Those of `uses`; `nodes` are renamed together."""
    is_member = class_of(snapshot, nodes[0]) is not None
    if not uses or not (is_member or snapshot.is_file(snapshot.parent_of(nodes[0]) or 0)):
        return FlowingUses()
    own = frozenset(nodes)
    if not is_member:
        found = yield from in_turns(_decide(snapshot, own, uses, lambda _, flowing: _is_of_instances(flowing)))
        return FlowingUses(others=found.others)
    outside = _find_outside(snapshot, {at.file for at in uses})
    found = yield from in_turns(_decide(snapshot, own, uses, lambda at, flowing: at in outside and _is_other(flowing)))
    of_self = yield from _find_of_self(snapshot, nodes, [at for at in uses if at not in found.own])
    return msgspec.structs.replace(found, own=(*found.own, *of_self))


def _find_of_self(snapshot: Snapshot, nodes: Sequence[int], uses: Sequence[At]) -> Asking[list[At]]:
    """Those that a method asks its own value for, of a class that has the member: assignments, which the map leaves
    out; or of a class whose heirs alone have it."""
    having = classes_having(snapshot, nodes)
    above = {one for cls in having for one in classes_from(snapshot, cls, upwards=True)} - having
    having |= {cls for cls in above if _has_in_heirs(snapshot, cls, frozenset(nodes))}
    of_self = yield from find_on_self(snapshot, uses)
    return [at for at in of_self if class_of_method(snapshot, at) in having]


def find_on_self(snapshot: Snapshot, uses: Sequence[At]) -> Asking[list[At]]:
    """Those that a method asks its own value for."""
    lines = yield from read_lines(at.file for at in uses)
    found = []
    for at in uses:
        match = _RECEIVER.search(split_line(lines.get(at.file, ()), at)[0])
        if match and match[1] in by_name()[snapshot.by_path[at.file].lang].own_values:
            found.append(at)
    return found


def _has_in_heirs(snapshot: Snapshot, cls: int, nodes: Set[int]) -> bool:
    """Whether a class has a member in its heirs alone, and those that these have are `nodes`: no class around it has
    another, or a base outside the repository, which may."""
    name = snapshot.name_of(next(iter(nodes)))
    around = {cls, *classes_from(snapshot, cls, upwards=False)}
    around |= {above for one in around for above in classes_from(snapshot, one, upwards=True)}
    members = {child for one in around for child in snapshot.children_of(one) if snapshot.name_of(child) == name}
    return members <= nodes and all(_has_known_bases(snapshot, one, name) for one in around)


def _has_known_bases(snapshot: Snapshot, cls: int, name: str) -> bool:
    """Whether all bases that a class states are of the repository, or known to have no member of the name."""
    file, row = snapshot.row_of(cls)
    language = by_name()[file.lang]
    find_known = language.outside_members
    is_known = find_known is not None and name not in find_known().names
    plain = language.liveness.plain_bases if is_known else language.liveness.plain_bases & language.opaque_types
    edges = (edge for edge in snapshot.edges_out(cls, INHERITANCE) if not snapshot.is_external(edge.target))
    known = {place for edge in edges for place in snapshot.sites(edge)}
    stated, exprs = rows(file.facts.bases), rows(file.facts.exprs)
    for at in range(0, len(stated), Base.WIDTH):
        if stated[at + Base.CLASS] != row or stated[at + Base.ROLE] not in _INHERITS:
            continue
        op, base, _ = exprs[3 * stated[at + Base.EXPR] : 3 * stated[at + Base.EXPR] + 3].tolist()
        is_plain = op == Op.GLOBAL and file.facts.names[base] in plain
        if not is_plain and (stated[at + Base.LINE], stated[at + Base.COL]) not in known:
            return False
    return True


def _decide(
    snapshot: Snapshot, nodes: Set[int], uses: Sequence[At], is_other: Callable[[At, Flowing], bool]
) -> Generator[None, None, FlowingUses]:
    values = FlowingValues(snapshot)
    own: list[At] = []
    others: list[At] = []
    for at in uses:
        found = values.at(at.file, at.line, at.col)
        yield
        if found is None:
            continue
        if _is_own(found, nodes):
            own.append(at)
        elif is_other(at, found):
            others.append(at)
    return FlowingUses(tuple(own), tuple(others))


def _find_outside(snapshot: Snapshot, paths: Iterable[str]) -> set[At]:
    """The uses in some files of which the map is sure that they are of something outside."""
    found: set[At] = set()
    for path in paths:
        file = snapshot.by_path[path]
        first, last = snapshot.edges.out_start[file.base], snapshot.edges.out_start[file.base + file.symbol_count]
        rows_out = np.arange(first, last, dtype=np.int32)
        rows_out = rows_out[snapshot.edges.target[rows_out] >= snapshot.first_external]
        found.update(site.at for site in find_sites_at(snapshot, rows_out, rows_out[:0]))
    return found


def _is_own(found: Flowing, nodes: Set[int]) -> bool:
    meant = [value for value in found.member.values if not (isinstance(value, Outside) and value.has_unknown_owner)]
    return bool(meant) and all(isinstance(value, Definition) and value.node in nodes for value in meant)


def _is_of_instances(found: Flowing) -> bool:
    """Whether all that flows there are objects of classes that have the member: it is none of a module."""
    receivers, members = found.receiver.values, found.member.values
    are_members = all(isinstance(value, Definition) for value in members)
    return bool(members) and are_members and all(isinstance(value, Instance) for value in receivers)


def _is_other(found: Flowing) -> bool:
    members = found.member.values
    are_outside = all(isinstance(value, Outside) and not value.has_unknown_owner for value in members)
    return found.is_imported and bool(members) and are_outside


def is_imported_at(snapshot: Snapshot, at: At) -> bool:
    """Whether an import names something there, which is no member of a class."""
    file = snapshot.by_path.get(at.file)
    if file is None:
        return False
    table = rows(file.facts.imports)
    places = zip(table[Import.LINE :: Import.WIDTH], table[Import.COL :: Import.WIDTH], strict=True)
    return (at.line, at.col) in places
