"""Finds what the map says of who keeps whom in use. That depends on no question, so it is found once for a snapshot."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial

import msgspec

from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import Mask
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse
from codemap.graph.model.indexes import Key
from codemap.graph.model.snapshot import Snapshot
from codemap.languages.manifest import Package
from codemap.unused.reading import Read, read
from codemap.unused.roots import steps_of_roots
from codemap.unused.steps import Doubt, Names, Steps, Why, joined, reached
from codemap.unused.uses import (
    steps_of_edges,
    steps_of_embedded,
    steps_of_overrides,
    steps_of_owners,
    steps_of_parts,
    steps_of_shapes,
    steps_of_siblings,
    steps_of_undecided,
)


class MapSteps(msgspec.Struct, frozen=True):
    read: Mapping[int, Read]
    """By file number."""
    names: Names
    """Those that the steps lead through; whoever adds to them takes a copy."""
    steps: Steps
    are_probable: Mask
    """By node: what is reached but by steps of small doubt."""
    are_beside_tests: Mask
    """What is reached by any step that is not of tests."""


def map_steps(snapshot: Snapshot, packages: Sequence[Package]) -> Generator[None, None, MapSteps]:
    """Of all definitions, in steps of a few files; `packages` are those of the snapshot."""
    found = snapshot.indexes.get(_MAP_STEPS)
    return found or snapshot.indexes.add(_MAP_STEPS, (yield from _find(snapshot, packages)))


def _find(snapshot: Snapshot, packages: Sequence[Package]) -> Generator[None, None, MapSteps]:
    columns, names = columns_of(snapshot), Names(snapshot.node_count)
    known = _READ.of(snapshot)
    for file in snapshot.files:
        if file.number not in known:
            known[file.number] = read(file)
            yield
    fixed: list[Steps] = []
    for make in (
        partial(steps_of_owners, snapshot),
        partial(steps_of_edges, snapshot, known),
        partial(steps_of_overrides, snapshot),
        partial(steps_of_siblings, snapshot),
        partial(steps_of_shapes, snapshot),
        partial(steps_of_embedded, snapshot),
        partial(steps_of_parts, snapshot),
    ):
        fixed.append(make())
        yield
    fixed.append((yield from steps_of_roots(snapshot, names.roots, packages, known)))
    found = joined(fixed)
    sure = reached(found.where(found.why != Why.TEST), names, Doubt.NONE)[: len(columns.kind)]
    yield
    fixed.append(steps_of_undecided(snapshot, names, ~sure & (columns.parent >= 0)))
    yield
    every = joined(fixed)
    probable = reached(every, names, Doubt.LARGE)
    beside_tests = reached(every.where(every.why != Why.TEST), names, Doubt.SMALL)
    return MapSteps(known, names, every, probable, beside_tests)


def _carry_read(before: dict[int, Read], edit: Edit) -> dict[int, Read]:
    """What a file says depends on it alone."""
    if edit.reach is Reach.FILES:
        old = edit.previous.by_path
        return {
            file.number: before[was.number]
            for file in edit.snapshot.files
            if (was := old.get(file.path)) is not None and was.held is file.held and was.number in before
        }
    edited = {edit.snapshot.by_path[path].number for path in edit.paths}
    return {number: one for number, one in before.items() if number not in edited}


_MAP_STEPS = Key[MapSteps]()
_READ = Slot[dict[int, Read]](lambda _: {}, carry=_carry_read, rescore=reuse)
"""By file number, of the files that were looked at."""
