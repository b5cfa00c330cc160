"""The results of calls."""

from __future__ import annotations

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    ModuleObject,
    Outside,
    OutsideInstance,
    ParameterInstance,
    Receiver,
    TypeParameter,
    Value,
    join,
    make_container,
    one,
    weaken,
)
from codemap.graph.resolve import (
    class_members,
    generics,
    import_resolution,
    protocols,
    type_arguments,
    type_expressions,
)
from codemap.graph.resolve.outside import container_methods, held_errors, made_classes, unknown_receivers

_SUSPENDED = SymbolFlag.ASYNC | SymbolFlag.GENERATOR
TYPE = Confidence.TYPE
_KIND, _FLAGS, _PARENT, _TYPE = Symbol.KIND, Symbol.FLAGS, Symbol.PARENT, Symbol.TYPE
_FUNCTIONS = (int(SymbolKind.FUNCTION), int(SymbolKind.METHOD))
_ACCESSOR = int(SymbolFlag.ACCESSOR)
_OF_RECEIVER = (TypeParameter, ParameterInstance, OutsideInstance)
"""What the receiver of a call may decide; `Self` is a type outside."""


def evaluate_call(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    meaning = NOTHING
    target = ev.value_of(ev.expr(file, callee))
    for value in target.values:
        if value.__class__ is Outside:
            found = _call_outside(ev, file, value, callee, arguments)
        elif value.__class__ is ContainerMethod:
            found = _call_container(ev, file, value, arguments)
        else:
            found = type_arguments.apply_type_arguments(ev, file, value, callee, arguments, evaluate_result(ev, value))
        meaning = join(meaning, weaken(found, max(target.confidence, TYPE)))
    return meaning


def _call_container(ev: Evaluator, file: GraphFile, value: ContainerMethod, arguments: int) -> Meaning:
    """The result of a method of a container; of one that calls a function for each element, the results of that."""
    if file.language.containers.methods.get(value.name) == "mapped" and arguments >= 0:
        given = ev.arguments(file, arguments)[0]
        results = evaluate_results(ev, ev.value_of(ev.expr(file, given)))
        if results.values:
            return one(TYPE, make_container(results, results, NOTHING))
    return container_methods.call_method(file, value)


def _call_outside(ev: Evaluator, file: GraphFile, value: Outside, callee: int, arguments: int) -> Meaning:
    language, outside = file.language, file.language.outside
    name = value.name.rpartition(".")[2]
    is_function = name[:1].islower()
    made = one(TYPE, OutsideInstance(value.package, "" if language.constructs_by_new else value.name))
    if value.has_unknown_owner or (not value.package and is_function and "." in value.name):
        return OF_UNKNOWN_TYPE
    if value.is_of_own:
        return join(made, OF_UNKNOWN_TYPE)
    if arguments >= 0:
        given = ev.arguments(file, arguments)
        if name in outside.casts and outside.casts[name] < len(given):
            return ev.evaluate_type(file, given[outside.casts[name]])
        if (bases := made_classes.find_made(ev, file, name, given)).values:
            return bases
        if given and held_errors.is_awaiting(file, callee):
            error = evaluate_results(ev, ev.value_of(ev.expr(file, given[0])))
            return held_errors.make_holder(file, callee, error) if error.values else made
        if given and (name in outside.forwarders or f"{value.package}.{value.name}" in outside.forwarders):
            return ev.value_of(ev.expr(file, given[0]))
        if name in language.containers.types and given:
            element = protocols.apply_protocol(ev, ev.value_of(ev.expr(file, given[0])), "iter")
            return one(TYPE, make_container(element, element, NOTHING, name))
        if is_function and any(_is_of_repository(ev.expr(file, argument)) for argument in given):
            return join(made, OF_UNKNOWN_TYPE) if value.package else OF_UNKNOWN_TYPE
    return made


OF_UNKNOWN_TYPE = one(TYPE, OutsideInstance("", ""))
"""What a function outside gives that may hand on what it is given."""


def is_given(value: OutsideInstance) -> bool:
    """Whether it is what a function outside gives, as its name shows, which may be made of anything."""
    name = value.name.rpartition(".")[2]
    return bool(name) and not name[0].isupper()


def _is_of_repository(meaning: Meaning) -> bool:
    return any(isinstance(value, Definition | Instance) for value in meaning.values)


def evaluate_result(ev: Evaluator, value: Value) -> Meaning:
    """The result of calling a value."""
    match value:
        case Definition():
            return _call_definition(ev, value)
        case Instance():
            frame = ev.solver.frame
            return ev.ask(frame, ("called", frame, value), lambda: _call_instance(ev, value))
        case ModuleObject(module):
            return evaluate_results(ev, ev.value_of(import_resolution.resolve_module_value(ev, module)))
        case OutsideInstance() if not value.name or is_given(value) or unknown_receivers.is_open(value, ev.open_types):
            return OF_UNKNOWN_TYPE  # what a function outside gave: `import_string(path)()` may make anything
        case Outside() | OutsideInstance():
            given = one(TYPE, OutsideInstance(value.package, ""))
            return join(given, OF_UNKNOWN_TYPE) if value.is_of_own else given
        case FunctionInstance():
            return value.result
        case TypeParameter():
            return one(TYPE, ParameterInstance(value.node, value.position))
        case ParameterInstance():
            return evaluate_results(ev, generics.evaluate_bound(ev, value))
        case _:
            return NOTHING


def _call_instance(ev: Evaluator, instance: Instance) -> Meaning:
    """The result of calling an instance. Memoized, because a type may be defined in terms of itself."""
    called = protocols.call_protocol(ev, instance, "call")
    return called if called.values else evaluate_results(ev, protocols.find_underlying(ev, instance))


def _call_definition(ev: Evaluator, definition: Definition) -> Meaning:
    node = definition.node
    file = ev.file_of_node(node)
    row = node - file.base
    kind = file.cell(row, _KIND)
    if kind in CLASS_KINDS:
        given = _find_allocated(ev, definition, file) if file.language.allocators else NOTHING
        return given if given.values else one(TYPE, Instance(node))
    if kind not in _FUNCTIONS and not file.cell(row, _FLAGS) & _ACCESSOR:
        return NOTHING
    result = evaluate_function(ev, node)
    if not result.values:
        return one(TYPE, Instance(node)) if class_members.has_members(file, row) else result
    return _replace_self(ev, file, row, definition.receiver, result)


def _find_allocated(ev: Evaluator, cls: Definition, file: GraphFile) -> Meaning:
    """The result that an allocator of the class (`__new__`) states, where it is not the class."""
    meaning = NOTHING
    for name in file.language.allocators:
        for method in class_members.find_member(ev, cls, name).values:
            if isinstance(method, Definition):
                meaning = join(meaning, stated_types.evaluate_stated_type(ev, method.node))
    known = tuple(value for value in meaning.values if not isinstance(value, OutsideInstance))
    return Meaning(meaning.confidence, known)


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
            return one(TYPE, make_container(result, NOTHING, result))
        is_wrapped = bool(flags & SymbolFlag.ASYNC)
    if is_wrapped and result.values:
        return one(TYPE, make_container(NOTHING, NOTHING, result))
    return result


def _replace_self(ev: Evaluator, file: GraphFile, row: int, receiver: Receiver, result: Meaning) -> Meaning:
    """A method's result for its receiver, which replaces `Self` and a plain `return self`; the type arguments of the
    receiver replace the type parameters of the class."""
    owner = file.base + file.cell(row, _PARENT)
    is_stated = file.cell(row, _TYPE) >= 0
    for value in result.values:  # which are most often left as they are
        if value.weight or value.__class__ in _OF_RECEIVER:
            break
        if value.__class__ is Instance and value.node == owner and not is_stated:
            break
    else:
        return result
    this = receiver if isinstance(receiver, Instance) else Instance(receiver if isinstance(receiver, int) else owner)
    self_types = file.language.self_types

    def fill(value: Value) -> Meaning | None:
        if value.__class__ is OutsideInstance:
            is_self = value.name in self_types
        else:
            is_self = value.__class__ is Instance and value.node == owner and not is_stated
        return Meaning(result.confidence, (this,)) if is_self else None

    return generics.substitute_receiver(ev, file, row, receiver, generics.replace_values(result, fill))
