"""The types that callees state for their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import RECEIVER, Symbol
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    ANYTHING,
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerInstance,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    ParameterInstance,
    TypeParameter,
    Value,
    join,
    make_function,
    one,
    weaken,
)
from codemap.graph.resolve import class_members, generics, method_resolution_order

TYPE = Confidence.TYPE


def join_alternatives(found: Sequence[Meaning]) -> Meaning:
    """The union of several types; where overloads state too many, without the type parameters by which they differ."""
    meaning = NOTHING
    for each in found:
        meaning = join(meaning, each)
    if meaning is ANYTHING:
        meaning = NOTHING
        for each in found:
            meaning = join(meaning, _erase_type_arguments(each))
    return meaning


def find_argument_type(ev: Evaluator, file: GraphFile, callees: Meaning, position: int | str) -> Meaning:
    """The type that callees state for their argument at `position`, negative from the end, or of that name; `file` has
    the call."""
    return weaken(
        join_alternatives([_find_argument_type(ev, file, callee, position) for callee in callees.values]), TYPE
    )


def find_given_type(ev: Evaluator, file: GraphFile, wanted: Meaning, position: int) -> Meaning:
    """What a function is called with at `position` that is given where some types are wanted."""
    if not file.language.functions_implement:
        return find_argument_type(ev, file, wanted, position)
    found = [_find_given_type(ev, file, value, position) for value in wanted.values]
    return weaken(join_alternatives(found), TYPE)


def _find_given_type(ev: Evaluator, file: GraphFile, wanted: Value, position: int) -> Meaning:
    if isinstance(wanted, Instance):
        methods = method_resolution_order.find_single_method(ev, wanted.node)
        if methods.values:
            return find_argument_type(ev, file, generics.attach_receiver(ev, wanted, methods), position)
    return _find_argument_type(ev, file, wanted, position)


def _find_argument_type(ev: Evaluator, file: GraphFile, callee: Value, position: int | str) -> Meaning:
    match callee:
        case FunctionInstance(parameters) if not isinstance(position, str):
            count = len(parameters) if position >= 0 or len(parameters) <= RECEIVER else 0  # else it is not known
            return parameters[position] if -count <= position < count else NOTHING
        case ContainerInstance(held, name) if not isinstance(position, str):
            count = file.language.containers.function_types.get(name or "", 0)
            return (held.element, held.value)[position] if 0 <= position < count else NOTHING
        case ContainerMethod():
            which = file.language.containers.callbacks.get(callee.name) if position in (0, -1) else None
            if which is None:
                return NOTHING
            return one(TYPE, make_function((getattr(callee.contents, which),), NOTHING))
        case Definition():
            owner = ev.file_of_node(callee.node)
            row = callee.node - owner.base
            if owner.cell(row, Symbol.KIND) in CLASS_KINDS:
                constructors = class_members.find_constructors(ev, callee)
                if constructors.values or row not in owner.parameters_of:
                    return find_argument_type(ev, file, constructors, position)
            stated = owner.parameters_of.get(row, [])
            if isinstance(position, str):
                names = owner.parameter_names_of.get(row, [])
                position = names.index(position) if position in names else -1
            else:
                position += len(stated) * (position < 0) - stated_types.is_passed_receiver(file.language, owner, row)
            if not 0 <= position < len(stated):
                return NOTHING
            wanted = stated_types.evaluate_parameter_type(ev, owner, row, position)
            return generics.substitute_receiver(ev, owner, row, callee.receiver, wanted)
        case Instance() if (method := ev.file_of_node(callee.node).language.protocols.get("call")) is not None:
            return find_argument_type(ev, file, ev.value_of(class_members.find_member(ev, callee, method)), position)
        case TypeParameter() | ParameterInstance():
            return find_argument_type(ev, file, generics.resolve_parameter(ev, callee), position)
        case _:
            return NOTHING


def _erase_type_arguments(meaning: Meaning) -> Meaning:
    """The same values without type arguments that contain type parameters."""

    def fill(value: Value) -> Meaning | None:
        if not isinstance(value, Instance) or not generics.has_type_parameters(one(TYPE, value)):
            return None
        return one(meaning.confidence, Instance(value.node))

    return generics.replace_values(meaning, fill)
