"""Diagrams: what is drawn, what is quoted, and what is left out and counted."""

from __future__ import annotations

import json
import re

from codemap.graph.build.build import build_snapshot
from codemap.tools import World, diagram
from codemap.tools.diagram import Link, flowchart, of_neighbors, of_path
from tests.tools.calls import reply

SOURCES = {
    "app/store.py": b"class Store:\n    def save(self): ...\n",
    "app/api.py": b"from app.store import Store\ndef put(store: Store): store.save()\n",
}


def test_boxes_and_links_in_their_order_guesses_dotted() -> None:
    links = [Link("a", "b", "calls"), Link("b", "a", "calls", is_sure=False), Link("a", "b", "calls")]
    assert flowchart([("a", "A"), ("b", "B")], links).splitlines() == [
        "graph LR",
        '  n0["A"]',
        '  n1["B"]',
        '  n0 -->|"calls"| n1',
        '  n1 -.->|"calls"| n0',
    ]


def test_text_is_quoted() -> None:
    assert '["say #quot;hi#quot; #35;1"]' in flowchart([("a", 'say "hi" #1')], [])


def test_what_is_left_out_is_counted() -> None:
    boxes = [(str(number), str(number)) for number in range(diagram.BOXES_MAX + 3)]
    links = [Link(str(a), str(b), "x") for a in range(10) for b in range(9)]
    chart = flowchart(boxes, links).splitlines()
    assert chart[-2:] == ["  %% 3 more boxes", "  %% 10 more arrows"]
    assert len(chart) == 1 + diagram.BOXES_MAX + diagram.LINKS_MAX + 2


def test_a_path_draws_each_edge_in_its_own_direction() -> None:
    def step(name: str, direction: str) -> dict[str, object]:
        edge = {"kind": "calls", "direction": direction, "confidence": "exact"}
        return {"node": {"id": name, "name": name}, "edgeToNext": edge}

    chart = of_path([step("a", "out"), step("b", "in"), {"node": {"id": "c", "name": "c"}}])
    assert chart.splitlines()[4:] == ['  n0 -->|"calls"| n1', '  n2 -->|"calls"| n1']


def test_neighbors_hang_on_the_node_that_they_were_reached_from() -> None:
    edge = {"edge": "calls", "confidence": "name"}
    neighbors = [
        {"id": "b", "name": "b", "direction": "in", **edge},
        {"id": "c", "name": "c", "direction": "out", "via": "b", **edge},
    ]
    chart = of_neighbors({"id": "a", "name": "a"}, neighbors)
    assert chart.splitlines()[4:] == ['  n1 -.->|"calls"| n0', '  n1 -.->|"calls"| n2']


def test_tools_draw_when_asked_and_leave_the_whole_drawing_out_where_room_is_short() -> None:
    world = World(build_snapshot(SOURCES))
    ends = {"from": "py:app/api.py#put", "to": "py:app/store.py#Store.save"}
    for tool, arguments, little in (
        ("map_overview", {"rows": "full"}, 135),
        ("map_path", ends | {"rows": "full"}, 135),
    ):
        plain = json.loads(reply(world, tool, arguments).text)
        drawn = json.loads(reply(world, tool, arguments | {"diagram": True}).text)
        assert diagram.MEMBER not in plain["data"]
        assert re.match(r'graph LR\n  n0\["', drawn["data"][diagram.MEMBER])
        small = json.loads(reply(world, tool, arguments | {"diagram": True, "tokenBudget": little}).text)
        assert diagram.MEMBER not in small["data"]
        assert "diagrams" in small["dropped"]["kind"]
