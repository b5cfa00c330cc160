"""Specializations of a class template: which of them a type with arguments means.

A specialization has the name of its template, and states the arguments that it is for: all of them (`Hash<int>`), or a
pattern with parameters of its own (`Hash<T*>`). An argument that is not known may be any.

Source: ISO/IEC 14882:2020, 13.7.6 "Partial specialization", 13.9.4 "Explicit specialization".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from codemap.facts import Op, Symbol, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerInstance,
    Definition,
    Meaning,
    OutsideInstance,
    ParameterInstance,
    TupleInstance,
    Value,
    make_container,
    make_tuple,
    one,
)

_POINTER = "*"
"""The name of the container that a pointer is here, and what the name of a builtin type ends in that is one."""
_THEMSELVES = (*CLASS_KINDS, SymbolKind.VARIABLE, SymbolKind.PROPERTY)


class _Fit(IntEnum):
    """How arguments fit what a specialization is for."""

    NEVER = 0
    PERHAPS = 1
    AS_PATTERN = 2
    EXACTLY = 3


def select_specializations(ev: Evaluator, file: GraphFile, types: Meaning, arguments: Sequence[int]) -> Meaning:
    """Of class templates of one name, those that may be meant with these type arguments, expressions of a file."""
    stated = [_list_arguments(ev, value) for value in types.values]
    if not any(stated):
        return types
    given = [_evaluate_argument(ev, file, argument) for argument in arguments]
    fits = [_fit(ev, wanted, given) if wanted else None for wanted in stated]
    best = max(fit for fit in fits if fit is not None)
    if best is _Fit.EXACTLY:
        kept = [fit is _Fit.EXACTLY for fit in fits]
    elif best is _Fit.AS_PATTERN:
        kept = [fit is not None and fit is not _Fit.NEVER for fit in fits]
    else:
        kept = [fit is not _Fit.NEVER for fit in fits]
    chosen = tuple(value for value, is_kept in zip(types.values, kept, strict=True) if is_kept)
    if not chosen:
        return NOTHING
    was_unsure = types.confidence == Confidence.CANDIDATE and len(chosen) == 1 < len(types.values)
    return Meaning(Confidence.IMPORT if was_unsure else types.confidence, chosen)


def is_specialization(file: GraphFile, row: int) -> bool:
    """Whether a symbol is a specialization of a template, whose arguments its value lists."""
    value = file.cell(row, Symbol.VALUE)
    return value >= 0 and file.cell(row, Symbol.KIND) in CLASS_KINDS and file.exprs[value * 3] == Op.TUPLE


def evaluate_specialized(ev: Evaluator, node: int) -> Meaning:
    """The arguments that a specialization is for, as a tuple; nothing for other symbols."""
    file = ev.file_of_node(node)
    if not is_specialization(file, node - file.base):
        return NOTHING
    return ev.ask(file, ("specialized", node), lambda: _evaluate_specialized(ev, file, node - file.base))


def _evaluate_specialized(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    listed = ev.arguments(file, file.exprs[file.cell(row, Symbol.VALUE) * 3 + 1])
    parts = [_evaluate_argument(ev, file, argument) for argument in listed]
    return one(max(part.confidence for part in parts), make_tuple(parts)) if parts else NOTHING


def _list_arguments(ev: Evaluator, value: Value) -> Sequence[Meaning]:
    """What a value is a specialization for; nothing where it is the template itself, or no class."""
    if not isinstance(value, Definition):
        return ()
    found = evaluate_specialized(ev, value.node).values
    return found[0].parts if found and isinstance(found[0], TupleInstance) else ()


def _evaluate_argument(ev: Evaluator, file: GraphFile, argument: int) -> Meaning:
    """The values that a type argument admits; classes and constants as themselves, a pointer as a container of one."""
    if argument < 0:
        return NOTHING
    op = file.exprs[argument * 3]
    if op == Op.ADDRESS:
        of = _evaluate_argument(ev, file, file.exprs[argument * 3 + 1])
        return one(of.confidence, make_container(of, NOTHING, NOTHING, _POINTER)) if of.values else of
    meant = ev.expr(file, argument) if op != Op.APPLY else NOTHING
    if any(isinstance(value, Definition) and ev.kind_of_node(value.node) in _THEMSELVES for value in meant.values):
        return meant
    return ev.evaluate_type(file, argument)


def _fit(ev: Evaluator, wanted: Sequence[Meaning], given: Sequence[Meaning]) -> _Fit:
    fit = _Fit.EXACTLY if len(wanted) == len(given) else _Fit.PERHAPS
    return min((fit, *(_fit_one(ev, *pair) for pair in zip(wanted, given, strict=False))))


def _fit_one(ev: Evaluator, wanted: Meaning, given: Meaning) -> _Fit:
    if len(wanted.values) != 1 or len(given.values) != 1:
        return _Fit.PERHAPS
    pattern, value = wanted.values[0], given.values[0]
    if isinstance(pattern, ParameterInstance):
        return _Fit.AS_PATTERN
    if isinstance(value, ParameterInstance):
        return _Fit.PERHAPS
    if isinstance(pattern, ContainerInstance) and isinstance(value, ContainerInstance):
        is_pointer = pattern.name == value.name == _POINTER
        return _fit_one(ev, pattern.contents.element, value.contents.element) if is_pointer else _Fit.PERHAPS
    if isinstance(pattern, ContainerInstance) and isinstance(value, OutsideInstance) and value.name.endswith(_POINTER):
        of = pattern.contents.element.values[0]
        return _Fit.AS_PATTERN if isinstance(of, ParameterInstance) else _Fit.NEVER
    if pattern == value and not pattern.weight:
        return _Fit.EXACTLY
    sort = _sort_of(ev, pattern)
    return _Fit.NEVER if sort and sort == _sort_of(ev, value) else _Fit.PERHAPS


def _sort_of(ev: Evaluator, value: Value) -> str:
    """Whether an argument is a type of its own or a number; empty where it may be another name of something."""
    match value:
        case OutsideInstance(package="", text=text):
            return "type" if text is None else "number"
        case ContainerInstance() if value.name == _POINTER:
            return "type"
        case Definition() if ev.kind_of_node(value.node) in CLASS_KINDS:
            return "type"
        case _:
            return ""
