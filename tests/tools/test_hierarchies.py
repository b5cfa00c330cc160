"""Whole hierarchies: all of them, page by page."""

from __future__ import annotations

import json

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from tests.tools.calls import reply

COUNT = 400
"""More than a call brings of other neighbors, in all and of one node."""


@pytest.mark.parametrize("rows", ["compact", "full"])
def test_every_descendant_is_to_be_had(rows: str) -> None:
    """A base with many heirs, of which the first begins a line of nine."""
    lines = ["class Base: ..."]
    lines += [f"class Wide{number}(Base): ..." for number in range(COUNT - 9)]
    lines += [f"class Deep{number}({f'Deep{number - 1}' if number else 'Wide0'}): ..." for number in range(9)]
    world = World(build_snapshot({"a.py": "\n".join(lines).encode()}))
    arguments = {"nodeId": "py:a.py#Base", "direction": "in", "edgeKinds": ["extends"], "depth": 10, "rows": rows}
    names: list[str] = []
    parents: dict[str, str] = {}
    pages = 0
    while True:
        page = json.loads(reply(world, "map_neighbors", {**arguments, "tokenBudget": 1000}).text)
        pages += 1
        for section in page["data"]["neighbors"]:
            if rows == "full":
                names.append(section["name"])
                parents[section["name"]] = section.get("via", "").rpartition("#")[2]
            for text in section.get("rows", {}).get("a.py", ()):
                name, _, parent = text.partition(" ")
                names.append(name)
                parents[name] = parent.partition("of ")[2]
        if "cursor" not in page.get("dropped", {}):
            break
        arguments["cursor"] = page["dropped"]["cursor"]
    assert pages > 1
    assert sorted(names) == sorted(line.partition("(")[0].removeprefix("class ") for line in lines[1:])
    assert parents["Deep0"] == "Wide0"
    assert parents["Deep8"] == "Deep7"
    assert parents["Wide7"] == ""
