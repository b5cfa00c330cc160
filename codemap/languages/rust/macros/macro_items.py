"""Items that a macro is called with: most macros in the place of items pass those on (`cfg_if!`, `thread_local!`).

What is in the braces of such a call is parsed once more, where it is, and taken for items where it is nothing else.
Lines of marks (`@section type`), with which macros divide what they are given, are blank there.

Source: the Rust Reference, "Macros"; the documentation of the crates cfg-if and lazy_static.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from tree_sitter import Parser, Range
from tree_sitter_language_pack import get_language

from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

SHARE_MAX = 6
"""So many times the length of the file is parsed again at most, where calls hold calls: real files stay below two."""
_LAZY = re.compile(rb"\bstatic(\s+)ref\b")
_MARKED = re.compile(rb"^[ \t]*@\w+(?:[ \t]+\w+)*[ \t]*$", re.MULTILINE)
"""A line that a macro reads, and does not pass on."""
_BESIDES = frozenset({"attribute_item", "line_comment", "block_comment", "empty_statement"})


@cache
def _parser() -> Parser:
    return Parser(get_language("rust"))


def expand(w: Walk, nodes: Sequence[Node]) -> list[Node]:
    """Items, with those behind each call of a macro that it is called with."""
    found: list[Node] = []
    for node in nodes:
        found.append(node)
        if node.type == "expression_statement" and node.named_child_count == 1:
            node = node.named_children[0]  # the call is what the statement holds
        if node.type == "macro_invocation":
            inner = _items(w, node)
            if inner:
                w.expanded.add(node.start_byte)
                found += inner
    return found


def _items(w: Walk, node: Node) -> list[Node]:
    tree = next((child for child in node.named_children if child.type == "token_tree"), None)
    if tree is None or not tree.children or tree.children[0].type != "{":
        return []
    found: list[Node] = []
    for part in _parts(w, tree):
        found += expand(w, _parsed(w, part))
    return found


def _parts(w: Walk, tree: Node) -> Iterator[Node]:
    """The braces that hold items: the call's own, or those behind each condition."""
    children = [child for child in tree.children[1:-1] if child.type not in _BESIDES]
    if children and w.text(children[0]) == "if":
        yield from (child for child in children if child.type == "token_tree" and child.children[0].type == "{")
    else:
        yield tree


def _parsed(w: Walk, tree: Node) -> list[Node]:
    first, last = tree.children[0], tree.children[-1]
    w.parsed_again += last.start_byte - first.end_byte
    if last.start_byte <= first.end_byte or last.is_missing or w.parsed_again > SHARE_MAX * len(w.b.source):
        return []
    parser = _parser()
    parser.included_ranges = [Range(first.end_point, last.start_point, first.end_byte, last.start_byte)]
    source = w.b.source
    if b" ref " in source[first.end_byte : last.start_byte]:
        source = _LAZY.sub(lambda found: b"static" + found[1] + b"   ", source)
    if b"@" in source[first.end_byte : last.start_byte]:
        source = _MARKED.sub(lambda found: b" " * len(found[0]), source)
    root = parser.parse(source).root_node
    nodes = [child for child in root.named_children if child.type not in _BESIDES]
    if root.has_error or not nodes or not all(_is_item(node) for node in nodes):
        return []
    return root.named_children


def _is_item(node: Node) -> bool:
    kind = node.type
    if kind == "expression_statement":
        return node.named_child_count == 1 and node.named_children[0].type == "macro_invocation"
    return kind.endswith("_item") or kind in (
        "use_declaration",
        "macro_definition",
        "macro_invocation",
        "extern_crate_declaration",
    )
