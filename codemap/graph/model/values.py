"""What an expression may mean: the values that the evaluator computes with.

A `Meaning` is a set of values with the confidence of the weakest step that led to them. The empty set means that
nothing is known, which is not the same as knowing that the thing lies outside the repository (an `Outside`).

They are made by the million: structs are made in a quarter of the time that named tuples take, and read in half. What
they hold is older than they are, so that none is part of a cycle.

Confidence orders from strongest to weakest; a chain of steps is as good as its weakest (CONTRACT, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum
from typing import ClassVar

import msgspec

from codemap.facts import SymbolKind
from codemap.project import Module

CLASS_KINDS = (int(SymbolKind.CLASS), int(SymbolKind.INTERFACE), int(SymbolKind.ENUM))
"""As numbers, which kinds in tables are: numbers are compared with members of an enumeration at twice the cost."""


class Confidence(IntEnum):
    VERIFIED = 0
    EXACT = 1
    IMPORT = 2
    TYPE = 3
    NAME = 4
    CANDIDATE = 5


class ReceiverMark(StrEnum):
    """Something about how a definition was reached, in place of the class that it was reached through."""

    BEHIND = "behind"
    """It follows a stated type: an object literal of that type and its members, which only may be meant."""
    WITHIN = "within"
    """A namespace was made from it: the namespace's own members hide the members of this."""
    PART = "part"
    """In the order of a class: it is a part of that class, not above it."""


BEHIND, WITHIN, PART = ReceiverMark.BEHIND, ReceiverMark.WITHIN, ReceiverMark.PART


class Definition(msgspec.Struct, frozen=True, gc=False):
    """A definition itself: a class, a function, a variable as a place."""

    node: int
    receiver: Receiver = None
    weight: int = 0
    """Of what is nested in it, 0 where nothing is; see `_weigh`. Likewise below."""


class Instance(msgspec.Struct, frozen=True, gc=False):
    """Some value of a class."""

    node: int
    """Of the class."""
    arguments: tuple[Meaning, ...] | None = None
    """Its type arguments, where they are known."""
    weight: int = 0
    is_super: bool = False
    """Whether members are looked for only in the bases of the class."""


Receiver = int | Instance | ReceiverMark | None
"""What a definition was reached through, where that matters: the node of a class, or an instance of known type
arguments."""


class ModuleObject(msgspec.Struct, frozen=True, gc=False):
    """A module, as a file of some language sees it."""

    weight: ClassVar[int] = 0
    module: Module
    language: str


class Outside(msgspec.Struct, frozen=True, gc=False):
    """Something that is defined outside the repository."""

    weight: ClassVar[int] = 0
    package: str
    name: str
    """Dotted, in the package; empty where it is not known."""
    has_unknown_owner: bool = False
    """Whether it is a member of something whose type is not known, so that it may be one of the repository's too."""
    is_of_own: bool = False
    """Whether it is a member of a generic type of types of the repository, and may give a value of these."""


class OutsideInstance(msgspec.Struct, frozen=True, gc=False):
    """Some value of a type outside the repository."""

    weight: ClassVar[int] = 0
    package: str
    name: str
    """Of the type, dotted."""
    text: str | None = None
    """Of a string, where it can be no other."""
    is_of_own: bool = False
    """Whether its type is generic, and given types of the repository: `Repository<Recipe>`."""


class ContainerInstance(msgspec.Struct, frozen=True, gc=False):
    """A value of a builtin or outside generic type whose contents are known: `list[Session]`."""

    contents: Contents
    name: str | None
    weight: int


class TupleInstance(msgspec.Struct, frozen=True, gc=False):
    """A tuple of known parts, or an object literal that no name stands for."""

    parts: tuple[Meaning, ...]
    weight: int
    names: tuple[str, ...] = ()
    """Of an object, the names of its parts; those that no member can have are of what is spread into it (`...0`) and of
    members whose names are computed (`[key]`)."""


class FunctionInstance(msgspec.Struct, frozen=True, gc=False):
    """Some function of a stated type."""

    parameters: tuple[Meaning, ...]
    result: Meaning
    weight: int


class ContainerMethod(msgspec.Struct, frozen=True, gc=False):
    """A method of a container, about to be called."""

    contents: Contents
    name: str
    weight: int


class TypeParameter(msgspec.Struct, frozen=True, gc=False):
    """A type parameter, as the class that it stands for."""

    weight: ClassVar[int] = 0
    node: int
    """Of the definition that has it; of a type variable, its own."""
    position: int | None = None
    """Which one; None for a type variable."""


class ParameterInstance(msgspec.Struct, frozen=True, gc=False):
    """Some value of the type that a type parameter stands for."""

    weight: ClassVar[int] = 0
    node: int
    position: int | None = None


Value = (
    Definition
    | Instance
    | ModuleObject
    | Outside
    | OutsideInstance
    | ContainerInstance
    | TupleInstance
    | FunctionInstance
    | ContainerMethod
    | TypeParameter
    | ParameterInstance
)
PARAMETERS = (TypeParameter, ParameterInstance)
WITH_NODE = (Definition, Instance, TypeParameter, ParameterInstance)


class Meaning(msgspec.Struct, frozen=True, gc=False):
    confidence: Confidence
    values: tuple[Value, ...]


class Contents(msgspec.Struct, frozen=True, gc=False):
    """The contents of a container: see `codemap.languages.containers`."""

    element: Meaning
    value: Meaning
    result: Meaning


NOTHING = Meaning(Confidence.EXACT, ())
VALUES_MAX = 64
"""A set that grows past this says nothing useful: it becomes ANYTHING."""
ANYTHING = Meaning(Confidence.CANDIDATE, ())
"""Too many values to distinguish. As empty as NOTHING to who reads it, but it stays so whatever is joined to it: what a
union comes to must not depend on the order of its parts."""


WEIGHT_MAX = 364
"""A value of this weight or more is not nested in others: without a bound, `x = [x]` has no least solution, and type
arguments that are unions of generic types grow to thousands of values. Five lists inside one another weigh as much, and
so does a list of a union of 121 values in which nothing is nested."""


def make_container(element: Meaning, value: Meaning, result: Meaning, name: str | None = None) -> ContainerInstance:
    """A value of a generic type that holds these; see `Contents`."""
    held = Contents(_inner(element), _inner(value), _inner(result))
    return ContainerInstance(held, name, _weigh((held.element, held.value, held.result)))


def make_function(parameters: Iterable[Meaning], result: Meaning) -> FunctionInstance:
    """Some function of a type."""
    given, result = tuple(map(_inner, parameters)), _inner(result)
    return FunctionInstance(given, result, _weigh((*given, result)))


def make_instance(cls: int, arguments: Iterable[Meaning]) -> Instance:
    """Some value of a class with type arguments; of one of which none is known, as of a class without."""
    given = tuple(map(_inner, arguments))
    if not any(argument.values for argument in given):
        return Instance(cls)
    return Instance(cls, given, _weigh(given))


def make_tuple(parts: Iterable[Meaning], names: tuple[str, ...] = ()) -> TupleInstance:
    """A tuple of these, in order, or an object that has them under some names."""
    held = tuple(map(_inner, parts))
    return TupleInstance(held, _weigh(held), names)


def _inner(meaning: Meaning) -> Meaning:
    for value in meaning.values:
        if value.weight >= WEIGHT_MAX:
            flat = tuple(value for value in meaning.values if value.weight < WEIGHT_MAX)
            return Meaning(meaning.confidence, flat) if flat else NOTHING
    return meaning


def _weigh(parts: tuple[Meaning, ...]) -> int:
    """What is nested weighs three times as much as it does alone, so that a bound holds both depth and size."""
    return 1 + 3 * sum([value.weight or 1 for part in parts for value in part.values])


def one(confidence: Confidence, value: Value) -> Meaning:
    """The meaning of a single value."""
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
    values = left.values + tuple([value for value in right.values if value not in left.values])
    if len(values) > VALUES_MAX:
        return ANYTHING
    return Meaning(max(left.confidence, right.confidence), values)


def join_all(meanings: Sequence[Meaning]) -> Meaning:
    """All values of some meanings, however many: overloads of one name, which the arguments of a call distinguish."""
    values = dict.fromkeys(value for meaning in meanings for value in meaning.values)
    return Meaning(max(meaning.confidence for meaning in meanings), tuple(values)) if values else NOTHING
