"""How a language writes parameters and arguments, as data: by kinds of nodes of its grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from codemap.calls.lists import ParameterKind, ParameterList, Rules

if TYPE_CHECKING:
    from tree_sitter import Node


class CallSyntax(msgspec.Struct, frozen=True, kw_only=True):
    calls: frozenset[str]
    """Calls. Their arguments are in a child that is one of `argument_lists`."""
    argument_lists: frozenset[str] = frozenset({"argument_list", "arguments"})
    bare_calls: frozenset[str] = frozenset()
    """Calls that may have no list of arguments, and a name that is a call by itself."""
    spreads: frozenset[str] = frozenset()
    """Arguments that stand for any number, themselves or as their only child."""
    keyword_spreads: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    """Arguments that may have a name: in their field `name` or `key`, or before an `=` of theirs."""
    uncounted: frozenset[str] = frozenset()
    """Arguments that fill no parameter."""
    trailing: frozenset[str] = frozenset()
    """What follows a list of arguments and is one more of them."""
    spreads_calls: bool = False
    """Whether a call that is the only argument may give several (Go)."""
    is_opaque: frozenset[str] = frozenset()
    """Lists of arguments that say nothing of what is passed."""

    parameter_lists: frozenset[str]
    functions: frozenset[str] = frozenset()
    """Values that have parameters and may be what a name is bound to."""
    parameters: Mapping[str, ParameterKind]
    """Kind of a parameter."""
    optional: frozenset[str] = frozenset()
    """Parameters that need no argument; nor do those that have a default."""
    rests: Mapping[str, ParameterKind] = {}
    """What is in a parameter that takes further arguments; a modifier of one."""
    receivers: frozenset[str] = frozenset()
    """Parameters, or what is in them, that are what a method is called on."""
    skipped: frozenset[str] = frozenset()
    """What is in parameters that no call fills."""
    positional_end: str = ""
    """What ends the parameters that have no name for a call."""
    keyword_begin: str = ""
    """What precedes the parameters that a call must name."""
    states_nothing: frozenset[str] = frozenset()
    """Texts of lists that take any arguments."""
    takes_nothing: frozenset[str] = frozenset()
    """Texts of parameters that stand for none (`void`)."""
    decorated: str = ""
    """What a definition and its decorators are in."""
    harmless: frozenset[str] = frozenset()
    """Last names of decorators that leave the parameters as they are."""
    returns_given: str = ""
    """A pattern of the signature of a decorator that says that it gives back what it is given."""
    overload: str = ""
    """The decorator of a definition that only states parameters."""
    fields: Callable[[Node], ParameterList | None] | None = None
    """A definition of a class -> the parameters that its fields make, where they do."""
    rules: Rules = Rules()


def fields_in(module: str) -> Callable[[Node], ParameterList | None]:
    """The `fields` of a module that is loaded with the first file."""

    def fields(node: Node) -> ParameterList | None:
        read: Callable[[Node], ParameterList | None] = import_module(module).fields
        return read(node)

    return fields
