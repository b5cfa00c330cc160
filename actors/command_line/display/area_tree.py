"""The areas of an overview as a tree of folders, each with a bar of its size where a terminal shows it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from actors.command_line.display.terminal import GAP, Style
from actors.command_line.display.trees import Branch, bar, branch_lines

_LABEL_MAX = 40
"""Longer labels move their own bar only."""
_INDENT = 3
"""Characters that one level of a tree takes."""


class AreaShown(msgspec.Struct, frozen=True):
    label: str
    """A folder, or `folder: some files of it`."""
    size: int
    """By which bars are compared."""
    counts: str
    about: str
    lines: Sequence[str]
    """Running text below it."""


def area_lines(areas: Sequence[AreaShown], style: Style) -> list[str]:
    """One tree; an area hangs on the innermost other one whose folder it is in.

    Branches are in the order of the first area, the most telling one, that each of them has.
    """
    largest = max((area.size for area in areas), default=0)
    folder = [area.label.partition(": ")[0] for area in areas]
    parent = [_find_parent(place, areas, folder) for place in range(len(areas))]
    depth = [_count_above(place, parent) for place in range(len(areas))]
    widths = [_INDENT * depth[place] + len(area.label) for place, area in enumerate(areas)]
    column = max((width for width in widths if width <= _LABEL_MAX), default=0)

    in_order = sorted(range(len(areas)), key=_find_firsts(parent).__getitem__)

    def branch(place: int) -> Branch:
        area = areas[place]
        pad = " " * max(column - widths[place], 0) if style.width is not None else ""
        size = style.paint(bar(area.size / largest if largest else 0), "cyan") if style.width is not None else ""
        parts = (style.paint(area.label, "bold") + pad, size, area.counts, style.paint(area.about, "dim"))
        below = [branch(other) for other in in_order if parent[other] == place]
        return Branch(GAP.join(filter(None, parts)).rstrip(), area.lines, below)

    return branch_lines([branch(place) for place in in_order if parent[place] < 0], style)


def _find_parent(place: int, areas: Sequence[AreaShown], folder: Sequence[str]) -> int:
    """The place of the area that it hangs on; -1: none."""
    found = -1
    for other, area in enumerate(areas):
        is_around = other != place and f"{folder[place]}/".startswith(f"{area.label}/")
        is_around = is_around and area.label != areas[place].label
        if is_around and (found < 0 or len(area.label) > len(areas[found].label)):
            found = other
    return found


def _find_firsts(parent: Sequence[int]) -> list[int]:
    """Of each area the first place of those on its branch."""
    firsts = [*range(len(parent))]
    for place in range(len(parent)):
        above = place
        while (above := parent[above]) >= 0:
            firsts[above] = min(firsts[above], place)
    return firsts


def _count_above(place: int, parent: Sequence[int]) -> int:
    count = 0
    while (place := parent[place]) >= 0:
        count += 1
    return count
