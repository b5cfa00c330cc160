"""What is known of types and functions outside the repository, by their names, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

import msgspec


class OutsideMembers(msgspec.Struct, frozen=True):
    """What is known of the members that packages outside the repository have."""

    packages: frozenset[str]
    """Those of which all members are known."""
    names: frozenset[str]
    """Of members of their classes."""


class OutsideTypes(msgspec.Struct, frozen=True, kw_only=True):
    above: Mapping[str, tuple[str, ...]] = {}
    """Types outside the repository -> those that they inherit from: what is added to one, its heirs have."""
    converts: Mapping[str, tuple[str, ...]] = {}
    """Types outside the repository that have no heirs -> the types that their values may be handed on as, the nearest
    first: what chooses among overloads. Under `*`, those that take any value as what it is."""
    unboxed: frozenset[str] = frozenset()
    """Types that no type parameter stands for (`int`)."""
    transparent: Mapping[str, int] = {}
    """Type constructor -> position of the argument that it stands for (`Optional`, `Readonly`); -1: a union of all."""
    opaque_types: frozenset[str] = frozenset()
    """Types outside the repository that say how a value is used and not what it is (`Callable`, `Any`)."""
    open_types: frozenset[str] = frozenset()
    """Types outside the repository, by dotted names, whose values have whatever members are set on them."""
    plain_types: frozenset[str] = frozenset()
    """Builtin types whose members are all among `builtin_members`: what is asked for another is not only of them."""
    type_of: frozenset[str] = frozenset()
    """Generic types outside the repository whose value is the class that their argument names (`type[C]`)."""
    type_variables: frozenset[str] = frozenset()
    """Functions outside the repository whose calls make type parameters (`TypeVar`)."""
    parameter_lists: frozenset[str] = frozenset()
    """Bases outside the repository whose type arguments are the type parameters of the class (`Generic[T]`)."""
    casts: Mapping[str, int] = {}
    """Function outside the repository -> position of the argument that states its result's type (`typing.cast`: 0)."""
    class_makers: Mapping[str, int] = {}
    """Function outside the repository -> position of the argument that has the bases of the class which it makes, where
    it has as many arguments (`type(name, bases, members)`: 1)."""
    forwarders: frozenset[str] = frozenset()
    """Functions outside the repository whose result is or calls their first argument: their names (`partial`, `memo`),
    or those with the package before them (`copy.copy`)."""
    held_errors: Mapping[str, str] = {}
    """Function outside the repository that is given a class of errors and gives what to enter -> the member, of what
    entering gives, that is the error (`with raises(E) as info: info.value`)."""
    builtin_members: frozenset[str] = frozenset()
    """Names that builtin types have as methods: a call of one on an unknown receiver is never guessed."""
    function_members: frozenset[str] = frozenset()
    """Members that every function and class has itself, unless it has a static one of the name."""
    in_every_class: frozenset[str] = frozenset()
    """Methods that every class has from outside the repository."""
    inherited_members: frozenset[str] = frozenset()
    """Members that bases outside commonly have, of a language whose code adds members to any class: another one that is
    not found may be the repository's, though a base lies outside."""
    memberless: frozenset[tuple[str, str]] = frozenset()
    """Packages and names of types outside from which a class gets no members to speak of (`object`)."""
    public_names: frozenset[str] = frozenset()
    """Members that are called as private ones are, and that documented types of the standard library have."""
    library_methods: Mapping[tuple[str, str], Mapping[str, str]] = {}
    """All methods of types of the standard library, by package and name: the shape of each, as of those of a file."""
    members: Callable[[], OutsideMembers] | None = None
    """The members of the standard library and of what runs tests; None where a name says nothing of whose it is."""
    standard_packages: tuple[str, ...] = ()
    """What the names of the packages of the standard library begin with."""
    has_types: bool = True
    """Whether something is known of the types of what lies outside: else what it gives may have any member."""
    calls_overrides: bool = False
    """Whether a call on a value of a type outside may run what types of the repository below that have: see
    `outside_bases`."""


def outside_members_in(module: str) -> Callable[[], OutsideMembers]:
    """The `MEMBERS` of a module that is loaded with the first question: they are many."""

    def find() -> OutsideMembers:
        found: OutsideMembers = import_module(module).MEMBERS
        return found

    return find
