"""What is inside a value: iterating, entering, awaiting, indexing and unpacking it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import Op
from codemap.graph.model.values import NOTHING, Confidence, Meaning, Parts, Tag, Value, join, one, weaken
from codemap.graph.resolve import classes, generics, operate, typed
from codemap.graph.resolve.files import GraphFile

if TYPE_CHECKING:
    from codemap.graph.resolve.evaluate import Evaluator

TYPE = Confidence.TYPE


def protocol(ev: Evaluator, value: Value, operation: str) -> Meaning:
    """The result of the method that the value's class has for an operation."""
    node = value.a
    assert isinstance(node, int)
    method = ev.file_of_node(node).language.protocols.get(operation)
    if method is None:
        return NOTHING
    return operate.results(ev, ev.value_of(classes.member(ev, value, method)))


def part(ev: Evaluator, whole: Meaning, operation: str) -> Meaning:
    """What iterating, entering, awaiting or indexing gives."""
    result = NOTHING
    for value in whole.values:
        result = join(result, weaken(_part_of(ev, value, operation), max(whole.confidence, TYPE)))
    return result


def _part_of(ev: Evaluator, value: Value, operation: str) -> Meaning:
    match value.tag:
        case Tag.CONTAINER:
            parts = value.a
            assert isinstance(parts, Parts)
            if operation == "iter":
                return parts.element
            if operation == "index":
                return parts.value
            return parts.result if operation == "await" or not parts.element.values else parts.element
        case Tag.TUPLE:
            assert isinstance(value.a, tuple)
            result = NOTHING
            for held in value.a:
                result = join(result, held)
            return result
        case Tag.INSTANCE:
            return _part_of_instance(ev, value, operation)
        case Tag.OUTSIDE_INSTANCE if str(value.b).rpartition(".")[2] in ev.containers:
            return NOTHING  # what a container holds that says nothing of it may be anything
        case Tag.OUTSIDE | Tag.OUTSIDE_INSTANCE:
            return one(TYPE, Value(Tag.OUTSIDE_INSTANCE, value.a, ""))
        case Tag.SYMBOL if operation == "index":
            return one(TYPE, value)
        case Tag.ARGUMENT:
            return part(ev, generics.bound(ev, value), operation)
        case _:
            return NOTHING


def _part_of_instance(ev: Evaluator, value: Value, operation: str) -> Meaning:
    made_of = underlying(ev, value)
    others = tuple(each for each in made_of.values if each.a != value.a)
    if others:
        return part(ev, Meaning(made_of.confidence, others), operation)
    result = protocol(ev, value, operation)
    if operation == "iter":
        result = join(result, protocol(ev, value, "async_iter"))
        elements = part(ev, Meaning(result.confidence, tuple(v for v in result.values if v != value)), "iter")
        if elements.values:
            return elements
        for iterator in result.values:
            if iterator.tag == Tag.INSTANCE:
                elements = join(elements, protocol(ev, iterator, "next"))
        return elements
    if operation == "enter":
        return join(result, part(ev, protocol(ev, value, "async_enter"), "await"))
    if operation == "await":
        if "await" not in operate.language_of(ev, value).protocols:
            return one(TYPE, value)
        iterators = tuple(v for v in result.values if v.tag == Tag.CONTAINER)
        return part(ev, Meaning(result.confidence, iterators), "await")
    return result


def index(ev: Evaluator, file: GraphFile, of: int, key: int) -> Meaning:
    """What `of[key]` gives: of a tuple under a literal number, that part."""
    whole = ev.value_of(ev.expr(file, of))
    position = _position(file, key)
    result = NOTHING
    for value in whole.values:
        if value.tag == Tag.TUPLE and position is not None:
            got = _part_of_tuple(value, position)
        else:
            got = _part_of(ev, value, "index")
        result = join(result, weaken(got, max(whole.confidence, TYPE)))
    return result


def _position(file: GraphFile, key: int) -> int | None:
    """The number that a literal key states; None for any other key."""
    if key < 0 or file.exprs[key * 3] != Op.LITERAL:
        return None
    text = file.names[file.exprs[key * 3 + 1]]
    return int(text) if text.isdecimal() else None


def _part_of_tuple(value: Value, position: int) -> Meaning:
    assert isinstance(value.a, tuple)
    part = value.a[position] if position < len(value.a) else NOTHING
    assert isinstance(part, Meaning)
    return part


def item(ev: Evaluator, whole: Meaning, position: int) -> Meaning:
    result = NOTHING
    for value in whole.values:
        got = _part_of_tuple(value, position) if value.tag == Tag.TUPLE else _part_of(ev, value, "iter")
        result = join(result, weaken(got, max(whole.confidence, TYPE)))
    return result


def underlying(ev: Evaluator, value: Value) -> Meaning:
    """What an instance is by the type that its class is defined as (`type Names []string`)."""
    node = value.a
    assert isinstance(node, int)
    return generics.filled_in(typed.stated(ev, node), generics.given_to(ev, node, value.b))
