"""Tests that a macro makes of a block, and the class that they run in.

Source: Google Test, "Test Fixtures"; Google Benchmark, "Fixtures".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.facts import Op
from codemap.languages.c.declarators import Declared
from codemap.languages.cpp.walk import CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDS = ("_F", "_P")
"""What the names of macros end in that take a fixture; others take the name of a group alone."""


def fixture(w: CppWalk, node: Node, declared: Declared) -> int:
    """An instance of the class that a macro has a test run in (`TEST_F(Fixture, name) {…}`): its names are known there.
    NONE where the function is made by no such macro."""
    if declared.name is None or declared.parameters is None or node.child_by_field_name("type") is not None:
        return NONE
    if not w.text(declared.name).endswith(_ENDS):
        return NONE
    listed = [each for each in declared.parameters.named_children if each.type == "parameter_declaration"]
    return w.b.wrap(Op.INSTANCE, w.bare(w.text(listed[0]))) if len(listed) > 1 else NONE
