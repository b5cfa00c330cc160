"""A page is the same whether all rows are made for it or only those that it may hold."""

from __future__ import annotations

from typing import Any

import pytest

from codemap.envelope.dialects import DIALECTS, NATIVE
from codemap.envelope.reply import Terms
from codemap.graph.build.build import build_snapshot
from codemap.tools import World
from codemap.tools.impact.tool import TOOL
from tests.tools.calls import answered

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


def split(data: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """What is said besides, and the list of who is reached."""
    return {name: value for name, value in data.items() if name != "impacted"}, data.get("impacted", [])
