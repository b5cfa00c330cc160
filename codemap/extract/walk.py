"""What the walks of plug-ins over their syntax trees have in common: dispatch by kind of node, and spellings.

Every node is visited once. A handler of an expression returns what its value is (a builder expression) and has told the
builder every use inside it; a handler of a statement returns NONE.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from codemap.extract.builder import NONE, Builder
from codemap.extract.spelling import decoded

if TYPE_CHECKING:
    from tree_sitter import Node

Handler = Callable[[Any, "Node"], int]
"""Visits one node; returns the handle of its value, NONE for statements and for values that nothing is known of."""


class Walk:
    """The state of one file's walk, as far as every language has it."""

    __slots__ = ("b", "chars", "values")

    def __init__(self, b: Builder, values: Mapping[int, Handler]) -> None:
        self.b = b
        self.chars = b.chars
        self.values = values

    def text(self, node: Node) -> str:
        spelling = self.chars[node.start_byte : node.end_byte]
        return spelling if spelling.isascii() else decoded(spelling)

    def value(self, node: Node | None) -> int:
        """Visits an expression or type (in broken source, anything) and returns what it is."""
        return NONE if node is None else self.values[node.kind_id](self, node)

    def field(self, node: Node, name: str) -> int:
        """Visits the child in a field, if there is one, and returns what it is."""
        child = node.child_by_field_name(name)
        return NONE if child is None else self.values[child.kind_id](self, child)


def inside(w: Walk, node: Node) -> int:
    """Visits the children of a node that means nothing itself."""
    values = w.values
    for child in node.named_children:
        values[child.kind_id](w, child)
    return NONE


def nothing(_w: Walk, _node: Node) -> int:
    """Visits nothing: the node cannot hold a name."""
    return NONE
