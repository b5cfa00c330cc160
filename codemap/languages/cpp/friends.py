"""Friends of a class: functions that it defines for the namespace around, and the names of others.

A function that a class defines as its friend is no member: calls find it by an argument of the class. It is shown in
the class, in whose scope its body is.

Source: ISO/IEC 14882:2020, 11.9.4 "Friends", 6.5.3 "Argument-dependent name lookup".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c import declarators, definitions
from codemap.languages.cpp import methods, names
from codemap.languages.cpp.walk import Class, CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)


def friend(w: CppWalk, node: Node, cls: Class) -> None:
    for child in node.named_children:
        match child.type:
            case "function_definition":
                _define(w, child, cls)
            case "declaration":
                _name(w, child)
            case _:
                w.value(child)


def _define(w: CppWalk, node: Node, cls: Class) -> None:
    declared = declarators.read(w, node.child_by_field_name("declarator"))
    block, name_node = node.child_by_field_name("body"), declared.name
    if name_node is None or not declared.is_function or name_node.type == "qualified_identifier":
        visit_children(w, node)
        return
    symbol = w.define(
        names.spell_name(w, name_node, declared.parameters),
        SymbolKind.FUNCTION,
        node,
        name_node,
        parent=cls.symbol,
        flags=int(SymbolFlag.EXPORTED),
        header_end=node.end_byte if block is None else block.start_byte,
    )
    w.own_parameters(symbol)
    methods.visit_body(w, node, symbol, declared, definitions.result_type(w, node, symbol), cls)


def _name(w: CppWalk, node: Node) -> None:
    """Reads what the declaration of a friend names: types, and the function, which is elsewhere."""
    w.field(node, "type")
    for each in node.children_by_field_name("declarator"):
        declared = declarators.read(w, each)
        given = [w.b.wrap(Op.INSTANCE, type_) for _, type_ in declarators.parameters(w, declared.parameters)]
        if declared.name is None or declared.name.type not in ("identifier", "qualified_identifier"):
            continue
        if declared.name.type == "identifier":
            w.b.use(_READ, w.choose(w.b.name(w.text(declared.name)), given), declared.name.start_byte)
        else:
            names.use_name(w, declared.name, _READ)
