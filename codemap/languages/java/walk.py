"""The walk over a Java syntax tree: how its definitions show in lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.comments import summary_above
from codemap.languages.class_based.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

ANNOTATIONS = ("annotation", "marker_annotation")
_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]*)\}")
_HTML_TAG = re.compile(r"</?\w+[^<>]*>")
_BLOCK_TAG = re.compile(r"(?:^|\s)@\w+\s.*", re.DOTALL)


class JavaWalk(Walk):
    """The state of one file's walk."""

    __slots__ = ()

    def signature(self, node: Node, end: int) -> str:
        """A definition up to an offset, without its annotations."""
        modifiers = modifiers_of(node)
        if modifiers is None:
            return self.header(node.start_byte, end)
        words = [self.text(word) for word in modifiers.children if word.type not in ANNOTATIONS]
        return self.header_behind(words, modifiers.end_byte, end)

    def doc(self, start: int) -> str:
        """The first sentence of the comment above an offset, without markup and block tags."""
        text = summary_above(self.chars, start, line=("//",), block=("/*", "*/"))
        if not text:
            return ""
        text = _BLOCK_TAG.sub("", _HTML_TAG.sub("", _INLINE_TAG.sub(r"\1", text)))
        return " ".join(text.split())


def modifiers_of(node: Node) -> Node | None:
    for child in node.children:
        if child.type == "modifiers":
            return child
    return None
