"""What precedes items: attributes, documentation, and how visible they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.facts import SymbolFlag
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

EXPORTED = int(SymbolFlag.EXPORTED)
COMMENTS = frozenset({"line_comment", "block_comment"})


def find_starts(nodes: Sequence[Node]) -> list[int]:
    """Where each item begins, the attributes in front of it included."""
    found: list[int] = []
    first: int | None = None
    for node in nodes:
        start = node.start_byte if first is None else first
        found.append(start)
        kind = node.type
        if kind == "attribute_item":
            first = start
        elif kind not in COMMENTS:
            first = None
    return found


def flags(w: Walk, node: Node) -> int:
    """Whether an item is visible outside of its module."""
    visible = next((child for child in node.children if child.type == "visibility_modifier"), None)
    return EXPORTED if visible is not None and "self" not in w.text(visible) else 0


def doc(w: Walk, node: Node, start: int) -> str:
    """The summary above the attributes of an item, or between them and it."""
    return w.doc(start) or (w.doc(node.start_byte) if start != node.start_byte else "")
