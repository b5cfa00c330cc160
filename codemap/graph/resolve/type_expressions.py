"""The values that a type expression admits."""

from __future__ import annotations

from codemap.facts import Op, Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate import specializations, stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerInstance,
    Contents,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    ModuleObject,
    Outside,
    OutsideInstance,
    ParameterInstance,
    TypeParameter,
    Value,
    join,
    make_container,
    make_function,
    one,
    weaken,
)
from codemap.graph.resolve import generics, import_resolution, method_resolution_order
from codemap.graph.resolve.outside import contents
from codemap.languages.containers import Container
from codemap.languages.language import Language

TYPE = Confidence.TYPE
_VALUE_KINDS = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_NAMED = (ContainerInstance, OutsideInstance)
_WITH_CLASS = (Definition, Instance)
_ABSTRACT = int(SymbolFlag.ABSTRACT)


def exclude_types(ev: Evaluator, values: Meaning, excluded: Meaning) -> Meaning:
    """Values without those that are surely of some types: instances of the classes and of their heirs."""
    if not values.values or not excluded.values:
        return values
    gone = {_shape(value) for value in excluded.values}
    kept = tuple(value for value in values.values if not _is_one_of(ev, value, gone))
    return Meaning(values.confidence, kept) if kept else NOTHING


def select_by_text(ev: Evaluator, values: Meaning, name: str, text: str) -> Meaning:
    """The values whose member `name` can be a text: of the members of a union, those that a discriminant admits."""
    kept = tuple(value for value in values.values if _can_be_text(ev, one(values.confidence, value), name, text))
    return Meaning(values.confidence, kept) if kept else NOTHING


def _can_be_text(ev: Evaluator, value: Meaning, name: str, text: str) -> bool:
    held = ev.value_of(ev.find_attribute(value, name)).values
    texts = [each.text if isinstance(each, OutsideInstance) else None for each in held]
    return not texts or None in texts or text in texts


def _shape(value: Value) -> object:
    """What two values of one type have in common."""
    match value:
        case Instance():
            return value.node
        case ContainerInstance():
            return ("", value.name)
        case Outside(has_unknown_owner=False) | OutsideInstance():
            return (value.package, value.name)
        case _:
            return value


def _is_one_of(ev: Evaluator, value: Value, shapes: set[object]) -> bool:
    if not isinstance(value, Instance):
        return isinstance(value, _NAMED) and _shape(value) in shapes
    order = method_resolution_order.compute_order(ev, value.node).values
    return any(isinstance(cls, Definition) and cls.node in shapes for cls in order)


def is_informative(language: Language, stated: Meaning) -> bool:
    """Whether a stated type says what a value is: a type of functions, or of anything at all, says how it is used."""
    for value in stated.values:
        if isinstance(value, FunctionInstance):
            return False
        named = value.name if isinstance(value, _NAMED) else None
        if named is not None and named.rpartition(".")[2] in language.outside.opaque_types:
            return False
    return True


def select_definitions(given: Meaning) -> Meaning:
    """The functions and classes among some values: what is called where a type only says how."""
    found = tuple(value for value in given.values if isinstance(value, Definition))
    return Meaning(max(given.confidence, TYPE), found) if found else NOTHING


def is_abstract(ev: Evaluator, stated: Meaning) -> bool:
    """Whether a stated type is, or has among others, an abstract class of the repository."""
    nodes = [value.node for value in stated.values if isinstance(value, _WITH_CLASS)]
    return any(method_resolution_order.is_class(ev, node, _ABSTRACT) for node in nodes)


def add_implementing(ev: Evaluator, stated: Meaning, assigned: Meaning) -> Meaning:
    """An abstract type, with those of the values assigned where it is stated whose classes do not inherit from it: of a
    protocol they are what runs."""
    nodes = [value.node for value in stated.values if isinstance(value, _WITH_CLASS)]
    found = tuple(
        value
        for value in assigned.values
        if isinstance(value, _WITH_CLASS)
        and method_resolution_order.is_class(ev, value.node)
        and not any(method_resolution_order.is_in_order(ev, node, value.node) for node in nodes)
    )
    return join(stated, Meaning(max(assigned.confidence, TYPE), found)) if found else stated


def evaluate_function_type(ev: Evaluator, file: GraphFile, parameters: int, result: int) -> Meaning:
    """A function type: what it is called with, and what it gives."""
    admitted = tuple(ev.evaluate_type(file, parameter) for parameter in ev.arguments(file, parameters))
    return one(TYPE, make_function(admitted, ev.evaluate_type(file, result)))


def evaluate_type(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
    """The values that a type expression admits; rules ask the evaluator, which keeps the answer."""
    at = index * 3
    op, a, b = file.exprs[at], file.exprs[at + 1], file.exprs[at + 2]
    match op:
        case Op.UNION:
            return join(ev.evaluate_type(file, a), ev.evaluate_type(file, b))
        case Op.APPLY:
            return _evaluate_applied_type(ev, file, a, ev.arguments(file, b))
        case Op.INDEX:
            is_tuple = b >= 0 and file.exprs[b * 3] == Op.TUPLE
            return _evaluate_applied_type(ev, file, a, ev.arguments(file, file.exprs[b * 3 + 1]) if is_tuple else [b])
        case Op.ADDRESS:
            return ev.evaluate_type(file, a)
        case Op.CALL:
            position = _cast_position(ev, file, a)
            arguments = ev.arguments(file, b)
            if position is None or position >= len(arguments):
                return NOTHING
            return ev.evaluate_type(file, arguments[position])
        case Op.FUNCTION | Op.LITERAL | Op.TEXT | Op.THIS | Op.CONTAINER | Op.TUPLE | Op.INSTANCE:
            return ev.expr(file, index)
        case Op.ATTR if file.names[b] in file.language.containers.member_types:
            held = contents.select_held(ev.evaluate_type(file, a), file.language.containers.member_types[file.names[b]])
            return held if held.values else _instantiate_all(ev, _stated(ev, file, index))
        case _:
            return _instantiate_all(ev, _stated(ev, file, index))


def _stated(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
    """The types that an expression names; a bare `Final` or the like states none."""
    types = ev.expr(file, index)
    transparent = file.language.outside.transparent
    named = tuple(v for v in types.values if not isinstance(v, Outside) or v.name.rpartition(".")[2] not in transparent)
    return Meaning(types.confidence, named)


def _instantiate_all(ev: Evaluator, types: Meaning) -> Meaning:
    result = NOTHING
    for value in types.values:
        result = join(result, _instantiate(ev, value, types.confidence))
    is_open = len(result.values) > 1 and any(_is_of_some_builds(ev, value) for value in types.values)
    return weaken(result, Confidence.CANDIDATE) if is_open else result


def _is_of_some_builds(ev: Evaluator, value: Value) -> bool:
    """Whether a name for a type is a macro that some builds alone define so."""
    if not isinstance(value, Definition) or ev.kind_of_node(value.node) != SymbolKind.VARIABLE:
        return False
    file = ev.file_of_node(value.node)
    return bool(file.cell(value.node - file.base, Symbol.FLAGS) & SymbolFlag.CONDITIONAL)


def _instantiate(ev: Evaluator, value: Value, confidence: Confidence) -> Meaning:
    if isinstance(value, Outside):
        return one(confidence, OutsideInstance(value.package, value.name))
    if isinstance(value, TypeParameter):
        return one(confidence, ParameterInstance(value.node, value.position))
    if isinstance(value, ModuleObject):
        return weaken(_instantiate_all(ev, import_resolution.resolve_module_value(ev, value.module)), confidence)
    if not isinstance(value, Definition):
        return NOTHING
    node = value.node
    file = ev.file_of_node(node)
    row = node - file.base
    kind = file.cell(row, Symbol.KIND)
    if kind in CLASS_KINDS or kind == SymbolKind.FUNCTION:
        return one(confidence, Instance(node))
    if kind == SymbolKind.TYPE_ALIAS:
        stated = stated_types.evaluate_stated_type(ev, node)
        return weaken(generics.substitute_receiver(ev, file, row, value.receiver, stated), confidence)
    if kind in _VALUE_KINDS:
        if _is_type_variable(ev, file, row):
            return one(confidence, ParameterInstance(node))
        return weaken(stated_types.evaluate_assigned_type(ev, node), confidence)
    return NOTHING


def _evaluate_applied_type(ev: Evaluator, file: GraphFile, base: int, arguments: list[int]) -> Meaning:
    """A type with type arguments."""
    language = file.language
    result = NOTHING
    bases = specializations.select_specializations(ev, file, ev.expr(file, base), arguments)
    for value in bases.values:
        name = value.name.rpartition(".")[2] if isinstance(value, Outside) else ""
        if name in language.outside.transparent:
            position = language.outside.transparent[name]
            wanted = arguments if position < 0 else arguments[position : position + 1]
            for argument in wanted:
                result = join(result, ev.evaluate_type(file, argument))
        elif name in language.outside.type_of:
            result = join(result, _classes_named(ev, file, arguments[0]) if arguments else NOTHING)
        elif name in language.containers.types:
            parts = _evaluate_contents(ev, file, language.containers.types[name], arguments)
            result = join(result, one(bases.confidence, make_container(parts.element, parts.value, parts.result, name)))
        else:
            result = join(result, _evaluate_generic(ev, file, value, arguments, bases.confidence))
    return result


def _evaluate_generic(
    ev: Evaluator, file: GraphFile, value: Value, arguments: list[int], confidence: Confidence
) -> Meaning:
    """What a type that is no container admits with type arguments."""
    if isinstance(value, Outside) and any(_is_own(ev.evaluate_type(file, argument)) for argument in arguments):
        return one(confidence, OutsideInstance(value.package, value.name, is_of_own=True))
    plain = _instantiate(ev, value, confidence)
    if not isinstance(value, Definition) or not generics.find_type_parameters(ev, value.node):
        return plain
    node = value.node
    given = tuple(ev.evaluate_type(file, argument) for argument in arguments)
    whole = Instance(node)
    if plain.values == (whole,):
        return one(plain.confidence, generics.instantiate(ev, node, given))
    own = Meaning(plain.confidence, (generics.instantiate(ev, node, given),))
    filled = generics.substitute(plain, generics.map_arguments(ev, node, given))
    return generics.replace_values(filled, lambda each: own if each == whole else None)


def _is_own(given: Meaning) -> bool:
    """Whether a type argument is, or has, a type of the repository, or a type parameter, which may stand for one."""
    return any(
        isinstance(value, Instance | ParameterInstance) or any(map(_is_own, generics.list_parts(value)))
        for value in given.values
    )


def _classes_named(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
    """What a type expression names, type variables as the classes that they stand for."""
    named = ev.expr(file, index)
    found: list[Value] = []
    for value in named.values:
        if isinstance(value, Definition):
            owner = ev.file_of_node(value.node)
            row = value.node - owner.base
            if owner.cell(row, Symbol.KIND) in _VALUE_KINDS and _is_type_variable(ev, owner, row):
                value = TypeParameter(value.node)
        found.append(value)
    return ev.value_of(Meaning(named.confidence, tuple(found))) if found else named


def _is_type_variable(ev: Evaluator, file: GraphFile, row: int) -> bool:
    at = file.cell(row, Symbol.VALUE) * 3
    variables = file.language.outside.type_variables
    if at < 0 or not variables or file.exprs[at] != Op.CALL:
        return False
    callee = evaluate_made(ev, file.base + row).values
    return any(isinstance(value, Outside) and value.name.rpartition(".")[2] in variables for value in callee)


def evaluate_made(ev: Evaluator, node: int) -> Meaning:
    """What the call denotes whose result a variable is."""
    file = ev.file_of_node(node)
    at = file.cell(node - file.base, Symbol.VALUE) * 3
    is_call = at >= 0 and file.exprs[at] == Op.CALL
    return ev.ask(file, ("made", node), lambda: ev.expr(file, file.exprs[at + 1]) if is_call else NOTHING)


def _evaluate_contents(ev: Evaluator, file: GraphFile, container: Container, arguments: list[int]) -> Contents:
    def evaluate(position: int) -> Meaning:
        if not 0 <= position < len(arguments):
            return NOTHING
        return ev.evaluate_type(file, arguments[position])

    return Contents(evaluate(container.element), evaluate(container.value), evaluate(container.result))


def _cast_position(ev: Evaluator, file: GraphFile, callee: int) -> int | None:
    for value in ev.expr(file, callee).values:
        if isinstance(value, Outside):
            return file.language.outside.casts.get(value.name.rpartition(".")[2])
    return None
