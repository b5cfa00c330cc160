"""Expressions whose place says what they are to be: a function's parameters and an object's members follow from it.

Source: the TypeScript handbook, "Contextual Typing".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.languages.ecmascript import functions, objects
from codemap.languages.ecmascript.parameters import Given

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.ecmascript.walk import Walk


def visit(w: Walk, node: Node, wanted: int) -> int:
    """Visits an expression where a value like `wanted` is asked for."""
    plain = node if wanted == NONE else w.unwrap(node)
    kind, k = plain.kind_id, w.kinds
    if wanted == NONE or (kind != k.OBJECT and kind != k.TERNARY and kind not in k.functions):
        return w.value(node)
    if kind == k.OBJECT:
        return objects.object_value(w, plain, wanted)
    if kind == k.TERNARY:
        w.field(plain, "condition")
        branches = (plain.child_by_field_name(name) for name in ("consequence", "alternative"))
        return w.b.unions([visit(w, branch, wanted) for branch in branches if branch is not None])
    return functions.contextual(w, plain, Given(wanted=wanted))
