"""`map_path`: how two nodes are connected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict, cast

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chains import EDGES_MAX
from codemap.graph.query.undecided import Side, undecided_sites
from codemap.tools import diagram
from codemap.tools.code_lines import ask_lines, code_at
from codemap.tools.params import MapParams, NodeIdText, Rows
from codemap.tools.path.ends import Best, End, find_best, find_end, find_through, say_ends
from codemap.tools.path.found import LEN_MOST, PARTS, Found, Wanted
from codemap.tools.path.views import ChainView, StepView, chain_texts, chain_views
from codemap.tools.tool import Asking, Replied, Spans, Tool, World
from codemap.tools.view import (
    EmptyBecause,
    empty_because,
    map_incomplete,
    map_warnings,
    not_built,
)


class Params(MapParams, frozen=True, kw_only=True):
    start: NodeIdText = msgspec.field(name="from")
    end: NodeIdText = msgspec.field(name="to")
    via: NodeIdText = ""
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
    ends = []
    for name, text in (("from", params.start), ("via", params.via), ("to", params.end)):
        if text:
            meant = find_end(world, snapshot, text, may_be_outside=name == "to")
            if isinstance(meant, Failure):
                return _blame_argument(name, meant)
            ends.append((name, meant))
    wanted = Wanted(params.max_len, params.directed, params.include_references)
    best, middle = _find_best(snapshot, [meant for _, meant in ends], wanted)
    start, end, found = best.start, best.end, best.found
    is_found = bool(found.chains) and not found.why
    is_apart = params.rows == "compact" and params.directed and found.direction == "undirected"
    if is_apart:
        found = replace(found, chains=(), direction="")
    if found.parts and not found.chains and params.rows == "compact":
        found = replace(found, chains=found.parts, why=f"{found.why} {PARTS}")
    is_likely = found.is_guessed and params.rows == "compact"
    data: Payload = {"found": "perhaps" if is_likely else is_found}
    if not is_found:
        data |= _explain_lack(world, snapshot, start, end, params, found, is_apart=is_apart)
    elif found.is_longer:
        data["why"] = f"No chain of at most {params.max_len} steps; this one has {len(found.chains[0])}."
    nodes = (start, *middle, end)
    if said := say_ends(
        snapshot, [(name, meant, node) for (name, meant), node in zip(ends, nodes, strict=True)], found
    ):
        data["why"] = " ".join(filter(None, (said, data.get("why"))))
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
    shown = {*nodes, *(node for chain in found.chains for link in chain for node in (link.node, link.after))}
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
        rests_on=frozenset(file.path for file in map(snapshot.file_of, shown) if file is not None),
    )


def _find_best(snapshot: Snapshot, ends: Sequence[End], wanted: Wanted) -> tuple[Best, tuple[int, ...]]:
    """The chains between the outer ends, and the node of the one between them, where there is one."""
    if len(ends) > len(("from", "to")):
        best, middle = find_through(snapshot, ends, wanted)
        return best, (middle,)
    return find_best(snapshot, ends[0], ends[1], wanted), ()


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
        if is_apart:
            advice.append("pass directed:false")
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
    title="Path",
    description="How A reaches B: chains of calls, overrides, callbacks, with lines.",
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
    spans_roots=Spans.ALWAYS,
)
