"""Finds the family of a definition: what it overrides, what overrides it, its overloads and other parts.

A method's family are the methods that it overrides and those that override it, however far away; not its siblings,
which override the same. A definition's are also its overloads, its prototypes and other parts, and a class and its own
constructors are of one family.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import numpy as np

from codemap.facts import Parameter, Symbol, SymbolFlag, rows
from codemap.graph.index.columns import columns_of, places
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.index.overrides import overrides
from codemap.graph.index.part_nodes import is_part, united, whole_of
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.model.edges import ARE_FUNCTIONS, EdgeKind, Ints, are_among, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.query.counterparts import find_counterparts
from codemap.languages import by_name

INCLUDES_MAX, INCLUDED_MAX = 4, 300
"""Steps and files that are followed from a definition to the header that declares it."""
_DECLARATION = int(SymbolFlag.DECLARATION)
_STAND_IN = int(SymbolFlag.PART | SymbolFlag.DECLARATION)


class Kin(StrEnum):
    BASE = "base"
    OVERRIDE = "override"
    OVERLOAD = "overload"
    PART = "part"
    CONSTRUCTOR = "constructor"
    CLASS = "class"
    NAMESAKE = "same name"
    """One that was meant as well by the name alone."""
    INHERITS = "inherits"
    """A class below that has none of its own."""


def family_of(snapshot: Snapshot, node: int) -> Mapping[int, Kin]:
    """The others of its family, the nearest kinds first, each in node order."""
    if snapshot.is_external(node) or snapshot.is_file(node):
        return {}
    found = _find_same(snapshot, node)
    own = [node, *found]
    if columns_of(snapshot).kind[node] in CLASS_KINDS:
        built = [child for one in own for child in snapshot.children_of(one) if is_constructor(snapshot, child)]
        return _add(found, built, Kin.CONSTRUCTOR, node)
    if is_constructor(snapshot, node):
        parents = [parent for one in own if (parent := snapshot.parent_of(one)) is not None]
        return _add(found, parents, Kin.CLASS, node)
    if _is_alone(snapshot, node):
        return found
    _add(found, _find_overridden(snapshot, own), Kin.BASE, node)
    below = overrides(snapshot, np.array(own, dtype=np.int32), downwards=True)[1]
    return _add(found, _sort_nodes(below), Kin.OVERRIDE, node)


def _is_alone(snapshot: Snapshot, node: int) -> bool:
    """Whether no other has its name, as of most: what it overrides and its parts have it, too."""
    return len(snapshot.node_names.namesakes(node)) == 1


def find_wholes(snapshot: Snapshot, nodes: Sequence[int]) -> list[int]:
    """Of each node the one definition that it declares as a prototype, or belongs to as a part; itself where there is
    none."""
    flags = columns_of(snapshot).flags
    stand_in = (not snapshot.is_external(node) and flags[node] & _STAND_IN for node in nodes)
    return [_find_whole(snapshot, node) if flag else node for node, flag in zip(nodes, stand_in, strict=True)]


def _find_whole(snapshot: Snapshot, node: int) -> int:
    whole = whole_of(snapshot, node)
    if whole != node or not _is_prototype(snapshot, node):
        return whole
    found = {one for one in _find_across(snapshot, node) if not _is_prototype(snapshot, one)}
    return found.pop() if len(found) == 1 else node


def stand_ins_of(snapshot: Snapshot, function: int) -> list[int]:
    """What a use of the function may name instead: the methods that it overrides, its prototypes and other parts."""
    found = _find_same(snapshot, function)
    if not is_constructor(snapshot, function):
        _add(found, _find_overridden(snapshot, [function, *found]), Kin.BASE, function)
    return [one for one, how in found.items() if how in (Kin.BASE, Kin.PART)]


class Prototypes:
    """Declarations with the definitions that each stands for where several are meant, which uses lead to: what a header
    declares and a file for each platform defines. They are looked for when they are asked about."""

    def __init__(self, snapshot: Snapshot) -> None:
        columns, table, names = columns_of(snapshot), snapshot.edges, snapshot.node_names
        count = snapshot.first_external
        is_used = np.zeros(snapshot.node_count, dtype=np.bool_)
        is_used[table.target[(table.kind == int(EdgeKind.CALLS)) | (table.kind == int(EdgeKind.REFERENCES))]] = True
        are_functions = ARE_FUNCTIONS[columns.kind[:count]]
        are_declared = columns.flags[:count] & _DECLARATION != 0
        self._declarations = is_used[:count] & are_declared & are_functions
        is_declared = np.zeros(len(names.names), dtype=np.bool_)
        is_declared[names.of_node[:count][self._declarations]] = True
        self._definitions = are_functions & ~are_declared & is_declared[names.of_node[:count]]
        self._known: dict[int, tuple[int, ...]] = {}

    def pairs(self, snapshot: Snapshot, nodes: Ints, *, is_forward: bool) -> Ints:
        """(declaration, definition) of some nodes, which are the ones or the others, in order."""
        asked = nodes.compress((self._declarations if is_forward else self._definitions).take(nodes))
        pairs = [(node, other) for node in asked.tolist() for other in self._others(snapshot, node)]
        if not is_forward:
            pairs = [(other, node) for node, other in pairs if self._declarations[other]]
        return np.array(pairs, dtype=np.int32).reshape(-1, 2)

    def _others(self, snapshot: Snapshot, node: int) -> tuple[int, ...]:
        found = self._known.get(node)
        if found is None:
            is_declaration = _is_prototype(snapshot, node)
            across = sorted(one for one in _find_across(snapshot, node) if one != node)
            found = tuple(one for one in across if _is_prototype(snapshot, one) != is_declaration)
            self._known[node] = found
        return found


PROTOTYPES = Slot[Prototypes](Prototypes, rescore=reuse)


def _add(found: dict[int, Kin], nodes: Iterable[int], kin: Kin, node: int) -> dict[int, Kin]:
    """Adds those that are not there yet to the family of a node, which is not one of it."""
    for one in nodes:
        if one != node:
            found.setdefault(one, kin)
    return found


def _find_same(snapshot: Snapshot, node: int) -> dict[int, Kin]:
    """The other parts of a definition and its overloads."""
    found: dict[int, Kin] = {}
    if _is_alone(snapshot, node):
        return found
    _add(found, united(snapshot, node), Kin.PART, node)
    _add(found, _find_across(snapshot, node), Kin.PART, node)
    _add(found, find_counterparts(snapshot, node), Kin.PART, node)
    return _add(found, _find_overloads(snapshot, node), Kin.OVERLOAD, node)


def _find_overridden(snapshot: Snapshot, methods: list[int]) -> list[int]:
    return _sort_nodes(overrides(snapshot, np.array(methods, dtype=np.int32), downwards=False)[1])


def overloads_of(snapshot: Snapshot, node: int) -> list[int]:
    """The others of its family that are its overloads; cheaper than all of it, where a language has none."""
    others = [one for one in _find_overloads(snapshot, node) if one != node]
    if not others:
        return []
    family = family_of(snapshot, node)
    return [one for one, how in family.items() if how is Kin.OVERLOAD]


def has_overloads(snapshot: Snapshot, node: int) -> bool:
    """Whether definitions of one name are each a function of its own, which the arguments of a call decide between."""
    file = snapshot.file_of(node)
    return file is not None and by_name()[file.lang].has_overloads


def _sort_nodes(nodes: Ints) -> list[int]:
    found: list[int] = distinct(nodes).tolist()
    return found


def _find_across(snapshot: Snapshot, node: int) -> list[int]:
    """The definition of a prototype, and the prototypes of a definition: those in a file that the definition's imports,
    or a header of it does, or any where there is one definition of that name."""
    named = snapshot.node_names.namesakes(node)
    if not (columns_of(snapshot).flags[named] & _DECLARATION).any():
        return []
    family, name = _name_family(snapshot, node), _name_whole(snapshot, node)
    same = [
        one
        for one in snapshot.named(snapshot.name_of(node))
        if _is_same_name(_name_whole(snapshot, one), name) and _name_family(snapshot, one) == family
    ]
    definitions = [one for one in same if not _is_prototype(snapshot, one)]
    if len(definitions) == len(same):
        return []
    definitions = [one for one in definitions if not is_part(snapshot, one)] or definitions
    pairs = [(definition, one) for definition in definitions for one in same if _is_prototype(snapshot, one)]
    chosen = [pair for pair in pairs if len(definitions) == 1 or _includes(snapshot, *pair)]
    return [one for pair in chosen if node in pair for one in pair]


def _name_whole(snapshot: Snapshot, node: int) -> str:
    """The qualified name, of a member of a part that of the whole: `void geo::Shape::draw() {}` outside of `geo`.

    With a dot first where the whole is not known to be a class: `void app::geo::draw() {}`.
    """
    parent = snapshot.parent_of(node)
    if parent is None or not is_part(snapshot, parent):
        return snapshot.qualified_name_of(node)
    whole = whole_of(snapshot, parent)
    before = "." if whole == parent else ""
    return f"{before}{snapshot.qualified_name_of(whole)}.{snapshot.name_of(node)}"


def _is_same_name(left: str, right: str) -> bool:
    return left == right or any(
        inner[:1] == "." and f".{outer}".endswith(inner) for inner, outer in ((left, right), (right, left))
    )


def _name_family(snapshot: Snapshot, node: int) -> str:
    file = snapshot.file_of(node)
    return "" if file is None else file.family


def _is_prototype(snapshot: Snapshot, node: int) -> bool:
    return bool(snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.DECLARATION)


def imports(snapshot: Snapshot, node: int, other: int) -> bool:
    """Whether the file of a node imports that of another."""
    files = [snapshot.row_of(one)[0].base for one in (node, other)]
    return any(edge.target == files[1] for edge in snapshot.edges_out(files[0], (EdgeKind.IMPORTS,)))


def _includes(snapshot: Snapshot, node: int, other: int) -> bool:
    """Whether the file of a node imports that of another, or what it imports does."""
    known, file = _INCLUDED.of(snapshot), snapshot.row_of(node)[0].base
    if file not in known:
        if len(known) >= FILES_KEPT:
            known.clear()
        known[file] = _find_included(snapshot, file)
    return bool(are_among(np.array([snapshot.row_of(other)[0].base], dtype=np.int32), known[file])[0])


def _find_included(snapshot: Snapshot, file: int) -> Ints:
    """The files that one imports, and that these do, itself among them."""
    table = snapshot.edges
    seen = level = np.array([file], dtype=np.int32)
    for _ in range(INCLUDES_MAX):
        rows = places(table.out_start, level)[0]
        below = distinct(table.target.take(rows.compress(table.kind.take(rows) == _IMPORTS)))
        below = below[below < snapshot.first_external]
        level = below[~are_among(below, seen)]
        seen = np.sort(np.concatenate((seen, level)))
        if not len(level) or len(seen) > INCLUDED_MAX:
            break
    return seen


FILES_KEPT = 4_000
"""Files of which is kept what they include: a few hundred numbers each."""
_INCLUDED = Slot[dict[int, Ints]](lambda _: {}, rescore=reuse)
_IMPORTS = int(EdgeKind.IMPORTS)


def _find_overloads(snapshot: Snapshot, node: int) -> list[int]:
    """The definitions of its qualified name in its file; of a function those that are functions, of a type those that
    do not differ by their type parameters."""
    columns, names = columns_of(snapshot), snapshot.node_names.of_node
    siblings = columns.children_of(int(columns.parent[node]))
    same = siblings[names[siblings] == names[node]]
    found: list[int] = same[ARE_FUNCTIONS[columns.kind[same]] == ARE_FUNCTIONS[columns.kind[node]]].tolist()
    if len(found) > 1 and ARE_TYPES[columns.kind[node]]:
        count = count_type_parameters(snapshot, node)
        found = [one for one in found if count_type_parameters(snapshot, one) == count]
    return found


def count_type_parameters(snapshot: Snapshot, node: int) -> int:
    """How many type parameters a type has, in a language in which those of one name may differ by it; else 0."""
    file, row = snapshot.row_of(node)
    table, names = rows(file.facts.parameters), file.facts.names
    own = [table[at + Parameter.NAME] for at in range(0, len(table), Parameter.WIDTH) if table[at] == row]
    return sum(name >= 0 and names[name][:1] == "<" for name in own)


def not_of_constructor(snapshot: Snapshot, node: int) -> frozenset[EdgeKind]:
    """The kinds of uses of a class that are none of its constructor: imports, and of languages in which nothing makes
    one where the class is only named, references."""
    file = snapshot.file_of(node)
    is_plain = file is not None and not by_name()[file.lang].types_are_values
    return frozenset((EdgeKind.IMPORTS, EdgeKind.EXPORTS, *((EdgeKind.REFERENCES,) if is_plain else ())))


def is_constructor(snapshot: Snapshot, node: int) -> bool:
    return node < snapshot.first_external and bool(constructors_of(snapshot)[node])


def name_in_sources(snapshot: Snapshot, node: int) -> str:
    """The name that sources mean a definition by: a constructor's is that of its class where its own is no word."""
    name = snapshot.name_of(node)
    parent = snapshot.parent_of(node) if not name.isidentifier() and is_constructor(snapshot, node) else None
    return name if parent is None else snapshot.name_of(parent)
