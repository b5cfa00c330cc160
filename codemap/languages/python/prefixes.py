"""The constant beginning of a text that is put together.

In `f"on_{x}"`, `"on_" + x`, `"on_%s" % x` and `"on_{}".format(x)` it is `on_`; in `f"On_{x}".lower()`, too. A name
stands for what was last assigned to it above, in the same function.

Source: the Python Language Reference, 2.4.3 and 6.7; the Python Standard Library, "Format String Syntax".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.python.walk import Walk


STATEMENTS_MAX = 40
"""Above a use of a name, within which its assignment is looked for."""
LEVELS_MAX = 20
"""Operations and assignments that a text is put together by."""


def beginning(w: Walk, node: Node, levels: int = LEVELS_MAX) -> str:
    """What a text begins with, as far as it is constant and a name can begin so; empty where nothing is."""
    if not levels:
        return ""
    match node.type:
        case "string":
            found = _of_string(w, node)
        case "parenthesized_expression" if node.named_children:
            found = beginning(w, node.named_children[0], levels - 1)
        case "binary_operator" if node.children[1].type in "+%":
            found = beginning(w, node.children[0], levels - 1).partition("%")[0]
        case "call" if node.children[0].type == "attribute":
            found = _of_method(w, node.children[0], levels)
        case "identifier" if (value := _find_assigned(node)) is not None:
            found = beginning(w, value, levels - 1)
        case _:
            found = ""
    return found if found.isidentifier() else ""


def _of_string(w: Walk, node: Node) -> str:
    """The text up to the first replacement field."""
    parts = node.children
    if len(parts) < 2 or parts[1].type != "string_content":
        return ""
    return w.text(parts[1]).partition("{")[0].partition("%")[0]


def _of_method(w: Walk, callee: Node, levels: int) -> str:
    match w.text(callee.children[-1]):
        case "format" if callee.children[0].type == "string":
            return _of_string(w, callee.children[0])
        case "lower":
            return beginning(w, callee.children[0], levels - 1).lower()
        case "upper":
            return beginning(w, callee.children[0], levels - 1).upper()
        case _:
            return ""


def _find_assigned(name: Node) -> Node | None:
    """What the nearest statement above assigns to a name, in its block or one around that; None where none does within
    so many statements."""
    statement: Node | None = name
    for _ in range(STATEMENTS_MAX):
        if statement is None or statement.parent is None:
            return None
        before = statement.prev_named_sibling if statement.parent.type in ("block", "module") else None
        statement = before or statement.parent
        if statement.type in ("function_definition", "class_definition"):
            return None
        if before is not None and (value := _read_assigned(before, name)) is not None:
            return value
    return None


def _read_assigned(statement: Node, name: Node) -> Node | None:
    """What a statement assigns to a name alone."""
    if statement.type == "expression_statement" and statement.named_children:
        statement = statement.named_children[0]
    target = statement.child_by_field_name("left") if statement.type == "assignment" else None
    is_its = target is not None and target.type == "identifier" and target.text == name.text
    return statement.child_by_field_name("right") if is_its else None
