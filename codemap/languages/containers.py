"""What is known of containers outside the repository, and of what they hold, as data."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Container(msgspec.Struct, frozen=True):
    """Where a generic type outside the repository keeps what: positions of its type arguments, -1 for none."""

    element: int = 0
    """What iterating gives."""
    value: int = 0
    """What indexing gives (`dict[K, V]`: element 0, value 1)."""
    result: int = -1
    """What awaiting, entering or calling it gives (`Awaitable[T]`, `ContextManager[T]`, `Callable[..., T]`)."""


class Containers(msgspec.Struct, frozen=True, kw_only=True):
    types: Mapping[str, Container] = {}
    """External or builtin generic type name -> what its type arguments are."""
    function_types: Mapping[str, int] = {}
    """Those of `types` for which functions are given -> how many parameters these have: an element, a value."""
    closed: frozenset[str] = frozenset()
    """Containers whose methods all lie outside but for those of `methods` (`Class<T>`)."""
    methods: Mapping[str, str] = {}
    """Method of a container -> what a call of it gives: `element`, `value`, `result`, `self`, `elements` or `values` (a
    container of them), `items` (a container of pairs of both), `pointer` (to a value), `iterator` (to an element),
    `mapped` (a container of what the function gives that it is passed) or anything else for what is not known. No such
    call is of a method of the repository."""
    callbacks: Mapping[str, str] = {}
    """Method of a container -> what it gives to the function it is passed: `element`, `value` or `result`."""
    stores: Mapping[str, int] = {}
    """Method of a container that puts something into it -> which of its arguments that is."""
    member_types: Mapping[str, str] = {}
    """Types that containers outside the repository have in them -> what of the container they are of, or point to:
    `element` or `value` (`std::vector<T>::iterator`)."""
    slices: frozenset[str] = frozenset()
    """Types of keys under which a container gives a part of itself, of its own kind (`slice`)."""
    tuple_bases: frozenset[str] = frozenset()
    """Bases outside the repository of classes whose values are tuples of what the class states (`NamedTuple`)."""
    tuple_members: Mapping[str, int] = {}
    """Member of a tuple -> which of its parts that is (`second`: 1)."""
