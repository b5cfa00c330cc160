"""What holds for every tool on every map: budgets, pages without loss, freshness by the files mentioned, same bytes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.answer import Answer, CutList
from codemap.envelope.limits import PROFILES, Limits
from codemap.envelope.native import characters
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.neighborhood import FAN_OUT_MAX
from codemap.tools import Disk, World, mentioned_files
from tests.tools.calls import answered, reply, tool_named

MANY = {
    "app/store.py": b"class Store:\n    def get(self): ...\n\n\ndef make() -> Store:\n    return Store()\n",
    **{
        f"app/use{n}.py": f"from app.store import make\n\n\ndef use{n}(x):\n    make().get()\n    x.get()\n".encode()
        for n in range(15)
    },
}
STORE_GET = "py:app/store.py#Store.get"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("map_overview", {}),
    ("map_search", {"query": "use"}),
    ("map_search", {"query": "use", "rows": "full"}),
    ("map_neighbors", {"nodeId": STORE_GET}),
    ("map_neighbors", {"nodeId": "py:app/store.py#make", "depth": 3}),
    ("map_neighbors", {"nodeId": STORE_GET, "rows": "full"}),
    ("map_neighbors", {"nodeId": "py:app/store.py#make", "depth": 3, "rows": "full"}),
    ("map_path", {"from": "py:app/use1.py#use1", "to": STORE_GET}),
    ("map_status", {}),
    ("map_neighbors", {"nodeId": "py:nowhere.py#get"}),
]
each_call = pytest.mark.parametrize(("name", "arguments"), CALLS)


@pytest.fixture(scope="module")
def world() -> World:
    return World(snapshot=build_snapshot(MANY))


@given(call=st.sampled_from(CALLS), budget=st.integers(100, 1500))
def test_replies_fit_their_budget(world: World, call: tuple[str, dict[str, Any]], budget: int) -> None:
    name, arguments = call
    found = reply(world, name, {**arguments, "tokenBudget": budget})
    assert -(-characters(found.text.encode()) // 4) <= budget


@each_call
def test_the_same_call_gives_the_same_bytes(world: World, name: str, arguments: dict[str, Any]) -> None:
    again = World(snapshot=build_snapshot(dict(reversed(MANY.items()))))
    assert reply(world, name, arguments).text == reply(again, name, arguments).text


@pytest.mark.parametrize(
    ("asked", "count"), [({}, 10), ({"limit": 12}, 12), ({"rows": "full"}, 20), ({"rows": "full", "limit": 5}, 5)]
)
def test_compact_rows_show_fewer_matches_unless_the_call_says_how_many(asked: dict[str, Any], count: int) -> None:
    world = World(snapshot=build_snapshot({"a.py": "".join(f"def use{n}(): pass\n" for n in range(25)).encode()}))
    data = reply(world, "map_search", {"query": "use", **asked, "tokenBudget": 5000}).structured["data"]
    assert (len(data["results"]), data["total"]) == (count, 25)


def test_a_compact_row_cuts_a_long_signature() -> None:
    parameters = ", ".join(f"parameter_{n}" for n in range(20))
    world = World(snapshot=build_snapshot({"a.py": f"def use({parameters}): pass\n".encode()}))
    [row] = reply(world, "map_search", {"query": "use"}).structured["data"]["results"]
    assert row == f"a.py#use 1 def use({parameters}"[: len("a.py#use 1 ") + 80].rstrip() + "…"


@pytest.mark.parametrize("budget", [200, 350, 700])
def test_pages_of_a_search_show_every_result_once(world: World, budget: int) -> None:
    asked = {"query": "use", "rows": "full"}
    whole = [result["id"] for result in reply(world, "map_search", asked).structured["data"]["results"]]
    arguments: dict[str, Any] = {**asked, "tokenBudget": budget}
    shown: list[str] = []
    for _ in range(60):
        page = reply(world, "map_search", arguments).structured
        shown += [result["id"] for result in page["data"]["results"]]
        cursor = page.get("dropped", {}).get("cursor")
        if cursor is None:
            break
        arguments["cursor"] = cursor
    first = reply(world, "map_search", {**asked, "tokenBudget": 10_000}).structured["data"]["results"]
    assert shown == [result["id"] for result in first]
    assert shown[: len(whole)] == whole


@pytest.mark.parametrize(("budget", "most"), [(300, 200), (700, 200), (2000, 200), (10_000, 200), (10_000, 33)])
def test_pages_of_neighbors_show_each_once_up_to_max_nodes(budget: int, most: int) -> None:
    callers = "".join(f"def caller{n:02}():\n    target()\n    target()\n\n\n" for n in range(45))
    world = World(snapshot=build_snapshot({"a.py": f"def target(): ...\n\n\n{callers}".encode()}))
    arguments: dict[str, Any] = {
        "nodeId": "py:a.py#target", "direction": "in", "edgeKinds": ["calls"], "maxNodes": most, "tokenBudget": budget,
        "rows": "full",
    }  # fmt: skip
    shown: list[str] = []
    sites: dict[str, int] = {}
    while True:
        page = reply(world, "map_neighbors", arguments).structured
        fresh = [each["id"] for each in page["data"]["neighbors"] if "continued" not in each]
        assert len(fresh) <= FAN_OUT_MAX
        shown += fresh
        for each in page["data"]["neighbors"]:
            sites[each["id"]] = sites.get(each["id"], 0) + len(each["sites"])
        assert page["data"]["omitted"] == max(0, 45 - most)
        cursor = page.get("dropped", {}).get("cursor")
        if cursor is None:
            break
        arguments["cursor"] = cursor
    assert shown == sorted(set(shown))
    assert len(shown) == min(45, most)
    assert set(sites.values()) == {2}
    if most < 45:
        assert page["dropped"]["count"] == 45 - most
        assert "maxNodes up to 200" in page["dropped"]["note"]
        assert "tokenBudget" not in page["dropped"]["note"]


@pytest.mark.parametrize("budget", [150, 200, 300, 1000])
def test_pages_of_compact_rows_show_each_once_and_say_what_they_share(budget: int) -> None:
    source = "from a import target\n\n\ndef one{n}():\n    target()\n\n\ndef two{n}(x=target): ...\n"
    files = {f"app/m{n:02}.py": source.format(n=n).encode() for n in range(30)}
    world = World(snapshot=build_snapshot({"a.py": b"def target(): ...\n", **files}))
    arguments: dict[str, Any] = {"nodeId": "target", "direction": "in", "tokenBudget": budget}
    shown: list[tuple[str, str, str]] = []
    while True:
        page = reply(world, "map_neighbors", arguments).structured
        for section in page["data"]["neighbors"]:
            assert section["confidence"] == "import"
            shown += [(section["edge"], file, row) for file, rows in section["rows"].items() for row in rows]
        cursor = page.get("dropped", {}).get("cursor")
        if cursor is None:
            break
        arguments["cursor"] = cursor
    expected = {
        row
        for n in range(30)
        for row in (
            ("calls", f"app/m{n:02}.py", f"one{n} 5"),
            ("references", f"app/m{n:02}.py", f"two{n} 8"),
            ("imports", f"app/m{n:02}.py", "1"),
        )
    }
    assert len(shown) == len(expected)
    assert set(shown) == expected


@each_call
def test_a_stale_file_is_reported_when_it_is_mentioned(world: World, name: str, arguments: dict[str, Any]) -> None:
    tool = tool_named(name)
    mentioned = mentioned_files(answered(world, tool, arguments))
    snapshot = world.snapshot
    assert isinstance(snapshot, Snapshot)
    assert mentioned <= set(snapshot.by_path)
    stale = World(snapshot=snapshot, disk=Disk(frozenset(snapshot.by_path)))
    found = answered(stale, tool, arguments)
    if mentioned or tool.checks_all_files:
        assert isinstance(found, Answer)
        assert "changed since the last index" in found.warnings[0]
        assert found.warnings[0].startswith(f"{len(snapshot.files) if tool.checks_all_files else len(mentioned)} ")


def test_hubs_are_checked_for_staleness_too(world: World) -> None:
    stale = World(snapshot=world.snapshot, disk=Disk(frozenset({"app/store.py"})))
    answer = answered(stale, tool_named("map_overview"), {"rows": "full"})
    assert isinstance(answer, Answer)
    hubs = [hub for cluster in answer.data["clusters"] for hub in cluster["hubs"]]
    assert {hub["id"].partition("#")[0] for hub in hubs if hub.get("stale")} == {"py:app/store.py"}


def test_no_list_is_left_undeclared(world: World) -> None:
    """Every list of a payload can be cut: it is declared, or stands in an element of one that is."""
    for name, arguments in CALLS:
        answer = answered(world, tool_named(name), arguments)
        if isinstance(answer, Answer):
            declared = {cut.path for cut in answer.lists}
            grouped = {cut.path for cut in answer.lists if isinstance(cut, CutList) and cut.is_grouped}
            found = {path[:-1] if path[:-1] in grouped else path for path in lists_in(answer.data, ())}
            assert found <= declared, name


def lists_in(value: Any, path: tuple[str, ...]) -> set[tuple[str, ...]]:
    found = set()
    if isinstance(value, dict):
        for member, inner in value.items():
            found |= lists_in(inner, (*path, member))
    elif isinstance(value, list | tuple):
        found.add(path)
        for inner in value:
            found |= lists_in(inner, (*path, "*"))
    return found


@pytest.mark.parametrize(("limits", "is_profiled"), [(Limits("tiny", 3, 2), True), (PROFILES["community"], False)])
def test_what_the_limits_profile_left_out_is_distinguished_from_what_the_call_did(
    world: World, limits: Limits, is_profiled: bool
) -> None:
    arguments = {"nodeId": "py:app/store.py#make", "direction": "in", "maxNodes": 2, "rows": "full"}
    under = msgspec.structs.replace(world, limits=limits)
    answer = answered(under, tool_named("map_neighbors"), arguments)
    assert isinstance(answer, Answer)
    (dropped,) = answer.already_dropped
    assert dropped.is_profiled is is_profiled
    assert ("maxNodes up to 200" in dropped.note) is not is_profiled


def test_the_widest_limit_is_not_advised_to_who_asked_for_it() -> None:
    many = World(snapshot=build_snapshot({"a.py": b"".join(b"def use%d(): ...\n" % n for n in range(150))}))
    for limit, is_advised in ((20, True), (100, False)):
        answer = answered(many, tool_named("map_search"), {"query": "use", "limit": limit})
        assert isinstance(answer, Answer)
        (dropped,) = answer.already_dropped
        assert ("a limit up to 100" in dropped.note) is is_advised
