"""Products that the grammar reads as declarations: the argument of `f(a.b * c)`, as if `c` were a pointer to `a.b`.

Only `out` declares a variable in an argument, and so does a tuple that is assigned to.

Source: the C# language specification, "Argument lists", "Deconstruction".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import UseRole
from codemap.languages.csharp import expressions, types
from codemap.languages.csharp.walk import CSharpWalk, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_NAMES = ("identifier", "qualified_name")


def product_or_declaration(w: CSharpWalk, node: Node) -> int:
    """`a * b` as an argument; else what declares a variable."""
    pointer, right = node.child_by_field_name("type"), node.child_by_field_name("name")
    left = pointer.named_children[0] if pointer is not None and pointer.type == "pointer_type" else None
    if pointer is None or left is None or right is None or left.type not in _NAMES or not _is_plain_argument(node):
        return expressions.declaration(w, node)
    value = _factor(w, left)
    w.value(right)
    return expressions.operate(w, value, "*", pointer.children[-1])


def _is_plain_argument(node: Node) -> bool:
    argument = node.parent
    if argument is None or argument.type != "argument" or has_token(argument, "out"):
        return False
    listed = argument.parent
    assignment = listed.parent if listed is not None and listed.type == "tuple_expression" else None
    return assignment is None or assignment.child_by_field_name("left") != listed


def _factor(w: CSharpWalk, node: Node) -> int:
    """The value of `a.b` that is read as the name of a type."""
    qualifier, name = node.child_by_field_name("qualifier"), node.child_by_field_name("name")
    if node.type != "qualified_name" or qualifier is None or name is None:
        return w.value(node)
    last = types.name_of(name)
    found = w.b.attribute(_factor(w, qualifier), w.text(last))
    w.b.use(_READ, found, last.start_byte)
    return found
