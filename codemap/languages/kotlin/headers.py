"""How definitions show in lists: their modifiers, flags, signatures and documentation.

Source: the Kotlin documentation, "Visibility modifiers", "Document Kotlin code: KDoc".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SymbolFlag
from codemap.languages.kotlin.walk import KotlinWalk, find_child, modifiers

if TYPE_CHECKING:
    from tree_sitter import Node


def flags_of(w: KotlinWalk, node: Node) -> int:
    """Whether others see a definition, and whether it is abstract or suspends."""
    words = modifiers(w, node)
    flags = 0 if "private" in words else int(SymbolFlag.EXPORTED)
    return flags | (SymbolFlag.ABSTRACT if "abstract" in words else 0)


def annotate(w: KotlinWalk, node: Node) -> None:
    """Visits the annotations of a definition, which is the current owner."""
    holder = find_child(node, "modifiers")
    if holder is not None:
        w.value(holder)
