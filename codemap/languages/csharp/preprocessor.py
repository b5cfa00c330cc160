"""Conditional directives: every branch is read, as any may be compiled; what their conditions name is no code.

Source: the C# language specification, "Pre-processing directives".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.node_dispatch import kind_of
from codemap.fact_building.walk import Handler, visit_nothing
from codemap.languages.csharp.walk import CSharpWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_DIRECTIVES = (
    "preproc_define",
    "preproc_undef",
    "preproc_error",
    "preproc_warning",
    "preproc_line",
    "preproc_pragma",
    "preproc_nullable",
    "preproc_region",
    "preproc_endregion",
)


def conditional(w: CSharpWalk, node: Node) -> int:
    """`#if`, `#elif`: visits what is below it, and its other branches."""
    condition = node.child_by_field_name("condition")
    for child in node.named_children:
        if child != condition:
            w.value(child)
    return NONE


def without_directives(handlers: Mapping[int, Handler]) -> Mapping[int, Handler]:
    """The handlers, but for directives, which hold no code."""
    return {**handlers, **{kind_of("csharp", name): visit_nothing for name in _DIRECTIVES}}
