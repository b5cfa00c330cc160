"""Counts how areas use one another, and finds circles of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.file_roles import Role, has_tests_inside
from codemap.graph.areas.communities import ROOT, Area
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import FILE_ROLES, IN_TESTS
from codemap.graph.model.edges import EdgeKind, Ints, are_among
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence

Counts = NDArray[np.int64]
USES_MIN = 3
"""Fewer uses between two areas make no circle: one stray import does not tie two parts together."""


class Circle(msgspec.Struct, frozen=True):
    """Areas of which each uses each other, if only through others of them."""

    areas: tuple[int, ...]
    """Places of the areas, ascending."""
    weakest: tuple[int, int]
    """Of two of them that use each other, the direction with the fewest uses: where it is cut soonest. The same place
    twice where no two do."""


def uses_between(snapshot: Snapshot, areas: Sequence[Area]) -> Counts:
    """Edges between the definitions of areas: row, the area that uses; column, the one that is used; 0 within one.

    Undecided uses are none: a name that another area has too ties nothing together. Nor are those of tests that stand
    in files of the product, nor the imports of files that may hold some, which may be for these alone. Of the root, its
    own files count: small folders that are left beside it are no part of what lies there. Cost: a pass over all edges.
    """
    count = len(areas)
    if len(columns_of(snapshot).file) == 0 or not count:
        return np.zeros((count, count), dtype=np.int64)
    area_of_file = np.full(len(snapshot.files), -1, dtype=np.int32)
    for place, area in enumerate(areas):
        files = [number for number in area.files if area.label != ROOT or "/" not in snapshot.files[number].path]
        area_of_file[files] = place
    of_node = np.full(snapshot.node_count, -1, dtype=np.int32)
    file_of_node = columns_of(snapshot).file
    of_node[: snapshot.first_external] = area_of_file[file_of_node]
    target: Ints = of_node[snapshot.edges.target]
    tests = np.flatnonzero(IN_TESTS.of(snapshot))
    of_node[tests[FILE_ROLES.of(snapshot)[file_of_node[tests]] == int(Role.PRODUCT)]] = -1
    source: Ints = of_node[snapshot.edges.source]
    between = (source >= 0) & (target >= 0) & (source != target) & (snapshot.edges.confidence < Confidence.CANDIDATE)
    mixed = [file.base for file in snapshot.files if has_tests_inside(file.path)]
    if mixed:
        between &= (snapshot.edges.kind != int(EdgeKind.IMPORTS)) | ~are_among(snapshot.edges.source, np.array(mixed))
    keys = source[between].astype(np.int64) * count + target[between]
    return np.bincount(keys, minlength=count * count).reshape(count, count)


def part_by_folder(areas: Sequence[Area], folder_of: Mapping[int, str]) -> tuple[list[Area], Ints]:
    """The same files with those of areas that hold files of several folders (by file number) apart, labelled by these;
    of each part, the place of its area.

    What several have in common is the folder around them: circles through all of it are none of any of them.
    """
    found: list[Area] = []
    places: list[int] = []
    for place, area in enumerate(areas):
        inside: dict[str, list[int]] = {}
        for number in area.files:
            inside.setdefault(folder_of[number], []).append(number)
        several = len(inside) > 1
        found += [Area(folder, folder or ROOT, tuple(its)) for folder, its in inside.items()] if several else [area]
        places += [place] * len(inside)
    return found, np.array(places, dtype=np.int32)


def join_uses(uses: Counts, places: Ints, count: int) -> Counts:
    """The uses between parts as those between the areas at their places; 0 within one."""
    joined = np.zeros((count, count), dtype=np.int64)
    np.add.at(joined, (places[:, None], places[None, :]), uses)
    np.fill_diagonal(joined, val=0)
    return joined


def circles(uses: Counts) -> list[Circle]:
    """The circles among areas, the one with the most areas first."""
    reach = uses >= USES_MIN
    for _ in range(len(uses).bit_length()):
        reach = reach | (reach.astype(np.int32) @ reach.astype(np.int32) > 0)
    mutual = reach & reach.T
    np.fill_diagonal(mutual, val=False)
    found, seen = [], set[int]()
    for place in range(len(uses)):
        around = {place, *np.flatnonzero(mutual[place]).tolist()}
        if len(around) > 1 and place not in seen:
            seen |= around
            found.append(Circle(tuple(sorted(around)), _find_weakest(uses, sorted(around))))
    return sorted(found, key=lambda circle: (-len(circle.areas), circle.areas))


def _find_weakest(uses: Counts, areas: Sequence[int]) -> tuple[int, int]:
    both = [
        (int(uses[one, other]), one, other)
        for one in areas
        for other in areas
        if USES_MIN <= uses[one, other] <= uses[other, one] and one != other
    ]
    return min(both)[1:] if both else (areas[0], areas[0])
