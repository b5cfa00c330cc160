"""Functions that give back what they are given: `def resolve(given): return given if … else find(given)`.

What such a function gives is known at each call from the arguments of that call. From the arguments of all its calls
together, of which a function that everything goes through has very many, nothing would follow.

Rules of the file:
- What functions are called on the way is evaluated without data flow, to `DEPTH_MAX` calls.
- Functions that state their result, generators and coroutines are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from codemap.facts import EXPR_WIDTH, Binding, Op, SourceKind, Symbol, SymbolFlag
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.likelihood.flow_files import FlowFiles
from codemap.graph.model.definitions import INDEXES, Definitions, Index
from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Definition
from codemap.graph.resolve.rules import make_evaluator

DEPTH_MAX = 3
_NAME, _UNION, _OTHER, _CALL = int(Op.NAME), int(Op.UNION), int(Op.OTHER), int(Op.CALL)
_PARAMETER, _VALUE = int(SourceKind.PARAMETER), int(SourceKind.VALUE)
_SUSPENDED = int(SymbolFlag.ASYNC | SymbolFlag.GENERATOR)
_NO_DEFINITIONS: tuple[Index, ...] = tuple({} for _ in INDEXES)

Parameter = tuple[str, int]
"""Name and position."""


class HandedOn(msgspec.Struct, frozen=True):
    """What a function gives."""

    parameters: tuple[Parameter, ...]
    """Those that it gives back."""
    others: tuple[int, ...]
    """What else it gives: expressions of its file."""


_NOTHING = HandedOn((), ())


class HandingOn:
    """The functions of one snapshot, for one question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._plain: Evaluator | None = None
        self._known: dict[tuple[int, int], HandedOn] = {}

    def find(self, node: int, depth: int = 0) -> HandedOn:
        """What a function gives; nothing where it gives back no parameter."""
        known = self._known.get((node, depth))
        if known is None:
            known = self._known[node, depth] = self._find(node, depth)
        return known

    def _find(self, node: int, depth: int) -> HandedOn:
        ev = self._evaluator()
        file = ev.file_of_node(node)
        row = node - file.base
        if depth >= DEPTH_MAX or file.cell(row, Symbol.KIND) not in FUNCTION_KINDS:
            return _NOTHING
        if file.cell(row, Symbol.TYPE) >= 0 or file.cell(row, Symbol.FLAGS) & _SUSPENDED:
            return _NOTHING
        parameters: dict[Parameter, None] = {}
        others: list[int] = []
        for expr in _list_values(ev, file, file.cell(row, Symbol.VALUE), set()):
            given = _find_parameter(ev, file, expr, row)
            handed = [given] if given is not None else list(self._find_passed(file, expr, row, depth))
            parameters.update(dict.fromkeys(handed))
            if not handed:
                others.append(expr)
        return HandedOn(tuple(parameters), tuple(others)) if parameters else _NOTHING

    def _find_passed(self, file: GraphFile, expr: int, row: int, depth: int) -> Iterator[Parameter]:
        """The parameters of a function that a call in it passes to a function that gives them back."""
        op, callee, listed = file.exprs[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
        if op != _CALL or listed < 0:
            return
        ev = self._evaluator()
        arguments = ev.arguments(file, listed)
        ev.solver.frame = file
        for value in ev.value_of(ev.expr(file, callee)).values:
            if isinstance(value, Definition):
                for _, position in self.find(value.node, depth + 1).parameters:
                    argument = arguments[position] if position < len(arguments) else -1
                    for one in _list_values(ev, file, argument, set()) if argument >= 0 else ():
                        given = _find_parameter(ev, file, one, row)
                        if given is not None:
                            yield given

    def _evaluator(self) -> Evaluator:
        if self._plain is None:
            snapshot = self._snapshot
            definitions = Definitions(snapshot.files, _NO_DEFINITIONS)
            self._plain = make_evaluator(FlowFiles(snapshot), snapshot.resolvers, definitions)
        return self._plain


def _list_values(ev: Evaluator, file: GraphFile, expr: int, seen: set[int]) -> Iterator[int]:
    """The expressions of which a value is one: what a variable is assigned in its place, parameters as they are."""
    if expr < 0 or expr in seen:
        return
    seen.add(expr)
    op, a, b = file.exprs[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
    sources = ev.sources(file, a) if op == _NAME else []
    if op == _UNION:
        yield from _list_values(ev, file, a, seen)
        yield from _list_values(ev, file, b, seen)
    elif op == _OTHER:
        yield from _list_values(ev, file, a, seen)
    elif sources and all(kind in (_PARAMETER, _VALUE) for kind, _, _ in sources):
        if any(kind == _PARAMETER for kind, _, _ in sources):
            yield expr
        for kind, value, _ in sources:
            if kind == _VALUE:
                yield from _list_values(ev, file, value, seen)
    else:
        yield expr


def _find_parameter(ev: Evaluator, file: GraphFile, expr: int, row: int) -> Parameter | None:
    """The parameter of a function that a name is."""
    op, binding, _ = file.exprs[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
    if op != _NAME:
        return None
    for kind, function, position in ev.sources(file, binding):
        if kind == _PARAMETER and function == row and position >= 0:
            return file.names[file.bindings[binding * Binding.WIDTH + Binding.NAME]], position
    return None
