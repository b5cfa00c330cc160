"""Type arguments of calls: those that the call states, or that are inferred from its arguments.

Inference unifies the stated type of a parameter with the argument: from `list[T]` and a list of C follows that T is C.

Source: the typing specification, "Generics"; the TypeScript handbook, "Generics".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codemap.facts import Op, Symbol, SymbolFlag
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    PARAMETERS,
    Confidence,
    ContainerInstance,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    ParameterInstance,
    TupleInstance,
    Value,
    join,
    make_instance,
    one,
    weaken,
)
from codemap.graph.resolve import argument_types, calls, generics, protocols

TYPE = Confidence.TYPE
_AROUND = (int(Op.OVERLOAD), int(Op.ELSE))
"""Operators around what is called."""
Given = Mapping[generics.Parameter, Meaning]


def apply_type_arguments(
    ev: Evaluator, file: GraphFile, callee: Value, expr: int, arguments: int, found: Meaning
) -> Meaning:
    """The result `found` of a call with its type parameters replaced. `arguments` is an ARG list, `expr` the callee's
    expression."""
    if not found.values:
        return found
    first = found.values[0]
    node = callee.node if isinstance(callee, Definition) else None
    if isinstance(first, Instance) and first.node != node and not first.weight and len(found.values) == 1:
        return found  # what most calls give
    makes = _find_constructed(ev, callee, found)
    if makes is None and not generics.has_type_parameters(found):
        return found
    listed = _list_extended(ev, file, callee, expr) or ev.arguments(file, arguments)
    named = _list_named(ev, file, arguments)
    given = evaluate_stated(ev, file, callee, expr) or infer_type_arguments(ev, file, callee, listed, named)
    given = {**_infer_by_receiver(ev, file, callee, expr), **given}
    if makes is None or not given:
        return generics.substitute(found, given)
    known = [given.get(each, NOTHING) for each in generics.find_type_parameters(ev, makes)]
    return one(found.confidence, make_instance(makes, known))


def _find_constructed(ev: Evaluator, callee: Value, found: Meaning) -> int | None:
    """The generic class that a call constructs, where the type arguments are not known yet."""
    if not isinstance(callee, Definition) or found.values != (Instance(callee.node),):
        return None
    node = callee.node
    is_class = ev.kind_of_node(node) in CLASS_KINDS
    return node if is_class and generics.find_type_parameters(ev, node) else None


def find_type_arguments(ev: Evaluator, file: GraphFile, callee: Value, expr: int) -> Given:
    """The type arguments that a callee's expression states, or that its listed arguments determine."""
    at = expr * 3
    if file.exprs[at] == Op.OVERLOAD:
        listed = ev.arguments(file, file.exprs[at + 2])
        given = evaluate_stated(ev, file, callee, file.exprs[at + 1])
        named = _list_named(ev, file, file.exprs[at + 2])
        given = given or infer_type_arguments(ev, file, callee, listed, named)
    else:
        given = evaluate_stated(ev, file, callee, expr)
    return {**_infer_by_receiver(ev, file, callee, expr), **given}


def find_parameter_type(ev: Evaluator, file: GraphFile, callee: int, position: int | str) -> Meaning:
    """The type that the callee of an expression states for its argument at `position`, or of that name."""
    found = []
    for value in ev.value_of(ev.expr(file, callee)).values:
        one_wants = argument_types.find_argument_type(ev, file, one(TYPE, value), position)
        if generics.has_type_parameters(one_wants):
            given = find_type_arguments(ev, file, value, callee)
            one_wants = generics.substitute(take_function_bounds(ev, one_wants), given)
        found.append(one_wants)
    return weaken(argument_types.join_alternatives(found), TYPE)


def _infer_by_receiver(ev: Evaluator, file: GraphFile, callee: Value, expr: int) -> Given:
    """The type arguments of a function that is called on a value as if that had it, inferred from the value."""
    if not file.language.extends_any or not isinstance(callee, Definition):
        return generics.NONE_GIVEN
    owner = ev.file_of_node(callee.node)
    if not owner.cell(callee.node - owner.base, Symbol.FLAGS) & SymbolFlag.EXTENSION:
        return generics.NONE_GIVEN
    wanted = stated_types.evaluate_generic_receiver(ev, callee.node)
    at = expr * 3
    while file.exprs[at] in (*_AROUND, Op.APPLY):
        at = file.exprs[at + 1] * 3
    if file.exprs[at] != Op.ATTR or not generics.has_type_parameters(wanted):
        return generics.NONE_GIVEN
    found: dict[generics.Parameter, Meaning] = {}
    _unify(ev, wanted, ev.value_of(ev.expr(file, file.exprs[at + 1])), found)
    return found


def _list_extended(ev: Evaluator, file: GraphFile, callee: Value, expr: int) -> list[int]:
    """The arguments of an extension that a call means, what it is called on first; of anything else, none."""
    if not file.language.has_extensions or not isinstance(callee, Definition):
        return []
    owner = ev.file_of_node(callee.node)
    if not owner.cell(callee.node - owner.base, Symbol.FLAGS) & SymbolFlag.EXTENSION:
        return []
    exprs, at = file.exprs, expr * 3
    if exprs[at] == Op.ELSE:
        at = exprs[at + 2] * 3
    if exprs[at] != Op.OVERLOAD:
        return []
    inner = exprs[at + 1] * 3
    if exprs[inner] == Op.APPLY:
        inner = exprs[inner + 1] * 3
    return ev.arguments(file, exprs[at + 2]) if exprs[inner] == Op.EXTENSION else []


def evaluate_stated(ev: Evaluator, file: GraphFile, callee: Value, expr: int) -> Given:
    """The type arguments that a call states."""
    at = expr * 3
    while file.exprs[at] in _AROUND:
        at = file.exprs[at + 1] * 3
    if file.exprs[at] != Op.APPLY or not isinstance(callee, Definition):
        return generics.NONE_GIVEN
    listed = ev.arguments(file, file.exprs[at + 2])
    return generics.map_arguments(ev, callee.node, tuple(ev.evaluate_type(file, argument) for argument in listed))


def _list_named(ev: Evaluator, file: GraphFile, arguments: int) -> Mapping[str, int]:
    return ev.named_arguments(file, arguments) if file.language.has_named_arguments else {}


def infer_type_arguments(
    ev: Evaluator, file: GraphFile, callee: Value, arguments: Sequence[int], named: Mapping[str, int]
) -> Given:
    """The type arguments of a callee, inferred from the arguments that it is called with."""
    found: dict[generics.Parameter, Meaning] = {}
    places: list[tuple[int | str, int]] = [*enumerate(arguments), *named.items()]
    for position, argument in places:
        if argument >= 0:
            wanted = argument_types.find_argument_type(ev, file, one(TYPE, callee), position)
            if generics.has_type_parameters(wanted):
                _unify(ev, wanted, ev.value_of(ev.expr(file, argument)), found)
    return found


def _unify(ev: Evaluator, wanted: Meaning, given: Meaning, found: dict[generics.Parameter, Meaning]) -> None:
    """Unifies a stated type with values, and adds the type arguments that follow to `found`."""
    rest = given.values
    for value in wanted.values:
        if value.weight:
            rest = tuple(other for other in rest if not _unify_values(ev, value, other, found))
    for value in wanted.values:
        if isinstance(value, PARAMETERS) and rest:
            of = Meaning(max(given.confidence, TYPE), rest)
            key = (value.node, value.position)
            found[key] = join(
                found.get(key, NOTHING),
                of if isinstance(value, ParameterInstance) else generics.convert_to_instances(of),
            )


def _unify_values(ev: Evaluator, wanted: Value, given: Value, found: dict[generics.Parameter, Meaning]) -> bool:
    """Whether a value may be of a type, judged by the structure of both."""
    match wanted:
        case ContainerInstance() if isinstance(given, ContainerInstance):
            for left, right in zip(generics.list_parts(wanted), generics.list_parts(given), strict=True):
                _unify(ev, left, right, found)
            return True
        case ContainerInstance(parts) if isinstance(given, TupleInstance) and given.names:
            if parts.element != parts.value:
                _unify(ev, parts.value, protocols.apply_protocol(ev, one(TYPE, given), "index"), found)
            return parts.element != parts.value
        case ContainerInstance(parts) if isinstance(given, TupleInstance | Instance):
            operation = "iter" if parts.element.values else "await"
            held = protocols.apply_protocol(ev, one(TYPE, given), operation)
            _unify(ev, parts.element if parts.element.values else parts.result, held, found)
            return bool(held.values)
        case TupleInstance() if isinstance(given, TupleInstance) and wanted.names == given.names:
            for left, right in zip(generics.list_parts(wanted), generics.list_parts(given), strict=False):
                _unify(ev, left, right, found)
            return True
        case Instance(cls, arguments) if isinstance(given, Instance):
            known = generics.map_arguments_above(ev, given, cls)
            for part, parameter in zip(arguments or (), generics.find_type_parameters(ev, cls), strict=False):
                _unify(ev, part, known.get(parameter, NOTHING), found)
            return given.node == cls or bool(known)
        case FunctionInstance():
            result = calls.evaluate_results(ev, one(TYPE, given))
            _unify(ev, wanted.result, result, found)
            return isinstance(given, Definition | FunctionInstance | ContainerMethod)
        case _:
            return False


def take_function_bounds(ev: Evaluator, wanted: Meaning) -> Meaning:
    """Type parameters that are bounded by types of functions as these (`f: F` where `F: Fn(T)`)."""
    meaning = NOTHING
    for value in wanted.values:
        bound = generics.evaluate_bound(ev, value) if isinstance(value, ParameterInstance) else NOTHING
        functions = tuple(each for each in bound.values if isinstance(each, FunctionInstance))
        meaning = join(meaning, Meaning(wanted.confidence, functions or (value,)))
    return meaning
