"""Protocols of the language: the results of iterating, entering, awaiting, subscripting and unpacking values.

The file is long because each operation has a rule for each kind of value, and the rules ask one another.
"""

from __future__ import annotations

from codemap.facts import Base, Op, SourceKind, Symbol, SymbolKind
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    WITH_NODE,
    Confidence,
    ContainerInstance,
    Definition,
    Instance,
    Meaning,
    Outside,
    OutsideInstance,
    ParameterInstance,
    TupleInstance,
    Value,
    join,
    make_container,
    make_tuple,
    one,
    weaken,
)
from codemap.graph.resolve import (
    calls,
    class_members,
    generics,
    method_resolution_order,
    type_expressions,
)
from codemap.graph.resolve.outside import contents, inherited_containers, outside_bases, unknown_receivers
from codemap.languages.language import Language

TYPE = Confidence.TYPE
_OF_ELEMENTS = ("iter", "index")
_PLACES = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))


def call_protocol(ev: Evaluator, value: Instance, operation: str) -> Meaning:
    """The result of the method that the value's class has for an operation."""
    method = class_members.find_language(ev, value).protocols.get(operation)
    if method is None:
        return NOTHING
    return calls.evaluate_results(ev, ev.value_of(class_members.find_member(ev, value, method)))


def apply_protocol(ev: Evaluator, whole: Meaning, operation: str) -> Meaning:
    """The result of iterating, entering, awaiting or subscripting some values."""
    result = NOTHING
    for value in whole.values:
        result = join(result, weaken(_apply_to(ev, value, operation), max(whole.confidence, TYPE)))
    return result


def _apply_to(ev: Evaluator, value: Value, operation: str) -> Meaning:
    match value:
        case ContainerInstance(inside):
            if operation == "iter":
                return inside.element
            if operation == "index":
                return inside.value
            return inside.result if operation == "await" or not inside.element.values else inside.element
        case TupleInstance() if value.names and operation != "index":
            return one(TYPE, value) if operation == "await" else NOTHING
        case TupleInstance():
            result = NOTHING
            for held in value.parts:
                result = join(result, held)
            return result
        case Instance():
            return _apply_to_instance(ev, value, operation)
        case OutsideInstance() if operation == "index" and value.name.endswith(contents.STAR):
            return contents.follow_pointers(one(TYPE, value))
        case OutsideInstance() if value.name.rpartition(".")[2] in ev.containers:
            return NOTHING  # what a container holds that says nothing of it may be anything
        case OutsideInstance() if unknown_receivers.is_open(value, ev.open_types):
            return calls.OF_UNKNOWN_TYPE
        case OutsideInstance() if value.package and operation in _OF_ELEMENTS and calls.is_given(value):
            return calls.OF_UNKNOWN_TYPE  # `chain.from_iterable(xs)`
        case Outside() | OutsideInstance():
            given = one(TYPE, OutsideInstance(value.package, ""))
            return join(given, calls.OF_UNKNOWN_TYPE) if value.is_of_own else given
        case Definition() if operation == "index" and _is_keyed(ev, value.node):
            return find_elements(ev, value.node)
        case Definition() if operation == "index":
            return one(TYPE, value)
        case ParameterInstance():
            return apply_protocol(ev, generics.evaluate_bound(ev, value), operation)
        case _:
            return NOTHING


def _is_keyed(ev: Evaluator, node: int) -> bool:
    """Whether a definition is an object whose members are found by computed keys, too."""
    return ev.file_of_node(node).language.has_keyed_objects and ev.kind_of_node(node) in _PLACES


def find_elements(ev: Evaluator, node: int) -> Meaning:
    """What the members of an object hold."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("elements", node), lambda: _join_elements(ev, file, node - file.base))


def _join_elements(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    result = NOTHING
    for binding in file.members.get(row, {}).values():
        result = join(result, weaken(ev.value_of(ev.binding(file, binding)), TYPE))
    return result


def _apply_to_instance(ev: Evaluator, value: Instance, operation: str) -> Meaning:
    made_of = find_underlying(ev, value)
    others = tuple(each for each in made_of.values if not isinstance(each, WITH_NODE) or each.node != value.node)
    if others:
        return apply_protocol(ev, Meaning(made_of.confidence, others), operation)
    result = call_protocol(ev, value, operation)
    is_unknown = all(isinstance(each, OutsideInstance) and not each.name for each in result.values)
    is_unknown = is_unknown or not type_expressions.is_informative(class_members.find_language(ev, value), result)
    if is_unknown and (held := inherited_containers.find_containers(ev, value)).values:
        return apply_protocol(ev, held, operation)
    if operation == "iter" and is_unknown and (items := _iterate_by_index(ev, value)).values:
        return items
    if operation == "iter":
        result = join(result, call_protocol(ev, value, "async_iter"))
        elements = apply_protocol(ev, Meaning(result.confidence, tuple(v for v in result.values if v != value)), "iter")
        if elements.values:
            return elements
        for iterator in result.values:
            if isinstance(iterator, Instance):
                given = call_protocol(ev, iterator, "next")
                is_pointer = not given.values and class_members.find_language(ev, iterator).merges_pointers
                elements = join(elements, one(TYPE, iterator) if is_pointer else given)
        return elements
    if operation == "index" and not result.values and class_members.find_language(ev, value).merges_pointers:
        return one(TYPE, value)
    if operation == "enter":
        return join(result, apply_protocol(ev, call_protocol(ev, value, "async_enter"), "await"))
    if operation == "await":
        if "await" not in class_members.find_language(ev, value).protocols or not result.values:
            return one(TYPE, value)  # of what cannot be awaited, as `queue.get()` gives it before it is
        iterators = tuple(v for v in result.values if isinstance(v, ContainerInstance))
        return apply_protocol(ev, Meaning(result.confidence, iterators), "await")
    return result


def _iterate_by_index(ev: Evaluator, value: Instance) -> Meaning:
    """What a value gives at each index, where its language iterates so what nothing else iterates: without the parts
    of its own kind that it gives for slices. A base outside may iterate otherwise, as that of a mapping does."""
    language = class_members.find_language(ev, value)
    if not all(_is_sequence(language, base) for base in outside_bases.find_outside_bases(ev, value.node).values):
        return NOTHING
    found = call_protocol(ev, value, "item")
    items = tuple(
        each
        for each in found.values
        if not isinstance(each, ContainerInstance) and not (isinstance(each, Instance) and each.node == value.node)
    )
    return Meaning(found.confidence, items) if items else found


def _is_sequence(language: Language, base: Value) -> bool:
    """Whether a base outside gives by index what it gives by iterating, or neither."""
    name = base.name.rpartition(".")[2] if isinstance(base, Outside) else ""
    held = language.containers.types.get(name)
    return name in language.outside.parameter_lists or (held is not None and held.element == held.value)


def evaluate_subscript(ev: Evaluator, file: GraphFile, of: int, key: int) -> Meaning:
    """The result of `of[key]`: of a tuple with a literal number, that part."""
    whole = ev.value_of(ev.expr(file, of))
    if file.spoken.merges_pointers and _is_stated_pointer(ev, file, of):
        return whole
    position = _read_position(file, key)
    if position is None and _is_slice(file, key):
        return _evaluate_slice(ev, whole)
    result = NOTHING
    for value in whole.values:
        fields = value if position is None else _convert_to_tuple(ev, value)
        if isinstance(fields, TupleInstance) and position is not None:
            got = _select_part(fields, position)
        else:
            got = _apply_to(ev, value, "index")
        result = join(result, weaken(got, max(whole.confidence, TYPE)))
    return result


def _is_stated_pointer(ev: Evaluator, file: GraphFile, expr: int) -> bool:
    """Whether a variable, parameter or member is stated to be a pointer or an array."""
    if file.exprs[expr * 3] == Op.NAME:
        sources = ev.sources(file, file.exprs[expr * 3 + 1])
        if any(kind == SourceKind.TYPED and file.exprs[a * 3] == Op.ADDRESS for kind, a, _ in sources):
            return True
    return any(
        isinstance(value, Definition) and stated_types.evaluate_pointed(ev, value.node).values
        for value in ev.expr(file, expr).values
    )


def _is_slice(file: GraphFile, key: int) -> bool:
    """Whether a key is a literal of the language's type of slices."""
    if key < 0 or file.exprs[key * 3] != Op.LITERAL:
        return False
    return file.names[file.exprs[key * 3 + 1]] in file.language.containers.slices


def _evaluate_slice(ev: Evaluator, whole: Meaning) -> Meaning:
    """The result of a slice: a container of the same kind."""
    result = NOTHING
    for value in whole.values:
        if isinstance(value, ContainerInstance):
            got = one(TYPE, value)
        elif isinstance(value, TupleInstance):
            element = _apply_to(ev, value, "iter")
            got = one(TYPE, make_container(element, element, NOTHING))
        else:
            got = _apply_to(ev, value, "index")
        result = join(result, weaken(got, max(whole.confidence, TYPE)))
    return result


def read_descriptors(ev: Evaluator, held: Meaning) -> Meaning:
    """The result of reading a member: of a descriptor, the result of its `__get__`."""
    result = NOTHING
    is_other = False
    for value in held.values:
        got = one(held.confidence, value)
        if isinstance(value, Instance):
            method = class_members.find_language(ev, value).protocols.get("get")
            found = NOTHING if method is None else class_members.find_member(ev, value, method)
            if any(isinstance(each, Definition) for each in found.values):
                is_other = True
                got = calls.evaluate_results(ev, found)
        result = join(result, got)
    return result if is_other else held


def _read_position(file: GraphFile, key: int) -> int | None:
    """The number that a literal key states; None for any other key."""
    if key < 0 or file.exprs[key * 3] != Op.LITERAL:
        return None
    text = file.names[file.exprs[key * 3 + 1]]
    return int(text) if text.isdecimal() else None


def _select_part(value: TupleInstance, position: int) -> Meaning:
    if value.names:
        return select_named_part(value, str(position))
    return value.parts[position] if position < len(value.parts) else NOTHING


def select_named_part(value: TupleInstance, name: str) -> Meaning:
    """What an object literal has under a name itself."""
    return value.parts[value.names.index(name)] if name in value.names else NOTHING


def unpack_item(ev: Evaluator, whole: Meaning, position: int) -> Meaning:
    result = NOTHING
    for value in whole.values:
        fields = _convert_to_tuple(ev, value)
        if isinstance(fields, TupleInstance):
            got = _select_part(fields, position)
        elif isinstance(value, Instance) and class_members.find_language(ev, value).unpacks_parameters:
            got = _evaluate_constructed_from(ev, value, position)
        elif isinstance(value, Instance) and class_members.find_language(ev, value).unpacks_fields:
            got = _find_field(ev, value, position)
        else:
            got = _apply_to(ev, value, "iter")
        result = join(result, weaken(got, max(whole.confidence, TYPE)))
    return result


def _evaluate_constructed_from(ev: Evaluator, value: Instance, position: int) -> Meaning:
    """The type of a parameter in the header of an instance's class."""
    file = ev.file_of_node(value.node)
    row = value.node - file.base
    if position >= len(file.parameters_of.get(row, ())):
        return NOTHING
    stated = stated_types.evaluate_parameter_type(ev, file, row, position)
    return generics.substitute(stated, generics.map_arguments(ev, value.node, value.arguments))


def _find_field(ev: Evaluator, value: Instance, position: int) -> Meaning:
    """The field of an instance's own class at a position; of one with methods, which may have constructors, nothing."""
    file = ev.file_of_node(value.node)
    own = sorted(file.children.get(value.node - file.base, {}).values())
    has_methods = any(file.cell(row, Symbol.KIND) == SymbolKind.METHOD for row in own)
    fields = [row for row in own if file.cell(row, Symbol.KIND) == SymbolKind.PROPERTY]
    return NOTHING if has_methods or position >= len(fields) else one(TYPE, Definition(file.base + fields[position]))


def _convert_to_tuple(ev: Evaluator, value: Value) -> Value:
    """An instance of a class of tuples (`class P(NamedTuple)`) as a tuple; any other value as it is."""
    if not isinstance(value, Instance):
        return value
    found = find_fields(ev, value.node).values
    return found[0] if found else value


def find_fields(ev: Evaluator, cls: int) -> Meaning:
    """The types of the fields of a class that is a tuple, as a tuple."""
    return ev.ask(ev.file_of_node(cls), ("fields", cls), lambda: _find_fields(ev, cls))


def _find_fields(ev: Evaluator, cls: int) -> Meaning:
    for each in method_resolution_order.compute_order(ev, cls).values:
        if isinstance(each, Definition):
            found = find_own_fields(ev, each.node)
            if found.values:
                return found
    return NOTHING


def find_own_fields(ev: Evaluator, cls: int) -> Meaning:
    """The same of a class that states itself that it is a tuple."""
    file = ev.file_of_node(cls)
    return ev.ask(file, ("own fields", cls), lambda: _find_own_fields(ev, file, cls - file.base))


def _find_own_fields(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    stated = (ev.expr(file, file.bases[base * Base.WIDTH + Base.EXPR]) for base in file.base_rows.get(row, []))
    if not any(_is_tuple(file, base) for meaning in stated for base in meaning.values):
        return NOTHING
    fields = [child for child in file.children.get(row, {}).values() if file.cell(child, Symbol.TYPE) >= 0]
    types = [
        ev.evaluate_type(file, file.cell(child, Symbol.TYPE))
        for child in sorted(fields)
        if file.cell(child, Symbol.KIND) == SymbolKind.PROPERTY
    ]
    return one(TYPE, make_tuple(types))


def _is_tuple(file: GraphFile, base: Value) -> bool:
    return isinstance(base, Outside) and base.name.rpartition(".")[2] in file.language.containers.tuple_bases


def find_underlying(ev: Evaluator, value: Instance) -> Meaning:
    """An instance as a value of the type that its class is defined as (`type Names []string`)."""
    made_of = stated_types.evaluate_stated_type(ev, value.node)
    return generics.substitute(made_of, generics.map_arguments(ev, value.node, value.arguments))
