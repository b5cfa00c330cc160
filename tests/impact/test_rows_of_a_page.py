"""A page is the same whether all rows are made for it or only those that it may hold."""

from __future__ import annotations

import json
import operator
from collections.abc import Generator
from itertools import takewhile
from typing import Any

import pytest

from codemap.envelope.dialects import DIALECTS, NATIVE
from codemap.envelope.reply import Terms
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.impact.params import Params
from codemap.tools.impact.tool import TOOL
from tests.tools.calls import answered, reply
from tests.tools.live import Script

GROUPS_CUT = 300
"""A budget that holds the first rows of some groups only."""
USERS = "\n".join(f"def user_{at}(): hub()\ndef far_{at}(): user_{at}()\ndef guess_{at}(x): x.go()" for at in range(60))
FILES = {
    "app/hub.py": b"def hub(): ...\nclass Hub:\n    def go(self): hub()\n",
    "app/often.py": b"from app.hub import hub\n\ndef often():\n" + b"    hub()\n" * 90,
    **{f"app/m{at}.py": f"from app.hub import hub\n\n{USERS}\n".encode() for at in range(3)},
    **{
        f"tests/test_{at}.py": f"from app.m{at} import *\n\n".encode()
        + b"".join(b"def test_%d(): far_%d()\n" % (one, one) for one in range(60))
        for at in range(3)
    },
}


@pytest.fixture(scope="module")
def worlds() -> dict[int, World]:
    snapshot = build_snapshot(FILES)
    return {budget: World(snapshot=snapshot, page_chars=4 * budget) for budget in (0, 100, 300, 1000, 10_000)}


@pytest.mark.parametrize("budget", [100, 300, 1000, 10_000])
@pytest.mark.parametrize(
    "arguments", [{}, {"tests": "only"}, {"tests": "include"}, {"rows": "full"}, {"fileFilter": "app/m1.py"}]
)
def test_of_a_hub(worlds: dict[int, World], budget: int, arguments: dict[str, Any]) -> None:
    call = {"nodeIds": ["app/hub.py#hub"], **arguments}
    whole, part = (answered(worlds[page], TOOL, call) for page in (0, budget))
    replies = [DIALECTS[NATIVE](one, Terms(budget)).structured for one in (part, whole)]
    (shown, listed), (expected, wanted) = (split(reply["data"]) for reply in replies)
    assert shown == expected
    assert listed[: len(wanted)] == wanted  # what is said of the rest takes less room where less was made
    assert len(listed) <= len(wanted) + 1
    if budget > GROUPS_CUT:  # where whole groups go, what is in them is not counted one by one
        lost, lost_of_all = (reply.get("dropped", {}).get("count", 0) for reply in replies)
        assert lost + len(listed) == lost_of_all + len(wanted)


def test_others_are_answered_while_it_is_found_out_which_variables_hold_a_node() -> None:
    files = {f"m{at}.py": b"def save(): ...\ndef run(on_save): on_save()\nrun(save)\n" for at in range(9)}
    world = World(snapshot=build_snapshot(files))

    def turns() -> int:
        asking = TOOL.answer(world, Params(node_ids=("m1.py#save",)))
        assert isinstance(asking, Generator)
        return len(list(takewhile(operator.not_, asking)))

    assert (turns() > 1, turns()) == (True, 0)


def split(data: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """What is said besides, and the list of who is reached."""
    return {name: value for name, value in data.items() if name != "impacted"}, data.get("impacted", [])


SHOP = {
    "shop/base.py": b"class Base:\n    def save(self): ...\n\n\nclass Order(Base):\n    def save(self): ...\n",
    "shop/pages.py": b"from shop.base import Base\n\n\ndef add(base: Base): base.save()\n\n\ndef page_0(): add(1)\n"
    + b"".join(b"def page_%d(): page_%d()\n" % (at, at - 1) for at in range(1, 40)),
    "shop/orders.py": b"from shop.base import Order\n\n\n"
    + b"".join(b"def order_%d(order: Order): order.save()\n" % at for at in range(30)),
}


@pytest.mark.parametrize(("budget", "far"), [(2000, 5), (10_000, 40)])
def test_the_users_of_overrides_come_before_those_of_users(budget: int, far: int) -> None:
    world = World(snapshot=build_snapshot(SHOP), page_chars=4 * budget)
    found = answered(world, TOOL, {"nodeIds": ["shop/base.py#Base.save"], "tokenBudget": budget})
    groups = found.data["impacted"]
    assert [group.get("edge", group.get("via", "")) for group in groups[:3]] == ["overrides", "", "Order.save"]
    assert len(groups[2]["rows"]["shop/orders.py"]) == 30
    assert not any(" via " in row for row in groups[2]["rows"]["shop/orders.py"]), "it is said once"
    assert sum(len(rows) for group in groups[3:] for rows in group["rows"].values()) == far
    assert sum(one.count for one in found.already_dropped) == 40 - far


def test_what_overrides_is_shown_without_its_code_which_is_alike() -> None:
    world = World(snapshot=build_snapshot(SHOP))
    call = {"nodeIds": ["shop/base.py#Base.save"], "code": True}
    got = json.loads(reply(world, "map_impact", call, Script({}, SHOP)).text)
    rows = {group.get("edge", group.get("via", "")): group["rows"] for group in got["data"]["impacted"][:3]}
    assert rows["overrides"] == {"shop/base.py": ["Order.save 6"]}
    assert rows[""] == {"shop/pages.py": ["add 4: def add(base: Base): base.save()"]}


def test_overloads_that_override_are_one_row() -> None:
    files = {
        "shop/Box.java": b"interface Box { int get(int a); int get(String a); }\n",
        "shop/Big.java": b"class Big implements Box {\n  public int get(int a) { return 1; }\n"
        b"  public int get(String a) { return 2; }\n}\n",
    }
    found = answered(World(snapshot=build_snapshot(files)), TOOL, {"nodeIds": ["Box.get"]})
    assert found.data["impacted"][0]["rows"] == {"shop/Big.java": ["Big.get 2,3"]}
    assert not found.already_dropped


def test_what_a_row_uses_is_named_without_namespaces() -> None:
    files = {
        "a.cc": b"namespace shop::bank {\nvoid lock() {}\nstruct Ledger { void settle() { lock(); } };\n"
        b"void run(Ledger ledger) { ledger.settle(); }\n}\n"
    }
    found = answered(World(snapshot=build_snapshot(files)), TOOL, {"nodeIds": ["a.cc#lock"]})
    rows = [row for group in found.data["impacted"] for some in group["rows"].values() for row in some]
    assert rows[-1].endswith("run 4 via Ledger.settle")


def test_files_that_the_command_runs_whole_are_not_listed_again() -> None:
    cases = b"".join(b"def test_%d(): Hub().go()\n" % at for at in range(12))
    files = {
        "app/hub.py": b"class Hub:\n    def go(self): ...\n",
        **{f"tests/test_{at}.py": b"from app.hub import Hub\n\n" + cases for at in range(2)},
        "tests/test_far.py": b"def test_one(a): a.go()\ndef test_two(a): a.go()\n",
    }
    found = answered(World(snapshot=build_snapshot(files)), TOOL, {"nodeIds": ["Hub.go"]})
    (run,) = found.data["tests"]
    assert run["command"] == "pytest tests/test_0.py tests/test_1.py"
    assert run["forAll"] == "pytest tests/test_0.py tests/test_1.py tests/test_far.py"
    assert run["files"] == ["tests/test_far.py 2"]
