"""Methods that a call on a value of an outside type may run: those of the types of the repository below it.

The value of a variable of a type from outside may be of any type below, and which one is not known: the call is an
undecided use, of which the methods are candidates. Likewise that of a type of the repository that inherits the method
from outside. Of a type of the standard library, whose values are everywhere, only
methods are that the types there do not commonly have.
"""

from __future__ import annotations

from codemap.facts import AROUND, EXPR_WIDTH, TRIPLE, Binding, Op, SourceKind, Symbol, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerInstance,
    Definition,
    Instance,
    Meaning,
    Outside,
    OutsideInstance,
    join,
    join_all,
    one,
)
from codemap.graph.resolve import method_resolution_order
from codemap.mangled_names import demangle

_ATTR = int(Op.ATTR)


Sought = tuple[str, frozenset[tuple[str, str]], frozenset[int]]
"""The name of a method; the outside types, and the classes, of the values that it is called on."""


def find_overrides(ev: Evaluator, file: GraphFile, callee: int, known: dict[Sought, list[int]]) -> list[int]:
    """Nodes of the methods that a call of what lies outside may run. `known` are those that were found for the file."""
    exprs, at = file.exprs, callee * EXPR_WIDTH
    while exprs[at] in AROUND:
        at = exprs[at + 1] * EXPR_WIDTH
    if exprs[at] != _ATTR:
        return []
    name = demangle(file.names[exprs[at + 2]])
    receiver = ev.value_of(ev.expr(file, exprs[at + 1]))
    types, above = set(), set()
    for value in receiver.values:
        if value.__class__ is Instance:
            if not value.is_super:
                above.add(value.node)
        elif (of := _type_of(value)) is not None:
            types.add(of)
    if not (types or above):
        return []
    sought = name, frozenset(types), frozenset(above)
    found = known.get(sought)
    if found is None:
        found = known[sought] = _find_overrides(ev, file, *sought)
    return found


def _find_overrides(
    ev: Evaluator, file: GraphFile, name: str, types: frozenset[tuple[str, str]], above: frozenset[int]
) -> list[int]:
    language = file.language
    if name in language.outside.builtin_members:
        standard = language.outside.standard_packages
        types = frozenset(each for each in types if each[0] and not each[0].startswith(standard))
        if name in language.outside.in_every_class or not language.outside.in_every_class:
            above = frozenset(node for node in above if _has_base_besides(ev, node, standard))
    if name in language.constructors or not (types or above):
        return []
    found = []
    for number, row in ev.look_up("members", language.family, name):
        owner = ev.files.numbered(number)
        cls = owner.cell(row, Symbol.PARENT)
        if owner.cell(row, Symbol.KIND) == SymbolKind.METHOD and owner.cell(cls, Symbol.KIND) in CLASS_KINDS:
            heir = owner.base + cls
            bases = find_outside_bases(ev, heir).values if types else ()
            if any(isinstance(base, Outside) and (base.package, _last(base.name)) in types for base in bases) or any(
                node != heir and method_resolution_order.is_in_order(ev, node, heir) for node in above
            ):
                found.append(owner.base + row)
    return found


def find_places_below(ev: Evaluator, file: GraphFile, callee: int) -> list[int]:
    """Nodes of the attributes that a call of a member may call which the receiver's class has not, and classes below
    it have: a mixin calls what the classes that it is mixed into hold."""
    exprs, at = file.exprs, callee * EXPR_WIDTH
    while exprs[at] in AROUND:
        at = exprs[at + 1] * EXPR_WIDTH
    if exprs[at] != _ATTR:
        return []
    receiver = ev.value_of(ev.expr(file, exprs[at + 1]))
    if not receiver.values:
        return []
    classes = [value.node for value in receiver.values if value.__class__ is Instance and not value.is_super]
    if _is_own_class(file, exprs[at + 1]):
        classes += [value.node for value in receiver.values if value.__class__ is Definition]
    if not classes:
        return []
    found = []
    for number, row in ev.look_up("members", file.language.family, file.names[exprs[at + 2]]):
        owner = ev.files.numbered(number)
        heir = owner.base + owner.cell(row, Symbol.PARENT)
        if owner.cell(row, Symbol.KIND) == SymbolKind.PROPERTY and any(
            node != heir and method_resolution_order.is_in_order(ev, node, heir) for node in classes
        ):
            found.append(owner.base + row)
    return found


def _is_own_class(file: GraphFile, expr: int) -> bool:
    """Whether an expression is the class that a method is called for (`cls`)."""
    op, binding, _ = TRIPLE.unpack_from(file.facts.exprs, expr * TRIPLE.size)
    if op != Op.NAME:
        return False
    first = file.bindings[binding * Binding.WIDTH + Binding.FIRST]
    kind: int = TRIPLE.unpack_from(file.facts.sources, first * TRIPLE.size)[0]
    return kind == SourceKind.CLASS


def _has_base_besides(ev: Evaluator, cls: int, standard: tuple[str, ...]) -> bool:
    """Whether a class inherits from an outside type that is not of the standard library."""
    bases = find_outside_bases(ev, cls).values
    return any(isinstance(base, Outside) and base.package and not base.package.startswith(standard) for base in bases)


def _type_of(value: object) -> tuple[str, str] | None:
    """The package and name of an outside type."""
    if isinstance(value, OutsideInstance) and value.name:
        return value.package, _last(value.name)
    return ("", value.name) if isinstance(value, ContainerInstance) and value.name else None


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def find_outside_bases(ev: Evaluator, cls: int) -> Meaning:
    """The types outside that a class inherits from, as far as the repository says."""
    return ev.ask(ev.file_of_node(cls), ("outside bases", cls), lambda: _find_outside_bases(ev, cls))


def _find_outside_bases(ev: Evaluator, cls: int) -> Meaning:
    file = ev.file_of_node(cls)
    found = NOTHING
    for base_row in file.base_rows.get(cls - file.base, []):
        for value in ev.value_of(ev.expr(file, file.bases[base_row * 5 + 2])).values:
            if isinstance(value, Outside):
                found = join(found, one(Confidence.IMPORT, value))
    above = [v.node for v in method_resolution_order.evaluate_bases(ev, cls).values if isinstance(v, Definition)]
    return join_all([found, *(find_outside_bases(ev, node) for node in above)])
