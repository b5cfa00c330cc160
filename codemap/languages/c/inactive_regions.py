"""Code that no build has: what is under `#if 0`, up to its next branch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_INACTIVE = re.compile(rb"^[ \t]*#[ \t]*if[ \t]+0\b", re.MULTILINE)


def find_inactive(source: bytes, root: Node) -> Sequence[tuple[int, int]]:
    """See `Language.find_inactive`."""
    spans = []
    for match in _INACTIVE.finditer(source):
        directive = root.descendant_for_byte_range(match.end() - 1, match.end())
        conditional = directive.parent if directive is not None else None
        if conditional is None or not _is_inactive(conditional):
            continue
        start = conditional.start_byte
        for branch in conditional.children_by_field_name("alternative"):
            spans.append((start, branch.start_byte))
            start = branch.end_byte
        spans.append((start, conditional.end_byte))
    outer: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not outer or span[0] >= outer[-1][1]:
            outer.append(span)
    return outer


def compiled_children(conditional: Node) -> list[Node]:
    """What is under a conditional directive, but for inactive code."""
    if _is_inactive(conditional):
        return conditional.children_by_field_name("alternative")
    return conditional.named_children


def _is_inactive(conditional: Node) -> bool:
    """Whether the first branch of a conditional directive is never compiled."""
    condition = conditional.child_by_field_name("condition")
    return condition is not None and condition.end_byte - condition.start_byte == 1 and condition.text == b"0"
