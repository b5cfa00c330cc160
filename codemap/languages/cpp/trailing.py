"""What follows the parameters of a function: the type of its result, `noexcept (…)` and constraints.

Source: ISO/IEC 14882:2020, 9.3.4.6 "Functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Walk, visit_children

if TYPE_CHECKING:
    from tree_sitter import Node

_RESULT = "trailing_return_type"
_TRAILING = (_RESULT, "noexcept", "requires_clause")


def has_trailing(parameters: Node | None) -> bool:
    """Whether anything is there that uses what is declared."""
    node = None if parameters is None else parameters.next_named_sibling
    while node is not None and node.type not in _TRAILING:
        node = node.next_named_sibling
    return node is not None


def visit_trailing(w: Walk, parameters: Node | None) -> int:
    """Visits it; gives the type of the result (`auto f() -> T`), NONE where that is in front."""
    given = NONE
    node = None if parameters is None else parameters.next_named_sibling
    while node is not None:
        if node.type == _RESULT and node.named_children:
            given = w.value(node.named_children[0])
        elif node.type in _TRAILING:
            visit_children(w, node)
        node = node.next_named_sibling
    return given
