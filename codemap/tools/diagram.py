"""Draws an answer as a Mermaid diagram, for people.

A diagram is drawn from the whole answer and goes as a whole, before any list is cut: half a diagram is none.

Source: Mermaid, flowchart syntax; what is between quotes is text, in which quotes are `#quot;` and `#` is `#35;`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from codemap.envelope.answer import Spare

Wanted = Annotated[bool, Meta(description="Mermaid")]

MEMBER = "diagram"
SPARE = Spare((MEMBER,), "diagrams", "narrow the call, or pass a bigger tokenBudget")

BOXES_MAX = 40
"""More than this nobody reads; what is left out is counted in the diagram itself."""
LINKS_MAX = 80


class Link(msgspec.Struct, frozen=True):
    """An arrow between two boxes, by their keys."""

    source: str
    target: str
    text: str
    is_sure: bool = True
    """Guesses are dotted."""


def flowchart(boxes: Sequence[tuple[str, str]], links: Iterable[Link]) -> str:
    """A left-to-right chart of boxes (key, text), in their order, and of the links between them."""
    shown = boxes[:BOXES_MAX]
    number = {key: f"n{place}" for place, (key, _) in enumerate(shown)}
    drawn = list(dict.fromkeys(link for link in links if link.source in number and link.target in number))
    lines = ["graph LR", *(f'  {number[key]}["{_quote(text)}"]' for key, text in shown)]
    for link in drawn[:LINKS_MAX]:
        arrow = "-->" if link.is_sure else "-.->"
        lines.append(f'  {number[link.source]} {arrow}|"{_quote(link.text)}"| {number[link.target]}')
    left = len(boxes) - len(shown), len(drawn) - len(drawn[:LINKS_MAX])
    lines += [f"  %% {count} more {what}" for count, what in zip(left, ("boxes", "arrows"), strict=True) if count]
    return "\n".join(lines)


def of_path(steps: Sequence[Mapping[str, Any]]) -> str:
    """The steps of a path, each edge in its own direction."""
    boxes = [(step["node"]["id"], step["node"]["name"]) for step in steps]
    links = []
    for step, after in pairwise(steps):
        edge = step["edgeToNext"]
        ends = step["node"]["id"], after["node"]["id"]
        source, target = ends if edge["direction"] == "out" else ends[::-1]
        links.append(Link(source, target, edge["kind"], edge["confidence"] != "name"))
    return flowchart(boxes, links)


def of_neighbors(node: Mapping[str, Any], neighbors: Sequence[Mapping[str, Any]]) -> str:
    """A node with what is around it."""
    boxes = dict.fromkeys([(node["id"], node["name"]), *((one["id"], one["name"]) for one in neighbors)])
    links = []
    for one in neighbors:
        via = one.get("via", node["id"])
        source, target = (via, one["id"]) if one["direction"] == "out" else (one["id"], via)
        links.append(Link(source, target, one["edge"], one["confidence"] != "name"))
    return flowchart(list(boxes), links)


def of_uses(boxes: Sequence[tuple[str, str]], uses: NDArray[np.int64]) -> str:
    """Areas, and how often one (row of `uses`) uses another (column), the heaviest first."""
    width = len(boxes)
    links = []
    for pair in np.argsort(-uses, axis=None, kind="stable").tolist():
        source, target = divmod(pair, width)
        if not uses[source, target]:
            break
        links.append(Link(boxes[source][0], boxes[target][0], f"{uses[source, target]} uses"))
    return flowchart(boxes, links)


def _quote(text: str) -> str:
    return text.replace("#", "#35;").replace('"', "#quot;").replace("\n", " ")
