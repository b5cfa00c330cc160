"""The method resolution order of a class: the order in which members are looked up in it, its parts and its bases.

The order is C3 (Python's), or depth first where C3 has no answer or the language says so. A class that has a base whose
definition is not in the repository, or not known, ends in an OUTSIDE value: what is not found may be there.
"""

from __future__ import annotations

from itertools import chain

from codemap.facts import Base, Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    PART,
    Confidence,
    Definition,
    Meaning,
    Outside,
    TypeParameter,
    Value,
)
from codemap.graph.resolve import import_resolution, partial_definitions

_ABSTRACT = int(SymbolFlag.ABSTRACT)
_EXTENSION = int(SymbolFlag.EXTENSION)
OUTSIDE = Outside("", "")
"""Ends the order of a class of which a base is not known."""


def compute_order(ev: Evaluator, cls: int) -> Meaning:
    """A class, its parts and its bases in the order that members are looked up; OUTSIDE last where some base is not
    known. Parts are marked."""
    return ev.ask(ev.file_of_node(cls), ("order", cls), lambda: _compute_order(ev, cls))


def _compute_order(ev: Evaluator, cls: int) -> Meaning:
    file = ev.file_of_node(cls)
    whole = partial_definitions.resolve_node(ev, file, cls - file.base)
    if whole != cls:
        return compute_order(ev, whole)
    own = Definition(cls)
    parts = [Definition(part, PART) for part in partial_definitions.find_parts(ev, file, cls - file.base)]
    bases, is_open = _find_bases(ev, cls)
    sequences: list[list[Definition]] = []
    known: list[Definition] = []
    for base in bases:
        known.append(base)
        if _is_above(ev, cls, base.node):
            sequences.append([base])
            continue  # whichever of the classes that stand on one another is asked first, the answers are the same
        linear = compute_order(ev, base.node).values
        is_open |= linear[-1:] == (OUTSIDE,)
        sequences.append([each for each in linear if isinstance(each, Definition)])
    is_chain = len(sequences) == 1 and sequences[0][:1] == known
    merged = None
    if is_chain:
        merged = sequences[0]
    elif file.language.linearize == "c3":
        merged = _merge_c3([*sequences, known])
    if merged is None:
        flat = list(chain.from_iterable(sequences))
        if file.language.linearize == "breadth":
            depths = _measure_depths(ev, known)
            flat.sort(key=lambda value: depths.get(value.node, len(depths)))
        merged = list(dict.fromkeys(flat))
    return Meaning(Confidence.EXACT, (own, *parts, *merged, OUTSIDE) if is_open else (own, *parts, *merged))


def find_single_method(ev: Evaluator, interface: int) -> Meaning:
    """The only abstract method of an interface, which it may inherit: what a function given for the interface is."""
    is_interface = ev.kind_of_node(interface) == SymbolKind.INTERFACE
    for cls in compute_order(ev, interface).values if is_interface else ():
        if isinstance(cls, Definition):
            found = find_abstract_methods(ev, cls.node)
            if found.values:
                return found if len(found.values) == 1 else NOTHING
    return NOTHING


def find_abstract_methods(ev: Evaluator, interface: int) -> Meaning:
    """The methods without a body that are written in an interface, without those that every class has."""
    file = ev.file_of_node(interface)
    return ev.ask(file, ("abstract", interface), lambda: _find_abstract_methods(file, interface - file.base))


def _find_abstract_methods(file: GraphFile, row: int) -> Meaning:
    if file.cell(row, Symbol.KIND) != SymbolKind.INTERFACE:
        return NOTHING
    found = [
        Definition(file.base + at)
        for at in range(row + 1, file.symbol_count)
        if file.cell(at, Symbol.PARENT) == row
        and file.cell(at, Symbol.FLAGS) & _ABSTRACT
        and file.cell(at, Symbol.KIND) == SymbolKind.METHOD
        and file.name_of(at) not in file.language.outside.in_every_class
    ]
    return Meaning(Confidence.EXACT, tuple(found))


def is_in_order(ev: Evaluator, node: int, cls: int) -> bool:
    """Whether a node is in the order of a class."""
    return any(isinstance(each, Definition) and each.node == node for each in compute_order(ev, cls).values)


def _find_bases(ev: Evaluator, cls: int) -> tuple[list[Definition], bool]:
    """The bases that a class and its parts state, each once; and whether there are unknown ones."""
    found = evaluate_bases(ev, cls).values
    return [base for base in found if isinstance(base, Definition)], found[-1:] == (OUTSIDE,)


def evaluate_bases(ev: Evaluator, cls: int) -> Meaning:
    """What a class and its parts state as bases; OUTSIDE last where others are not known."""
    return ev.ask(ev.file_of_node(cls), ("bases", cls), lambda: _evaluate_bases(ev, cls))


def _evaluate_bases(ev: Evaluator, cls: int) -> Meaning:
    file = ev.file_of_node(cls)
    bases: dict[Definition, None] = {}
    is_open = False
    nodes = (cls, *partial_definitions.find_parts(ev, file, cls - file.base))
    for node in nodes:
        of_part = evaluate_bases_of_part(ev, node)
        found = [v for v in of_part.values if isinstance(v, Definition) and v.node != cls]
        is_open |= len(found) < len(of_part.values)
        bases.update(dict.fromkeys(found))
    listed = list(bases)
    if len(nodes) > 1:  # which part states a base says nothing: a member of a class hides that of an interface
        listed.sort(key=lambda base: ev.kind_of_node(base.node) == SymbolKind.INTERFACE)
    return Meaning(Confidence.EXACT, (*listed, OUTSIDE) if is_open else tuple(listed))


def list_parameter_bases(ev: Evaluator, cls: int) -> list[TypeParameter]:
    """The type parameters that a class and its parts state as bases, its own or those of classes around it: whatever
    takes their place is one. Only a class in which there are any is asked."""
    file = ev.file_of_node(cls)
    row = cls - file.base
    while row not in file.type_parameters:
        row = file.cell(row, Symbol.PARENT)
        if not row:
            return []
    nodes = (cls, *partial_definitions.find_parts(ev, file, cls - file.base))
    found = [value for node in nodes for value in find_parameter_bases_of_part(ev, node).values]
    return [value for value in dict.fromkeys(found) if isinstance(value, TypeParameter)]


def find_parameter_bases_of_part(ev: Evaluator, node: int) -> Meaning:
    """The type parameters that one part of a class states as bases."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("parameter bases", node), lambda: _find_parameter_bases_of_part(ev, file, node - file.base))


def _find_parameter_bases_of_part(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    exprs = [file.bases[base_row * Base.WIDTH + Base.EXPR] for base_row in file.base_rows.get(row, [])]
    stated = [value for expr in exprs for value in ev.value_of(ev.expr(file, expr)).values]
    return Meaning(Confidence.EXACT, tuple(dict.fromkeys(v for v in stated if isinstance(v, TypeParameter))))


def evaluate_bases_of_part(ev: Evaluator, node: int) -> Meaning:
    """What one part of a class states as bases; OUTSIDE last where others are not known."""
    file = ev.file_of_node(node)
    if ev.solver.frame is file:
        return _evaluate_bases_of_part(ev, file, node)
    return ev.ask(file, ("bases of part", node), lambda: _evaluate_bases_of_part(ev, file, node))


def _evaluate_bases_of_part(ev: Evaluator, file: GraphFile, node: int) -> Meaning:
    bases: dict[Definition, None] = {}
    is_open = False
    for base_row in file.base_rows.get(node - file.base, []):
        meaning = import_resolution.read_modules(ev, ev.value_of(ev.expr(file, file.bases[base_row * 5 + 2])))
        values = [v for v in meaning.values if not _is_memberless(file, v)]
        found = [Definition(v.node) for v in values if isinstance(v, Definition)]
        is_open |= len(found) < len(values) or not meaning.values
        bases.update(dict.fromkeys(found))
    return Meaning(Confidence.EXACT, (*bases, OUTSIDE) if is_open else tuple(bases))


def _is_memberless(file: GraphFile, base: Value) -> bool:
    """Whether a base lies outside, and a class gets no members from it."""
    return isinstance(base, Outside) and (base.package, base.name) in file.language.outside.memberless


def _is_above(ev: Evaluator, cls: int, of: int) -> bool:
    """Whether a class is a base of another one, directly or indirectly."""
    seen, todo = {of}, [of]
    while todo:
        for base in _find_bases(ev, todo.pop())[0]:
            if base.node == cls:
                return True
            if base.node not in seen:
                seen.add(base.node)
                todo.append(base.node)
    return False


def _measure_depths(ev: Evaluator, bases: list[Definition]) -> dict[int, int]:
    """Node of each base, and of its parts -> its distance in steps."""
    found: dict[int, int] = {}
    depth, level = 0, [value.node for value in bases]
    while level:
        above: list[int] = []
        for node in level:
            if node in found:
                continue
            file = ev.file_of_node(node)
            found.update(dict.fromkeys((node, *partial_definitions.find_parts(ev, file, node - file.base)), depth))
            above += [value.node for value in _find_bases(ev, node)[0]]
        depth, level = depth + 1, above
    return found


def _merge_c3(sequences: list[list[Definition]]) -> list[Definition] | None:
    """The C3 merge; None where the bases contradict one another."""
    result: list[Definition] = []
    sequences = [list(sequence) for sequence in sequences if sequence]
    while sequences:
        for sequence in sequences:
            head = sequence[0]
            if not any(head in other[1:] for other in sequences):
                break
        else:
            return None
        result.append(head)
        sequences = [rest for s in sequences if (rest := s[1:] if s[0] == head else s)]
    return result


def is_class(ev: Evaluator, node: int, flags: int = 0) -> bool:
    """Whether a node is a class, with some flags."""
    file = ev.file_of_node(node)
    row = node - file.base
    return file.cell(row, Symbol.KIND) in CLASS_KINDS and file.cell(row, Symbol.FLAGS) & flags == flags


def inherits(file: GraphFile, row: int) -> bool:
    """Whether a symbol has the members of its bases: a class, or a function that constructs and was given some."""
    kind = file.cell(row, Symbol.KIND)
    if kind != SymbolKind.FUNCTION:
        return kind in CLASS_KINDS
    return row in file.base_rows and not file.cell(row, Symbol.FLAGS) & _EXTENSION
