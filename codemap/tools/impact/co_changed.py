"""Finds what usually changes together with a change and is not part of it: it may have been forgotten."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from codemap.envelope.answer import Answer
from codemap.graph.model.snapshot import Snapshot
from codemap.history.companions import Companion, companions
from codemap.history.past import Past, of_node
from codemap.live_queries import Because, Found, PastOf
from codemap.tools.history.views import companion_rows, companion_views
from codemap.tools.tool import Asking

WAIT_S = 2.0
"""For a history that is not read yet: what it says is then left to a later call."""
BEHIND_WAIT_S = 0.2
"""For a history that is behind the head, where one that was never read is not asked for."""
SEEDS_MAX = 20
"""Definitions that are looked up one by one; of a larger change, its files are."""
FILES_MAX = 50
SHARE_MIN = 1 / 3
"""What changes with less than a third of the commits, by their weight, was seldom forgotten: `map_history` lists it."""
ROWS_MAX = 40


def with_co_changed(
    answer: Answer,
    snapshot: Snapshot,
    nodes: Collection[int],
    touched: Iterable[str],
    *,
    is_compact: bool,
    begins: bool,
) -> Asking[Answer]:
    """The same, with what usually changes with some nodes of the map; files that are touched are left out.

    `begins`: whether the history is read where nobody asked for it before, which takes long in a large one. If it
    is not, its absence is no news.
    """
    (fact,) = yield (PastOf(WAIT_S if begins else BEHIND_WAIT_S, begins=begins),)
    if not isinstance(fact, Found):
        if fact.because is Because.UNAVAILABLE or not begins:
            return answer
        return msgspec.structs.replace(answer, warnings=(*answer.warnings, f"No coChanged yet: {fact.message}"))
    past: Past = fact.value
    found = _find(past, snapshot, nodes, frozenset(touched))
    if not found:
        return answer
    member = (
        {"coChanged": companion_rows(snapshot, found)}
        if is_compact
        else {"companions": companion_views(snapshot, found)}
    )
    return msgspec.structs.replace(answer, data=answer.data | member, warnings=(*answer.warnings, *past.gaps))


def _find(past: Past, snapshot: Snapshot, nodes: Collection[int], touched: frozenset[str]) -> list[Companion]:
    """The closest first, each once."""
    own = [node for node in nodes if not snapshot.is_external(node)]
    if len(own) > SEEDS_MAX:
        own = [snapshot.row_of(node)[0].base for node in own]
        own = list(dict.fromkeys(own))[:FILES_MAX]
    best: dict[tuple[str, int], Companion] = {}
    for node in own:
        path = snapshot.row_of(node)[0].path
        for one in companions(past, snapshot, of_node(past, snapshot, node)[0], frozenset(nodes), [path]):
            key = (one.path, one.node)
            known = best.get(key)
            if (
                one.path not in touched
                and one.weighted_share > SHARE_MIN
                and (known is None or known.weighted_share < one.weighted_share)
            ):
                best[key] = one
    rows = sorted(best.values(), key=lambda one: (-one.weighted_share, -one.common, one.path, one.node))[:ROWS_MAX]
    order = {path: place for place, path in enumerate(dict.fromkeys(one.path for one in rows))}
    return sorted(rows, key=lambda one: (order[one.path], one.node >= 0, -one.weighted_share))
