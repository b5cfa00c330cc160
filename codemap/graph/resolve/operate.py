"""What operations on values give: attributes, calls, and what callees want as their arguments.

The file is long because calls and members evaluate each other.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from codemap.facts import Symbol, SymbolFlag, SymbolKind, plain_name
from codemap.graph.model.values import (
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
from codemap.graph.resolve import classes, generics, inferred, inside, linkage, stand_ins, typed
from codemap.graph.resolve.files import GraphFile
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.languages.project import Module

if TYPE_CHECKING:
    from codemap.graph.resolve.evaluate import Evaluator

_PLACES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_SUSPENDED = SymbolFlag.ASYNC | SymbolFlag.GENERATOR
_DOTS_MAX = 5
"""Without a bound, what `node = node.next` may hold never ends where `node` comes from outside."""
IMPORT, TYPE = Confidence.IMPORT, Confidence.TYPE
SYMBOL, INSTANCE, OUTSIDE, OUTSIDE_INSTANCE = Tag.SYMBOL, Tag.INSTANCE, Tag.OUTSIDE, Tag.OUTSIDE_INSTANCE
PARAMETER, ARGUMENT = Tag.PARAMETER, Tag.ARGUMENT
_KIND, _FLAGS, _PARENT, _TYPE = Symbol.KIND, Symbol.FLAGS, Symbol.PARENT, Symbol.TYPE
_FUNCTIONS = (int(SymbolKind.FUNCTION), int(SymbolKind.METHOD))
_ACCESSOR = int(SymbolFlag.ACCESSOR)


def attribute(ev: Evaluator, receiver: Meaning, name: str, file: GraphFile | None = None) -> Meaning:
    """What `receiver.name` denotes. A member of a namespace itself hides those of what the namespace was made from.

    `file` holds the expression, where it is one.
    """
    result = _own(ev, receiver, name) if len(receiver.values) > 1 else NOTHING
    if result.values:
        return result
    for value in receiver.values:
        tag = value.tag
        # Most values are one of these, and a member of an enumeration costs more to look up than to compare.
        if tag is INSTANCE and name in ev.class_of and name in language_of(ev, value).class_of:
            found = one(receiver.confidence, Value(SYMBOL, value.a))
        elif tag is SYMBOL or tag is INSTANCE:
            found = weaken(classes.member(ev, value, name), receiver.confidence)
        elif tag is OUTSIDE:
            found = one(receiver.confidence, Value(OUTSIDE, value.a, _dotted(str(value.b or ""), name)))
        else:
            found = _attribute_of(ev, receiver.confidence, value, name, file)
        result = join(result, found)
    if len(result.values) < 2 or file is None or not file.language.bounds_meet:
        return result
    if any(value.tag == Tag.INSTANCE for value in receiver.values):
        known = tuple(value for value in result.values if value.tag != Tag.OUTSIDE)
        return Meaning(result.confidence, known) if known else result
    return result


def _dotted(of: str, name: str) -> str:
    """The name of an outside member; of one that lies too deep, the name of what it is in."""
    if not of:
        return plain_name(name)
    return of if of.count(".") > _DOTS_MAX else f"{of}.{plain_name(name)}"


def _attribute_of(ev: Evaluator, confidence: Confidence, value: Value, name: str, file: GraphFile | None) -> Meaning:
    """What an attribute of a module, or of a value of a type outside the repository, denotes."""
    match value.tag:
        case Tag.MODULE:
            assert isinstance(value.a, Module)
            found = linkage.module_member(ev, value.a, name, str(value.b))
            spoken = by_name()[str(value.b)]
            if not found.values and spoken.unbound_is_outside and spoken.declares_packages:
                found = one(IMPORT, Value(OUTSIDE, "", plain_name(name)))
            return weaken(found, max(confidence, IMPORT))
        case Tag.OUTSIDE_INSTANCE | Tag.CONTAINER if (added := _added(ev, file, value, name)).values:
            return weaken(added, confidence)
        case Tag.OUTSIDE_INSTANCE:
            return one(confidence, Value(OUTSIDE, value.a, ""))
        case Tag.CONTAINER:
            return one(confidence, Value(Tag.CONTAINER_METHOD, value.a, plain_name(name), value.nesting))
        case Tag.PARAMETER | Tag.ARGUMENT:
            return attribute(ev, generics.stood_for(ev, value), name, file)
        case _:
            return one(confidence, Value(OUTSIDE, "", ""))


def _added(ev: Evaluator, file: GraphFile | None, value: Value, name: str) -> Meaning:
    """The member that the repository adds to a type outside, or to one that its values are handed on as."""
    if file is None or not file.language.has_parts or plain_name(name) in file.language.builtin_members:
        return NOTHING
    type_name = str(value.b or "").rpartition(".")[2]
    for outside in (type_name, *file.language.converts.get(type_name, ())):
        found = added_elsewhere(ev, file.language, outside, name)
        if found.values:
            return found
    return NOTHING


def added_elsewhere(ev: Evaluator, language: Language, outside: str, name: str) -> Meaning:
    """The member that parts of a type outside have."""
    key = ("added", language.name, outside, name)
    return ev.ask(ev.elsewhere(*key), key, partial(_of_parts, ev, language, outside, name))


def _of_parts(ev: Evaluator, language: Language, outside: str, name: str) -> Meaning:
    result = NOTHING
    ev.note("parts", language.family, outside)
    for number, row in ev.definitions.parts(language.family, outside):
        owner = ev.files.numbered(number)
        if stand_ins.node_meant(ev, owner, row) == owner.base + row:
            found = classes.member(ev, Value(Tag.INSTANCE, owner.base + row), name)
            known = tuple(value for value in found.values if value.tag == Tag.SYMBOL)
            result = join(result, Meaning(max(found.confidence, TYPE), known))
    return result


def _own(ev: Evaluator, receiver: Meaning, name: str) -> Meaning:
    """The member that variables among some values have themselves: object literals, and what was assigned to them."""
    result = NOTHING
    for value in receiver.values:
        if value.tag == Tag.SYMBOL and value.b is None and isinstance(value.a, int):
            file = ev.file_of_node(value.a)
            if file.cell(value.a - file.base, Symbol.KIND) in _PLACES:
                result = join(result, weaken(classes.member(ev, value, name), receiver.confidence))
    return result


def call(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    meaning = NOTHING
    target = ev.value_of(ev.expr(file, callee))
    for value in target.values:
        if value.tag is OUTSIDE:
            found = _call_outside(ev, file, value, arguments)
        elif value.tag == Tag.CONTAINER_METHOD:
            found = _call_container(file, value)
        else:
            found = inferred.called(ev, file, value, callee, arguments, returned(ev, value))
        meaning = join(meaning, weaken(found, max(target.confidence, TYPE)))
    return meaning


def _call_outside(ev: Evaluator, file: GraphFile, value: Value, arguments: int) -> Meaning:
    language = file.language
    name = str(value.b).rpartition(".")[2]
    if arguments >= 0:
        given = ev.arguments(file, arguments)
        if name in language.casts and language.casts[name] < len(given):
            return typed.instances(ev, file, given[language.casts[name]])
        if name in language.forwarders:
            return ev.value_of(ev.expr(file, given[0]))
        if name in language.containers:
            element = inside.part(ev, ev.value_of(ev.expr(file, given[0])), "iter")
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


def returned(ev: Evaluator, value: Value) -> Meaning:
    """What calling a value gives."""
    if value.tag is SYMBOL:
        return _returned_by(ev, value)
    match value.tag:
        case Tag.INSTANCE:
            frame = ev.solver.frame
            return ev.ask(frame, ("called", frame, value), lambda: _called(ev, value))
        case Tag.MODULE:
            assert isinstance(value.a, Module)
            return results(ev, ev.value_of(linkage.module_value(ev, value.a)))
        case Tag.OUTSIDE | Tag.OUTSIDE_INSTANCE:
            return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, value.a, ""))
        case Tag.FUNCTION:
            assert isinstance(value.b, Meaning)
            return value.b
        case Tag.PARAMETER:
            return one(TYPE, Value(Tag.ARGUMENT, value.a, value.b))
        case Tag.ARGUMENT:
            return results(ev, generics.bound(ev, value))
        case _:
            return NOTHING


def _called(ev: Evaluator, instance: Value) -> Meaning:
    """What calling an instance gives: a type may be defined as itself, by way of others."""
    called = inside.protocol(ev, instance, "call")
    return called if called.values else results(ev, inside.underlying(ev, instance))


def _returned_by(ev: Evaluator, definition: Value) -> Meaning:
    node = definition.a
    assert isinstance(node, int)
    file = ev.file_of_node(node)
    row = node - file.base
    kind = file.cell(row, _KIND)
    if kind in CLASS_KINDS:
        given = _allocated(ev, definition, file) if file.language.allocators else NOTHING
        return given if given.values else one(TYPE, Value(INSTANCE, node))
    if kind not in _FUNCTIONS and not file.cell(row, _FLAGS) & _ACCESSOR:
        return NOTHING
    result = result_of(ev, node)
    if not result.values:
        return one(TYPE, Value(INSTANCE, node)) if classes.has_members(file, row) else result
    return _for_receiver(ev, file, row, definition.b, result)


def _allocated(ev: Evaluator, cls: Value, file: GraphFile) -> Meaning:
    """What the class says that its calls give, where that is stated and not the class."""
    meaning = NOTHING
    for name in file.language.allocators:
        for method in classes.member(ev, cls, name).values:
            if method.tag == Tag.SYMBOL and isinstance(method.a, int):
                meaning = join(meaning, typed.stated(ev, method.a))
    known = tuple(value for value in meaning.values if value.tag != Tag.OUTSIDE_INSTANCE)
    return Meaning(meaning.confidence, known)


def wanted(ev: Evaluator, file: GraphFile, callee: int, position: int) -> Meaning:
    """What the callee that an expression denotes wants at `position`."""
    meaning = NOTHING
    callees = ev.value_of(ev.expr(file, callee))
    for value in callees.values:
        found = _slot_of(ev, file, value, position)
        if generics.is_open(found):
            found = generics.filled_in(found, inferred.told_by(ev, file, value, callee))
        meaning = join(meaning, found)
    return weaken(meaning, TYPE)


def slot(ev: Evaluator, file: GraphFile, callees: Meaning, position: int) -> Meaning:
    """What callees want as their argument at `position`, by the types that they state; `file` holds the call."""
    meaning = NOTHING
    for callee in callees.values:
        meaning = join(meaning, _slot_of(ev, file, callee, position))
    return weaken(meaning, TYPE)


def _slot_of(ev: Evaluator, file: GraphFile, callee: Value, position: int) -> Meaning:
    match callee.tag:
        case Tag.FUNCTION:
            return _at(callee.a, position)
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
                members = (classes.member(ev, callee, name) for name in owner.language.constructors)
                return slot(ev, file, next((found for found in members if found.values), NOTHING), position)
            stated = owner.parameters_of.get(row, [])
            if position >= len(stated):
                return NOTHING
            return generics.seen_through(ev, owner, row, callee.b, typed.wanted(ev, owner, row, position))
        case Tag.INSTANCE if (method := language_of(ev, callee).protocols.get("call")) is not None:
            return slot(ev, file, ev.value_of(classes.member(ev, callee, method)), position)
        case Tag.PARAMETER | Tag.ARGUMENT:
            return slot(ev, file, generics.stood_for(ev, callee), position)
        case _:
            return NOTHING


def _at(parameters: object, position: int) -> Meaning:
    assert isinstance(parameters, tuple)
    found = parameters[position] if position < len(parameters) else NOTHING
    assert isinstance(found, Meaning)
    return found


def results(ev: Evaluator, callees: Meaning) -> Meaning:
    meaning = NOTHING
    for value in callees.values:
        meaning = join(meaning, weaken(returned(ev, value), callees.confidence))
    return meaning


def result_of(ev: Evaluator, node: int) -> Meaning:
    """What a function or accessor gives, whatever it is called on."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("result", node), lambda: _function_result(ev, file, node - file.base))


def _function_result(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    flags = file.cell(row, Symbol.FLAGS)
    stated = file.cell(row, Symbol.TYPE)
    if stated >= 0:
        result = typed.instances(ev, file, stated)
        if result.values and not flags & _SUSPENDED and not typed.says_what(file.language, result):
            given = ev.value_of(ev.expr(file, file.cell(row, Symbol.VALUE)))
            result = join(result, typed.definitions(given))
        is_wrapped = flags & SymbolFlag.ASYNC and "await" in file.language.protocols
    else:
        result = weaken(ev.value_of(ev.expr(file, file.cell(row, Symbol.VALUE))), TYPE)
        if result.values and flags & SymbolFlag.GENERATOR:
            return one(TYPE, container(result, NOTHING, result))
        is_wrapped = flags & SymbolFlag.ASYNC
    if is_wrapped and result.values:
        return one(TYPE, container(NOTHING, NOTHING, result))
    return result


def _for_receiver(ev: Evaluator, file: GraphFile, row: int, receiver: object, result: Meaning) -> Meaning:
    """A method's result as its receiver has it: where it says "whatever I was called on" (`Self`, or a plain `return
    self`), and where it says a type parameter of its class."""
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

    return generics.seen_through(ev, file, row, receiver, generics.filled(result, fill))


def language_of(ev: Evaluator, value: Value) -> Language:
    assert isinstance(value.a, int)
    return ev.file_of_node(value.a).language
