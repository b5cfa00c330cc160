"""Finds what the ends of a path may be, and which of these a chain connects.

A name that no definition has may be that of something outside: then the end is reached by whoever calls it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, product

import msgspec
from msgspec.structs import replace

from codemap.envelope.answer import Failure
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.chain_marks import Mark
from codemap.graph.query.override_family import Kin, family_of
from codemap.ids import has_ordinal, without_ordinal
from codemap.tools.compact import short_id
from codemap.tools.names.namesakes import alternatives, first_overloads
from codemap.tools.node_lookup import find_node, whole_id
from codemap.tools.path.found import CHAINS_MAX, WEAK_MARKS, Found, Link, Wanted, are_connected, chains_for
from codemap.tools.path.outside import Call, calls_outside
from codemap.tools.tool import World

ENDS_MAX = 12
"""Definitions of a name up to which each is tried."""
PAIRS_MAX = 24
"""Of both ends, those of the best hubs."""
CONNECTED_MAX = 4
"""Of these, where they are connected for sure, and compared."""
GUESSED_MAX = 8
"""The same where none is."""
_SEPARATOR = re.compile(r"::|->|[.\\/#]")


class End(msgspec.Struct, frozen=True):
    """What an argument may mean."""

    text: str
    nodes: Sequence[int]
    calls: Mapping[int, Call] = {}
    """Of a name outside, who calls it: one is among the nodes, and all count as it."""


class Best(msgspec.Struct, frozen=True):
    start: int
    end: int
    found: Found


def find_end(world: World, snapshot: Snapshot, text: str, *, may_be_outside: bool) -> End | Failure:
    """The node of an ID, or those that a name may mean, where they are few; why there is none."""
    node = find_node(world, snapshot, text)
    meant = first_overloads(snapshot, alternatives(snapshot, text))
    if isinstance(node, Failure):
        calls = _find_calls(snapshot, text) if may_be_outside and not meant else {}
        if calls:
            return End(text, (min(calls),), calls)
        return End(text, meant) if 1 < len(meant) <= ENDS_MAX else node
    return End(text, meant if node in meant and len(meant) <= ENDS_MAX else (node,))


def _find_calls(snapshot: Snapshot, text: str) -> dict[int, Call]:
    """Who calls what is outside and has a name: with those before it, of the packages that end with one of these."""
    *before, name = _SEPARATOR.split(text)
    if not name.isidentifier():
        return {}
    qualifiers = {one.casefold() for one in before}
    packages = [
        node
        for node in range(snapshot.first_external, snapshot.node_count)
        if not before or _SEPARATOR.split(snapshot.name_of(node).casefold())[-1] in qualifiers
    ]
    return {call.source: call for call in calls_outside(snapshot, name, packages)}


def find_best(snapshot: Snapshot, start: End, end: End, wanted: Wanted) -> Best:
    """The nodes of two ends that chains of what was asked for connect, and these: of the first such nodes those with
    the least doubtful chain, the shortest of equals; else those of which the least doubtful is shown."""
    pairs = [
        (one, other, replace(wanted, alike=(_list_alike(snapshot, start, one), _list_alike(snapshot, end, other))))
        for one, other in islice(product(start.nodes, end.nodes), PAIRS_MAX)
    ]
    if len(pairs) > 1:
        connected = islice((pair for pair in pairs if are_connected(snapshot, *pair)), CONNECTED_MAX)
        pairs = list(connected) or pairs[:GUESSED_MAX]
    tried = []
    for one, other, its in pairs:
        found = chains_for(snapshot, one, other, its)
        if end.calls:
            found = _add_calls(snapshot, one, found, end.calls)
        tried.append(Best(one, other, found))
    return min(tried, key=lambda best: _doubt(best.found))


def _doubt(found: Found) -> tuple[int, ...]:
    chain = found.chains[0] if found.chains else ()
    weak = sum(link.mark in WEAK_MARKS for link in chain)
    how = not found.chains, bool(found.direction), bool(found.why) and not found.is_guessed, bool(found.why)
    return (*how, weak, len(chain))


def find_through(snapshot: Snapshot, ends: Sequence[End], wanted: Wanted) -> tuple[Best, int]:
    """The chains between two ends that lead through a third, the middle one of `ends`; and which node that is."""
    start, middle, end = ends
    tried: list[tuple[Best, Best]] = []
    for node in middle.nodes:
        via = End(middle.text, (node,))
        tried.append((find_best(snapshot, start, via, wanted), find_best(snapshot, via, end, wanted)))
        if all(_leads(leg.found) for leg in tried[-1]):
            break
    first, second = max(tried, key=lambda legs: [_leads(leg.found) for leg in legs])
    via_node = first.end
    legs = (("from", "via", first.found), ("via", "to", second.found))
    lacking = [f"No chain from `{one}` to `{other}`" for one, other, found in legs if not _leads(found)]
    shown = [found for _, _, found in legs if _leads(found)]
    if lacking:
        rest = "; this one is the other part." if shown else "."
        chains = shown[0].chains[:1] if shown else ()
        return Best(first.start, second.end, Found(chains, f"{'; '.join(lacking)}{rest}")), via_node
    heads, tails = first.found.chains, second.found.chains
    pairs = [(heads[0], tails[0]), *((heads[0], tail) for tail in tails[1:]), *((head, tails[0]) for head in heads[1:])]
    found = Found(
        tuple((*head, *tail) for head, tail in pairs[:CHAINS_MAX]),
        " ".join(dict.fromkeys(one.why for one in shown if one.why)),
        is_whole=all(one.is_whole for one in shown),
        is_guessed=any(one.is_guessed for one in shown),
    )
    return Best(first.start, second.end, found), via_node


def _leads(found: Found) -> bool:
    return bool(found.chains) and not found.direction


def _add_calls(snapshot: Snapshot, start: int, found: Found, calls: Mapping[int, Call]) -> Found:
    """The chains, each with the call of what is outside."""
    chains = found.chains if not found.direction else ()
    ended = tuple((*chain, _end_outside(snapshot, chain[-1].after if chain else start, calls)) for chain in chains)
    return replace(found, chains=ended, parts=())


def _end_outside(snapshot: Snapshot, node: int, calls: Mapping[int, Call]) -> Link:
    """The step from a node that calls what is outside, or is in one that does."""
    around: int | None = node
    while around is not None and around not in calls:
        around = snapshot.parent_of(around)
    call = calls[node if around is None else around]
    return Link(node, call.package, EdgeKind.CALLS, "out", Confidence.TYPE, call.line, Mark.CALL)


def _list_alike(snapshot: Snapshot, end: End, node: int) -> tuple[int, ...]:
    """What counts as a node: the other overloads, which a name means that neither is a whole ID nor has a number; the
    other callers of what is outside."""
    if end.calls:
        return tuple(end.calls)
    if has_ordinal(end.text) or whole_id(snapshot, end.text) == end.text:
        return ()
    return tuple(one for one, how in family_of(snapshot, node).items() if how is Kin.OVERLOAD)


def say_ends(snapshot: Snapshot, ends: Iterable[tuple[str, End, int]], found: Found) -> str:
    """What ends were taken for, where the chains do not say it or a name has several meanings: each its argument, what
    it may be, what it was taken for."""
    said = [
        f"`{name}` is {short_id(snapshot, node)}"
        for name, end, node in ends
        if not end.calls
        and (
            len({without_ordinal(short_id(snapshot, one)) for one in end.nodes}) > 1
            or not (found.chains or snapshot.id_of(node) == end.text)
        )
    ]
    return f"{', '.join(said)}." if said else ""
