"""The constant beginning of a text that is put together.

In `f"on_{x}"`, `"on_" + x`, `"on_%s" % x` and `"on_{}".format(x)` it is `on_`.

Source: the Python Language Reference, 2.4.3 and 6.7; the Python Standard Library, "Format String Syntax".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.python.walk import Walk


def beginning(w: Walk, node: Node) -> str:
    """What a text begins with, as far as it is constant and a name can begin so; empty where nothing is."""
    match node.type:
        case "string":
            found = _of_string(w, node)
        case "parenthesized_expression" if node.named_children:
            found = beginning(w, node.named_children[0])
        case "binary_operator" if node.children[1].type in "+%":
            found = beginning(w, node.children[0]).partition("%")[0]
        case "call" if node.children[0].type == "attribute":
            found = _of_format(w, node.children[0])
        case _:
            found = ""
    return found if found.isidentifier() else ""


def _of_string(w: Walk, node: Node) -> str:
    """The text up to the first replacement field."""
    parts = node.children
    if len(parts) < 2 or parts[1].type != "string_content":
        return ""
    return w.text(parts[1]).partition("{")[0].partition("%")[0]


def _of_format(w: Walk, callee: Node) -> str:
    is_format = w.text(callee.children[-1]) == "format" and callee.children[0].type == "string"
    return _of_string(w, callee.children[0]) if is_format else ""
