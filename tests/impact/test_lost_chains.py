"""Where the chains of users end because a name says too little."""

from __future__ import annotations

from codemap.graph.build.build import build_snapshot
from codemap.graph.query.undecided import open_uses
from codemap.impact.arrivals import CANDIDATES_MAX
from codemap.impact.lost_chains import find_ends
from codemap.impact.reach import reach

STORE = b"class Store:\n    def run(self): check()\n    def only_here(self): check()\n\ndef check(): ...\n"
OTHERS = b"".join(b"class Other%d:\n    def run(self): ...\n" % number for number in range(CANDIDATES_MAX))


def ends(user: bytes) -> tuple[list[str], int]:
    snapshot = build_snapshot({"store.py": STORE, "others.py": OTHERS, "user.py": user})
    found = find_ends(snapshot, reach(snapshot, [snapshot.find("py:store.py#check") or 0]))
    nodes, sites = open_uses(snapshot, found)
    return [snapshot.qualified_name_of(node) for node in nodes], sites


def test_a_chain_is_lost_where_undecided_uses_of_a_name_are_not_followed() -> None:
    assert ends(b"def use(any):\n    any.run()\n    any.run()\n") == (["Store.run"], 2)


def test_a_chain_that_nobody_may_go_on_with_just_ends() -> None:
    assert ends(b"def use(any): any.other()\n") == ([], 0)


def test_a_chain_that_goes_on_is_not_lost() -> None:
    assert ends(b"from store import Store\ndef use(any): any.run()\ndef known(): Store().run()\n") == ([], 0)
