"""Counts the parameters that a function declares."""

from __future__ import annotations

from tree_sitter import Node

from codemap.languages.complexity import Complexity


def count_parameters(function: Node, rules: Complexity) -> int:
    """Without a receiver."""
    if function.child_by_field_name("parameter") is not None:
        return 1
    listed = _list(function, rules.parameters)
    if listed is None:
        return 0
    count = 0
    for place, child in enumerate(listed.named_children):
        kind = child.type
        if kind in rules.comments or kind in rules.uncounted or (rules.counted and kind not in rules.counted):
            continue
        if child.text != b"void" and not (place == 0 and _name(child) in rules.receivers):
            count += max(1, len(child.children_by_field_name("name")))
    return count


def _name(parameter: Node) -> str:
    text = (parameter.children[0] if parameter.child_count else parameter).text
    return "" if text is None else text.decode("utf-8", "replace")


def _list(function: Node, kinds: tuple[str, ...]) -> Node | None:
    """The list of parameters, which may be in a declarator."""
    found: Node | None = function
    while found is not None:
        listed = found.child_by_field_name("parameters")
        if listed is None:
            listed = next((child for child in found.named_children if child.type in kinds), None)
        if listed is not None:
            return listed
        declarator = found.child_by_field_name("declarator")
        if declarator is None:
            declarator = next((child for child in found.named_children if child.type.endswith("declarator")), None)
        found = declarator
    return None
