"""How definitions show in lists: their modifiers, flags, signatures and documentation; and their attributes.

Source: the C# language specification, "Accessibility domains", "Attributes", "Documentation comments".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import SymbolFlag, UseRole
from codemap.languages.csharp import types
from codemap.languages.csharp.walk import CSharpWalk, modifiers_of
from codemap.mangled_names import mangle_type

if TYPE_CHECKING:
    from tree_sitter import Node

_CASE = re.compile(r"\w*(?:Fact|Theory)|\w*Test(?:Method|Case(?:Source)?)?|Property|Scenario")
_HOOK = re.compile(r"(?:OneTime)?(?:SetUp|TearDown)|(?:Test|Class|Assembly)(?:Initialize|Cleanup)|Before\w*|After\w*")
"""Attributes of tests and of what runs with each; of xUnit, NUnit, MSTest, TUnit and FsCheck."""
_VISIBLE = frozenset({"public", "protected", "internal"})
_READ = int(UseRole.REFERENCE)


def flags_of(node: Node, *, default: int = 0) -> int:
    """What the modifiers of a definition say: whether others than its type see it, whether it is static or abstract.
    `default` says whether one is seen that says nothing."""
    words = modifiers_of(node)
    flags = int(SymbolFlag.EXPORTED) if words & _VISIBLE else 0
    if not words & {*_VISIBLE, "private", "file"}:
        flags |= default
    if words & {"static", "const"}:
        flags |= SymbolFlag.STATIC
    flags |= SymbolFlag.HOOK if "override" in words else 0
    return flags | (SymbolFlag.ABSTRACT if "abstract" in words else 0)


def annotate(w: CSharpWalk, node: Node, symbol: int) -> None:
    """Visits the attributes of a definition, which is the current owner."""
    for listed in node.named_children:
        if listed.type == "attribute_list":
            for child in listed.named_children:
                w.b.decorator(symbol, attribute(w, child))
                name = child.child_by_field_name("name")
                last = "" if name is None else w.text(types.last_name(name)).removesuffix("Attribute")
                if _CASE.fullmatch(last):
                    w.b.add_flags(symbol, SymbolFlag.CASE)
                elif _HOOK.fullmatch(last):
                    w.b.add_flags(symbol, SymbolFlag.HOOK)


def attribute(w: CSharpWalk, node: Node) -> int:
    """An attribute refers to its type, which may be called by less than its name, and to the members that it sets."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return visit_children(w, node)
    b = w.b
    last = types.last_name(name_node)
    name = w.text(last)
    if name_node.type == "identifier":
        type_expr = b.either(w.type_(f"{name}Attribute"), w.type_(name))
    elif name_node.type == "qualified_name":
        outer = types.space(w, name_node.child_by_field_name("qualifier") or last)
        wanted = (f"{name}Attribute", name)
        type_expr = b.either(*(b.attribute(outer, mangle_type(each, 0)) for each in wanted))
    else:
        type_expr = types.visit_plain(w, name_node, None)
        types.apply_arguments(w, name_node, NONE)
    b.use(_READ, type_expr, last.start_byte)
    for listed in node.named_children:
        if listed.type == "attribute_argument_list":
            for argument in listed.named_children:
                _argument(w, argument, type_expr)
    return type_expr


def _argument(w: CSharpWalk, node: Node, type_expr: int) -> None:
    name = node.child_by_field_name("name")
    for child in node.named_children:
        if child == name:
            if any(token.type == "=" for token in node.children):
                w.b.use(_READ, w.b.attribute(type_expr, w.text(child)), child.start_byte)
        else:
            w.value(child)
