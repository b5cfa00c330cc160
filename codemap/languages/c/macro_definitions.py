"""Functions that a macro makes of the block behind it: `TEST(name) {…}`, `CALL_DEFINE2(name, type, a, type, b) {…}`.

Of an odd number of arguments, from three on, the first is shown as the name, and the others are the types and names of
parameters; else the last is the name. An argument that is a text, or begins with one, is what a test is called
(`TEST_CASE("it opens") {…}`): its words make the name.

Source: Catch2, "Test cases and sections"; doctest, "Test cases".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import SymbolFlag, SymbolKind, UseRole
from codemap.languages.c import definitions, test_macros
from codemap.languages.c.declarators import Declared
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node


NAME_MAX = 80
"""Characters of a name that is made of a text."""
_WORDS_BETWEEN = re.compile(r"\W+")


def statement(w: Walk, node: Node) -> int:
    """An expression; at the top level, where a block follows it, the macro that makes a function of the block."""
    following = node.next_named_sibling
    called = next((child for child in node.named_children if child.type == "call_expression"), None)
    if called is None or following is None or following.type != "compound_statement" or not w.is_top():
        return visit_children(w, node)
    function, arguments = called.child_by_field_name("function"), called.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "identifier":
        return visit_children(w, node)
    listed = children_of(arguments)
    title = next((text for child in listed if (text := _text(child)) is not None), None)
    typed = listed[1:] if len(listed) > 2 and len(listed) % 2 and title is None else []
    name_node = title or ((listed[0] if typed else listed[-1]) if listed else function)
    if title is None and name_node.type != "identifier":
        return visit_children(w, node)
    _made(w, node, function, name_node, following, typed)
    for child in listed if title is not None else ():
        w.value(child)
    w.bodies.add(following.id)
    return NONE


def _text(argument: Node) -> Node | None:
    """The text that an argument is or begins with (`"it opens" * timeout(2)`)."""
    first: Node | None = argument
    while first is not None and first.type == "binary_expression":
        first = first.child_by_field_name("left")
    return first if first is not None and first.type in ("string_literal", "concatenated_string") else None


def definition(w: Walk, node: Node) -> int:
    """A function; one with a name in brackets instead of parameters is a macro and its argument, which in a function
    begins a loop."""
    type_node, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    block = node.child_by_field_name("body")
    if (
        block is not None
        and type_node is not None
        and type_node.type == "type_identifier"
        and declarator is not None
        and declarator.type == "parenthesized_declarator"
    ):
        name_node = next((child for child in declarator.named_children if child.type == "identifier"), None)
        if name_node is not None:
            if w.is_top():
                return _made(w, node, type_node, name_node, block, [])
            w.b.use(UseRole.CALL, w.b.name(w.text(type_node)), type_node.start_byte)
            w.value(name_node)
            return w.value(block)
    return definitions.function(w, node)


def _made(w: Walk, node: Node, macro: Node, name_node: Node, block: Node, typed: list[Node]) -> int:
    """A function that a macro makes of a block: `typed` are types and names of parameters, in turn."""
    b = w.b
    symbol = b.symbol(
        _WORDS_BETWEEN.sub("_", w.text(name_node)).strip("_")[:NAME_MAX] or w.text(macro),
        SymbolKind.FUNCTION,
        parent=b.owner,
        at=name_node.start_byte,
        start=node.start_byte,
        end=block.end_byte,
        flags=int(SymbolFlag.UNNAMED) | test_macros.flags_of(w.text(macro)),
        signature=w.header(node.start_byte, block.start_byte),
        doc=w.doc(node.start_byte),
    )
    with b.definition(symbol):
        b.use(UseRole.CALL, b.name(w.text(macro)), macro.start_byte)
        stated = [w.value(child) for child in typed[::2]]
    named = [child for child in typed[1::2] if child.type == "identifier"]
    declared = Declared(None, None, is_function=True, returns_function=False, pointers=0)
    definitions.body(w, symbol, declared, {}, [block], named, stated)
    return NONE
