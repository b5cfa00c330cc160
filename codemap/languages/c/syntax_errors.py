"""Syntax errors: what one contains is read as far as it makes sense by itself.

Source: ISO/IEC 9899:2018, 6.9 "External definitions": no function is in another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import SourceKind, SymbolKind
from codemap.languages.c import declarators, definitions
from codemap.languages.c.declarators import Declared
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_OUTERMOST = frozenset(
    {
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "class_specifier",
        "declaration",
        "type_definition",
        "template_declaration",
        "namespace_definition",
        "linkage_specification",
        "preproc_include",
    }
)


def broken(w: Walk, node: Node) -> int:
    """What is no syntax; a function whose end is missing has what follows it, up to a definition of the top level."""
    if not w.is_top():
        return visit_children(w, node)
    children = node.named_children
    skipped = 0
    for at, child in enumerate(children):
        if at < skipped:
            continue
        following = child.next_sibling
        if child.type == "function_declarator" and following is not None and following.type == "{":
            declared = declarators.read(w, child)
            if declared.name is not None and declared.is_function:
                end = next((i for i in range(at + 1, len(children)) if _begins_anew(children[i])), len(children))
                _cut(w, child, children[end - 1], declared.name, declared, children[at + 1 : end])
                skipped = end
                continue
        w.value(child)
    return NONE


def _begins_anew(node: Node) -> bool:
    """Whether a node in an error can be in no function: a function, or a definition where lines begin."""
    return node.type == "function_definition" or (node.start_point[1] == 0 and node.type in _OUTERMOST)


def _cut(w: Walk, head: Node, last: Node, name_node: Node, declared: Declared, rest: list[Node]) -> None:
    name = w.text(name_node)
    start = w.chars.rfind("\n", 0, head.start_byte) + 1
    symbol = w.b.symbol(
        name,
        SymbolKind.FUNCTION,
        parent=w.b.owner,
        at=name_node.start_byte,
        start=start,
        end=last.end_byte,
        signature=w.header(start, head.end_byte),
        doc=w.doc(start),
    )
    w.declare(name, SourceKind.SYMBOL, symbol)
    definitions.body(w, symbol, declared, {}, rest)
