"""The results of calls, and the types that callees state for their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.model.values import (
    ANYTHING,
    CLASS_KINDS,
    NOTHING,
    Confidence,
    Meaning,
    Parts,
    Tag,
    Value,
    container,
    container_of,
    function_of,
    join,
    one,
    tuple_of,
    weaken,
)
from codemap.graph.resolve import (
    class_members,
    generics,
    import_resolution,
    members,
    protocols,
    type_arguments,
    type_expressions,
)
from codemap.languages.project import Module

_SUSPENDED = SymbolFlag.ASYNC | SymbolFlag.GENERATOR
TYPE = Confidence.TYPE
SYMBOL, INSTANCE, OUTSIDE, OUTSIDE_INSTANCE = Tag.SYMBOL, Tag.INSTANCE, Tag.OUTSIDE, Tag.OUTSIDE_INSTANCE
PARAMETER, ARGUMENT = Tag.PARAMETER, Tag.ARGUMENT
_KIND, _FLAGS, _PARENT, _TYPE = Symbol.KIND, Symbol.FLAGS, Symbol.PARENT, Symbol.TYPE
_FUNCTIONS = (int(SymbolKind.FUNCTION), int(SymbolKind.METHOD))
_ACCESSOR = int(SymbolFlag.ACCESSOR)


def evaluate_call(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    meaning = NOTHING
    target = ev.value_of(ev.expr(file, callee))
    for value in target.values:
        if value.tag is OUTSIDE:
            found = _call_outside(ev, file, value, arguments)
        elif value.tag == Tag.CONTAINER_METHOD:
            found = _call_container(file, value)
        else:
            found = type_arguments.apply_type_arguments(ev, file, value, callee, arguments, evaluate_result(ev, value))
        meaning = join(meaning, weaken(found, max(target.confidence, TYPE)))
    return meaning


def _call_outside(ev: Evaluator, file: GraphFile, value: Value, arguments: int) -> Meaning:
    language = file.language
    name = str(value.b).rpartition(".")[2]
    if arguments >= 0:
        given = ev.arguments(file, arguments)
        if name in language.casts and language.casts[name] < len(given):
            return ev.evaluate_type(file, given[language.casts[name]])
        if name in language.forwarders and given:
            return ev.value_of(ev.expr(file, given[0]))
        if name in language.containers and given:
            element = protocols.apply_protocol(ev, ev.value_of(ev.expr(file, given[0])), "iter")
            return one(TYPE, container(element, element, NOTHING, name))
    return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, value.a, value.b))


def _call_container(file: GraphFile, value: Value) -> Meaning:
    parts = value.a
    assert isinstance(parts, Parts)
    match file.language.container_methods.get(str(value.b)):
        case "element":
            return parts.element
        case "value":
            return parts.value
        case "result":
            return parts.result
        case "self":
            return one(TYPE, container_of(parts))
        case "elements":
            return one(TYPE, container(parts.element, parts.element, NOTHING))
        case "values":
            return one(TYPE, container(parts.value, parts.value, NOTHING))
        case "items":
            pair = one(TYPE, tuple_of((parts.element, parts.value)))
            return one(TYPE, container(pair, pair, NOTHING))
        case _:
            return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, "", ""))


def evaluate_result(ev: Evaluator, value: Value) -> Meaning:
    """The result of calling a value."""
    if value.tag is SYMBOL:
        return _call_definition(ev, value)
    match value.tag:
        case Tag.INSTANCE:
            frame = ev.solver.frame
            return ev.ask(frame, ("called", frame, value), lambda: _call_instance(ev, value))
        case Tag.MODULE:
            assert isinstance(value.a, Module)
            return evaluate_results(ev, ev.value_of(import_resolution.resolve_module_value(ev, value.a)))
        case Tag.OUTSIDE | Tag.OUTSIDE_INSTANCE:
            return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, value.a, ""))
        case Tag.FUNCTION:
            assert isinstance(value.b, Meaning)
            return value.b
        case Tag.PARAMETER:
            return one(TYPE, Value(Tag.ARGUMENT, value.a, value.b))
        case Tag.ARGUMENT:
            return evaluate_results(ev, generics.evaluate_bound(ev, value))
        case _:
            return NOTHING


def _call_instance(ev: Evaluator, instance: Value) -> Meaning:
    """The result of calling an instance. Memoized, because a type may be defined in terms of itself."""
    called = protocols.call_protocol(ev, instance, "call")
    return called if called.values else evaluate_results(ev, protocols.find_underlying(ev, instance))


def _call_definition(ev: Evaluator, definition: Value) -> Meaning:
    node = definition.a
    assert isinstance(node, int)
    file = ev.file_of_node(node)
    row = node - file.base
    kind = file.cell(row, _KIND)
    if kind in CLASS_KINDS:
        given = _find_allocated(ev, definition, file) if file.language.allocators else NOTHING
        return given if given.values else one(TYPE, Value(INSTANCE, node))
    if kind not in _FUNCTIONS and not file.cell(row, _FLAGS) & _ACCESSOR:
        return NOTHING
    result = evaluate_function(ev, node)
    if not result.values:
        return one(TYPE, Value(INSTANCE, node)) if class_members.has_members(file, row) else result
    return _replace_self(ev, file, row, definition.b, result)


def _find_allocated(ev: Evaluator, cls: Value, file: GraphFile) -> Meaning:
    """The result that an allocator of the class (`__new__`) states, where it is not the class."""
    meaning = NOTHING
    for name in file.language.allocators:
        for method in class_members.find_member(ev, cls, name).values:
            if method.tag == Tag.SYMBOL and isinstance(method.a, int):
                meaning = join(meaning, stated_types.evaluate_stated_type(ev, method.a))
    known = tuple(value for value in meaning.values if value.tag != Tag.OUTSIDE_INSTANCE)
    return Meaning(meaning.confidence, known)


def find_parameter_type(ev: Evaluator, file: GraphFile, callee: int, position: int) -> Meaning:
    """The type that the callee of an expression states for its argument at `position`."""
    found = []
    callees = ev.value_of(ev.expr(file, callee))
    for value in callees.values:
        one_wants = _find_argument_type(ev, file, value, position)
        if generics.has_type_parameters(one_wants):
            one_wants = generics.substitute(one_wants, type_arguments.find_type_arguments(ev, file, value, callee))
        found.append(one_wants)
    return weaken(_join_alternatives(found), TYPE)


def _join_alternatives(found: Sequence[Meaning]) -> Meaning:
    """The union of several types; where overloads state too many, without the type parameters by which they differ."""
    meaning = NOTHING
    for each in found:
        meaning = join(meaning, each)
    if meaning is ANYTHING:
        meaning = NOTHING
        for each in found:
            meaning = join(meaning, type_arguments.erase_type_arguments(each))
    return meaning


def find_argument_type(ev: Evaluator, file: GraphFile, callees: Meaning, position: int) -> Meaning:
    """The type that callees state for their argument at `position`; `file` is that of the call."""
    return weaken(
        _join_alternatives([_find_argument_type(ev, file, callee, position) for callee in callees.values]), TYPE
    )


def _find_argument_type(ev: Evaluator, file: GraphFile, callee: Value, position: int) -> Meaning:
    match callee.tag:
        case Tag.FUNCTION:
            return _select_parameter(callee.a, position)
        case Tag.CONTAINER_METHOD:
            part_name = file.language.container_callbacks.get(str(callee.b)) if position == 0 else None
            if part_name is None:
                return NOTHING
            return one(TYPE, function_of((getattr(callee.a, part_name),), NOTHING))
        case Tag.SYMBOL:
            assert isinstance(callee.a, int)
            owner = ev.file_of_node(callee.a)
            row = callee.a - owner.base
            if owner.cell(row, Symbol.KIND) in CLASS_KINDS:
                found = (class_members.find_member(ev, callee, name) for name in owner.language.constructors)
                return find_argument_type(ev, file, next((each for each in found if each.values), NOTHING), position)
            stated = owner.parameters_of.get(row, [])
            if position >= len(stated):
                return NOTHING
            wanted = stated_types.evaluate_parameter_type(ev, owner, row, position)
            return generics.substitute_receiver(ev, owner, row, callee.b, wanted)
        case Tag.INSTANCE if (method := members.language_of(ev, callee).protocols.get("call")) is not None:
            return find_argument_type(ev, file, ev.value_of(class_members.find_member(ev, callee, method)), position)
        case Tag.PARAMETER | Tag.ARGUMENT:
            return find_argument_type(ev, file, generics.resolve_parameter(ev, callee), position)
        case _:
            return NOTHING


def _select_parameter(parameters: object, position: int) -> Meaning:
    assert isinstance(parameters, tuple)
    found = parameters[position] if position < len(parameters) else NOTHING
    assert isinstance(found, Meaning)
    return found


def evaluate_results(ev: Evaluator, callees: Meaning) -> Meaning:
    meaning = NOTHING
    for value in callees.values:
        meaning = join(meaning, weaken(evaluate_result(ev, value), callees.confidence))
    return meaning


def evaluate_function(ev: Evaluator, node: int) -> Meaning:
    """What a function or accessor gives, whatever it is called on."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("result", node), lambda: _evaluate_function(ev, file, node - file.base))


def _evaluate_function(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    flags = file.cell(row, Symbol.FLAGS)
    stated = file.cell(row, Symbol.TYPE)
    if stated >= 0:
        result = ev.evaluate_type(file, stated)
        if result.values and not flags & _SUSPENDED and not type_expressions.is_informative(file.language, result):
            given = ev.value_of(ev.expr(file, file.cell(row, Symbol.VALUE)))
            result = join(result, type_expressions.select_definitions(given))
        is_wrapped = bool(flags & _SUSPENDED == SymbolFlag.ASYNC and "await" in file.language.protocols)
    else:
        result = weaken(ev.value_of(ev.expr(file, file.cell(row, Symbol.VALUE))), TYPE)
        if result.values and flags & SymbolFlag.GENERATOR:
            return one(TYPE, container(result, NOTHING, result))
        is_wrapped = bool(flags & SymbolFlag.ASYNC)
    if is_wrapped and result.values:
        return one(TYPE, container(NOTHING, NOTHING, result))
    return result


def _replace_self(ev: Evaluator, file: GraphFile, row: int, receiver: object, result: Meaning) -> Meaning:
    """A method's result for its receiver, which replaces `Self` and a plain `return self`; the type arguments of the
    receiver replace the type parameters of the class."""
    owner = file.base + file.cell(row, _PARENT)
    is_stated = file.cell(row, _TYPE) >= 0
    for value in result.values:  # which are most often left as they are
        tag = value.tag
        if value.nesting or tag is ARGUMENT or tag is PARAMETER:
            break
        if (tag is INSTANCE and value.a == owner and not is_stated) or (tag is OUTSIDE_INSTANCE and is_stated):
            break
    else:
        return result
    if isinstance(receiver, Value):
        this = receiver
    else:
        this = Value(INSTANCE, receiver if isinstance(receiver, int) else owner)
    self_types = file.language.self_types

    def fill(value: Value) -> Meaning | None:
        tag = value.tag
        names_self = tag is OUTSIDE_INSTANCE and str(value.b) in self_types
        returns_self = not is_stated and tag is INSTANCE and value.a == owner
        return Meaning(result.confidence, (this,)) if names_self or returns_self else None

    return generics.substitute_receiver(ev, file, row, receiver, generics.replace_values(result, fill))
