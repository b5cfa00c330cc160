"""How definitions show in lists: their modifiers, flags, signatures and documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.facts import SymbolFlag, UseRole
from codemap.languages.php.walk import ATTRIBUTES, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_ATTRIBUTE = re.compile(r"(?:#\[|,)\s*(?:\w*\\)*(\w+)")
PROVIDERS = re.compile(r"(?:@dataProvider[ \t]+|\bDataProvider\()([^()\s]*)")
"""What names the methods that give arguments to tests."""
_TEST_TAG = re.compile(r"\*[ \t]*@test\b")
_HOOKS = frozenset(("Before", "After", "BeforeClass", "AfterClass"))
"""Attributes of PHPUnit."""


def flags_of(node: Node) -> int:
    """What the modifiers and attributes of a member say: what says nothing is public."""
    flags = int(SymbolFlag.EXPORTED)
    for child in node.children:
        match child.type:
            case "attribute_list":
                flags |= _flags_of_attributes(child)
            case "visibility_modifier" if child.text in (b"private", b"PRIVATE", b"Private"):
                flags &= ~SymbolFlag.EXPORTED
            case "static_modifier":
                flags |= SymbolFlag.STATIC
            case "abstract_modifier":
                flags |= SymbolFlag.ABSTRACT
            case _:
                pass
    return flags


def case_flag(w: Walk, node: Node) -> int:
    """`CASE` where the comment above a method says that it is a test."""
    end = node.start_byte
    while end and w.chars[end - 1].isspace():
        end -= 1
    if w.chars[end - 2 : end] != "*/":
        return 0
    begin = w.chars.rfind("/**", 0, end)
    return int(SymbolFlag.CASE) if begin >= 0 and _TEST_TAG.search(w.chars, begin, end) else 0


def _flags_of_attributes(listed: Node) -> int:
    names = _ATTRIBUTE.findall((listed.text or b"").decode("utf-8", "replace"))
    flags = SymbolFlag.CASE if "Test" in names else 0
    return flags | (SymbolFlag.HOOK if not _HOOKS.isdisjoint(names) else 0)


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
