"""Type parameters: what stands for them where a definition that has some is used.

A value of a generic class carries its type arguments (`Box[C]`); what its members say in terms of the class's type
parameters is filled in with them when a member is read or called, through bases that state arguments of their own. The
type parameters of a function are found in the arguments of each call, by the types that it states for them. One that
nothing is found for is left as it is, and stands for its bound when it is used.

The type parameters of a definition are those that it lists itself (PEP 695, TypeScript); a class that lists none has
the type variables that its bases are given, those of `Language.parameter_lists` before others.

The file is long because what has type parameters and what takes their place are told together.

Source: the typing specification, "Generics"; the TypeScript handbook, "Generics".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from codemap.facts import SourceKind, Symbol
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Meaning,
    Parts,
    Tag,
    Value,
    container,
    function_of,
    instance_of,
    join,
    one,
    tuple_of,
)
from codemap.graph.resolve import method_resolution_order

TYPE = Confidence.TYPE
PARAMETER, ARGUMENT = Tag.PARAMETER, Tag.ARGUMENT
Parameter = tuple[object, object]
"""The node of the definition that has it, and which of its type parameters it is: `a` and `b` of the value."""
Fill = Callable[[Value], Meaning | None]
"""What takes a value's place, or None where it stays."""
PARAMETERS = (Tag.PARAMETER, Tag.ARGUMENT)
NONE_GIVEN: Mapping[Parameter, Meaning] = {}


def has_type_parameters(meaning: Meaning) -> bool:
    """Whether there are type parameters in some values."""
    for value in meaning.values:
        tag = value.tag
        if tag is ARGUMENT or tag is PARAMETER or (value.nesting and _has_parameters_within(value, set())):
            return True
    return False


def _has_parameters_within(value: Value, seen: set[int]) -> bool:
    """Each part is looked at once: written out, what holds what holds itself doubles with each level."""
    for part in parts_of(value):
        if part.values and id(part) not in seen:
            seen.add(id(part))
            for held in part.values:
                tag = held.tag
                if tag is ARGUMENT or tag is PARAMETER or (held.nesting and _has_parameters_within(held, seen)):
                    return True
    return False


def parts_of(value: Value) -> Sequence[Meaning]:
    match value.tag:
        case Tag.CONTAINER | Tag.CONTAINER_METHOD:
            assert isinstance(value.a, Parts)
            return (value.a.element, value.a.value, value.a.result)
        case Tag.TUPLE:
            assert isinstance(value.a, tuple)
            return value.a
        case Tag.FUNCTION:
            assert isinstance(value.a, tuple)
            assert isinstance(value.b, Meaning)
            return (*value.a, value.b)
        case Tag.INSTANCE if isinstance(value.b, tuple):
            return value.b
        case Tag.SYMBOL if isinstance(value.b, Value):
            return parts_of(value.b)
        case _:
            return ()


def replace_values(meaning: Meaning, fill: Fill) -> Meaning:
    """Some values with what takes the place of each, and of each inside them. Each part is looked at once: written out,
    what holds what holds itself doubles with each level."""
    return _replace(meaning, fill, {})


def _replace(meaning: Meaning, fill: Fill, known: dict[int, Meaning]) -> Meaning:
    found = known.get(id(meaning))
    if found is None:
        found = known[id(meaning)] = _replace_uncached(meaning, fill, known)
    return found


def _replace_uncached(meaning: Meaning, fill: Fill, known: dict[int, Meaning]) -> Meaning:
    result: list[Value] = []
    confidence = meaning.confidence
    is_other = False
    for value in meaning.values:
        given = fill(value)
        if given is not None:
            is_other = True
            result += given.values
            confidence = max(confidence, given.confidence)
        elif value.nesting:
            inner = _replace_within(value, fill, known)
            is_other |= inner is not value
            result.append(inner)
        else:
            result.append(value)
    return join(Meaning(confidence, tuple(dict.fromkeys(result))), NOTHING) if is_other else meaning


def _replace_within(value: Value, fill: Fill, known: dict[int, Meaning]) -> Value:
    before = parts_of(value)
    parts = [_replace(part, fill, known) for part in before]
    if all(part is other for part, other in zip(parts, before, strict=True)):
        return value
    match value.tag:
        case Tag.CONTAINER | Tag.CONTAINER_METHOD:
            element, held, result = parts
            made = container(element, held, result)
            return Value(value.tag, made.a, value.b, made.nesting)
        case Tag.TUPLE:
            return tuple_of(parts)
        case Tag.FUNCTION:
            return function_of(parts[:-1], parts[-1])
        case Tag.INSTANCE:
            assert isinstance(value.a, int)
            return instance_of(value.a, parts)
        case _:
            assert isinstance(value.b, Value)
            assert isinstance(value.b.a, int)
            receiver = instance_of(value.b.a, parts)
            return Value(value.tag, value.a, receiver, receiver.nesting)


def substitute(meaning: Meaning, given: Mapping[Parameter, Meaning]) -> Meaning:
    """Some values with what is known of the type parameters in them."""
    if not given or not has_type_parameters(meaning):
        return meaning

    def fill(value: Value) -> Meaning | None:
        if value.tag not in PARAMETERS:
            return None
        found = given.get((value.a, value.b), NOTHING)
        if not found.values:
            return None
        return found if value.tag == Tag.ARGUMENT else convert_to_classes(found)

    return replace_values(meaning, fill)


def convert_to_classes(instances: Meaning) -> Meaning:
    """The classes that some values are of."""
    found = [Value(Tag.SYMBOL, value.a) for value in instances.values if value.tag == Tag.INSTANCE]
    found += [Value(Tag.PARAMETER, value.a, value.b) for value in instances.values if value.tag == Tag.ARGUMENT]
    return Meaning(instances.confidence, tuple(found)) if found else NOTHING


def convert_to_instances(types: Meaning) -> Meaning:
    """Some values of the classes and type parameters among some values."""
    found = [Value(Tag.INSTANCE, value.a) for value in types.values if value.tag == Tag.SYMBOL]
    found += [Value(Tag.ARGUMENT, value.a, value.b) for value in types.values if value.tag == Tag.PARAMETER]
    return Meaning(types.confidence, tuple(found)) if found else NOTHING


def evaluate_bound(ev: Evaluator, parameter: Value) -> Meaning:
    """The values that a type parameter stands for where nothing says more."""
    assert isinstance(parameter.a, int)
    key = ("stands for", parameter.a, parameter.b)
    return ev.ask(ev.file_of_node(parameter.a), key, lambda: _evaluate_bound(ev, parameter))


def _evaluate_bound(ev: Evaluator, parameter: Value) -> Meaning:
    assert isinstance(parameter.a, int)
    file = ev.file_of_node(parameter.a)
    row = parameter.a - file.base
    if parameter.b is None:  # a type variable, whose value says so
        return ev.evaluate_type(file, file.cell(row, Symbol.VALUE))
    assert isinstance(parameter.b, int)
    binding = file.type_parameters.get(row, {}).get(parameter.b)
    result = NOTHING
    for kind, a, _ in [] if binding is None else ev.sources(file, binding):
        if kind == SourceKind.VALUE:
            result = join(result, ev.evaluate_type(file, a))
    return result


def resolve_parameter(ev: Evaluator, value: Value) -> Meaning:
    """What a type parameter is where it is used: values of its bound, or the classes of them."""
    found = evaluate_bound(ev, value)
    return found if value.tag == Tag.ARGUMENT else convert_to_classes(found)


def find_type_parameters(ev: Evaluator, node: int) -> tuple[Parameter, ...]:
    """The type parameters of a definition, in order."""
    file = ev.file_of_node(node)
    row = node - file.base
    listed = file.type_parameters.get(row)
    if listed is not None:
        return tuple((node, position) for position in range(max(listed) + 1))
    if row not in file.generic_bases:
        return ()
    return tuple((value.a, value.b) for value in find_parameters_of_bases(ev, node).values)


def find_parameters_of_bases(ev: Evaluator, node: int) -> Meaning:
    """The type variables in the arguments of a class's bases, each once."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("type parameters", node), lambda: _find_in_bases(ev, file, node - file.base))


def _find_in_bases(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    found: dict[Value, None] = {}
    for base, given in file.generic_bases.get(row, ()):
        own = list(_parameters_in(ev.evaluate_type(file, argument) for argument in given))
        if any(_is_list(file, value) for value in ev.expr(file, base).values):
            return Meaning(TYPE, tuple(dict.fromkeys(own)))
        found.update(dict.fromkeys(own))
    return Meaning(TYPE, tuple(found))


def _is_list(file: GraphFile, base: Value) -> bool:
    """Whether a base says nothing but which type parameters a class has."""
    return base.tag == Tag.OUTSIDE and str(base.b).rpartition(".")[2] in file.language.parameter_lists


def _parameters_in(meanings: Iterator[Meaning] | Sequence[Meaning]) -> Iterator[Value]:
    for meaning in meanings:
        for value in meaning.values:
            if value.tag == Tag.ARGUMENT:
                yield value
            elif value.nesting:
                yield from _parameters_in(parts_of(value))


def instantiate(ev: Evaluator, cls: int, arguments: Sequence[Meaning]) -> Value:
    """Some value of a class that type arguments are stated for."""
    return instance_of(cls, arguments) if find_type_parameters(ev, cls) else Value(Tag.INSTANCE, cls)


def map_arguments(ev: Evaluator, node: int, arguments: object) -> Mapping[Parameter, Meaning]:
    """The type arguments of a definition by its type parameters."""
    if not isinstance(arguments, tuple):
        return NONE_GIVEN
    return dict(zip(find_type_parameters(ev, node), arguments, strict=False))


def map_arguments_above(ev: Evaluator, receiver: object, above: int) -> Mapping[Parameter, Meaning]:
    """What the type parameters of a class are in a value of it, or of a class below it: a node or an INSTANCE."""
    cls, arguments = (receiver.a, receiver.b) if isinstance(receiver, Value) else (receiver, None)
    if not isinstance(cls, int):
        return NONE_GIVEN
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
    stated = found.values[0].a if found.values else ()
    assert isinstance(stated, tuple)
    return stated


def evaluate_arguments(ev: Evaluator, cls: int, above: int) -> Meaning:
    """The same, as a tuple of values."""
    return ev.ask(ev.file_of_node(cls), ("arguments", cls, above), lambda: _evaluate_arguments(ev, cls, above))


def _evaluate_arguments(ev: Evaluator, cls: int, above: int) -> Meaning:
    file = ev.file_of_node(cls)
    row = cls - file.base
    for base_row in file.base_rows.get(row, []):
        expr = file.bases[base_row * 5 + 2]
        for base in ev.value_of(ev.expr(file, expr)).values:
            if base.tag != Tag.SYMBOL or not isinstance(base.a, int) or base.a == cls:
                continue
            if base.a != above and all(
                value.a != above for value in method_resolution_order.compute_order(ev, base.a).values
            ):
                continue
            listed = dict(file.generic_bases.get(row, [])).get(expr, [])
            arguments = tuple(ev.evaluate_type(file, argument) for argument in listed)
            if base.a != above:
                given = map_arguments(ev, base.a, arguments)
                arguments = tuple(substitute(part, given) for part in _find_arguments(ev, base.a, above))
            return one(TYPE, tuple_of(arguments))
    return NOTHING


def substitute_receiver(ev: Evaluator, file: GraphFile, row: int, receiver: object, meaning: Meaning) -> Meaning:
    """What a member says, where it was reached through a receiver: a class's node or an INSTANCE."""
    if receiver is None or isinstance(receiver, str) or not has_type_parameters(meaning):
        return meaning
    return substitute(meaning, map_arguments_above(ev, receiver, file.base + file.cell(row, Symbol.PARENT)))


def attach_receiver(value: Value, found: Meaning) -> Meaning:
    """Members of the class of an INSTANCE, as reached through it with its type arguments."""
    if not found.values:
        return found
    values = tuple(
        Value(Tag.SYMBOL, member.a, value, value.nesting)
        if member.tag == Tag.SYMBOL and (member.b is None or member.b == value.a)
        else member
        for member in found.values
    )
    return Meaning(found.confidence, values)
