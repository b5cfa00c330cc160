"""Places boxes in columns, so that most arrows lead to the right and few cross.

Arrows that close a circle are turned round for it; an arrow over several columns bends in each between them.

Source: Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981): columns
by longest chains, order by barycenters. Heights are a least-squares fit under the order (pool adjacent violators).
Columns and boxes keep their given order where nothing else decides, so one input has one layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

SWEEPS = 12
"""Over all columns; further ones change nothing that is seen."""
_BEND_SHARE = 0.4
"""Of the room of a box, what a bend has."""

Arrow = tuple[int, int]


class Layout(msgspec.Struct, frozen=True):
    columns: tuple[int, ...]
    """Of each box, from 0."""
    heights: tuple[float, ...]
    """Middle of each box, in rows from 0."""
    routes: tuple[tuple[tuple[int, float], ...], ...]
    """Of each arrow: (column, height) of its bends, from its source to its target."""
    turned: frozenset[int]
    """Arrows that lead to the left, or stay in their column."""


def layered(count: int, arrows: Sequence[Arrow]) -> Layout:
    """The layout of `count` boxes; an arrow from a box to itself has no bends."""
    turned = _turned(count, arrows)
    forward = [(b, a) if place in turned else (a, b) for place, (a, b) in enumerate(arrows)]
    column = _columns(count, [arrow for arrow in forward if arrow[0] != arrow[1]])
    places: list[list[int]] = [[] for _ in range(max(column, default=-1) + 1)]
    for box, of in enumerate(column):
        places[of].append(box)
    chains: list[list[int]] = []
    parts: set[Arrow] = set()
    for start, end in forward:
        bends = []
        for of in range(column[start] + 1, column[end]):
            bends.append(len(column))
            places[of].append(len(column))
            column.append(of)
        chains.append(bends)
        if start != end:
            parts.update(pairwise((start, *bends, end)))
    before, after = _sides(len(column), parts)
    _order(places, before, after)
    heights = _heights(places, before, after, count)
    routes = []
    for place, bends in enumerate(chains):
        route = [(column[bend], heights[bend]) for bend in bends]
        routes.append(tuple(reversed(route) if place in turned else route))
    return Layout(tuple(column[:count]), tuple(heights[:count]), tuple(routes), frozenset(turned))


def _turned(count: int, arrows: Sequence[Arrow]) -> set[int]:
    """Arrows that lead back to what they were reached from, in a walk into the depth."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for place, (start, end) in enumerate(arrows):
        out[start].append((place, end))
    entered = [False] * count
    is_open = [False] * count
    found: set[int] = set()
    has_users = {end for start, end in arrows if start != end}
    for root in sorted(range(count), key=lambda box: box in has_users):
        stack = [] if entered[root] else [(root, iter(out[root]))]
        entered[root] = is_open[root] = True
        while stack:
            box, rest = stack[-1]
            for place, end in rest:
                if is_open[end]:
                    found.add(place)
                elif not entered[end]:
                    entered[end] = is_open[end] = True
                    stack.append((end, iter(out[end])))
                    break
            else:
                is_open[box] = False
                stack.pop()
        is_open[root] = False
    return found


def _columns(count: int, arrows: Iterable[Arrow]) -> list[int]:
    """The longest chain that leads to each box; what nothing leads to stands just before what it leads to."""
    before, after = _sides(count, set(arrows))
    left = [len(one) for one in before]
    ready = [box for box in range(count) if not left[box]]
    column = [0] * count
    for box in ready:  # grows
        for end in after[box]:
            column[end] = max(column[end], column[box] + 1)
            left[end] -= 1
            if not left[end]:
                ready.append(end)
    for box in range(count):
        if after[box] and not before[box]:
            column[box] = min(column[end] for end in after[box]) - 1
    return column


def _sides(count: int, arrows: Iterable[Arrow]) -> tuple[list[list[int]], list[list[int]]]:
    """What leads to each place, and where each leads."""
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for start, end in sorted(arrows):
        before[end].append(start)
        after[start].append(end)
    return before, after


def _order(places: list[list[int]], before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> None:
    """Sorts each column by the mean place of what its boxes are connected with, forth and back."""
    at = {box: float(row) for column in places for row, box in enumerate(column)}
    for sweep in range(SWEEPS):
        is_forth = sweep % 2 == 0
        sides = before if is_forth else after
        for column in places if is_forth else reversed(places):
            mean = {box: _mean([at[one] for one in sides[box]], at[box]) for box in column}
            column.sort(key=mean.__getitem__)
            at.update((box, float(row)) for row, box in enumerate(column))


def _heights(
    places: Sequence[Sequence[int]], before: Sequence[Sequence[int]], after: Sequence[Sequence[int]], boxes: int
) -> list[float]:
    """The height of each box and bend, near the mean of its neighbors; the least is 0."""
    height = [0.0] * len(before)
    for column in places:
        for row, box in enumerate(column):
            height[box] = float(row) - len(column) / 2
    for sweep in range(SWEEPS):
        is_forth = sweep % 2 == 0
        for column in places if is_forth else reversed(places):
            last = sweep >= SWEEPS - 2
            sides = [(*before[box], *after[box]) if last else (before if is_forth else after)[box] for box in column]
            wanted = [
                _mean([height[one] for one in side], height[box]) for box, side in zip(column, sides, strict=True)
            ]
            rooms = [1.0 if box < boxes else _BEND_SHARE for box in column]
            for box, found in zip(column, _fit(wanted, rooms), strict=True):
                height[box] = found
    least = min(height, default=0.0)
    return [round(one - least, 3) for one in height]


def _fit(wanted: Sequence[float], rooms: Sequence[float]) -> list[float]:
    """The middles nearest to the wanted ones that keep their order and half the rooms of both between two."""
    offsets = [0.0]
    for one, other in pairwise(rooms):
        offsets.append(offsets[-1] + (one + other) / 2)
    blocks: list[tuple[float, int]] = []  # mean and length of runs that touch
    for place, offset in enumerate(offsets[: len(wanted)]):
        mean, length = wanted[place] - offset, 1
        while blocks and blocks[-1][0] >= mean:
            other, size = blocks.pop()
            mean, length = (mean * length + other * size) / (length + size), length + size
        blocks.append((mean, length))
    bases = [mean for mean, length in blocks for _ in range(length)]
    return [base + offset for base, offset in zip(bases, offsets, strict=False)]


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
