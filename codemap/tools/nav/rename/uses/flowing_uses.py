"""Decides uses of members by the values that flow to them, where neither the map nor the server knows their type.

    @pytest.fixture
    def table(): return Table()

    def test_count(table): table.count()       # what the fixture gives

Rules of the file:
- A use that a value of the class flows to has to be edited. It is, where values of no other class flow there that has a
  member of the name too.
- A use that a value of the class flows to and one of another class that has the member too, needs both renamed.
- A use that only objects of classes with the member flow to is of none that a module defines.
- A use is of something else where all that flows there is known: objects of builtin types, or of classes that are not
  related to the renamed one and have no members but those that the repository states. In the product, what tests stand
  in with says nothing.
- A use of which the map is sure that it is of something outside is left alone where what it is asked of is imported.
  What a function outside gives may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Sequence, Set

import msgspec
import numpy as np

from codemap.facts import Base, Import, Op, UseRole, rows
from codemap.file_roles import Role, role_of
from codemap.graph.likelihood.candidates import unresolved_rows_in
from codemap.graph.likelihood.flowing_values import Flowing, FlowingValues
from codemap.graph.model.edges import INHERITANCE
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import (
    ContainerInstance,
    Definition,
    Instance,
    Outside,
    OutsideInstance,
    TupleInstance,
    Value,
)
from codemap.graph.verified.unverified_sites import find_sites_at
from codemap.languages import by_name
from codemap.live_queries import At
from codemap.tools.nav.rename.uses.strings import class_of_method, classes_having
from codemap.tools.nav.rename.uses.together import class_of, classes_from
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking, in_turns

_KIN_USES_MAX = 100
"""Undecided uses that may lead to further members; of more, the first."""
_INHERITS = (int(UseRole.EXTENDS), int(UseRole.IMPLEMENTS))
_RECEIVER = re.compile(r"(?<![\w.])(\w+)\.\Z")


class FlowingUses(msgspec.Struct, frozen=True):
    own: tuple[At, ...] = ()
    """These are of what is renamed."""
    others: tuple[At, ...] = ()
    """These are not."""
    contested: tuple[At, ...] = ()
    """Values flow to these that have another member of the name, as what tests stand in with."""


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
    having, name = classes_having(snapshot, nodes), snapshot.name_of(nodes[0])
    related = having.union(*(classes_from(snapshot, cls, upwards=True) for cls in having))

    def is_other(at: At, flowing: Flowing) -> bool:
        return (at in outside and _is_other(flowing)) or _is_foreign(snapshot, at, flowing, related, name)

    found = yield from in_turns(_decide(snapshot, own, uses, is_other))
    of_self = yield from _find_of_self(snapshot, nodes, [at for at in uses if at not in found.own])
    return msgspec.structs.replace(found, own=(*found.own, *of_self))


def find_flowing_kin(snapshot: Snapshot, nodes: Sequence[int]) -> Asking[list[int]]:
    """The members of other classes whose values flow to undecided uses that those of `nodes`, which are renamed
    together, flow to as well."""
    return (yield from in_turns(_find_kin(snapshot, frozenset(nodes))))


def _find_kin(snapshot: Snapshot, nodes: Set[int]) -> Generator[None, None, list[int]]:
    rows_in = np.unique(np.concatenate([unresolved_rows_in(snapshot, node) for node in nodes]))
    sites = find_sites_at(snapshot, rows_in[:0], rows_in[:_KIN_USES_MAX])
    values = FlowingValues(snapshot)
    found: dict[int, None] = {}
    for site in sites:
        flowing = values.at(site.at.file, site.at.line, site.at.col)
        yield
        members = [] if flowing is None else [one for one in flowing.member.values if isinstance(one, Definition)]
        if not nodes.isdisjoint(one.node for one in members):
            found |= dict.fromkeys(one.node for one in members if class_of(snapshot, one.node) is not None)
    return [one for one in found if one not in nodes]


def _is_foreign(snapshot: Snapshot, at: At, found: Flowing, related: Set[int], name: str) -> bool:
    """Whether all values that flow somewhere are known, and none has a member of a name by one of the `related`
    classes."""
    file, values = snapshot.by_path[at.file], found.receiver.values
    is_product = role_of(at.file) is Role.PRODUCT
    plain = by_name()[file.lang].outside.plain_types

    def is_foreign(value: Value) -> bool:
        match value:
            case OutsideInstance(package, type_):
                return not package and type_ in plain
            case ContainerInstance(_, type_):
                return type_ is None or type_ in plain
            case Instance(cls):
                stands_in = is_product and role_of(snapshot.row_of(cls)[0].path) is not Role.PRODUCT
                return not stands_in and cls not in related and _has_stated_members(snapshot, cls, name)
            case _:
                return isinstance(value, TupleInstance)

    return bool(values) and all(map(is_foreign, values))


def _has_stated_members(snapshot: Snapshot, cls: int, name: str) -> bool:
    """Whether an object of a class has no member of a name but those that the repository states."""
    classes = (cls, *classes_from(snapshot, cls, upwards=True))
    access = by_name()[snapshot.row_of(cls)[0].lang].strings.member_access
    are_made = any(snapshot.name_of(child) in access for one in classes for child in snapshot.children_of(one))
    return not are_made and all(has_known_bases(snapshot, one, name) for one in classes)


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
        if match and match[1] in by_name()[snapshot.by_path[at.file].lang].strings.own_values:
            found.append(at)
    return found


def _has_in_heirs(snapshot: Snapshot, cls: int, nodes: Set[int]) -> bool:
    """Whether a class has a member in its heirs alone, and those that these have are `nodes`: no class around it has
    another, or a base outside the repository, which may."""
    name = snapshot.name_of(next(iter(nodes)))
    around = {cls, *classes_from(snapshot, cls, upwards=False)}
    around |= {above for one in around for above in classes_from(snapshot, one, upwards=True)}
    members = {child for one in around for child in snapshot.children_of(one) if snapshot.name_of(child) == name}
    return members <= nodes and all(has_known_bases(snapshot, one, name) for one in around)


def has_known_bases(snapshot: Snapshot, cls: int, name: str) -> bool:
    """Whether all bases that a class states are of the repository, or known to have no member of the name."""
    file, row = snapshot.row_of(cls)
    language = by_name()[file.lang]
    find_known = language.outside.members
    is_known = find_known is not None and name not in find_known().names
    plain = language.liveness.plain_bases if is_known else language.liveness.plain_bases & language.outside.opaque_types
    packages = find_known().packages if is_known and find_known is not None else frozenset[str]()
    edges = (
        edge
        for edge in snapshot.edges_out(cls, INHERITANCE)
        if not snapshot.is_external(edge.target) or snapshot.id_of(edge.target).rpartition(":")[2] in packages
    )
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
    contested: list[At] = []
    for at in uses:
        found = values.at(at.file, at.line, at.col)
        yield
        if found is None:
            continue
        if _is_own(found, nodes):
            own.append(at)
        elif is_other(at, found):
            others.append(at)
        elif any(isinstance(value, Definition) and value.node not in nodes for value in found.member.values):
            contested.append(at)
    return FlowingUses(tuple(own), tuple(others), tuple(contested))


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
