"""Calls of what a parameter, a local or an attribute holds, where nothing in the file says which functions it holds.

They stay undecided under the name of the variable, whatever other files define: which functions are given to it is
worked out from the calls of a finished snapshot, at the time of a question (`codemap.graph.likelihood.held_functions`).
"""

from __future__ import annotations

from codemap.facts import AROUND, EXPR_WIDTH, Binding, Op, Source, SourceKind, Symbol, SymbolKind
from codemap.graph.build.bound_file import Bound, Span
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.values import (
    Confidence,
    Instance,
    Meaning,
    OutsideInstance,
    TupleInstance,
    Value,
)
from codemap.graph.resolve import class_members
from codemap.graph.resolve.operations import nameless_functions
from codemap.graph.resolve.outside.unknown_receivers import is_of_held
from codemap.mangled_names import mangle_held

_NAME, _ATTR = int(Op.NAME), int(Op.ATTR)
_CALL = int(Op.CALL)
_ELEMENTS = (int(Op.INDEX), int(Op.ITER), int(Op.ITEM), int(Op.AWAIT), _CALL)
_UNION, _PREFIX = int(Op.UNION), int(Op.PREFIX)
_PARAMETER, _VALUE, _TYPED = int(SourceKind.PARAMETER), int(SourceKind.VALUE), int(SourceKind.TYPED)
_CALLS = int(EdgeKind.CALLS)
_NAMED_ELSEWHERE = (int(SourceKind.SYMBOL), int(SourceKind.IMPORT), int(SourceKind.TYPE_PARAMETER))


def add_call(ev: Evaluator, file: GraphFile, source: int, expr: int, spans: list[Span], bound: Bound) -> None:
    """Keeps a call of an expression of which nothing is known, but for that of a member of an unknown value, and of
    what a function gives that gives nameless functions."""
    name = _find_name(file, expr)
    if name and not nameless_functions.is_nameless(ev, file, expr):
        _add(bound, source, name, spans)


def is_of_unknown(ev: Evaluator, file: GraphFile, meaning: Meaning) -> bool:
    """Whether something is called of which no more is known than that it can be called, but for values that cannot:
    it holds more."""
    if is_of_held(file, meaning):
        return True
    call = file.language.protocols.get("call")
    others = [value for value in meaning.values if call is None or not _is_uncallable(ev, file, value, call)]
    return len(others) < len(meaning.values) and is_of_held(file, Meaning(meaning.confidence, tuple(others)))


def _is_uncallable(ev: Evaluator, file: GraphFile, value: Value, call: str) -> bool:
    if value.__class__ is Instance:
        return not class_members.find_member(ev, value, call).values
    if value.__class__ is OutsideInstance:
        return value.name in file.language.outside.plain_types
    return value.__class__ is TupleInstance


def may_hold_more(file: GraphFile, expr: int, values: tuple[Value, ...]) -> bool:
    """Whether a call of which something is known calls a variable that may hold other functions, too: a parameter with
    a default or of a type that says of some value no more than that it can be called (`Command | Callable[..., None]`),
    `given or usual`, a member whose name is put together, a value of unknown type among some."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    while exprs[at] in AROUND:
        at = exprs[at + 1] * EXPR_WIDTH
    if exprs[at] == _UNION:
        return any(may_hold_more(file, exprs[at + side], values) for side in (1, 2))
    if exprs[at] != _NAME:
        return False
    row = exprs[at + 1] * Binding.WIDTH
    if file.sources[file.bindings[row + Binding.FIRST] * Source.WIDTH] in _NAMED_ELSEWHERE:
        return False
    if len(values) > 1 and any(isinstance(value, OutsideInstance) and not value.name for value in values):
        return True
    if len(values) > 1 and any(is_of_held(file, Meaning(Confidence.TYPE, (value,))) for value in values):
        return _may_be_given(file, row)
    sources = _read_sources(file, row)
    return any(kind == _PARAMETER or (kind == _VALUE and _is_partly_known(file, a)) for kind, a in sources)


def _may_be_given(file: GraphFile, row: int) -> bool:
    """Whether a binding may hold what a parameter is given: it is one, or is assigned one, or one or another value."""
    sources = _read_all_sources(file, row)
    named = [at for kind, a in sources if kind == _VALUE for at in _list_named(file, a)]
    return any(kind == _PARAMETER for at in (row, *named) for kind, _ in _read_all_sources(file, at))


def _list_named(file: GraphFile, expr: int) -> list[int]:
    """The bindings of the names that a value is one of."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    if expr < 0:
        return []
    if exprs[at] == _UNION:
        return [*_list_named(file, exprs[at + 1]), *_list_named(file, exprs[at + 2])]
    return [exprs[at + 1] * Binding.WIDTH] if exprs[at] == _NAME else []


def _is_partly_known(file: GraphFile, expr: int) -> bool:
    """Whether nothing is known of one of the values that an expression is made of."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    if exprs[at] == _UNION:
        return any(_is_partly_known(file, exprs[at + side]) for side in (1, 2))
    if exprs[at] == _NAME:
        return any(kind == _PARAMETER for kind, _ in _read_sources(file, exprs[at + 1] * Binding.WIDTH))
    return exprs[at] == _PREFIX


def _read_all_sources(file: GraphFile, row: int) -> list[tuple[int, int]]:
    """The kinds and first operands of the sources of a binding."""
    first, count = file.bindings[row + Binding.FIRST], file.bindings[row + Binding.COUNT]
    cells = file.sources[first * Source.WIDTH : (first + count) * Source.WIDTH]
    return list(zip(cells[Source.KIND :: Source.WIDTH], cells[Source.A :: Source.WIDTH], strict=True))


def _read_sources(file: GraphFile, row: int) -> list[tuple[int, int]]:
    """The same; none where it is defined, imported or stated."""
    found = _read_all_sources(file, row)
    return [] if any(kind in _NAMED_ELSEWHERE or kind == _TYPED for kind, _ in found) else found


def add_call_of_place(ev: Evaluator, bound: Bound, source: int, node: int, spans: list[Span]) -> None:
    """Keeps a call of a variable or an attribute whose value is unknown; not of a variable that has a nameless
    function, which is known by it."""
    file = ev.file_of_node(node)
    if ev.kind_of_node(node) == SymbolKind.VARIABLE and nameless_functions.evaluate_nameless(ev, node).values:
        return
    _add(bound, source, file.names[file.cell(node - file.base, Symbol.NAME)], spans)


def _add(bound: Bound, source: int, name: str, spans: list[Span]) -> None:
    bound.several.setdefault((source, mangle_held(name), _CALLS), []).extend(spans)


def _find_name(file: GraphFile, expr: int) -> str:
    """The name of the variable whose value, or an element of it, is called, or of the function whose result is."""
    exprs, at = file.exprs, nameless_functions.find_cast(file, expr) * EXPR_WIDTH
    is_element = False
    elsewhere: tuple[int, ...] = _NAMED_ELSEWHERE
    while exprs[at] in AROUND or exprs[at] in _ELEMENTS or exprs[at] == _UNION:
        if exprs[at] == _UNION:
            return _find_name(file, exprs[at + 1]) or _find_name(file, exprs[at + 2])
        is_element = is_element or exprs[at] in _ELEMENTS
        elsewhere = () if is_element else elsewhere
        at = exprs[at + 1] * EXPR_WIDTH
    if exprs[at] == _ATTR and is_element:
        return file.names[exprs[at + 2]]
    if exprs[at] != _NAME:
        return ""
    row = exprs[at + 1] * Binding.WIDTH
    if any(kind in elsewhere for kind, _ in _read_all_sources(file, row)):
        return ""
    return file.names[file.bindings[row + Binding.NAME]].rpartition(".")[2]
