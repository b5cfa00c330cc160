"""Every tool in every dialect with any budget over any map: the cap holds on what is sent, pages lose nothing, and a
bigger budget never shows less.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemap.envelope import ctxo, scalpel
from codemap.envelope.answer import Answer, CutList, Failure, count_of
from codemap.envelope.cursor import Origin, decode_cursor
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.limits import PROFILES
from codemap.envelope.native import BUDGET_MAX, clamp
from codemap.envelope.renaming import renamed
from codemap.envelope.reply import BYTES_MAX, Reply, Terms
from codemap.envelope.tree import leaves
from codemap.escapes import escaped
from codemap.graph.build.build import build_snapshot
from codemap.tools import Disk, World
from tests.tools.calls import answered, checked, tool_named
from tests.tools.test_live import CALLS as LIVE_CALLS
from tests.tools.test_live import FILES, AnyServer

slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

NAMES = ("save", "Store", "größe", "π", "load_all", "run", "x" * 70, "Box", "open", "handle")
DOCS = ("", "Saves.", 'Says "no" \\ to π and 😀, at length' * 6, "null")
listings = st.fixed_dictionaries(
    {"rows": st.sampled_from(["compact", "full"])},
    optional={
        "tests": st.sampled_from(["fold", "include", "exclude", "only"]),
        "fileFilter": st.sampled_from(["", "pkg", "!pkg/m1.py", "none"]),
    },
)
names, dialects = st.sampled_from(NAMES), st.sampled_from(sorted(DIALECTS))
RENAMED = {"ctxo": ctxo.NAMES, "scalpel": scalpel.NAMES}
budgets = st.integers(100, 700) | st.integers(100, BUDGET_MAX)


@st.composite
def sources(draw: st.DrawFn, module: int, modules: int) -> bytes:
    """A module that defines and uses some of the names, and imports from others."""
    lines = [f"from pkg.m{draw(st.integers(0, modules))} import {name}" for name in draw(st.lists(names, max_size=3))]
    for number, name in enumerate(draw(st.lists(names, max_size=4))):
        doc = json.dumps(draw(st.sampled_from(DOCS)), ensure_ascii=False)
        used = draw(st.lists(names, max_size=3))
        calls = [f"        {one}(item); item.{one}()" for one in used]
        lines += [f"class {name}{number}({draw(names)}):", f"    def {name}(self, item):", f"        {doc}", *calls]
    return "\n".join([*lines, f"m{module} = {draw(names)}", ""]).encode()


@st.composite
def worlds(draw: st.DrawFn) -> World:
    count = draw(st.integers(0, 6))
    files = {
        f"{'tests' if number > 3 else 'pkg'}/m{number}.py": draw(sources(number, count)) for number in range(count)
    }
    some = st.sets(st.sampled_from(sorted(files)), max_size=3).map(frozenset) if files else st.just(frozenset[str]())
    snapshot = msgspec.structs.replace(build_snapshot(files), is_partial=draw(st.booleans()))
    return World(
        snapshot=snapshot,
        disk=Disk(draw(some), draw(some)),
        rebuilt={"filesScanned": count, "filesExtracted": 1, "filesDeleted": 0, "durationMs": 1.5, "cold": True},
        status={"lsp": {"py": {"state": "cold"}}, "skipped": {"binary": 3}, "warnings": ["The disk is slow."]},
        root="/repository",
    )


@st.composite
def map_calls(draw: st.DrawFn, world: World) -> tuple[str, dict[str, Any]]:
    snapshot = world.snapshot
    assert snapshot is not None
    known = [snapshot.id_of(node) for node in range(min(snapshot.node_count, 60))]
    ids = st.sampled_from([*known, "py:pkg/m0.py#none", "py:nowhere.py", "no id"])
    drawn = st.booleans()
    match draw(
        st.sampled_from(
            [
                "overview",
                "search",
                "neighbors",
                "path",
                "code",
                "context",
                "metrics",
                "findings",
                "history",
                "hotspots",
                "rebuild",
                "status",
            ]
        )
    ):
        case "context":
            return "map_context", {
                "task": draw(
                    st.sampled_from(["save", "Store save all", 'File "pkg/m1.py", line 3\npkg/m0.py:5', "zz"])
                ),
                "nodeIds": draw(st.lists(ids, max_size=2)),
                "purpose": draw(st.sampled_from(["understand", "fix", "extend", "refactor", "test"])),
                "rows": draw(st.sampled_from(["compact", "full"])),
            }
        case "code":
            return "map_code", {
                "nodeIds": draw(st.lists(ids, min_size=1, max_size=4)),
                "detail": draw(st.sampled_from(["full", "body", "skeleton", "signature"])),
                "include": draw(st.lists(st.sampled_from(["callees", "callers", "types", "imports", "tests"]))),
                "depth": draw(st.integers(0, 3)),
                "rows": draw(st.sampled_from(["compact", "full"])),
            }
        case "findings":
            return "map_findings", {
                **draw(st.sampled_from([{"sarif": "a.sarif"}, {"run": "ruff"}, {}])),
                **draw(listings),
            }
        case "history":
            return "map_history", {
                "nodeId": draw(ids),
                "rows": draw(st.sampled_from(["compact", "full"])),
            }
        case "hotspots":
            return "map_history", {"folder": draw(st.sampled_from(["", "pkg", "tests/"]))}
        case "metrics":
            return "map_metrics", {
                "scope": draw(st.one_of(ids, st.sampled_from(["", "pkg", "tests/", "pkg/m1.py"]))),
                "by": draw(st.sampled_from(["function", "class", "file", "folder"])),
                "sort": draw(st.sampled_from(["cyclomatic", "cognitive", "fanIn", "code"])),
                **draw(listings),
            }
        case "overview":
            focus = draw(st.sampled_from(["", "pkg", "pkg/m1.py", "none"]))
            return "map_overview", {"focus": focus, "hubsPerCluster": draw(st.integers(1, 20)), "diagram": draw(drawn)}
        case "search":
            query = draw(st.sampled_from(["sa", "Store", "store save", "m1", "zzzz", "π1"]))
            return "map_search", {"query": query, "limit": draw(st.integers(1, 100)), **draw(listings)}
        case "neighbors":
            return "map_neighbors", {
                "nodeId": draw(ids),
                "direction": draw(st.sampled_from(["in", "out", "both"])),
                "depth": draw(st.integers(1, 3)),
                "diagram": draw(drawn),
                "verify": draw(drawn),
                **draw(listings),
                **draw(
                    st.fixed_dictionaries(
                        {}, optional={"maxNodes": st.integers(1, 200), "nodeIds": st.lists(ids, max_size=3)}
                    )
                ),
            }
        case "path":
            return "map_path", {"from": draw(ids), "to": draw(ids), "includeReferences": draw(drawn)}
        case name:
            return f"map_{name}", {}


class Asked(msgspec.Struct, frozen=True):
    """A call and what the tool says."""

    tool: str
    arguments: dict[str, Any]
    answer: Answer | Failure
    with_budget: Callable[[int], Answer | Failure]
    """What the tool says where the caller names a budget: `nav_type` alone fits its one text to it itself."""


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    """Any tool on any map, whatever a server says."""
    if draw(st.booleans()):
        world = draw(worlds())
        tool, arguments = draw(map_calls(world))
    else:
        stale = draw(st.sampled_from([frozenset[str](), frozenset(("app/use.py",))]))
        world = World(snapshot=build_snapshot(FILES), root="/repository", disk=Disk(stale))
        tool, arguments = draw(st.sampled_from(LIVE_CALLS))
    server = AnyServer(draw)  # remembers what it said
    answer = answered(world, tool_named(tool), arguments, server)

    def with_budget(budget: int) -> Answer | Failure:
        return answered(world, tool_named(tool), {**arguments, "tokenBudget": budget}, server)

    return Asked(tool, arguments, answer, with_budget)


def render(dialect: str, call: Asked, budget: int, **terms: Any) -> Reply:
    origin = Origin(call.tool, call.arguments, "v1")
    terms = {"timings": {"answer": 3.5}, "limits": PROFILES["pro"], **terms}
    answer = call.with_budget(budget) if call.tool == "nav_type" else call.answer
    found = DIALECTS[dialect](answer, Terms(budget, origin, is_budget_asked=True, **terms))
    return checked(call.tool, found) if dialect == "native" else found


def nulls(node: Any) -> int:
    if isinstance(node, dict):
        return sum(map(nulls, node.values()))
    return sum(map(nulls, node)) if isinstance(node, list) else node is None


@slow
@given(call=asked(), dialect=dialects, budget=budgets)
def test_what_is_sent_is_json_within_its_cap_without_nulls(call: Asked, dialect: str, budget: int) -> None:
    found = render(dialect, call, budget)
    whole = json.loads(found.text)
    assert whole == json.loads(json.dumps(found.structured))
    match dialect:
        case "native":
            assert -(-len(found.text) // 4) == whole["tokenBudget"]["used"] <= budget
            assert nulls(whole) == 0
        case "ctxo":
            assert len(found.text.encode()) <= max(ctxo.BYTES_MIN, min(BYTES_MAX, budget * 4))
            assert nulls(whole) == 0
        case _:
            assert len(found.text) <= clamp(budget) * 4
            assert nulls(whole) == 1, "error of a success, data of a failure"


@slow
@given(call=asked(), dialect=dialects, budget=budgets, more=st.integers(1, 3000))
def test_a_bigger_budget_never_shows_less(call: Asked, dialect: str, budget: int, more: int) -> None:
    small, large = (render(dialect, call, tokens) for tokens in (budget, budget + more))
    assert shown(dialect, small) <= shown(dialect, large)
    assert contents(large).startswith(contents(small))


def shown(dialect: str, found: Reply) -> int:
    """Values of the payload that are shown."""
    if dialect == "ctxo":
        return leaves({name: value for name, value in found.structured.items() if name != "_meta"})
    payload = found.structured.get("data")
    if payload is None:
        payload = found.structured["error"]
    return leaves({name: value for name, value in payload.items() if name not in _BESIDE})


def contents(found: Reply) -> str:
    """The text of `nav_type`, as far as it is shown."""
    payload = found.structured.get("data", found.structured)
    return str((payload or {}).get("contents", "")).removesuffix("…")


_BESIDE = ("warnings", "incomplete_reason", "next_cursor")


@slow
@given(call=asked(), budget=budgets)
def test_a_row_keeps_its_name_and_lines_and_no_file_is_named_without_one(call: Asked, budget: int) -> None:
    if isinstance(call.answer, Failure):
        return
    payload = render("native", call, budget).structured["data"]
    for cut in call.answer.lists:
        if isinstance(cut, CutList) and cut.is_grouped:
            whole = {head(escaped(row)) for rows in groups_at(call.answer.data, cut.path) for row in rows}
            for rows in groups_at(payload, cut.path):
                assert rows
                assert {head(row) for row in rows} <= whole


def groups_at(node: Any, path: tuple[str, ...]) -> Iterator[list[str]]:
    """The rows of each group of a list, wherever it stands."""
    if not path:
        yield from node.values() if isinstance(node, dict) else ()
    elif path[0] == "*":
        for one in node:
            yield from groups_at(one, path[1:])
    elif isinstance(node, dict) and path[0] in node:
        yield from groups_at(node[path[0]], path[1:])


def head(row: str) -> tuple[str, ...]:
    return tuple(row.removesuffix("…").split(" ")[:2])


@slow
@given(call=asked(), dialect=dialects, budget=st.integers(500, 2500))
def test_pages_show_every_element_of_every_list_once(call: Asked, dialect: str, budget: int) -> None:
    if isinstance(call.answer, Failure):
        return
    whole = renamed(call.answer, RENAMED.get(dialect, {}))
    outer = [cut.path for cut in whole.lists if isinstance(cut, CutList) and "*" not in cut.path]
    counted = dict.fromkeys(outer, 0)
    cursor = None
    for _ in range(500):
        found = render(dialect, call, budget)
        payload = found.structured if dialect == "ctxo" else found.structured["data"]
        for path in outer:
            counted[path] += count(at(payload, path))
        following = cursor_of(dialect, found)
        assert following is None or following != cursor
        if following is None:
            break
        cursor = following
        position = decode_cursor(cursor, Origin(call.tool, call.arguments, "v1"))
        call = msgspec.structs.replace(call, answer=msgspec.structs.replace(call.answer, resume=position))
    else:
        raise AssertionError("the walk has no end")
    assert counted == {path: count(at(whole.data, path)) for path in outer}


def at(node: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        node = node.get(step, []) if isinstance(node, dict) else []
    return node["items"] if isinstance(node, dict) and "items" in node else node


def count(elements: Any) -> int:
    """Elements of a list, grouped or not, but for those that go on with one of an earlier page."""
    listed = elements if isinstance(elements, list) else ()
    return count_of(elements) - sum(isinstance(one, dict) and "continued" in one for one in listed)


def cursor_of(dialect: str, found: Reply) -> str | None:
    match dialect:
        case "native":
            return found.structured.get("dropped", {}).get("cursor")
        case "ctxo":
            return found.structured["_meta"].get("cursor")
        case _:
            return found.structured["data"].get("next_cursor")
