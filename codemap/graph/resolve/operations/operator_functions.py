"""Operators that members and functions may define for operands of classes (`Language.finds_by_arguments`).

An operator on values of classes means the member of its left operand's class, or the function that states a class of an
operand as a parameter, that suits all operands best. Nothing else is looked for: an operator on numbers or pointers is
the language's own. Where it is not known whether an operand is a pointer to its class, what is found is a candidate.

Source: ISO/IEC 14882:2020, 12.2.2.3 "Operators in expressions", 6.5.3 "Argument-dependent name lookup".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from codemap.facts import EXPR_WIDTH, Op, SourceKind, Symbol
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    Definition,
    Instance,
    Meaning,
    ParameterInstance,
    join,
    one,
    weaken,
)
from codemap.graph.resolve import calls, class_members, method_resolution_order, overloads, partial_definitions
from codemap.graph.resolve.alike_overloads import ARROW, Fit, fit_arguments, select_best
from codemap.graph.resolve.overloads import MAYBE, NEVER

TYPE = Confidence.TYPE
ASSIGNMENT = "operator="
_LEVELS_MAX = 20
"""Of expressions in one another, whose form is looked at."""
_CONSTANT = frozenset(map(int, (Op.THIS, Op.ADDRESS)))


class _Form(IntEnum):
    """Whether an operand is a value of its class or a pointer to one."""

    UNKNOWN = 0
    VALUE = 1
    POINTER = 2


def select_operator(ev: Evaluator, file: GraphFile, operation: int, others: int) -> Meaning:
    """What an operator runs: `operation` is a SPECIAL of its left operand, `others` an ARG list of those behind it; of
    several names the first that any function has."""
    exprs = file.exprs
    for literal in ev.arguments(file, exprs[operation * EXPR_WIDTH + 2]):
        found = _select(ev, file, operation, others, file.names[exprs[literal * EXPR_WIDTH + 1]])
        if found.values:
            return found
    return NOTHING


def _select(ev: Evaluator, file: GraphFile, operation: int, others: int, name: str) -> Meaning:
    exprs, family = file.exprs, file.language.family
    if not ev.look_up("members", family, name) and not ev.look_up("tops", family, name):
        return NOTHING
    operands = [exprs[operation * EXPR_WIDTH + 1], *ev.arguments(file, others)]
    given = [ev.value_of(ev.expr(file, operand)) for operand in operands]
    if not any(isinstance(value, Instance) for meaning in given for value in meaning.values):
        return NOTHING
    forms = [_find_form(ev, file, operand) for operand in operands]
    is_class = [_is_class(*pair) for pair in zip(given, forms, strict=True)]
    if not any(is_class):
        return NOTHING
    fits = _fit_members(ev, file, name, operation, given, forms) if is_class[0] else []
    fits += _fit_functions(ev, file, name, operation, given, forms)
    best = select_best(file.spoken, fits)
    if not best:
        return NOTHING
    found = Meaning(max(TYPE, *(meaning.confidence for meaning in given)), best)
    is_one = len(best) == 1 or len(overloads.find_ambiguous(ev, found)) == len(best)
    is_clear = is_one and given[0].values and not any(map(_is_unclear, given, forms))
    is_sure = is_clear and all(_takes_classes(fit, given, forms) for fit in fits if fit.value in best)
    if not is_sure:
        return weaken(found, Confidence.CANDIDATE)
    return _follow_arrows(ev, found) if name == ARROW else found


def _follow_arrows(ev: Evaluator, found: Meaning) -> Meaning:
    """`x->` asks what its operator gives for its own operator, until that is a pointer."""
    run, last = found, found
    while all(_find_form_of_stated(ev, one(TYPE, each), is_called=True) == _Form.VALUE for each in last.values):
        given = calls.evaluate_results(ev, last)
        inner = [class_members.find_member(ev, each, ARROW) for each in given.values if isinstance(each, Instance)]
        last = Meaning(TYPE, tuple(each for m in inner for each in m.values if isinstance(each, Definition)))
        if not set(last.values) - set(run.values):
            break
        run = join(run, last)
    return run


def _takes_classes(fit: Fit, given: list[Meaning], forms: list[_Form]) -> bool:
    """Whether no value of a class is converted to what a function takes."""
    return all(
        rank > MAYBE for rank, meaning, form in zip(fit.ranks, given, forms, strict=True) if _is_class(meaning, form)
    )


def _is_class(given: Meaning, form: _Form) -> bool:
    return form != _Form.POINTER and any(isinstance(value, Instance) for value in given.values)


def _is_unclear(given: Meaning, form: _Form) -> bool:
    """Whether an operand may be something else than a value of its class."""
    if any(isinstance(value, ParameterInstance) for value in given.values):
        return True
    return form == _Form.UNKNOWN and any(isinstance(value, Instance) for value in given.values)


def _fit_members(
    ev: Evaluator, file: GraphFile, name: str, operation: int, given: list[Meaning], forms: list[_Form]
) -> list[Fit]:
    """The members of the left operand's classes that take the others."""
    fits: list[Fit] = []
    for value in given[0].values:
        if not isinstance(value, Instance) or value.is_super:
            continue
        for found in class_members.find_member(ev, value, name).values:
            if not isinstance(found, Definition):
                continue
            owner, row = _place_of(ev, found)
            parent = partial_definitions.resolve_node(ev, owner, owner.cell(row, Symbol.PARENT))
            if name == ASSIGNMENT and parent != value.node:
                continue  # hidden by the one that every class has
            fit = _fit(ev, file, found, operation, given[1:], forms[1:])
            whole = one(TYPE, Instance(parent))
            rank = overloads.rank_match(ev, file.spoken, one(TYPE, value), whole)
            if fit is not None and rank != NEVER:
                fits.append(fit._replace(wanted=(whole, *fit.wanted), ranks=(rank, *fit.ranks), around=()))
    return fits


def _fit_functions(
    ev: Evaluator, file: GraphFile, name: str, operation: int, given: list[Meaning], forms: list[_Form]
) -> list[Fit]:
    """The functions of that name that state a class of an operand, or one above it, and take all operands."""
    nodes: dict[int, None] = {}
    for meaning in given:
        for value in meaning.values:
            if isinstance(value, Instance):
                for cls in method_resolution_order.compute_order(ev, value.node).values:
                    if isinstance(cls, Definition):
                        found = find_operators(ev, cls.node, name)
                        nodes |= {each.node: None for each in found.values if isinstance(each, Definition)}
    fits = [_fit(ev, file, Definition(node), operation, given, forms) for node in nodes]
    return [fit for fit in fits if fit is not None]


def _fit(
    ev: Evaluator, file: GraphFile, found: Definition, operation: int, given: list[Meaning], forms: Sequence[_Form]
) -> Fit | None:
    owner, row = _place_of(ev, found)
    stated = owner.parameters_of.get(row, ())
    if len(stated) != len(given):
        return None
    for position, (meaning, form) in enumerate(zip(given, forms, strict=True)):
        if form != _Form.UNKNOWN and any(isinstance(value, Instance) for value in meaning.values):
            is_pointed = bool(stated_types.evaluate_pointed_type(ev, owner, row, position).values)
            wanted = stated_types.evaluate_parameter_type(ev, owner, row, position)
            if is_pointed != (form == _Form.POINTER) and any(isinstance(each, Instance) for each in wanted.values):
                return None
    return fit_arguments(ev, file, found, operation, given)


def _place_of(ev: Evaluator, found: Definition) -> tuple[GraphFile, int]:
    owner = ev.file_of_node(found.node)
    return owner, found.node - owner.base


def find_operators(ev: Evaluator, cls: int, name: str) -> Meaning:
    """The functions of a name, outside of classes or friends of them, that state a class as a parameter."""
    file = ev.file_of_node(cls)
    return ev.ask(file, ("operators", cls, name), lambda: _find_operators(ev, file, cls, name))


def _find_operators(ev: Evaluator, file: GraphFile, cls: int, name: str) -> Meaning:
    found: dict[int, None] = {}
    for place in ev.look_up("tops", file.language.family, name):
        other = ev.files.numbered(place[0])
        row = place[1]
        if other.cell(row, Symbol.KIND) in CLASS_KINDS:
            continue
        for position in range(len(other.parameters_of.get(row, ()))):
            wanted = stated_types.evaluate_parameter_type(ev, other, row, position)
            if any(isinstance(value, Instance) and value.node == cls for value in wanted.values):
                found[partial_definitions.resolve_node(ev, other, row)] = None
                break
    return Meaning(TYPE, tuple(map(Definition, found)))


def _find_form(ev: Evaluator, file: GraphFile, expr: int, levels: int = _LEVELS_MAX) -> _Form:
    """Whether an expression is a value of its class or a pointer to one, as far as its parts say."""
    if expr < 0 or not levels:
        return _Form.UNKNOWN
    op, a, b = file.exprs[expr * EXPR_WIDTH : expr * EXPR_WIDTH + EXPR_WIDTH]
    if op in _CONSTANT:
        return _Form.POINTER
    match op:
        case Op.NAME:
            return _find_form_of_name(ev, file, expr, a, levels)
        case Op.POINTED:
            return _Form.VALUE if _find_form(ev, file, a, levels - 1) == _Form.POINTER else _Form.UNKNOWN
        case Op.INDEX:
            return _Form.VALUE if _find_form(ev, file, a, levels - 1) == _Form.POINTER else _Form.UNKNOWN
        case Op.INSTANCE:
            return _find_form_of_type(ev, file, a)
        case Op.ELSE:
            return _find_form(ev, file, a if ev.expr(file, a).values else b, levels - 1)
        case Op.CALL | Op.ATTR:
            return _find_form_of_stated(ev, ev.expr(file, a if op == Op.CALL else expr), is_called=op == Op.CALL)
        case _:
            return _Form.UNKNOWN


def _find_form_of_name(ev: Evaluator, file: GraphFile, expr: int, binding: int, levels: int) -> _Form:
    forms: set[_Form] = set()
    for kind, a, _ in ev.sources(file, binding):
        match kind:
            case SourceKind.TYPED:
                forms.add(_find_form_of_type(ev, file, a))
            case SourceKind.VALUE:
                forms.add(_find_form(ev, file, a, levels - 1))
            case _:
                return _find_form_of_stated(ev, ev.expr(file, expr), is_called=False)
    return forms.pop() if len(forms) == 1 else _Form.UNKNOWN


def _find_form_of_type(ev: Evaluator, file: GraphFile, type_: int) -> _Form:
    """The form of what is of a type: its name may stand for a pointer."""
    if file.exprs[type_ * EXPR_WIDTH] == Op.ADDRESS:
        return _Form.POINTER
    meant = ev.expr(file, type_)
    if any(
        isinstance(each, Definition) and stated_types.evaluate_pointed(ev, each.node).values for each in meant.values
    ):
        return _Form.POINTER
    return _Form.VALUE if any(isinstance(each, Definition) for each in meant.values) else _Form.UNKNOWN


def _find_form_of_stated(ev: Evaluator, meant: Meaning, *, is_called: bool) -> _Form:
    """The form of what definitions state that they hold, or give when called."""
    forms: set[_Form] = set()
    for value in meant.values:
        if not isinstance(value, Definition):
            return _Form.UNKNOWN
        owner, row = _place_of(ev, value)
        if owner.cell(row, Symbol.KIND) in CLASS_KINDS:
            forms.add(_Form.VALUE if is_called else _Form.UNKNOWN)
        elif stated_types.evaluate_pointed(ev, value.node).values:
            forms.add(_Form.POINTER)
        else:
            stated = stated_types.evaluate_stated_type(ev, value.node)
            is_class = any(isinstance(each, Instance) for each in stated.values)
            forms.add(_Form.VALUE if is_class else _Form.UNKNOWN)
    return forms.pop() if len(forms) == 1 else _Form.UNKNOWN
