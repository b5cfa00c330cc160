"""What an expression may mean: the values that the evaluator computes with.

A `Meaning` is a set of values with the confidence of the weakest step that led to them. The empty set means that
nothing is known, which is not the same as knowing that the thing lies outside the repository (`OUTSIDE` values).

They are made by the million: structs are made in a quarter of the time that named tuples take, and read in half. What
they hold is older than they are, so that none is part of a cycle.

Confidence orders from strongest to weakest; a chain of steps is as good as its weakest (CONTRACT, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

import msgspec

from codemap.facts import SymbolKind

CLASS_KINDS = (int(SymbolKind.CLASS), int(SymbolKind.INTERFACE), int(SymbolKind.ENUM))
"""As numbers, which kinds in tables are: numbers are compared with members of an enumeration at twice the cost."""


class Confidence(IntEnum):
    VERIFIED = 0
    EXACT = 1
    IMPORT = 2
    TYPE = 3
    NAME = 4
    CANDIDATE = 5


class Tag(IntEnum):
    SYMBOL = 0  # a: node; the definition itself (a class, a function, a variable as a place)
    INSTANCE = 1  # a: node of a class; some value of it
    MODULE = 2  # a: languages.Module
    OUTSIDE = 3  # a: package, b: dotted name in it or ""; defined outside the repository
    OUTSIDE_INSTANCE = 4  # a: package, b: dotted name; a value of an outside type
    CONTAINER = 5  # a: Parts; a value of a builtin or outside generic type whose parts are known
    TUPLE = 6  # a: tuple of Meaning
    FUNCTION = 8  # a: tuple of Meaning, the parameters; b: Meaning, the result; some function of that type
    CONTAINER_METHOD = 7  # a: Parts, b: name; a method of a container, about to be called
    PARAMETER = 9  # a: node of the definition that has it, b: which; a type parameter, as the class that it stands for
    ARGUMENT = 10  # the same; some value of the type that it stands for


BEHIND = "behind"
"""Marks what is behind a stated type: an object literal of that type and its members, which only may be meant."""

WITHIN = "within"
"""Marks what a namespace was made from: its own members hide the members of that."""


class Value(msgspec.Struct, frozen=True, gc=False):
    tag: Tag
    a: object
    b: object = None
    """For SYMBOL of a method: the class node whose instance it was reached through, or None; or BEHIND or WITHIN; where
    the type arguments of the instance are known, the INSTANCE. For INSTANCE: the Meanings of its type arguments, as a
    tuple, or None, or what marks `super`."""
    nesting: int = 0
    """How many values are nested in one another in it, at most NESTING_MAX."""


class Meaning(msgspec.Struct, frozen=True, gc=False):
    confidence: Confidence
    values: tuple[Value, ...]


class Parts(msgspec.Struct, frozen=True, gc=False):
    """The contents of a container: see `languages.Container`."""

    element: Meaning
    value: Meaning
    result: Meaning


NOTHING = Meaning(Confidence.EXACT, ())
VALUES_MAX = 64
"""A set that grows past this says nothing useful: it becomes ANYTHING."""
ANYTHING = Meaning(Confidence.CANDIDATE, ())
"""Too many values to distinguish. As empty as NOTHING to who reads it, but it stays so whatever is joined to it: what a
union comes to must not depend on the order of its parts."""


NESTING_MAX = 5
"""Of a list nested deeper, the elements are unknown: without a bound, `x = [x]` has no least solution."""


def container(element: Meaning, value: Meaning, result: Meaning, name: str | None = None) -> Value:
    """A value of a generic type that holds these; see `Parts`."""
    parts = Parts(_inner(element), _inner(value), _inner(result))
    return Value(Tag.CONTAINER, parts, name, _nesting((parts.element, parts.value, parts.result)))


def container_of(parts: Parts) -> Value:
    return container(parts.element, parts.value, parts.result)


def function_of(parameters: Iterable[Meaning], result: Meaning) -> Value:
    """Some function of a type."""
    given, result = tuple(map(_inner, parameters)), _inner(result)
    return Value(Tag.FUNCTION, given, result, _nesting((*given, result)))


def instance_of(cls: int, arguments: Iterable[Meaning]) -> Value:
    """Some value of a class with type arguments; of one of which none is known, as of a class without."""
    given = tuple(map(_inner, arguments))
    if not any(argument.values for argument in given):
        return Value(Tag.INSTANCE, cls)
    return Value(Tag.INSTANCE, cls, given, _nesting(given))


def tuple_of(parts: Iterable[Meaning]) -> Value:
    held = tuple(map(_inner, parts))
    return Value(Tag.TUPLE, held, None, _nesting(held))


def _inner(meaning: Meaning) -> Meaning:
    for value in meaning.values:
        if value.nesting >= NESTING_MAX:
            flat = tuple(value for value in meaning.values if value.nesting < NESTING_MAX)
            return Meaning(meaning.confidence, flat) if flat else NOTHING
    return meaning


def _nesting(parts: tuple[Meaning, ...]) -> int:
    return 1 + max((value.nesting for part in parts for value in part.values), default=0)


def one(confidence: Confidence, value: Value) -> Meaning:
    return Meaning(confidence, (value,))


def weaken(meaning: Meaning, confidence: Confidence) -> Meaning:
    """A copy of the values, no surer than `confidence`."""
    return meaning if meaning.confidence >= confidence or not meaning.values else Meaning(confidence, meaning.values)


def join(left: Meaning, right: Meaning) -> Meaning:
    """Either of both."""
    if left is right or left is ANYTHING:
        return left
    if not left.values or right is ANYTHING:
        return right
    if not right.values:
        return left
    values = left.values + tuple(value for value in right.values if value not in left.values)
    if len(values) > VALUES_MAX:
        return ANYTHING
    return Meaning(max(left.confidence, right.confidence), values)


def every(meanings: Sequence[Meaning]) -> Meaning:
    """All values of some meanings, however many: overloads of one name, which the arguments of a call distinguish."""
    values = dict.fromkeys(value for meaning in meanings for value in meaning.values)
    return Meaning(max(meaning.confidence for meaning in meanings), tuple(values)) if values else NOTHING
