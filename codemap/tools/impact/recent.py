"""Keeps the last answers, for whoever asks the same of the same map again: a hub reaches most of a repository."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence

import msgspec

from codemap.envelope.answer import Answer
from codemap.graph.likelihood.held_functions import evaluate_held
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.assess import Assessed, assess, list_common
from codemap.tools.impact.params import Params
from codemap.tools.tool import Asking, Disk, World, in_turns

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
    world: World,
    snapshot: Snapshot,
    params: Params,
    seeds: Sequence[int],
    alone: Sequence[int],
    show: Callable[[Assessed], Answer],
) -> Asking[Answer]:
    """The answer that was found before, where it is still kept, or what `show` makes; of a map that grows it is made
    anew. Others are answered while it is found out which variables hold the nodes."""
    wanted = msgspec.structs.replace(params, cursor="", fresh_wait_ms=0, code=False)
    page = world.page_chars, world.disk, world.behind, world.warnings
    asked, recent = _Asked(tuple(seeds), tuple(alone), wanted, *page), _RECENT.of(snapshot)
    found = None if snapshot.is_partial else recent.get(asked)
    if found is None:
        yield from in_turns(_evaluate(snapshot, list_common(snapshot, seeds)))
        assessed = assess(snapshot, seeds, [node for node in seeds if snapshot.is_file(node)], alone=alone)
        yield from in_turns(_evaluate(snapshot, assessed.ends))
        found = recent[asked] = show(assessed)
        while len(recent) > ANSWERS_MAX:
            recent.pop(next(iter(recent)), None)
    return found


def _evaluate(snapshot: Snapshot, nodes: Iterable[int]) -> Generator[None]:
    for node in nodes:
        yield from evaluate_held(snapshot, node)


_RECENT = Slot[dict[_Asked, Answer]](lambda _: {})
"""The oldest first. Threads may use it at the same time."""
