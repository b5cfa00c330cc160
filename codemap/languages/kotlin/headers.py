"""How definitions show in lists: their modifiers, flags, signatures and documentation.

Source: the Kotlin documentation, "Visibility modifiers", "Document Kotlin code: KDoc".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SymbolFlag
from codemap.languages.jvm.test_annotations import flags_of_annotation
from codemap.languages.kotlin.walk import KotlinWalk, find_child, modifiers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def flags_of(w: KotlinWalk, node: Node) -> int:
    """Whether others see a definition, whether it is abstract, and whether it is a test or run with tests."""
    words = modifiers(w, node)
    flags = 0 if "private" in words else int(SymbolFlag.EXPORTED)
    flags |= SymbolFlag.ABSTRACT if "abstract" in words else 0
    flags |= SymbolFlag.HOOK if "override" in words else 0
    for name in _annotations(w, node):
        flags |= flags_of_annotation(name)
    return flags


def annotate(w: KotlinWalk, node: Node) -> None:
    """Visits the annotations of a definition, which is the current owner."""
    holder = find_child(node, "modifiers")
    if holder is not None:
        w.value(holder)


def _annotations(w: KotlinWalk, node: Node) -> Iterator[str]:
    """The names of its annotations, as written."""
    holder = find_child(node, "modifiers")
    for child in holder.named_children if holder is not None else ():
        if child.type == "annotation":
            for given in child.named_children:
                named = given if given.type == "user_type" else find_child(given, "user_type")
                if named is not None:
                    yield w.text(named)
