"""Functions that no definition stands for: what runs in them belongs to the definition that they are in."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import EXPR_WIDTH, Op, SourceKind, Symbol, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import NOTHING, Confidence, Definition, Meaning, OutsideInstance, one

_CALL, _GLOBAL, _UNION, _FUNCTION = int(Op.CALL), int(Op.GLOBAL), int(Op.UNION), int(Op.FUNCTION)
_NAME = int(Op.NAME)
_PLAIN = (_NAME, int(Op.ATTR))
_NAMELESS = one(Confidence.TYPE, OutsideInstance("", ""))


def evaluate_nameless(ev: Evaluator, node: int) -> Meaning:
    """Whether a variable has a nameless function, or a function gives one: something, or nothing."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("nameless", node), lambda: _evaluate(ev, file, node - file.base))


def _evaluate(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    is_variable = file.cell(row, Symbol.KIND) == SymbolKind.VARIABLE
    values = list(_list_values(file, file.cell(row, Symbol.VALUE)))
    is_nameless = bool(values) and all(
        file.exprs[value * EXPR_WIDTH] == _FUNCTION or (is_variable and _leads_to_one(ev, file, value))
        for value in values
    )
    return _NAMELESS if is_nameless else NOTHING


def _leads_to_one(ev: Evaluator, file: GraphFile, value: int) -> bool:
    if is_result(ev, file, value):
        return True
    if file.exprs[value * EXPR_WIDTH] not in _PLAIN:
        return False
    return _are_nameless(ev, ev.expr(file, value), (SymbolKind.VARIABLE,))


def is_nameless(ev: Evaluator, file: GraphFile, expr: int) -> bool:
    """Whether an expression, or the variable that it names, has what functions give that give nameless functions."""
    if file.exprs[expr * EXPR_WIDTH] != _NAME:
        return is_result(ev, file, expr)
    sources = ev.sources(file, file.exprs[expr * EXPR_WIDTH + 1])
    return all(
        kind == SourceKind.VALUE and (file.exprs[a * EXPR_WIDTH] == _FUNCTION or is_result(ev, file, a))
        for kind, a, _ in sources
    )


def is_result(ev: Evaluator, file: GraphFile, expr: int) -> bool:
    """Whether an expression is what functions give that give nameless functions."""
    at = find_cast(file, expr) * EXPR_WIDTH
    if at < 0 or file.exprs[at] != _CALL:
        return False
    callees = ev.value_of(ev.expr(file, file.exprs[at + 1]))
    return _are_nameless(ev, callees, (SymbolKind.FUNCTION, SymbolKind.METHOD))


def _are_nameless(ev: Evaluator, meaning: Meaning, kinds: tuple[SymbolKind, ...]) -> bool:
    return bool(meaning.values) and all(
        isinstance(value, Definition)
        and ev.kind_of_node(value.node) in kinds
        and bool(evaluate_nameless(ev, value.node).values)
        for value in meaning.values
    )


def _list_values(file: GraphFile, expr: int) -> Iterator[int]:
    """The expressions of which a value is one."""
    at = expr * EXPR_WIDTH
    if expr >= 0 and file.exprs[at] == _UNION:
        yield from _list_values(file, file.exprs[at + 1])
        yield from _list_values(file, file.exprs[at + 2])
    elif expr >= 0:
        yield expr


def find_cast(file: GraphFile, expr: int) -> int:
    """What a cast is given, of which the language says where its type is; any other expression as it is."""
    if expr < 0:
        return expr
    op, callee, listed = file.exprs[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
    if op != _CALL or listed < 0 or not (file.language.outside.casts and file.exprs[callee * EXPR_WIDTH] == _GLOBAL):
        return expr
    position = file.language.outside.casts.get(file.names[file.exprs[callee * EXPR_WIDTH + 1]])
    if position is None:
        return expr
    for _ in range(1 - position):
        listed = file.exprs[listed * EXPR_WIDTH + 2]
    given = file.exprs[listed * EXPR_WIDTH + 1] if listed >= 0 else -1
    return expr if given < 0 else given
