"""How definitions show in lists: their modifiers, flags, signatures and documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SymbolFlag, UseRole
from codemap.languages.php.walk import ATTRIBUTES, Walk

if TYPE_CHECKING:
    from tree_sitter import Node


def flags_of(node: Node) -> int:
    """What the modifiers of a member say: what says nothing is public."""
    flags = int(SymbolFlag.EXPORTED)
    for child in node.children:
        match child.type:
            case "visibility_modifier" if child.text in (b"private", b"PRIVATE", b"Private"):
                flags &= ~SymbolFlag.EXPORTED
            case "static_modifier":
                flags |= SymbolFlag.STATIC
            case "abstract_modifier":
                flags |= SymbolFlag.ABSTRACT
            case _:
                pass
    return flags


def annotate(w: Walk, node: Node) -> None:
    """Visits the attributes of a definition, which is the current owner."""
    for child in node.named_children:
        if child.type == ATTRIBUTES:
            for group in child.named_children:
                for attribute in group.named_children:
                    _attribute(w, attribute)


def _attribute(w: Walk, node: Node) -> None:
    for child in node.named_children:
        if child.type in ("name", "qualified_name", "relative_name"):
            at = name_at(child)
            w.use(UseRole.REFERENCE, w.class_(w.text(child), at), at)
        else:
            w.value(child)


def name_at(node: Node) -> int:
    """Where the last part of a name begins."""
    return node.named_children[-1].start_byte if node.named_children else node.start_byte
