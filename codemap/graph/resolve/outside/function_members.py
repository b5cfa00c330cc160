"""What every function and class has itself: from outside (`call`, `bind`), whatever its instances have of the name, and
static members, which its instances do not have."""

from __future__ import annotations

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.model.values import Definition, Instance, Meaning, Value

_STATIC = int(SymbolFlag.STATIC)
_MEMBERS = (SymbolKind.METHOD, SymbolKind.PROPERTY)
_CONSTRUCTORS = (SymbolKind.CLASS, SymbolKind.FUNCTION)


def is_of_every_function(ev: Evaluator, of: Definition, name: str, found: Meaning) -> bool:
    """Whether `of.name` is what every function has: `found` is what `of` or its instances have of the name."""
    known = ev.file_of_node(of.node).language.outside.function_members
    if name not in known or ev.kind_of_node(of.node) not in _CONSTRUCTORS:
        return False
    nodes = [value.node for value in found.values if isinstance(value, Definition)]
    return any(not _is_static(ev, node) for node in nodes)


def select_for(ev: Evaluator, of: Definition | Instance, found: Meaning) -> Meaning:
    """What has been found of a name without the members that `of` does not have: an instance static ones, a class those
    of its instances. All of it in languages where classes and instances share their members."""
    if not found.values or not ev.file_of_node(of.node).language.outside.function_members:
        return found
    is_instance = isinstance(of, Instance)
    kept = tuple(value for value in found.values if not _is_member(ev, value, is_static=is_instance))
    return found if len(kept) == len(found.values) else Meaning(found.confidence, kept)


def _is_member(ev: Evaluator, value: Value, *, is_static: bool) -> bool:
    if not isinstance(value, Definition) or ev.kind_of_node(value.node) not in _MEMBERS:
        return False
    return _is_static(ev, value.node) == is_static


def _is_static(ev: Evaluator, node: int) -> bool:
    file = ev.file_of_node(node)
    return bool(file.cell(node - file.base, Symbol.FLAGS) & _STATIC)
