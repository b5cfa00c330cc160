"""Expressions whose place says what they are to be: a function's parameters and an object's members follow from it.

Source: the TypeScript handbook, "Contextual Typing".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.walk import Wanted
from codemap.languages.ecmascript.definitions import functions, objects
from codemap.languages.ecmascript.definitions.parameters import Given
from codemap.languages.ecmascript.kinds import FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.ecmascript.walk import Walk


def _function(w: Walk, node: Node, wanted: int) -> int:
    return functions.contextual(w, node, Given(wanted=wanted))


def _ternary(w: Walk, node: Node, wanted: int) -> int:
    w.field(node, "condition")
    branches = (node.child_by_field_name(name) for name in ("consequence", "alternative"))
    return w.b.unions([w.value_for(branch, wanted) for branch in branches if branch is not None])


HANDLERS: Mapping[str, Wanted] = {
    "object": objects.object_value,
    "ternary_expression": _ternary,
    **dict.fromkeys(FUNCTIONS, _function),
}
