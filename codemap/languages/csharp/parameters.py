"""Parameters of methods, constructors, lambdas and delegates.

Source: the C# language specification, "Method parameters".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from codemap.facts import SymbolFlag
from codemap.languages.csharp import types
from codemap.languages.csharp.walk import CSharpWalk, modifiers_of
from codemap.mangled_names import COUNTED_MAX

if TYPE_CHECKING:
    from tree_sitter import Node


_BY_REFERENCE = frozenset(("ref", "out"))
_READ_ONLY = frozenset(("this", "readonly", "in"))


class Parameter(NamedTuple):
    """One parameter of a list."""

    name: str
    type: Node | None
    holder: Node
    """What has its attributes and modifiers."""
    is_optional: bool
    is_variadic: bool
    is_receiver: bool
    is_reference: bool
    """Whether calls pass a variable (`ref`, `out`)."""
    default: Node | None


def parameters_of(w: CSharpWalk, listed: Node | None) -> list[Parameter]:
    """The parameters in a list; the grammar gives the last one no node of its own where it takes any number."""
    found: list[Parameter] = []
    for child in listed.named_children if listed is not None else ():
        if child.type == "parameter":
            name, type_node = child.child_by_field_name("name"), child.child_by_field_name("type")
            behind = [part for part in child.named_children if name is not None and part.start_byte > name.start_byte]
            words = modifiers_of(child)
            text = "" if name is None else w.text(name)
            default = behind[-1] if behind else None
            found.append(
                Parameter(
                    name=text,
                    type=type_node,
                    holder=child,
                    is_optional=default is not None,
                    is_variadic="params" in words,
                    is_receiver="this" in words,
                    is_reference=bool(words & _BY_REFERENCE) and not words & _READ_ONLY,
                    default=default,
                )
            )
    name = listed.child_by_field_name("name") if listed is not None else None
    if listed is not None and name is not None:
        type_node = listed.child_by_field_name("type")
        found.append(Parameter(w.text(name), type_node, name, False, True, False, False, None))
    return found


def counts_of(listed: Sequence[Parameter]) -> range:
    """The numbers of arguments that parameters take."""
    least = sum(not parameter.is_optional and not parameter.is_variadic for parameter in listed)
    most = max(len(listed), COUNTED_MAX if any(parameter.is_variadic for parameter in listed) else 0)
    return range(least, most + 1)


def declared(w: CSharpWalk, parameter: Parameter) -> int:
    """The type of a parameter; visits it, its attributes and its default."""
    for child in parameter.holder.named_children:
        if child.type == "attribute_list":
            w.value(child)
    type_expr = types.visit_type(w, parameter.type)
    if parameter.default is not None:
        w.value(parameter.default)
    return type_expr


def declare(w: CSharpWalk, symbol: int, parameter: Parameter) -> None:
    """Binds a parameter, and adds it to the function."""
    type_expr = declared(w, parameter)
    w.b.parameter(symbol, parameter.name or None, type_expr)
    if parameter.is_variadic:
        w.b.add_flags(symbol, SymbolFlag.VARIADIC)
    if parameter.name:
        w.b.bind_typed(parameter.name, type_expr)


def count_of_lambda(w: CSharpWalk, node: Node) -> int:
    """How many parameters a lambda has; 0 where it leaves them out."""
    given = node.child_by_field_name("parameters")
    if given is not None and given.type != "parameter_list":
        return 1
    return sum(1 for _ in parameters_of(w, given))
