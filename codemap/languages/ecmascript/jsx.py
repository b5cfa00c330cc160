"""JSX: an element of a component refers to it; elements in lower case are the platform's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, visit_children, visit_nothing
from codemap.languages.ecmascript.walk import Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node


def _element(w: Walk, node: Node) -> int:
    visit_children(w, node)
    return NONE


def _tag(w: Walk, node: Node) -> int:
    """An opening or self-closing tag."""
    name = name_of(node)
    if name is not None and (name.kind_id != w.kinds.IDENTIFIER or not w.text(name)[:1].islower()):
        w.value(name)
    for child in node.named_children:
        if name is None or child.start_byte != name.start_byte:
            w.value(child)
    return NONE


def _attribute(w: Walk, node: Node) -> int:
    for child in node.named_children[1:]:
        w.value(child)
    return NONE


HANDLERS: Mapping[str, Handler] = {
    "jsx_element": _element,
    "jsx_opening_element": _tag,
    "jsx_self_closing_element": _tag,
    "jsx_closing_element": visit_nothing,
    "jsx_attribute": _attribute,
    "jsx_expression": _element,
    "jsx_namespace_name": visit_nothing,
    "jsx_text": visit_nothing,
    "html_character_reference": visit_nothing,
}
