"""The constant beginning of a name that is put together: `get_` in `$this->{"get_$key"}()`, and in `"get_" . $key`.

A variable stands for what was last assigned to it above, in the same function.

Source: the PHP Manual, "Variable functions", "Strings".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.php.walk import Walk

_LEVELS_MAX = 20
"""Operations and assignments that a name is put together by."""
_STATEMENTS_MAX = 40
"""Above a use of a variable, within which its assignment is looked for."""
_FUNCTIONS = frozenset({"method_declaration", "function_definition", "anonymous_function", "arrow_function"})


def beginning(w: Walk, node: Node, levels: int = _LEVELS_MAX) -> str:
    """What a name begins with, as far as it is constant and some name can begin so; empty where nothing is."""
    if not levels:
        return ""
    found = ""
    if (
        node.type == "encapsed_string"
        and node.named_child_count > 1
        and node.named_children[0].type == "string_content"
    ):
        found = w.text(node.named_children[0])
    elif node.type == "string" or node.type == "encapsed_string":
        found = "".join(w.text(child) for child in node.named_children)
    elif node.type == "parenthesized_expression" and node.named_children:
        found = beginning(w, node.named_children[0], levels - 1)
    elif node.type == "binary_expression" and node.children[1].type == ".":
        found = beginning(w, node.children[0], levels - 1)
    elif node.type == "variable_name" and (value := _find_assigned(node)) is not None:
        found = beginning(w, value, levels - 1)
    return found if found.isidentifier() else ""


def _find_assigned(name: Node) -> Node | None:
    """What the nearest statement above assigns to a variable, in its block or one around that."""
    statement: Node | None = name
    for _ in range(_STATEMENTS_MAX):
        if statement is None or statement.type in _FUNCTIONS:
            return None
        before = statement.prev_named_sibling
        statement = before if before is not None and before.type.endswith("statement") else statement.parent
        if before is not None and before is statement and (value := _read_assigned(before, name)) is not None:
            return value
    return None


def _read_assigned(statement: Node, name: Node) -> Node | None:
    """What a statement assigns to a variable."""
    if statement.type != "expression_statement" or not statement.named_children:
        return None
    made = statement.named_children[0]
    target = made.child_by_field_name("left") if made.type == "assignment_expression" else None
    return made.child_by_field_name("right") if target is not None and target.text == name.text else None
