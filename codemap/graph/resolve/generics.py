"""Generics: substitutes type arguments for the type parameters of definitions.

A value of a generic class carries its type arguments (`Box[C]`); what its members say in terms of the class's type
parameters is filled in with them when a member is read or called, through bases that state arguments of their own. The
type parameters of a function are found in the arguments of each call, by the types that it states for them. One that
nothing is found for is left as it is, and stands for its bound when it is used.

The type parameters of a definition are those that it lists itself (PEP 695, TypeScript); a class that lists none has
the type variables that its bases are given, those of `Language.parameter_lists` before others.

The file is long because what has type parameters and what takes their place are written together.

Source: the typing specification, "Generics"; the TypeScript handbook, "Generics".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_

from codemap.facts import SourceKind, Symbol
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    PARAMETERS,
    Confidence,
    ContainerInstance,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    Outside,
    ParameterInstance,
    Receiver,
    ReceiverMark,
    TupleInstance,
    TypeParameter,
    Value,
    join,
    join_all,
    make_container,
    make_function,
    make_instance,
    make_tuple,
    one,
)
from codemap.graph.resolve import method_resolution_order, partial_definitions

TYPE = Confidence.TYPE
Parameter = tuple[int, int | None]
"""The node of the definition that has it, and which of its type parameters it is."""
Fill = Callable[[Value], Meaning | None]
"""The replacement of a value, or None where it stays."""
NONE_GIVEN: Mapping[Parameter, Meaning] = {}


def has_type_parameters(meaning: Meaning) -> bool:
    """Whether some values contain type parameters."""
    for value in meaning.values:
        if value.__class__ in PARAMETERS or (value.weight and any(map(has_type_parameters, list_parts(value)))):
            return True
    return False


def list_parts(value: Value) -> Sequence[Meaning]:
    match value:
        case ContainerInstance() | ContainerMethod():
            return (value.contents.element, value.contents.value, value.contents.result)
        case TupleInstance():
            return value.parts
        case FunctionInstance():
            return (*value.parameters, value.result)
        case Instance():
            return value.arguments or ()
        case Definition() if isinstance(value.receiver, Instance):
            return value.receiver.arguments or ()
        case _:
            return ()


def replace_values(meaning: Meaning, fill: Fill) -> Meaning:
    """Replaces values, and the values nested in them."""
    result: list[Value] = []
    confidence = meaning.confidence
    is_other = False
    for value in meaning.values:
        given = fill(value)
        if given is not None:
            is_other = True
            result += given.values
            confidence = max(confidence, given.confidence)
        elif value.weight:
            inner = _replace_within(value, fill)
            is_other |= inner is not value
            result.append(inner)
        else:
            result.append(value)
    return join(Meaning(confidence, tuple(dict.fromkeys(result))), NOTHING) if is_other else meaning


def _replace_within(value: Value, fill: Fill) -> Value:
    before = list_parts(value)
    parts = [replace_values(part, fill) if part.values else part for part in before]
    if all(map(is_, parts, before)):
        return value
    match value:
        case ContainerInstance():
            element, held, result = parts
            return make_container(element, held, result, value.name)
        case ContainerMethod():
            element, held, result = parts
            made = make_container(element, held, result)
            return ContainerMethod(made.contents, value.name, made.weight)
        case TupleInstance():
            return make_tuple(parts, value.names)
        case FunctionInstance():
            return make_function(parts[:-1], parts[-1])
        case Instance():
            return make_instance(value.node, parts)
        case Definition(node, Instance() as through):
            receiver = make_instance(through.node, parts)
            return Definition(node, receiver, receiver.weight)
        case _:
            return value


def substitute(meaning: Meaning, given: Mapping[Parameter, Meaning]) -> Meaning:
    """Substitutes type arguments for the type parameters in some values."""
    if not given or not has_type_parameters(meaning):
        return meaning

    def fill(value: Value) -> Meaning | None:
        if not isinstance(value, PARAMETERS):
            return None
        found = given.get((value.node, value.position), NOTHING)
        if not found.values:
            return None
        return found if isinstance(value, ParameterInstance) else convert_to_classes(found)

    return replace_values(meaning, fill)


def erase_parameters(meaning: Meaning) -> Meaning:
    """Some values without the type parameters in them."""
    return replace_values(meaning, lambda value: NOTHING if isinstance(value, PARAMETERS) else None)


def convert_to_classes(instances: Meaning) -> Meaning:
    """The classes that some values are of."""
    found: list[Value] = [Definition(value.node) for value in instances.values if isinstance(value, Instance)]
    found += [TypeParameter(v.node, v.position) for v in instances.values if isinstance(v, ParameterInstance)]
    return Meaning(instances.confidence, tuple(found)) if found else NOTHING


def convert_to_instances(types: Meaning) -> Meaning:
    """Some values of the classes and type parameters among some values."""
    found: list[Value] = [Instance(value.node) for value in types.values if isinstance(value, Definition)]
    found += [ParameterInstance(v.node, v.position) for v in types.values if isinstance(v, TypeParameter)]
    return Meaning(types.confidence, tuple(found)) if found else NOTHING


def evaluate_bound(ev: Evaluator, parameter: TypeParameter | ParameterInstance) -> Meaning:
    """The values that the bound of a type parameter admits, as the definition and its parts state it."""
    node = parameter.node
    file = ev.file_of_node(node)
    parts = partial_definitions.find_parts(ev, file, node - file.base)
    return join_all([evaluate_stated_bound(ev, each, parameter.position) for each in (node, *parts)])


def evaluate_stated_bound(ev: Evaluator, node: int, position: int | None) -> Meaning:
    """The values that the bound of a type parameter admits as a definition or part states it itself."""
    file = ev.file_of_node(node)
    key = ("stands for", node, position)
    return ev.ask(file, key, lambda: _evaluate_stated_bound(ev, file, node - file.base, position))


def _evaluate_stated_bound(ev: Evaluator, file: GraphFile, row: int, position: int | None) -> Meaning:
    if position is None:  # a type variable, whose value says so
        return ev.evaluate_type(file, file.cell(row, Symbol.VALUE))
    result = NOTHING
    for binding in file.type_parameters.get(row, {}).get(position, ()):
        for kind, a, _ in ev.sources(file, binding):
            if kind == SourceKind.VALUE:
                result = join(result, ev.evaluate_type(file, a))
    return result


def resolve_parameter(ev: Evaluator, value: TypeParameter | ParameterInstance) -> Meaning:
    """What a type parameter without an argument means: values of its bound, or their classes."""
    found = evaluate_bound(ev, value)
    return found if isinstance(value, ParameterInstance) else convert_to_classes(found)


def find_type_parameters(ev: Evaluator, node: int) -> tuple[Parameter, ...]:
    """The type parameters of a definition, in order."""
    file = ev.file_of_node(node)
    row = node - file.base
    listed = file.type_parameters.get(row)
    if listed is not None:
        return tuple((node, position) for position in range(max(listed) + 1))
    if row not in file.generic_bases:
        return ()
    return tuple(
        (value.node, value.position)
        for value in find_parameters_of_bases(ev, node).values
        if isinstance(value, ParameterInstance)
    )


def find_parameters_of_bases(ev: Evaluator, node: int) -> Meaning:
    """The type variables in the arguments of a class's bases, each once."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("type parameters", node), lambda: _find_in_bases(ev, file, node - file.base))


def _find_in_bases(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    found: dict[ParameterInstance, None] = {}
    for base, given in file.generic_bases.get(row, ()):
        own = _find_parameters(ev.evaluate_type(file, argument) for argument in given)
        if any(_is_list(file, value) for value in ev.expr(file, base).values):
            return Meaning(TYPE, tuple(own))
        found.update(own)
    return Meaning(TYPE, tuple(found))


def _is_list(file: GraphFile, base: Value) -> bool:
    """Whether a base only lists the type parameters of a class."""
    return isinstance(base, Outside) and base.name.rpartition(".")[2] in file.language.outside.parameter_lists


def _find_parameters(meanings: Iterable[Meaning]) -> dict[ParameterInstance, None]:
    """The type parameters in some values, each once, in order."""
    found: dict[ParameterInstance, None] = {}
    _add_parameters(meanings, found)
    return found


def _add_parameters(meanings: Iterable[Meaning], found: dict[ParameterInstance, None]) -> None:
    for meaning in meanings:
        for value in meaning.values:
            if isinstance(value, ParameterInstance):
                found[value] = None
            elif value.weight:
                _add_parameters(list_parts(value), found)


def instantiate(ev: Evaluator, cls: int, arguments: Sequence[Meaning]) -> Instance:
    """Some value of a class with stated type arguments."""
    return make_instance(cls, arguments) if find_type_parameters(ev, cls) else Instance(cls)


def map_arguments(ev: Evaluator, node: int, arguments: tuple[Meaning, ...] | None) -> Mapping[Parameter, Meaning]:
    """The type arguments of a definition by its type parameters."""
    if arguments is None:
        return NONE_GIVEN
    return dict(zip(find_type_parameters(ev, node), arguments, strict=False))


def map_arguments_above(
    ev: Evaluator, receiver: int | Instance | ReceiverMark, above: int
) -> Mapping[Parameter, Meaning]:
    """What the type parameters of a class are in a value of it, or of a class below it: a node or an instance."""
    if isinstance(receiver, ReceiverMark):
        return NONE_GIVEN
    cls, arguments = (receiver.node, receiver.arguments) if isinstance(receiver, Instance) else (receiver, None)
    if cls == above:
        return map_arguments(ev, cls, arguments)
    wanted = find_type_parameters(ev, above)
    if not wanted:
        return NONE_GIVEN
    stated = _find_arguments(ev, cls, above)
    own = map_arguments(ev, cls, arguments)
    return dict(zip(wanted, (substitute(argument, own) for argument in stated), strict=False))


def _find_arguments(ev: Evaluator, cls: int, above: int) -> tuple[Meaning, ...]:
    """The type arguments that a class states for one above it, in terms of its own type parameters."""
    found = evaluate_arguments(ev, cls, above)
    stated = found.values[0] if found.values else None
    return stated.parts if isinstance(stated, TupleInstance) else ()


def evaluate_arguments(ev: Evaluator, cls: int, above: int) -> Meaning:
    """The same, as a tuple of values."""
    return ev.ask(ev.file_of_node(cls), ("arguments", cls, above), lambda: _evaluate_arguments(ev, cls, above))


def _evaluate_arguments(ev: Evaluator, cls: int, above: int) -> Meaning:
    file = ev.file_of_node(cls)
    row = cls - file.base
    for base_row in file.base_rows.get(row, []):
        expr = file.bases[base_row * 5 + 2]
        for base in ev.value_of(ev.expr(file, expr)).values:
            if not isinstance(base, Definition) or base.node == cls:
                continue
            if base.node != above and not method_resolution_order.is_in_order(ev, above, base.node):
                continue
            listed = dict(file.generic_bases.get(row, [])).get(expr, [])
            arguments = tuple(ev.evaluate_type(file, argument) for argument in listed)
            if base.node != above:
                given = map_arguments(ev, base.node, arguments)
                arguments = tuple(substitute(part, given) for part in _find_arguments(ev, base.node, above))
            return one(TYPE, make_tuple(arguments))
    return NOTHING


def substitute_receiver(ev: Evaluator, file: GraphFile, row: int, receiver: Receiver, meaning: Meaning) -> Meaning:
    """What a member says, where it was reached through a receiver: a class's node or an instance."""
    if receiver is None or isinstance(receiver, ReceiverMark) or not has_type_parameters(meaning):
        return meaning
    owner = partial_definitions.resolve_node(ev, file, file.cell(row, Symbol.PARENT))
    return substitute(meaning, map_arguments_above(ev, receiver, owner))


def attach_receiver(ev: Evaluator, value: Instance, found: Meaning) -> Meaning:
    """Members of the class of an instance, as reached through it with its type arguments."""
    if not found.values:
        return found
    if has_type_parameters(found):  # of a member without a symbol, what it holds
        owners = dict.fromkeys(each.node for each in _find_parameters([found]))
        for owner in owners:
            found = substitute(found, map_arguments_above(ev, value, owner))
    values = tuple(
        Definition(member.node, value, value.weight)
        if isinstance(member, Definition) and (member.receiver is None or member.receiver == value.node)
        else member
        for member in found.values
    )
    return Meaning(found.confidence, values)
