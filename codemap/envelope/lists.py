"""Reads the lists of a payload: where they are in its tree, their elements, and what each element adds to its length.

The elements of a grouped list (an object of lists) are pairs of the group and the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from codemap.envelope.answer import CutList, Spare

_encode = msgspec.json.Encoder().encode
_encode_lines = msgspec.json.Encoder().encode_lines


def order_inner_first(lists: tuple[CutList | Spare, ...]) -> list[CutList | Spare]:
    """The lists in cutting order: each before the one that its elements are in."""
    order: list[CutList | Spare] = []

    def place(cut: CutList | Spare) -> None:
        for other in lists:
            if other not in order and other.path[: len(cut.path) + 1] == (*cut.path, "*"):
                place(other)
        if cut not in order:
            order.append(cut)

    for cut in lists:
        place(cut)
    return order


def find_parents(tree: Any, cut: CutList) -> list[dict[str, Any]]:
    """The objects that hold the list, in document order."""
    *path, member = cut.path
    held = dict if cut.is_grouped else list
    return [node for node in values_at(tree, path) if isinstance(node, dict) and isinstance(node.get(member), held)]


def elements_of(cut: CutList, parent: dict[str, Any]) -> list[Any]:
    """The elements of a list; of a grouped one, pairs of the group and the row."""
    held = parent[cut.path[-1]]
    return [(group, row) for group, rows in held.items() for row in rows] if cut.is_grouped else held


def row_of(cut: CutList, element: Any) -> Any:
    """An element without the group that it is in."""
    return element[1] if cut.is_grouped else element


def take_parts(cut: CutList, element: Any, first: int, end: int) -> Any:
    """An element with some of its parts only."""
    assert cut.parts is not None, "only what can be divided has parts"
    taken = cut.parts.take(row_of(cut, element), first, end)
    return (element[0], taken) if cut.is_grouped else taken


def rebuild_list(cut: CutList, elements: list[Any]) -> Any:
    """The list again, of some of its elements."""
    if not cut.is_grouped:
        return elements
    groups: dict[str, list[Any]] = {}
    for group, row in elements:
        groups.setdefault(group, []).append(row)
    return groups


def values_at(tree: Any, path: Sequence[str]) -> list[Any]:
    """The values at a path, in document order."""
    nodes = [tree]
    for step in path:
        if step == "*":
            nodes = [element for node in nodes if isinstance(node, list) for element in node]
        else:
            nodes = [node[step] for node in nodes if isinstance(node, dict) and step in node]
    return nodes


def measure_elements(cut: CutList, elements: list[Any], kept: int, measure: Callable[[bytes], int]) -> list[int]:
    """Measures what each element after the kept ones adds to its list, with commas and the heads of groups."""
    if cut.is_grouped:
        return _measure_groups(elements, measure)[kept:]
    lengths = _measure(elements[kept:], measure)
    if kept and lengths:
        lengths[0] += 1  # the comma after the kept ones
    return lengths


def _measure_groups(elements: list[tuple[str, Any]], measure: Callable[[bytes], int]) -> list[int]:
    lengths = _measure([row for _, row in elements], measure)
    before = None
    for index, (group, _) in enumerate(elements):
        if group != before:
            lengths[index] += measure(_encode(group)) + len(":[]")
        before = group
    return lengths


def _measure(elements: list[Any], measure: Callable[[bytes], int]) -> list[int]:
    """Measures what each element adds to its list, with the comma before it."""
    lines = _encode_lines(elements).split(b"\n")
    lines.pop()
    lengths = [measure(line) + 1 for line in lines]
    if lengths:
        lengths[0] -= 1
    return lengths
