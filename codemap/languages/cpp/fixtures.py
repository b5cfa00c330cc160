"""Tests that a macro makes of a block, and the class that they run in.

Source: Google Test, "Test Fixtures"; Google Benchmark, "Fixtures".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.facts import Op
from codemap.languages.c.declarators import Declared
from codemap.languages.c.keywords import MACRO_NAME
from codemap.languages.cpp.walk import CppWalk, Fixture

if TYPE_CHECKING:
    from tree_sitter import Node

_SURE = re.compile(r"\w+_[FP]|TYPED_TEST|TEST_FIXTURE")
"""Macros that are known to take a fixture; others may take the name of a group."""
_MACRO = re.compile(MACRO_NAME)


def fixture(w: CppWalk, node: Node, declared: Declared) -> Fixture | None:
    """An instance of the class that a macro has a test run in (`TEST_F(Fixture, name) {…}`): its names are known there.
    None where the function is made by no such macro."""
    if declared.name is None or declared.parameters is None or node.child_by_field_name("type") is not None:
        return None
    listed = [each for each in declared.parameters.named_children if each.type == "parameter_declaration"]
    if len(listed) < 2 or not _MACRO.fullmatch(w.text(declared.name)):
        return None
    macro, cls = w.text(declared.name), w.bare(w.text(listed[0]))
    is_sure = _SURE.fullmatch(macro) is not None
    return Fixture(cls, listed[0].start_byte, w.b.wrap(Op.INSTANCE, cls), is_sure)
