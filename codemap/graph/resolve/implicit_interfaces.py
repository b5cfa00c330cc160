"""Interfaces that types implement by having their methods, without saying so.

A type has the methods of its parts and of what it embeds. It implements an interface of the repository when it has all
its methods, with equal types of parameters and results as the source spells them; where a type parameter is among
them, equal numbers of both make it a guess, and so does an interface that embeds one whose methods are not known. One
without methods is not worth telling.

Rules of the file:
- An interface is found by one of its methods: the first by name of those that it states itself, or, where it only
  embeds others, by the name of the first of them, once that is known to be implemented.
"""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import Base, Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator, Methods
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import Confidence, Definition, Outside, Value
from codemap.graph.resolve import method_resolution_order, partial_definitions

OUTSIDE = method_resolution_order.OUTSIDE
_UNKNOWN = "_"


def find_implemented(ev: Evaluator, file: GraphFile, row: int) -> list[tuple[int, Confidence]]:
    """Nodes of the interfaces that a type has the methods of, in order, and how sure that is."""
    own = collect_methods(ev, file.base + row)
    found: dict[int, Confidence] = {}
    names, seen = list(own.shapes), set(own.shapes)
    while names:
        for node in _find_interfaces(ev, file, names.pop()):
            if node in found or node == file.base + row:
                continue
            confidence = _compare_methods(own, collect_methods(ev, node), file)
            if confidence is not None:
                found[node] = confidence
                owner = ev.file_of_node(node)
                name = owner.name_of(node - owner.base)
                if name not in seen:
                    seen.add(name)
                    names.append(name)
    return sorted(found.items())


def find_structural_types(file: GraphFile) -> Iterator[int]:
    """Types of a file that can implement interfaces without saying so."""
    if not file.language.is_structural:
        return
    for row in range(1, file.symbol_count):
        if file.cell(row, Symbol.KIND) == SymbolKind.CLASS and partial_definitions.is_whole(file, row):
            yield row


def collect_methods(ev: Evaluator, node: int) -> Methods:
    """The methods of a type or interface, those of its parts and of what it embeds included."""
    owner = ev.file_of_node(node)
    frame = ev.solver.frame
    if owner is not frame:
        ev.note("methods", node)
    known = ev.methods.get(node)
    if known is None:
        shapes: dict[str, str] = {}
        hidden: set[str] = set()
        is_open = False
        ev.solver.frame = owner
        for value in method_resolution_order.compute_order(ev, node).values:
            if not isinstance(value, Definition):
                is_open = True
                continue
            file = ev.file_of_node(value.node)
            if file is not owner:
                ev.note("space", value.node)
            for name, child in file.children.get(value.node - file.base, {}).items():
                if name in shapes or child not in file.shapes:
                    continue
                shapes[name] = file.shapes[child]
                if not file.cell(child, Symbol.FLAGS) & SymbolFlag.EXPORTED:
                    hidden.add(file.path.rpartition("/")[0])
        if is_open:
            given, is_open = _collect_given(ev, node)
            shapes |= {name: shape for name, shape in given.items() if name not in shapes}
        known = ev.methods[node] = Methods(shapes, frozenset(hidden), is_open)
        ev.solver.frame = frame
    return known


def _collect_given(ev: Evaluator, node: int) -> tuple[dict[str, str], bool]:
    """The methods that a type has from the standard library by what it embeds, it or a type of its file that it embeds;
    and whether it may have others from outside."""
    owner = ev.file_of_node(node)
    found: dict[str, str] = {}
    is_open = False
    for value in method_resolution_order.compute_order(ev, node).values:
        if not isinstance(value, Definition):
            continue
        file = ev.file_of_node(value.node)
        if file is not owner:
            is_open |= method_resolution_order.evaluate_bases_of_part(ev, value.node).values[-1:] == (OUTSIDE,)
            continue
        for at in file.base_rows.get(value.node - file.base, ()):
            embedded = ev.value_of(ev.expr(file, file.bases[at * Base.WIDTH + Base.EXPR])).values
            for base in embedded if not any(isinstance(each, Definition) for each in embedded) else ():
                known = file.language.outside.library_methods.get(_spell(base))
                is_open |= known is None
                found |= known or {}
            is_open |= not embedded
    return found, is_open


def _spell(base: Value) -> tuple[str, str]:
    return (base.package, base.name) if isinstance(base, Outside) else ("", "")


def collect_own_methods(file: GraphFile, row: int) -> list[str | int]:
    """Name, shape and flags of the methods that a type states itself."""
    found: list[str | int] = []
    for name, child in sorted(file.children.get(row, {}).items()):
        if child in file.shapes:
            found += [name, file.shapes[child], file.cell(child, Symbol.FLAGS)]
    return found


def _find_interfaces(ev: Evaluator, file: GraphFile, name: str) -> list[int]:
    return [ev.definitions.node_of(place) for place in ev.look_up("interfaces", file.language.family, name)]


def _compare_methods(own: Methods, wanted: Methods, file: GraphFile) -> Confidence | None:
    """How sure it is that a type has what an interface asks for; None where it has not."""
    if not wanted.shapes or not wanted.shapes.keys() <= own.shapes.keys():
        return None
    if any(folder != file.path.rpartition("/")[0] for folder in wanted.hidden_in):
        return None
    sure = Confidence.NAME if wanted.is_open else Confidence.TYPE
    for name, shape in wanted.shapes.items():
        if own.shapes[name] == shape and _UNKNOWN not in shape:
            continue
        if _UNKNOWN not in shape + own.shapes[name] or _count_types(shape) != _count_types(own.shapes[name]):
            return None
        sure = Confidence.NAME
    return sure


def _count_types(shape: str) -> tuple[int, ...]:
    """How many types are in each pair of outer brackets."""
    counts: list[int] = []
    depth = 0
    for at, char in enumerate(shape):
        if char in "([{":
            if not depth:
                counts.append(int(shape[at + 1] not in ")]}"))
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 1:
            counts[-1] += 1
    return tuple(counts)
