"""Shows chains: a text for each step, or an object for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from codemap.facts import Symbol
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.chain_marks import Mark
from codemap.tools.compact import row_place
from codemap.tools.path.found import Link
from codemap.tools.path.guesses import Standing
from codemap.tools.tool import World
from codemap.tools.view import CONFIDENCE_NAMES, EDGE_NAMES, ConfidenceName, EdgeName, NodeView, SideName, signed_place

MARKS = {
    Mark.CALL: "",
    Mark.CONSTRUCTOR: "constructor",
    Mark.OVERRIDE: "overridden by",
    Mark.INHERITS: "extends",
    Mark.READS: "reads",
    Mark.PASSES: "names",
    Mark.DECORATED: "decorated by",
    Mark.USES: "uses",
    Mark.NAMES: "names",
    Mark.IMPORTS: "imports",
    Mark.EXPORTS: "exports",
    Mark.HAS: "has",
    Mark.CALLBACK: "called by its base outside:",
    Mark.NAMESAKE: "may be",
    Mark.DEFINES: "defines",
    Mark.HOLDS: "is assigned",
    Mark.DECLARES: "is defined as",
    Mark.GIVES: "gives {} to what is outside, which may call",
    Mark.OUTSIDE: "calls what is outside, which may be overridden by",
    Mark.MESSAGE: "makes {}, which may be read by",
    Mark.RETURNS: "may return to",
    Mark.SHARES: "uses {}, as does",
    Mark.SENDS: "sends to {}, which may run",
}
_FORWARD = {
    EdgeKind.CONTAINS: "has",
    EdgeKind.IMPORTS: "imports",
    EdgeKind.EXPORTS: "exports",
    EdgeKind.EXTENDS: "extends",
    EdgeKind.IMPLEMENTS: "implements",
    EdgeKind.REFERENCES: "uses",
}
_BACKWARD = {
    EdgeKind.CALLS: "called by",
    EdgeKind.CONTAINS: "in",
    EdgeKind.IMPORTS: "imported by",
    EdgeKind.EXPORTS: "exported by",
    EdgeKind.EXTENDS: "extended by",
    EdgeKind.IMPLEMENTS: "implemented by",
    EdgeKind.REFERENCES: "used by",
}


_STANDINGS = {Standing.EVEN: "one of", Standing.LIKELIEST: "likeliest of", Standing.UNLIKELY: "unlikely, one of"}


class EdgeView(TypedDict, total=False):
    kind: EdgeName
    direction: SideName
    confidence: ConfidenceName
    line: int
    mark: str
    candidates: int


class StepView(TypedDict, total=False):
    node: NodeView
    edgeToNext: EdgeView


class ChainView(TypedDict, total=False):
    steps: list[str]
    path: list[StepView]


def chain_texts(world: World, snapshot: Snapshot, start: int, chain: Sequence[Link]) -> list[str]:
    """One a node: where it goes on, its name, and what the step is that is no plain call."""
    texts = []
    for link in chain:
        line = link.line if link.side == "out" else 0
        words = [_say_step(snapshot, link)]
        if link.side == "in" and link.line and words[0].endswith(" by"):
            words = [f"{words[0].removesuffix(' by')} at {link.line} by"]
        if link.confidence >= Confidence.NAME:
            words.append(CONFIDENCE_NAMES[link.confidence])
            words += _say_standing(link)
        texts.append(" ".join(filter(None, (_place(world, snapshot, link.node, line), *words))))
    return [*texts, _place(world, snapshot, chain[-1].after if chain else start, 0)]


def _say_standing(link: Link) -> list[str]:
    if link.candidates < 2:
        return ["(the only one)"] if link.candidates else []
    return [f"({_STANDINGS[link.standing]} {link.candidates})"]


def _say_step(snapshot: Snapshot, link: Link) -> str:
    if link.mark:
        return MARKS[link.mark].format(row_place(snapshot, link.through)[1] if link.through >= 0 else "")
    if link.side == "in":
        return _BACKWARD[link.kind]
    return "" if link.kind is EdgeKind.CALLS else _FORWARD[link.kind]


def _place(world: World, snapshot: Snapshot, node: int, line: int) -> str:
    """`file:line name`, the line of the definition where none is given."""
    file, name = row_place(snapshot, node)
    if snapshot.is_external(node):
        return file
    line = line or (snapshot.cell(node, Symbol.LINE) if name else 1)
    stale = "stale" if world.disk.differs(file) else ""
    return " ".join(filter(None, (f"{file}:{line}", name, stale)))


def chain_views(world: World, snapshot: Snapshot, start: int, chain: Sequence[Link]) -> list[StepView]:
    views = [_show_step(world, snapshot, link) for link in chain]
    return [*views, {"node": signed_place(world, snapshot, chain[-1].after if chain else start)}]


def _show_step(world: World, snapshot: Snapshot, link: Link) -> StepView:
    edge: EdgeView = {
        "kind": EDGE_NAMES[link.kind],
        "direction": link.side,
        "confidence": CONFIDENCE_NAMES[link.confidence],
    }
    if link.line:
        edge["line"] = link.line
    if (mark := _say_step(snapshot, link) if link.mark else "") and mark != _FORWARD.get(link.kind):
        edge["mark"] = mark
    if link.candidates:
        edge["candidates"] = link.candidates
    return {"node": signed_place(world, snapshot, link.node), "edgeToNext": edge}
