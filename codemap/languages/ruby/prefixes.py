"""The constant beginning of a name that is put together: `on_` in `send("on_#{kind}")`, `send(:"on_#{kind}")` and
`send("on_" + kind)`.

A local variable stands for what was last assigned to it above, in the same method.

Source: the Ruby documentation of Object#public_send; "Literals", "String".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.ruby.walk import Walk

_LEVELS_MAX = 20
"""Operations and assignments that a name is put together by."""
_STATEMENTS_MAX = 40
"""Above a use of a variable, within which its assignment is looked for."""
_TEXTS = ("string", "delimited_symbol")
_BODIES = frozenset({"body_statement", "block_body", "then", "else", "program", "parenthesized_statements"})
_METHODS = frozenset({"method", "singleton_method", "class", "module"})


def beginning(w: Walk, node: Node, levels: int = _LEVELS_MAX) -> str:
    """What a name begins with, as far as it is constant and some name can begin so; empty where nothing is."""
    found, parts = "", node.named_children
    if not levels:
        return ""
    if node.type in _TEXTS and parts and parts[0].type == "string_content":
        found = w.text(parts[0])
    elif node.type == "binary" and node.children[1].type == "+":
        found = beginning(w, node.children[0], levels - 1)
    elif node.type == "identifier" and (value := _find_assigned(node)) is not None:
        found = beginning(w, value, levels - 1)
    return found if found.isidentifier() else ""


def _find_assigned(name: Node) -> Node | None:
    """What the nearest statement above assigns to a variable, in its body or one around that."""
    statement: Node | None = name
    for _ in range(_STATEMENTS_MAX):
        if statement is None or statement.type in _METHODS or statement.parent is None:
            return None
        before = statement.prev_named_sibling if statement.parent.type in _BODIES else None
        statement = statement.parent if before is None else before
        if before is not None and before.type == "assignment":
            left, right = before.child_by_field_name("left"), before.child_by_field_name("right")
            if left is not None and left.type == "identifier" and left.text == name.text:
                return right
    return None
