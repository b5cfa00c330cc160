"""Keeps the last answers, for whoever asks the same of the same map again: a hub reaches most of a repository."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from codemap.envelope.answer import Answer
from codemap.graph.model.index_slots import Slot
from codemap.tools.impact.params import Params
from codemap.tools.tool import Disk, World

ANSWERS_MAX = 8
"""Answers that a snapshot keeps: some 20 kB each, of a first page."""


class _Asked(msgspec.Struct, frozen=True):
    """All that an answer about definitions depends on besides the map."""

    seeds: tuple[int, ...]
    alone: tuple[int, ...]
    params: Params
    """Without what only the envelope reads."""
    page_chars: int
    disk: Disk
    behind: str
    warnings: tuple[str, ...]


def recall(
    world: World, params: Params, seeds: Sequence[int], alone: Sequence[int], find: Callable[[], Answer]
) -> Answer:
    """The answer that was found before, where it is still kept; none is of a map that grows."""
    snapshot = world.snapshot
    if snapshot is None or snapshot.is_partial:
        return find()
    wanted = msgspec.structs.replace(params, cursor="", fresh_wait_ms=0, code=False)
    page = world.page_chars, world.disk, world.behind, world.warnings
    asked, recent = _Asked(tuple(seeds), tuple(alone), wanted, *page), _RECENT.of(snapshot)
    found = recent.get(asked)
    if found is None:
        found = find()
        while len(recent) >= ANSWERS_MAX:
            recent.pop(next(iter(recent)), None)
        recent[asked] = found
    return found


_RECENT = Slot[dict[_Asked, Answer]](lambda _: {})
"""The oldest first. Threads may use it at the same time."""
