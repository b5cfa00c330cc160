"""Shows who a change reaches.

    {"tier": "certain", "depth": 1, "rows": {"app/api.py": ["login 31", "Session.renew 77 dispatches"]}}
    {"tier": "certain", "depth": 2, "via": "login", "rows": {"app/views.py": ["index 9", "renew 14 via Session.renew"]}}

What most rows of a group use is said once (`via`).

Rows are made for one page: where it is known how much that holds, rows beyond are counted and not made. A page has
`ROWS_KEPT` rows of each group, and all groups, before it has more of any; what is made is longer than the page. Of
users of users a usual page has few where direct ones are many: who looks at all that a change touches begins with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import cast

import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.edges import Ints, Mask, Numbers
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import without_ordinal
from codemap.impact.assess import Assessed, Hit, Listed, hit_at, listed
from codemap.impact.reached import Reach, sites_of
from codemap.impact.steps import How, Tier
from codemap.tools.compact import LINES_MAX, Row, fill_groups, lines_of, row_place, texts_of
from codemap.tools.impact.choice import EXTENDS, IMPLEMENTS, OTHERS, OVERRIDES, near_places, sections_of
from codemap.tools.impact.params import HOW_NAMES, REACH_NAMES, TIER_NAMES, ImpactedView
from codemap.tools.tool import World
from codemap.tools.view import node_place

_WORDLESS = (How.CALLS, How.UNDECIDED, How.CONSTRUCTS)
"""What a row does not say: that it calls, and what its tier says."""
_EDGE_OF = {EXTENDS: HOW_NAMES[How.EXTENDS], IMPLEMENTS: HOW_NAMES[How.IMPLEMENTS]}
"""What a group says for its rows, by rank."""
ROWS_KEPT = 30
"""Rows of a group that stay while later groups are cut: who is near says more than that others are far."""
FAR_MIN, NEAR_AND_FAR = 5, 20
"""Rows of users of users on a page of a usual size: so many with those of direct users, but no fewer than the first."""
VIA_MIN = 3
"""Rows that use the same, which a group says once."""


def compact_rows(
    world: World,
    snapshot: Snapshot,
    found: Assessed,
    reached: Reach,
    ranks: NDArray[np.int8],
    *,
    is_single: bool,
    is_short: bool,
) -> tuple[list[ImpactedView], int]:
    """Rows of what is reached and shown by tier and depth, and how many are not made. `is_single`: whether what the
    direct users use needs no name; `is_short`: whether users of users are few."""
    room = max(FAR_MIN, NEAR_AND_FAR - int((ranks < OTHERS).sum()))
    count = _count_texts(snapshot, reached, np.flatnonzero(ranks != OVERRIDES))
    near = near_places(reached, ranks, room) if is_short else np.arange(len(reached))
    shown, ranks = listed(reached, near), ranks.take(near)
    are_overrides = ranks == OVERRIDES
    views: list[ImpactedView] = []
    groups: list[Iterator[tuple[str, str]]] = []
    for section in sections_of(snapshot, shown, ranks):
        if are_overrides[section[0]]:
            views.append({"tier": TIER_NAMES[Tier.LIKELY], "depth": 1, "edge": HOW_NAMES[How.OVERRIDES], "rows": {}})
            overrides = list(_name_overrides(world, snapshot, found, shown, section))
            groups.append(iter(overrides))
            count += len(overrides)
            continue
        tier, depth = int(shown.tier[section[0]]), int(shown.depth[section[0]])
        edge = _EDGE_OF.get(int(ranks[section[0]]), "")
        view: ImpactedView = {"tier": REACH_NAMES[tier], "depth": depth, **({"edge": edge} if edge else {})}
        is_plain = is_single and depth == 1
        via = -1 if is_plain else _find_usual(shown.via[section])
        if via >= 0:
            of_it = int(section[shown.via[section] == via][0])
            view["via"] = _name_via(snapshot, hit_at(snapshot, found, shown, of_it))
        views.append({**view, "rows": {}})
        texts = _texts(world, snapshot, found, shown, section, edge, is_plain=is_plain, usual=via)
        if is_short and ranks[section[0]] == OTHERS:
            texts, room = islice(texts, room), max(0, room - len(section))
        groups.append(texts)
    made = fill_groups([view["rows"] for view in views], groups, world.page_chars, ROWS_KEPT)
    return [view for view in views if view["rows"]], count - made


def _find_usual(via: Ints) -> int:
    """What most rows use, where that is worth saying once; else -1."""
    values, counts = np.unique(via[via >= 0], return_counts=True)
    at = int(counts.argmax()) if len(counts) else 0
    is_usual = len(counts) and counts[at] >= VIA_MIN and 2 * counts[at] >= len(via)
    return int(values[at]) if is_usual else -1


def full_rows(world: World, snapshot: Snapshot, found: Assessed, reached: Reach) -> tuple[list[ImpactedView], int]:
    """The same as objects, in the order given."""
    shown = listed(reached, np.arange(len(reached)))
    views: list[ImpactedView] = []
    chars = 0
    for place in range(len(shown)):
        if world.page_chars and chars > world.page_chars:
            break
        views.append(_show_hit(world, snapshot, hit_at(snapshot, found, shown, place)))
        chars += len(views[-1]["id"]) + len(views[-1]["via"])
    return views, len(shown) - len(views)


def _texts(
    world: World,
    snapshot: Snapshot,
    found: Assessed,
    shown: Listed,
    places: Numbers,
    edge: str,
    *,
    is_plain: bool,
    usual: int,
) -> Iterator[tuple[str, str]]:
    """(file, text) of some rows; what is said of all of them is the `usual` node that they use."""
    for place in places.tolist():
        hit = hit_at(snapshot, found, shown, place)
        has_own = not is_plain and (usual < 0 or hit.via_node != usual)
        row = _show_row(world, snapshot, hit, edge, has_via=has_own)
        for text in texts_of(row):
            yield row.file, text


def _name_overrides(
    world: World, snapshot: Snapshot, found: Assessed, shown: Listed, places: Numbers
) -> Iterator[tuple[str, str]]:
    """(file, text) of some methods with the lines of their names, those of overloads together: they have to stay alike;
    and where they use what changed."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for place in places.tolist():
        hit = hit_at(snapshot, found, shown, place)
        file, name = row_place(snapshot, hit.node)
        lines = ",".join(lines_of(hit.sites, has_columns=False)) if hit.depth == 1 else ""
        words = " ".join([*([f"used {lines}"] if lines else []), *(["stale"] if world.disk.differs(file) else [])])
        rows.setdefault((file, without_ordinal(name), words), []).append(str(snapshot.cell(hit.node, Symbol.LINE)))
    for (file, name, words), numbers in rows.items():
        yield from ((file, text) for text in texts_of(Row(file, name, numbers, [words] if words else [])))


def _count_texts(snapshot: Snapshot, reached: Reach, places: Numbers) -> int:
    """How many texts some rows have: more than one where the lines are many."""
    many = listed(reached, places.compress(_USE_OFTEN.of(snapshot).take(reached.node.take(places))))
    sites = map(partial(sites_of, snapshot), many.row.tolist(), many.how.tolist())
    lines = (len(lines_of(some, has_columns=False)) for some in sites)
    return len(places) + sum(max(0, count - 1) // LINES_MAX for count in lines)


def _find_frequent(snapshot: Snapshot) -> Mask:
    found = np.zeros(snapshot.node_count, dtype=np.bool_)
    for table in (snapshot.edges, snapshot.unresolved):
        found[table.source[table.count > LINES_MAX]] = True
    return found


_USE_OFTEN = Slot[Mask](_find_frequent, rescore=reuse)
"""By node: whether it uses something at more sites than a text has lines."""


def _show_row(world: World, snapshot: Snapshot, hit: Hit, edge: str, *, has_via: bool) -> Row:
    file, name = row_place(snapshot, hit.node)
    is_said = hit.how in _WORDLESS and (hit.tier < Tier.REMOTE or hit.how != How.CONSTRUCTS)
    words = [] if is_said or edge else [HOW_NAMES[hit.how]]
    words += [f"via {_name_via(snapshot, hit)}"] if has_via else []
    words += ["stale"] if world.disk.differs(file) else []
    return Row(file, name, lines_of(hit.sites, has_columns=False), words)


def _name_via(snapshot: Snapshot, hit: Hit) -> str:
    """The name of what a hit uses without the namespaces around it, which are those of its row more often than not."""
    if hit.via_node < 0 or snapshot.is_external(hit.via_node) or snapshot.is_file(hit.via_node):
        return hit.via
    names = [snapshot.name_of(hit.via_node)]
    owner = snapshot.parent_of(hit.via_node)
    while owner is not None and not snapshot.is_file(owner) and snapshot.kind_of(owner) != SymbolKind.MODULE:
        names.append(snapshot.name_of(owner))
        owner = snapshot.parent_of(owner)
    return ".".join(reversed(names))


def _show_hit(world: World, snapshot: Snapshot, hit: Hit) -> ImpactedView:
    view = cast("ImpactedView", node_place(world, snapshot, hit.node))
    view["tier"] = REACH_NAMES[hit.tier]
    view["depth"] = hit.depth
    view["edge"] = HOW_NAMES[hit.how]
    view["via"] = hit.via
    if hit.via_node >= 0:
        view["viaId"] = snapshot.id_of(hit.via_node)
    if hit.sites:
        view["sites"] = [{"line": line, "col": col} for line, col in hit.sites]
    return view
