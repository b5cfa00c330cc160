"""The parameters of definitions and the arguments of calls, as a parser process reads them from one file.

They are no part of the facts: only a change of a parameter list asks for them, and only of the files that it concerns.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cached_property

import msgspec


class ParameterKind(IntEnum):
    POSITIONAL = 0
    EITHER = 1  # by position or by name
    KEYWORD = 2  # by name alone
    REST = 3  # takes all further arguments by position
    KEYWORD_REST = 4  # takes all further arguments by name


class Parameter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    name: str
    """Empty where it has none: a pattern, a type alone."""
    kind: ParameterKind
    is_required: bool = True


class ParameterList(msgspec.Struct, frozen=True, array_like=True):
    items: tuple[Parameter, ...]
    has_receiver: bool = False
    """Whether the first one is what a method is called on."""
    is_doubtful: bool = False
    """Whether it may take other arguments than it states: a list that states nothing, or was not understood."""
    decorators: tuple[str, ...] = ()
    """The last names of those that may make it take others."""


class ArgumentList(msgspec.Struct, frozen=True, array_like=True):
    """The arguments of one call."""

    positional: int
    """How many stand by position, without those of a spread."""
    names: tuple[str, ...] = ()
    has_spread: bool = False
    """Whether any number more may come by position (`*args`)."""
    has_keyword_spread: bool = False
    has_trailing: bool = False
    """Whether one of the positional ones follows the list and means the last parameter (a trailing lambda)."""
    called: str = ""
    """The name that is called, as it is written."""
    joint: str = ""
    """What comes before it: `.`, `::`, or nothing."""
    receiver: str = ""
    """The name before that, where there is one."""


class CallLists(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """Those of one file."""

    parameters: Mapping[int, tuple[ParameterList, ...]]
    """Row of the symbol table -> its parameter lists: one, or one for each overload that it states."""
    calls: tuple[tuple[int, int, ArgumentList], ...]
    """(line, column, arguments) by the place of the name that is called, 1-based, columns in UTF-16 code units."""

    @cached_property
    def arguments(self) -> Mapping[tuple[int, int], ArgumentList]:
        return {(line, column): arguments for line, column, arguments in self.calls}


class Rules(msgspec.Struct, frozen=True):
    """When arguments do not fit, by language."""

    refuses_missing: bool = True
    refuses_extra: bool = True
    fills_required_first: bool = False
    """Whether optional parameters get what the required ones leave, wherever they are (Ruby)."""
    names_are_values: bool = False
    """Whether arguments by name are one more by position where no parameter has a name (Ruby)."""
    methods_take_fewer: bool = False
    """Whether a method may take fewer parameters than the one that it implements."""


pack = msgspec.msgpack.Encoder().encode
unpack = msgspec.msgpack.Decoder(CallLists).decode
