"""Which part of a long function is shown of what a task is about."""

from __future__ import annotations

import json

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.code.excerpts import Excerpt
from codemap.tools.context.essential import order_excerpts
from tests.tools.calls import reply
from tests.tools.live import Script

PARTS = [
    Excerpt(1, 9, "def main(arguments):\n    print('usage')\n    output = open_output()"),
    Excerpt(10, 19, "    if option == 'indent':\n        set_indent(value)\n    print(value)"),
    Excerpt(20, 29, "    print(value)\n    return output"),
]


@pytest.mark.parametrize(
    ("task", "frames", "first"),
    [
        ("print the indented output", {0}, 10),
        ("open the output", {0}, 1),
        ("nothing of it", {0}, 1),
        ("main should set the indent", {0}, 10),
        ("set the indent", {25}, 20),
        ("", {0}, 1),
    ],
)
def test_the_part_that_a_frame_is_in_or_that_has_the_rare_words_of_the_task(
    task: str, frames: set[int], first: int
) -> None:
    assert order_excerpts(PARTS, frames, task, "src/tool.py main")[0].first == first


@pytest.mark.parametrize(("task", "frame", "order"), [("set the indent", 0, [10, 1, 20]), ("", 25, [20, 10, 1])])
def test_the_other_parts_follow_by_the_words_in_them_or_how_near_they_are(
    task: str, frame: int, order: list[int]
) -> None:
    assert [one.first for one in order_excerpts(PARTS, {frame}, task, "src/tool.py main")] == order


LONG = "".join(f"    if total == {n}:\n        total += {n}\n" for n in range(300))
FILES = {
    "a.py": f"def run(total):\n    '''Adds up.'''\n{LONG}    return total\n".encode(),
    "b.py": b"from a import run\n\n\ndef run_twice(total):\n    return run(run(total))\n",
}


@pytest.mark.parametrize("rows", ["compact", "full"])
def test_more_of_a_long_function_is_shown_where_there_is_room_before_other_functions(rows: str) -> None:
    world = World(snapshot=build_snapshot(FILES), root="/repository")
    shown = {}
    for budget in (2500, 10_000):
        arguments = {"task": "run", "tokenBudget": budget, "rows": rows}
        got = json.loads(reply(world, "map_context", arguments, Script({}, FILES)).text)
        texts = [*got["data"].get("code", {}).get("a.py#run", []), *got["data"].get("bodies", {}).get("a.py#run", [])]
        texts += [piece["code"] for piece in got["data"].get("pieces", []) if piece["id"] == "py:a.py#run"]
        shown[budget] = sum(text.count("\n        total") for text in texts)
        assert got["truncated"] == (shown[budget] < 300), "what is left out is said"
    assert 100 < shown[2500] < shown[10_000] == 300


def test_what_is_related_takes_the_room_of_names_that_may_be_meant_as_well() -> None:
    others = "".join(f"def save_order_{number}():\n    return {number}\n" for number in range(60)).encode()
    files = {
        "shop/orders.py": b"def save_order(order):\n    check_order(order)\n\n\ndef check_order(order):\n    pass\n",
        "shop/others.py": others,
        "shop/pages.py": b"from shop.orders import save_order\n\n\ndef submit(order):\n    save_order(order)\n",
        "tests/test_orders.py": b"from shop.orders import save_order\n\n\ndef test_save():\n    save_order(1)\n",
    }
    world = World(snapshot=build_snapshot(files), root="/repository")
    arguments = {"task": "save order", "purpose": "fix", "tokenBudget": 550}
    got = json.loads(reply(world, "map_context", arguments, Script({}, files)).text)
    names = sum(len(rows) for member in ("also", "perhaps") for rows in got["data"].get(member, {}).values())
    assert {"callers", "tests"} <= got["data"].keys()
    assert names < 40, "some of the names are left out"
    assert got["truncated"]
