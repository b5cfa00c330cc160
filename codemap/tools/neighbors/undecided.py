"""Shows undecided uses in compact rows: those of the same name and likelihood together.

Where the node may be meant, rows by file show who uses it and where. What the node itself uses is a text for each name:
`get 12,40: app/store.py#Store.get or 3 others`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import cast

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.likelihood.candidates import CANDIDATES_MAX, Candidates
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.model.edges import EdgeKind, Ints, are_among
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dispatch import dispatched, implementers
from codemap.graph.query.undecided import NAMED_MAX, Side, ranked_uses, undecided_rows
from codemap.tools.compact import FoldedCounts, Row, group_by_file, lines_of, row_place
from codemap.tools.neighbors.asked import Asked
from codemap.tools.neighbors.payload import UndecidedView
from codemap.tools.row_selection import Place, Sifted, folded_counts, place_of, sift
from codemap.tools.view import EDGE_NAMES, LIKELIHOOD_NAMES

USE_KEY = ("name", "edge", "direction", "through", "to", "likelihood")
OUT: tuple[Side, ...] = ("out",)
IN: tuple[Side, ...] = ("in",)
_STATED = Likelihood.HIGH + 0.5
"""Where the calls of abstract methods are."""


class UndecidedViews(msgspec.Struct, frozen=True):
    views: list[UndecidedView]
    sites: int
    """Of all uses that are shown or counted."""
    hidden: int
    """Sites of those that `fileFilter` or `tests` leave out."""
    files: frozenset[str]


class _Use(msgspec.Struct, frozen=True):
    """A use of the node, perhaps."""

    source: int
    sites: Sequence[tuple[int, int]]


class _Meant(msgspec.Struct, frozen=True):
    """The properties that undecided uses have in common which may mean the node."""

    name: str
    kind: EdgeKind
    through: int
    """The method which the node overrides or implements that is called; -1 for none."""
    candidates: bytes
    """The others that may be meant, the best hub first; not `through`, which is named anyway. Bytes of `Ints`, which
    are hashed and compared sooner than a tuple: there may be many."""
    of: int
    """Which of those that the name means it may mean, and not the node itself; -1 for the node."""
    likelihood: Likelihood | None
    """That the node is meant; None for a call of what it overrides, whose type states what may run."""


def undecided_views(asked: Asked, *, is_alone: bool) -> UndecidedViews:
    """All of them, the likeliest first, with calls of methods with a body that the node overrides; `is_alone` as in
    `sifted`."""
    snapshot = asked.snapshot
    rows, arriving = undecided_rows(snapshot, asked.node, asked.sides, asked.kinds)
    calls = list(dispatched(snapshot, asked.node, asked.sides, asked.kinds))
    for inner in asked.inner:
        rows = np.concatenate((rows, undecided_rows(snapshot, inner, OUT, asked.kinds)[0]))
        calls += dispatched(snapshot, inner, OUT, asked.kinds)
    meant: dict[_Meant, list[_Use]] = {}
    own: dict[tuple[EdgeKind, Likelihood | None], list[tuple[tuple[int, int], str]]] = {}
    count = 0
    is_through = bool(asked.relative_calls.above) or any(call.side == "in" for call in calls)
    known = _find_known(asked) if is_through else frozenset()
    for call in calls:
        also = [one for one in call.implementers if one != asked.node]
        if call.side == "out" and len(also) == 1:
            continue  # the row of the call says it
        sites: Sequence[tuple[int, int]] = snapshot.sites(call.edge)
        if call.side == "in":
            sites = [site for site in sites if (call.edge.source, *site) not in known]
            if call.edge.target in asked.family or not sites:
                continue
        count += len(sites)
        if call.side == "in":
            group = _Meant("", EdgeKind.CALLS, call.edge.target, _pack(also), -1, None)
            meant.setdefault(group, []).append(_Use(call.edge.source, sites))
        else:
            named = _pick_named(asked, also, NAMED_MAX)
            text = _own_text(asked, asked.shortest_id(call.edge.target), sites, named, len(also))
            own.setdefault((EdgeKind.CALLS, None), []).append((min(sites), text))
    for base, edges in asked.relative_calls.above.items():
        others = _pack(one for one in implementers(snapshot, base) if one != asked.node)
        uses = [
            _Use(edge.source, sites)
            for edge in edges
            if (sites := [site for site in snapshot.sites(edge) if (edge.source, *site) not in known])
        ]
        count += sum(len(use.sites) for use in uses)
        if uses:
            meant[_Meant("", EdgeKind.CALLS, base, others, -1, None)] = uses
    possible = Candidates(snapshot, arriving)
    for one in ranked_uses(snapshot, asked.node, rows, arriving):
        use, sites = one.use, snapshot.sites(one.use)
        count += len(sites)
        if one.side == "in":
            group = _Meant(use.name, use.kind, -1, possible.others(use, asked.node), -1, one.likelihood)
            meant.setdefault(group, []).append(_Use(use.source, sites))
        else:
            text = _own_text(asked, use.name, sites, one.alike, one.candidate_count)
            own.setdefault((use.kind, one.likelihood), []).append((min(sites), text))
    for other in asked.others:
        arriving = undecided_rows(snapshot, other, IN, asked.kinds)[0]
        arriving = arriving[~are_among(arriving, np.sort(rows))]
        rows = np.concatenate((rows, arriving))
        for one in ranked_uses(snapshot, other, arriving, arriving):
            group = _Meant(one.use.name, one.use.kind, -1, possible.others(one.use, other), other, one.likelihood)
            meant.setdefault(group, []).append(_Use(one.use.source, sites := snapshot.sites(one.use)))
            count += len(sites)
    is_alone = is_alone and all(
        place.role is not Role.PRODUCT for uses in meant.values() for place in (_place(snapshot, use) for use in uses)
    )
    sifted = {
        group: sift(uses, lambda use: _place(snapshot, use), asked.params, asked.role, is_alone=is_alone)
        for group, uses in meant.items()
    }
    shown = [(group.likelihood, _show_group(asked, group, uses)) for group, uses in sifted.items()]
    graded = [each for each in shown if each[1].keys() & {"rows", "folded"}]
    graded += [(likelihood, _own_view(asked, kind, likelihood, texts)) for (kind, likelihood), texts in own.items()]
    views = [view for _, view in sorted(graded, key=lambda each: _STATED if each[0] is None else each[0])]
    sources = (snapshot.file_of(use.source) for uses in meant.values() for use in uses)
    hidden = sum(uses.hidden for uses in sifted.values())
    return UndecidedViews(views, count - hidden, hidden, frozenset(file.path for file in sources if file is not None))


def _pack(nodes: Iterable[int]) -> bytes:
    return np.fromiter(nodes, dtype=np.int32).tobytes()


def _pick_named(asked: Asked, candidates: Sequence[int], most: int) -> list[int]:
    """Those that are named of the candidates of a use: product code, or what is like the node."""
    roles = (Role.PRODUCT, asked.role)
    alike = (node for node in candidates if role_of_node(asked.snapshot, node) in roles)
    return list(islice(alike, most))


def _find_known(asked: Asked) -> frozenset[tuple[int, int, int]]:
    """Where the node is surely used: source, line, column. A value may be of several types."""
    snapshot = asked.snapshot
    edges = snapshot.edges_in(asked.node, (EdgeKind.CALLS,))
    return frozenset((edge.source, *site) for edge in edges for site in snapshot.sites(edge))


def _show_group(asked: Asked, meant: _Meant, shown: Sifted[_Use]) -> UndecidedView:
    view: UndecidedView = {"edge": EDGE_NAMES[meant.kind]}
    if asked.params.direction == "both":
        view["direction"] = "in"
    if meant.through >= 0:
        view["through"] = asked.shortest_id(meant.through)
    else:
        view["name"] = meant.name
    if meant.of >= 0:
        view["to"] = asked.shortest_id(meant.of)
    if meant.likelihood is not None:
        view["likelihood"] = LIKELIHOOD_NAMES[meant.likelihood]
    candidates: Ints = np.frombuffer(meant.candidates, dtype=np.int32)
    view["candidateCount"] = 1 + len(candidates)
    if named := _pick_named(asked, candidates.tolist(), CANDIDATES_MAX - 1):
        view["candidates"] = [_name_candidate(asked, node) for node in named]
    if shown.rows:
        view["rows"] = group_by_file(_show_use(asked, use) for use in shown.rows)
    if shown.folded:
        view["folded"] = cast("FoldedCounts", folded_counts(shown.folded))
    return view


def _name_candidate(asked: Asked, node: int) -> str:
    """Its name where that will do, as it is in the file of the node that is asked about or the only one; else its short
    ID."""
    file, name = row_place(asked.snapshot, node)
    own = asked.snapshot.file_of(asked.node)
    return name if own is not None and own.path == file else asked.shortest_id(node)


def _place(snapshot: Snapshot, use: _Use) -> Place:
    return place_of(snapshot, use.source, len(use.sites))


def _show_use(asked: Asked, use: _Use) -> Row:
    file, name = row_place(asked.snapshot, use.source)
    return Row(file, name, lines_of(use.sites), ["stale"] if asked.is_stale(file) else [])


def _own_view(
    asked: Asked, kind: EdgeKind, likelihood: Likelihood | None, texts: Iterable[tuple[tuple[int, int], str]]
) -> UndecidedView:
    """The uses by the node, each behind its first place, in the order of these."""
    view: UndecidedView = {"edge": EDGE_NAMES[kind]}
    if asked.params.direction == "both":
        view["direction"] = "out"
    if likelihood is not None:
        view["likelihood"] = LIKELIHOOD_NAMES[likelihood]
    view["names"] = [text for _, text in sorted(texts)]
    return view


def _own_text(
    asked: Asked, name: str, sites: Sequence[tuple[int, int]], shown: Iterable[int], candidate_count: int
) -> str:
    """A use by the node: where it is, and what it may mean, of which some is shown."""
    named = [asked.shortest_id(node) for node in shown]
    others = candidate_count - len(named)
    either = " or ".join([*named, *([f"{others} other{'s' if others > 1 else ''}"] if others else [])])
    return f"{name} {','.join(lines_of(sites))}" + (f": {either}" if either else "")
