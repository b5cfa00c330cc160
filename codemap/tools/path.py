"""`map_path`: how two nodes are connected."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, TypedDict

import msgspec
from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Failure, Spare
from codemap.graph.edges import EdgeKind
from codemap.graph.route import STRUCTURAL, edge_between, route
from codemap.graph.snapshot import Snapshot
from codemap.graph.undecided import BOTH, undecided_sites
from codemap.tools import diagram
from codemap.tools.params import MapParams, NodeIdText
from codemap.tools.tool import Tool, World
from codemap.tools.view import (
    CONFIDENCE_NAMES,
    EDGE_NAMES,
    ConfidenceName,
    EdgeName,
    EmptyBecause,
    NodeView,
    SideName,
    empty_because,
    find_node,
    map_incomplete,
    map_warnings,
    not_built,
    signed_place,
)


class Params(MapParams, frozen=True, kw_only=True):
    start: NodeIdText = msgspec.field(name="from")
    end: NodeIdText = msgspec.field(name="to")
    max_len: Annotated[int, Meta(description="Hops", ge=1, le=10)] = 6
    include_references: bool = False
    diagram: diagram.Wanted = False


class EdgeView(TypedDict, total=False):
    kind: EdgeName
    direction: SideName
    confidence: ConfidenceName


class Step(TypedDict, total=False):
    node: NodeView
    edgeToNext: EdgeView


class Payload(TypedDict, total=False):
    found: bool
    path: list[Step]
    length: int
    diagram: str
    why: str
    emptyBecause: EmptyBecause
    unresolvedSites: int
    suggestion: str


LISTS = (
    diagram.SPARE,
    Spare(("path", "*", "node", "signature"), "signatures", "call map_search for those that matter"),
    CutList(("path",), "path nodes", "pass a larger tokenBudget"),
)


def answer(world: World, params: Params) -> Answer | Failure:
    """The shortest path between two nodes, or why none was found."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    start, end = find_node(world, snapshot, params.start), find_node(world, snapshot, params.end)
    if isinstance(start, Failure):
        return _of_argument("from", start)
    if isinstance(end, Failure):
        return _of_argument("to", end)
    kinds = frozenset(EdgeKind) if params.include_references else STRUCTURAL
    nodes = route(snapshot, start, end, params.max_len, kinds)
    warnings, incomplete = tuple(map_warnings(world, snapshot)), map_incomplete(world, snapshot)
    if nodes is None:
        return Answer(_why(world, snapshot, start, end, params), (), warnings, incomplete=incomplete)
    steps: list[Step] = [_step(world, snapshot, node, after, kinds) for node, after in pairwise(nodes)]
    steps.append({"node": signed_place(world, snapshot, nodes[-1])})
    data: Payload = {"found": True, "path": steps, "length": len(nodes) - 1}
    if params.diagram:
        data["diagram"] = diagram.of_path(steps)
    return Answer(data, LISTS, warnings, incomplete=incomplete)


def _of_argument(name: str, failure: Failure) -> Failure:
    return msgspec.structs.replace(failure, message=f"{name}: {failure.message}")


def _step(world: World, snapshot: Snapshot, node: int, after: int, kinds: frozenset[EdgeKind]) -> Step:
    found = edge_between(snapshot, node, after, kinds)
    assert found is not None, "the route follows edges"
    edge, side = found
    return {
        "node": signed_place(world, snapshot, node),
        "edgeToNext": {
            "kind": EDGE_NAMES[edge.kind],
            "direction": side,
            "confidence": CONFIDENCE_NAMES[edge.confidence],
        },
    }


def _why(world: World, snapshot: Snapshot, start: int, end: int, params: Params) -> Payload:
    """Nothing found is not the same as nothing there: what was not looked at, and what could not be decided."""
    because = empty_because(world, snapshot)
    found: Payload = {
        "found": False,
        "why": f"No path of at most {params.max_len} resolved edges.",
        "emptyBecause": because,
    }
    undecided = sum(undecided_sites(snapshot, node, BOTH, frozenset(EdgeKind)) for node in (start, end))
    advice = []
    if not params.include_references:
        advice.append("pass includeReferences:true")
        found["emptyBecause"] = "filtered" if because == "none" else because
    if params.max_len < 10:
        advice.append("pass maxLen:10")
    if undecided:
        found["unresolvedSites"] = undecided
        if because == "none":
            found["emptyBecause"] = "unresolved"
        advice.append(f"see with map_neighbors the {undecided} undecided site(s) around the two ends")
    if advice:
        found["suggestion"] = f"Next: {'; '.join(advice)}."
    return found


TOOL = Tool(
    name="map_path",
    command="path",
    title="Path between two nodes",
    description=(
        "How does A reach B: the shortest path over resolved edges, instead of opening file after file. "
        'E.g. {"from":"py:a.py#f","to":"py:b.py#g"}'
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
)
