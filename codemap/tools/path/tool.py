"""`map_path`: how two nodes are connected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, TypedDict, cast

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chains import EDGES_MAX
from codemap.graph.query.override_family import Kin, family_of
from codemap.graph.query.undecided import Side, undecided_sites
from codemap.ids import has_ordinal, without_ordinal
from codemap.tools import diagram
from codemap.tools.code_lines import ask_lines, code_at
from codemap.tools.compact import short_id
from codemap.tools.params import MapParams, NodeIdText, Rows
from codemap.tools.path.common_uses import common_uses, say_common
from codemap.tools.path.found import LEN_MOST, Found, Wanted, chains_for
from codemap.tools.path.views import ChainView, StepView, chain_texts, chain_views
from codemap.tools.short_ids import alternatives
from codemap.tools.tool import Asking, Replied, Spans, Tool, World
from codemap.tools.view import (
    EmptyBecause,
    empty_because,
    find_node,
    map_incomplete,
    map_warnings,
    not_built,
    whole_id,
)

ENDS_MAX = 12
"""Definitions of a name up to which each is tried."""
PAIRS_MAX = 24
"""Of both ends, those of the best hubs."""


class Params(MapParams, frozen=True, kw_only=True):
    start: NodeIdText = msgspec.field(name="from")
    end: NodeIdText = msgspec.field(name="to")
    max_len: Annotated[int, Meta(ge=1, le=LEN_MOST)] = 6
    directed: Annotated[bool, Meta(description="false: edges both ways")] = True
    include_references: bool = False
    code: bool = False
    rows: Rows = "compact"
    diagram: diagram.Wanted = False


class Payload(TypedDict, total=False):
    found: Annotated[bool | str, Meta(extra_json_schema={"enum": [False, True, "perhaps"]})]
    """`perhaps`, in compact rows, where the chain has undecided steps, as `why` says."""
    why: str
    direction: str
    """`reverse` or `undirected`, where the chains do not go as they were asked for."""
    path: list[StepView]
    length: int
    chains: list[ChainView]
    diagram: str
    emptyBecause: EmptyBecause
    unresolvedSites: int
    suggestion: str


LISTS = (
    diagram.SPARE,
    Spare(("path", "*", "node", "signature"), "signatures", "call map_search for those that matter"),
    CutList(("chains", "*", "path"), "path nodes", "pass a larger tokenBudget", keep=1),
    CutList(("chains", "*", "steps"), "steps", "pass a larger tokenBudget", keep=1),
    CutList(("chains",), "chains", "pass a larger tokenBudget"),
    CutList(("path",), "path nodes", "pass a larger tokenBudget"),
)


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The chains between two nodes, or why none was found."""
    found = _answer(world, params)
    if world.snapshot is None or isinstance(found, Failure) or not params.code or params.rows != "compact":
        return found
    return _add_code(world.snapshot, found)


def _add_code(snapshot: Snapshot, found: Answer) -> Asking[Replied]:
    """The chains with the code at which each step goes on."""
    data = cast("Payload", found.data)
    chains = [view["steps"] for view in data.get("chains", [])]
    paths = dict.fromkeys(step.partition(":")[0] for steps in chains for step in steps)
    lines = yield from ask_lines(snapshot, paths)
    shown: list[ChainView] = [{"steps": [_show_code(step, lines) for step in steps]} for steps in chains]
    return replace(found, data={**data, "chains": shown}) if shown else found


def _show_code(step: str, lines: Mapping[str, Sequence[str]]) -> str:
    path, _, rest = step.partition(":")
    number = rest.partition(" ")[0]
    code = code_at(lines[path], int(number)) if path in lines and number.isdigit() else ""
    return f"{step}: {code}" if code else step


def _answer(world: World, params: Params) -> Answer | Failure:
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    starts, stops = _find_ends(world, snapshot, params.start), _find_ends(world, snapshot, params.end)
    if isinstance(starts, Failure):
        return _blame_argument("from", starts)
    if isinstance(stops, Failure):
        return _blame_argument("to", stops)
    wanted = Wanted(params.max_len, params.directed, params.include_references)
    texts = params.start, params.end
    pairs = islice(((start, end) for start in starts for end in stops), PAIRS_MAX)
    start, end, found = _find_best(snapshot, pairs, texts, wanted)
    is_found = bool(found.chains) and not found.why
    is_apart = params.rows == "compact" and params.directed and found.direction == "undirected"
    if is_apart:
        found = replace(found, chains=(), direction="")
    is_likely = found.is_guessed and params.rows == "compact"
    data: Payload = {"found": "perhaps" if is_likely else is_found}
    if not is_found:
        data |= _explain_lack(world, snapshot, start, end, params, found, is_apart=is_apart)
    elif found.is_longer:
        data["why"] = f"No chain of at most {params.max_len} steps; this one has {len(found.chains[0])}."
    if meant := _say_ends(snapshot, params, (start, end), (starts, stops), found):
        data["why"] = " ".join(filter(None, (meant, data.get("why"))))
    if found.direction:
        data["direction"] = found.direction
    if found.chains and params.rows == "full":
        data["path"], *others = (chain_views(world, snapshot, start, chain) for chain in found.chains)
        data["length"] = len(found.chains[0])
        if others:
            data["chains"] = [{"path": other} for other in others]
    elif found.chains:
        data["chains"] = [{"steps": chain_texts(world, snapshot, start, chain)} for chain in found.chains]
    if params.diagram and found.chains:
        data["diagram"] = diagram.of_path(chain_views(world, snapshot, start, found.chains[0]))
    nodes = {start, end, *(node for chain in found.chains for link in chain for node in (link.node, link.after))}
    limits = (
        ()
        if found.is_whole
        else (
            Dropped("edges", EDGES_MAX, "the search ends at so many: pass a smaller maxLen, or ends that are nearer"),
        )
    )
    return Answer(
        data,
        LISTS,
        tuple(map_warnings(world, snapshot)),
        limits,
        incomplete=map_incomplete(world, snapshot),
        rests_on=frozenset(file.path for file in map(snapshot.file_of, nodes) if file is not None),
    )


def _find_ends(world: World, snapshot: Snapshot, text: str) -> Sequence[int] | Failure:
    """The node of an ID, or those that a name may mean, where they are few; why there is none."""
    node = find_node(world, snapshot, text)
    meant = alternatives(snapshot, text)
    if isinstance(node, Failure):
        return meant if 1 < len(meant) <= ENDS_MAX else node
    return meant if node in meant and len(meant) <= ENDS_MAX else (node,)


def _say_ends(
    snapshot: Snapshot, params: Params, ends: tuple[int, int], meant: tuple[Sequence[int], ...], found: Found
) -> str:
    """What the ends were taken for, where the chains do not say it or a name has several meanings."""
    texts = (("from", params.start), ("to", params.end))
    said = [
        f"`{name}` is {short_id(snapshot, end)}"
        for (name, text), end, others in zip(texts, ends, meant, strict=True)
        if len({without_ordinal(short_id(snapshot, one)) for one in others}) > 1
        or not (found.chains or snapshot.id_of(end) == text)
    ]
    return f"{', '.join(said)}." if said else ""


def _find_best(
    snapshot: Snapshot, pairs: Iterable[tuple[int, int]], texts: tuple[str, str], wanted: Wanted
) -> tuple[int, int, Found]:
    """The first ends that a chain of what was asked for connects, and it; else the first of which anything is shown."""
    rest: list[tuple[int, int, Found]] = []
    for start, end in pairs:
        alike = _list_overloads(snapshot, texts[0], start), _list_overloads(snapshot, texts[1], end)
        found = chains_for(snapshot, start, end, replace(wanted, alike=alike))
        if found.chains and not found.why:
            return start, end, found
        rest.append((start, end, found))
    return min(rest, key=lambda one: (not one[2].chains, bool(one[2].direction)))


def _list_overloads(snapshot: Snapshot, text: str, node: int) -> tuple[int, ...]:
    """The other overloads of a node, which a name means that neither is a whole ID nor has a number."""
    if has_ordinal(text) or whole_id(snapshot, text) == text:
        return ()
    return tuple(one for one, how in family_of(snapshot, node).items() if how is Kin.OVERLOAD)


def _blame_argument(name: str, failure: Failure) -> Failure:
    return replace(failure, message=f"{name}: {failure.message}")


def _explain_lack(
    world: World, snapshot: Snapshot, start: int, end: int, params: Params, found: Found, *, is_apart: bool
) -> Payload:
    """Nothing found is not the same as nothing there: what was not looked at, and what could not be decided.
    `is_apart`: a chain of edges in either direction is left out."""
    because = empty_because(world, snapshot)
    why: Payload = {"why": found.why or f"No path of at most {params.max_len} edges in either direction."}
    out: tuple[Side, ...] = ("out",)
    into: tuple[Side, ...] = ("in",)
    kinds = frozenset(EdgeKind)
    undecided = 0  # around a chain that leads back, they lead no further
    if found.direction != "reverse":
        undecided = undecided_sites(snapshot, start, out, kinds) + undecided_sites(snapshot, end, into, kinds)
    advice = []
    if not found.chains:
        why["emptyBecause"] = because
        if params.directed and (common := common_uses(snapshot, start, end)):
            why["why"] += f" {say_common(snapshot, common)}"
        elif is_apart:
            advice.append("pass directed:false")
        if params.max_len < LEN_MOST:
            advice.append(f"pass maxLen:{LEN_MOST} for longer chains with undecided calls")
    if undecided and not found.chains:
        why["unresolvedSites"] = undecided
        if because == "none":
            why["emptyBecause"] = "unresolved"
        advice.append(f"see with map_neighbors the {undecided} undecided site(s) around the two ends")
    if advice:
        why["suggestion"] = f"Next: {'; '.join(advice)}."
    return why


TOOL = Tool(
    name="map_path",
    command="path",
    title="Path between two nodes",
    description="How does A reach B: chains of calls, overrides and callbacks, each line where it goes on.",
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
    spans_roots=Spans.ALWAYS,
)
