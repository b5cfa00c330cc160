"""What precedes items: attributes, documentation, and how visible they are.

Source: the Rust Reference, "Conditional compilation", "Testing attributes"; the test attributes of tokio, rstest,
test-case, quickcheck and wasm-bindgen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.walk import COMMENTS
from codemap.facts import SymbolFlag
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

EXPORTED, TEST, CASE = int(SymbolFlag.EXPORTED), int(SymbolFlag.TEST), int(SymbolFlag.CASE)
_OF_TESTS = re.compile(
    r"#[ \t]*\[[ \t]*(?:cfg[ \t]*\([ \t]*(?:all[ \t]*\([^()]*?)?\btest[ \t]*[,)]|(?:\w+[ \t]*::[ \t]*)*(?:test|bench)\b"
    r"|rstest\b|test_case\b|test_log\b|quickcheck\b|wasm_bindgen_test\b)"
)
"""Attributes of tests; `cfg(any(test, …))` is there in other builds, too."""
_CASE = re.compile(
    r"#[ \t]*\[[ \t]*(?:\w+[ \t]*::[ \t]*)*(?:test|rstest|test_case|test_log|quickcheck|\w+_test)[ \t]*[\](]"
)
"""Attributes by which a function is run as a test."""


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


def flags(w: Walk, node: Node, start: int) -> int:
    """Whether an item is visible outside of its module, and whether it is there for tests only."""
    visible = next((child for child in node.children if child.type == "visibility_modifier"), None)
    found = EXPORTED if visible is not None and "self" not in w.text(visible) else 0
    return found | test_flag(w, node, start)


def case_flag(w: Walk, node: Node, start: int) -> int:
    """`CASE` where the attributes between an offset and a function make it a test."""
    return CASE if start != node.start_byte and _CASE.search(w.chars, start, node.start_byte) else 0


def test_flag(w: Walk, node: Node, start: int) -> int:
    """`TEST` where the attributes between an offset and an item make it a test, or leave it out of other builds."""
    return TEST if start != node.start_byte and _OF_TESTS.search(w.chars, start, node.start_byte) else 0


def flags_of_tests(attributes: str) -> int:
    """`TEST` and `CASE` by the text of attributes."""
    return (TEST if _OF_TESTS.search(attributes) else 0) | (CASE if _CASE.search(attributes) else 0)


def doc(w: Walk, node: Node, start: int) -> str:
    """The summary above the attributes of an item, or between them and it."""
    return w.doc(start) or (w.doc(node.start_byte) if start != node.start_byte else "")
