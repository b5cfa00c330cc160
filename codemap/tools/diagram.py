"""Draws an answer as a Mermaid diagram, for people.

A diagram is drawn from the whole answer and goes as a whole, before any list is cut: half a diagram is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from codemap.envelope.answer import Spare
from codemap.pictures.mermaid import mermaid
from codemap.pictures.picture import Box, Link, draw

Wanted = Annotated[bool, Meta(description="Mermaid")]

MEMBER = "diagram"
SPARE = Spare((MEMBER,), "diagrams", "narrow the call, or pass a bigger tokenBudget")

BOXES_MAX = 40
"""More than this nobody reads; what is left out is counted in the diagram itself."""
LINKS_MAX = 80


def flowchart(boxes: Sequence[tuple[str, str]], links: Iterable[Link]) -> str:
    """A left-to-right chart of boxes (key, text), in their order, and of the links between them."""
    return mermaid(draw("", (Box(key, text) for key, text in boxes), links, (BOXES_MAX, LINKS_MAX)))


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
