"""Draws the answers of tools: what each box and arrow is. Payloads are those of full rows.

What the map only guesses is dotted; uses that it could not decide are one dotted box with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from codemap.pictures.picture import Box, Link, Picture, Tone, draw

MOST = (120, 240)
"""Boxes and arrows; more than these nobody follows on one sheet."""

Payload = Mapping[str, Any]
_GUESSES = ("name", "candidate")


def _of_overview(data: Payload) -> Picture:
    """Areas, with how often each uses others, the heaviest arrows first."""
    clusters: Sequence[Payload] = data.get("clusters", ())
    boxes = [
        Box(one["id"], one["label"], _counted(one), "aside" if one.get("role", "product") != "product" else "plain")
        for one in clusters
    ]
    links = [
        Link(one["id"], other, f"{count} uses", weight=count)
        for one in clusters
        for other, count in one.get("uses", {}).items()
    ]
    title = f"{data.get('files', 0)} files in {len(boxes)} areas, and how they use one another"
    return draw(title, boxes, sorted(links, key=lambda link: -link.weight), MOST)


def _of_neighbors(data: Payload) -> Picture:
    parts: Sequence[Payload] = data.get("nodes") or [data]
    boxes, links = [_box(part["node"], "center") for part in parts], []
    for part in parts:
        node: Payload = part["node"]
        for one in part.get("neighbors", ()):
            boxes.append(_box(one))
            ends = (one.get("via", node["id"]), one["id"])
            source, target = ends if one["direction"] == "out" else ends[::-1]
            links.append(Link(source, target, one["edge"], one["confidence"] not in _GUESSES))
        for direction in ("in", "out"):
            undecided = [one for one in part.get("unresolved", ()) if one["direction"] == direction]
            if count := sum(one["siteCount"] for one in undecided):
                key = f"undecided uses, {direction}" if part is data else f"undecided uses of {node['id']}, {direction}"
                boxes.append(Box(key, f"{count} undecided use(s)", tone="aside"))
                source, target = (node["id"], key) if direction == "out" else (key, node["id"])
                links.append(Link(source, target, "may mean", is_sure=False))
    title = f"Around {', '.join(part['node']['id'] for part in parts)}"
    return draw(title, boxes, links, MOST, [note for part in parts for note in _folded(part)])


def _of_path(data: Payload) -> Picture:
    """All chains in one; ends stand out."""
    chains = [data.get("path", ()), *(chain.get("path", ()) for chain in data.get("chains", ()))]
    ends = {step["node"]["id"] for chain in chains for step in (*chain[:1], *chain[-1:])}
    boxes, links = [], []
    for chain in chains:
        boxes += [_box(step["node"], "center" if step["node"]["id"] in ends else "plain") for step in chain]
        for step, after in pairwise(chain):
            edge = step["edgeToNext"]
            pair = step["node"]["id"], after["node"]["id"]
            source, target = pair if edge["direction"] == "out" else pair[::-1]
            links.append(Link(source, target, edge.get("mark") or edge["kind"], edge["confidence"] not in _GUESSES))
    why = [data["why"]] if "why" in data else []
    title = f"From {boxes[0].key} to {boxes[len(chains[0]) - 1].key}" if boxes else "No path"
    return draw(title, boxes, links, MOST, why)


def _of_impact(data: Payload) -> Picture:
    """What changes stands out; who is reached points at what it uses: what direct users use changes, other such that is
    no row is of what is only counted."""
    hits: Sequence[Payload] = data.get("impacted", ())
    changed = dict.fromkeys(hit["viaId"] for hit in hits if hit["depth"] == 1 and "viaId" in hit)
    boxes = [_box({"id": one}, "center") for one in changed]
    boxes += [Box(one, one, tone="center") for one in data.get("of", ()) if not changed]
    boxes += [_box(hit) for hit in hits]
    boxes += [_box({"id": hit["viaId"]}, "aside") for hit in hits if "viaId" in hit]
    links = [
        Link(hit["id"], hit["viaId"], hit["edge"], is_sure=hit["tier"] == "certain") for hit in hits if "viaId" in hit
    ]
    notes = [f"{one['count']} test(s): {one.get('command', one['runner'])}" for one in data.get("tests", ())]
    return draw(f"Impact: {data.get('risk', 'unknown')} risk", boxes, links, MOST, [*notes, *_folded(data)])


PICTURES: Mapping[str, Callable[[Payload], Picture]] = MappingProxyType(
    {
        "map_overview": _of_overview,
        "map_neighbors": _of_neighbors,
        "map_path": _of_path,
        "map_impact": _of_impact,
    }
)
"""By the name of the tool whose answer it is."""
LISTED = MappingProxyType({"map_overview": "clusters", "map_neighbors": "neighbors", "map_impact": "impacted"})
"""The list of an answer of which all pages are drawn."""


def _box(node: Payload, tone: Tone = "plain") -> Box:
    """A definition by its qualified name, with its place below; a file or package by its own name."""
    path, _, name = node["id"].partition("#")
    if ":ext:" in path:
        return Box(node["id"], path.partition(":ext:")[2], "outside", "aside")
    place = f"{node['file']}:{node['line']}" if "file" in node and "line" in node and name else ""
    return Box(node["id"], name or path.partition(":")[2], place or (path.partition(":")[2] if name else ""), tone)


def _counted(cluster: Payload) -> str:
    counts = ((cluster.get("files", 0), "file"), (cluster.get("symbols", 0), "definition"))
    return ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)


def _folded(data: Payload) -> list[str]:
    """What is only counted, by role."""
    return [f"Not drawn: {sum(counts.values())} in {role}" for role, counts in data.get("folded", {}).items()]
