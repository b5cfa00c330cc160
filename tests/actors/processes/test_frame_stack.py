"""Calls within a large frame map no memory, however deep they are."""

from __future__ import annotations

import resource

from actors.processes.frame_stack import call_with_room

DEPTH, CALLS = 300, 1_000
"""Frames, of which a chunk of 16 kB holds less than half, and calls at each depth."""


def called() -> None:
    pass


def call_at_all_depths(depth: int = 0) -> None:
    for _ in range(CALLS):
        called()
    if depth < DEPTH:
        call_at_all_depths(depth + 1)


def faults() -> int:
    """Pages that became ours: at least one for each chunk that is mapped."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def test_no_loop_maps_memory_with_each_call() -> None:
    before = faults()
    call_with_room(call_at_all_depths)
    assert faults() - before < CALLS


def test_what_is_called_decides_the_result() -> None:
    assert call_with_room(lambda: 7) == 7
