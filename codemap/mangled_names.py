"""Mangled names: a name and what distinguishes it from its namesakes, as one string.

Namespaces, tables of names and recorded questions have strings as keys, which are hashed once and shared by all files.
So where a language has several definitions of a name in one namespace, they are bound under mangled names as well, and
a use looks for the one that it means. How they are spelled is known here alone:

| mangled     | means                                                                             |
|-------------|-----------------------------------------------------------------------------------|
| `save()`    | all methods `save`, where a field or another kind of member may have the name too |
| `save(2)`   | those that accept two arguments; `save(12)`: twelve or more                       |
| `save(2,1)` | those of them that accept one type argument                                       |
| `save(&2)`  | those that accept two arguments, of which some are variables to be set            |
| `List(<1>)` | the type `List` that has one type parameter; never anything else of that name     |
| `save(*)`   | the functions that a variable `save` holds; never anything of that name           |
"""

from __future__ import annotations

from typing import NamedTuple, NewType

MangledName = NewType("MangledName", str)
"""A key that looks for some definitions of a name; a plain name looks for all."""


class TypeName(NamedTuple):
    """The name of a type, where types of one name differ by their number of type parameters."""

    name: str
    parameter_count: int


COUNTED_MAX = 12
"""So many arguments and more are not distinguished: what takes any number is bound under each count up to this."""


def mangle_method(
    name: str, argument_count: int | None = None, type_argument_count: int = 0, *, by_reference: bool = False
) -> MangledName:
    """Mangles the name of the methods that accept so many arguments, or any number, and so many type arguments; or of
    those that accept some argument by reference."""
    arguments = "" if argument_count is None else min(argument_count, COUNTED_MAX)
    if by_reference:
        arguments = f"&{arguments}"
    return MangledName(f"{name}({arguments},{type_argument_count})" if type_argument_count else f"{name}({arguments})")


def mangle_type(name: str, parameter_count: int) -> MangledName:
    return MangledName(f"{name}(<{parameter_count}>)")


def mangle_held(name: str) -> MangledName:
    """Mangles the name of a variable for the functions that it holds."""
    return MangledName(f"{name}(*)")


def is_held(mangled: str) -> bool:
    """Whether `mangle_held` gave this."""
    return mangled[-3:] == "(*)"


def parse_type(mangled: str) -> TypeName | None:
    """What `mangle_type` was given; None for another name."""
    if mangled[-2:] != ">)":
        return None
    name, _, count = mangled[:-2].rpartition("(<")
    return TypeName(name, int(count)) if count.isdecimal() else None


def demangle(name: str) -> str:
    """The name as it is written in sources; one that is not mangled is returned as it is."""
    return name.partition("(")[0] if name[-1:] == ")" else name
