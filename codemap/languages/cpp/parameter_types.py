"""Types as they are spelt: those of parameters, which tell the overloads of one file apart, and what names a class.

Names, defaults, qualifiers in front of a type's name and words that say nothing are left out; a parameter of a template
is its number there.

Source: ISO/IEC 14882:2020, 9.3.4.6 "Functions", 5; 12 "Overloading".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.walk import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

_PARAMETERS = ("parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration")
_SAYS_NOTHING = re.compile(
    r"\b(?:\w+\s*::\s*)+|\b(?:struct|class|enum|union|typename|volatile|register)\b|\[\w*\]|::"
    r"|(?<=unsigned)\s+int\b|(?<=long)\s+int\b|(?<=short)\s+int\b|/\*.*?\*/|//[^\n]*|\bconst\s*\Z",
    re.DOTALL,
)
_WORD = re.compile(r"\w+")
_BLANK = re.compile(r"\s*([^\w\s])\s*|\s+")


def spell_parameters(parameters: Node, text: Callable[[Node], str], made: Sequence[str]) -> str:
    """The types of a list of parameters; `made` are the parameters of the templates around, in order."""
    listed = [each for each in parameters.named_children if each.type in _PARAMETERS]
    found = ",".join([_spell(each, text, made) for each in listed])
    return "" if found == "void" else found


def find_class_name(type_node: Node | None) -> Node | None:
    """The name of the class in a type; None where it names none."""
    while type_node is not None and type_node.type in ("qualified_identifier", "template_type"):
        type_node = type_node.child_by_field_name("name")
    return type_node if type_node is not None and type_node.type == "type_identifier" else None


def _spell(node: Node, text: Callable[[Node], str], made: Sequence[str]) -> str:
    spelling = text(node)
    default = node.child_by_field_name("default_value")
    named = node.child_by_field_name("declarator")
    is_array = False
    while named is not None and named.type != "identifier":
        is_array |= named.type == "array_declarator"
        named = named.child_by_field_name("declarator") or next(iter(named.named_children), None)
    start = node.start_byte
    if default is not None:
        spelling = spelling[: default.start_byte - start].rstrip().removesuffix("=")
    if named is not None:
        spelling = f"{spelling[: named.start_byte - start]} {spelling[named.end_byte - start :]}"
    spelling = _BLANK.sub(r"\1 ", _SAYS_NOTHING.sub(" ", spelling).strip())
    if made:
        spelling = _WORD.sub(lambda at: f"#{made.index(at[0])}" if at[0] in made else at[0], spelling)
    return " ".join(spelling.split()) + "*" * is_array


def are_arguments(listed: Sequence[Node]) -> bool:
    """Whether parameters without names may be arguments: `x`, `x[1]`, `ns::x`, `f(x)`. Where all are like `f()`, a
    function is declared."""
    return all(map(_is_value, listed)) and any(find_given(each) != [] for each in listed)


def _is_value(node: Node) -> bool:
    if node.type != "parameter_declaration":
        return False
    name, *others = node.named_children
    given = find_given(node)
    if given is not None:
        return name.type == "type_identifier" and all(map(_is_value, given))
    return name.type in ("type_identifier", "qualified_identifier") and all(
        child.type == "abstract_array_declarator" for child in others
    )


def find_given(node: Node) -> list[Node] | None:
    """The arguments of `f(x)` where the grammar takes it for a parameter; None for other parameters."""
    others = node.named_children[1:]
    if len(others) != 1 or others[0].type != "abstract_function_declarator":
        return None
    parameters = others[0].child_by_field_name("parameters")
    return None if parameters is None else children_of(parameters)
