"""What every function and class has itself from outside (`call`, `bind`), whatever its instances have of the name."""

from __future__ import annotations

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.model.values import Definition, Meaning

_STATIC = int(SymbolFlag.STATIC)
_CONSTRUCTORS = (SymbolKind.CLASS, SymbolKind.FUNCTION)


def is_of_every_function(ev: Evaluator, of: Definition, name: str, found: Meaning) -> bool:
    """Whether `of.name` is what every function has: `found` is what `of` or its instances have of the name."""
    if name not in ev.file_of_node(of.node).language.function_members or ev.kind_of_node(of.node) not in _CONSTRUCTORS:
        return False
    nodes = [value.node for value in found.values if isinstance(value, Definition)]
    return any(not _is_static(ev, node) for node in nodes)


def _is_static(ev: Evaluator, node: int) -> bool:
    file = ev.file_of_node(node)
    return bool(file.cell(node - file.base, Symbol.FLAGS) & _STATIC)
