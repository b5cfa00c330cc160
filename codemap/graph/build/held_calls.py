"""Calls of what a parameter, a local or an attribute holds, where nothing in the file says which functions it holds.

They stay undecided under the name of the variable, whatever other files define: which functions are given to it is
worked out from the calls of a finished snapshot, at the time of a question (`codemap.graph.likelihood.held_functions`).
"""

from __future__ import annotations

from codemap.facts import AROUND, EXPR_WIDTH, Binding, Op, Source, SourceKind, Symbol
from codemap.graph.build.bound_file import Bound, Span
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.edges import EdgeKind
from codemap.mangled_names import mangle_held

_NAME, _ATTR = int(Op.NAME), int(Op.ATTR)
_ELEMENTS = (int(Op.INDEX), int(Op.ITER), int(Op.ITEM), int(Op.AWAIT))
_CALLS = int(EdgeKind.CALLS)
_NAMED_ELSEWHERE = (int(SourceKind.SYMBOL), int(SourceKind.IMPORT), int(SourceKind.TYPE_PARAMETER))


def add_call(file: GraphFile, source: int, expr: int, spans: list[Span], bound: Bound) -> None:
    """Keeps a call of an expression of which nothing is known, but for that of a member of an unknown value."""
    name = _find_name(file, expr)
    if name:
        _add(bound, source, name, spans)


def add_call_of_place(ev: Evaluator, bound: Bound, source: int, node: int, spans: list[Span]) -> None:
    """Keeps a call of a variable or an attribute whose value is unknown."""
    file = ev.file_of_node(node)
    _add(bound, source, file.names[file.cell(node - file.base, Symbol.NAME)], spans)


def _add(bound: Bound, source: int, name: str, spans: list[Span]) -> None:
    bound.several.setdefault((source, mangle_held(name), _CALLS), []).extend(spans)


def _find_name(file: GraphFile, expr: int) -> str:
    """The name of the variable whose value, or an element of it, is called."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    is_element = False
    while exprs[at] in AROUND or exprs[at] in _ELEMENTS:
        is_element = is_element or exprs[at] in _ELEMENTS
        at = exprs[at + 1] * EXPR_WIDTH
    if exprs[at] == _ATTR and is_element:
        return file.names[exprs[at + 2]]
    if exprs[at] != _NAME:
        return ""
    row = exprs[at + 1] * Binding.WIDTH
    first, count = file.bindings[row + Binding.FIRST], file.bindings[row + Binding.COUNT]
    kinds = (file.sources[number * Source.WIDTH + Source.KIND] for number in range(first, first + count))
    if any(kind in _NAMED_ELSEWHERE for kind in kinds):
        return ""
    return file.names[file.bindings[row + Binding.NAME]].rpartition(".")[2]
