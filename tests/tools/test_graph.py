"""The graph that programs draw: no use is lost, whatever is too small to be drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.native import render
from codemap.graph.build.build import build_snapshot
from codemap.tools import PROGRAM_TOOLS, TOOLS, Disk, World, budget_of, decode_params
from codemap.tools.graph.tool import BUDGET_MAX, COLUMNS, TOOL
from tests.history.scripted import past_of
from tests.tools.calls import answered
from tests.tools.live import Script

FILES = {
    "app/store/store.py": (
        b"class Store:\n    def save(self):\n        self.check()\n        self.check()\n    def check(self): ...\n"
    ),
    "app/store/base.py": b"class Other:\n    def check(self): ...\n",
    "app/api.py": b"from app.store.store import Store\ndef put(store: Store): store.save()\ndef any(x): x.check()\n",
    "tests/test_api.py": b"from app.api import put\ndef test_put(): put(None)\n",
}
WORLD = World(build_snapshot(FILES))


def asked(script: Script | None = None, world: World = WORLD, **arguments: Any) -> dict[str, Any]:
    answer = answered(world, TOOL, arguments, script)
    envelope = json.loads(render(answer, BUDGET_MAX, most=BUDGET_MAX).text)
    assert envelope["ok"], envelope
    data: dict[str, Any] = envelope["data"] | {"warnings": envelope["warnings"]}
    return data


def named(data: dict[str, Any]) -> list[str]:
    """The IDs by place."""
    files = [row[0] for row in data["files"]]
    ids = list(files)
    for row in data["nodes"]:
        place = row[1]
        while place >= len(files):
            place = data["nodes"][place - len(files)][1]
        ids.append(f"{files[place]}#{row[0]}")
    return ids


def edges(data: dict[str, Any]) -> set[tuple[str, str, str, str, int, int]]:
    ids, kinds, levels = named(data), data["edgeKinds"], data["confidences"]
    return {(ids[a], kinds[k], ids[b], levels[c], uses, line) for a, b, k, c, uses, line in data["edges"]}


def test_files_definitions_and_edges() -> None:
    data = asked()
    store = "py:app/store/store.py#Store"
    assert named(data) == [
        *("py:app/api.py", "py:app/store/base.py", "py:app/store/store.py", "py:app/api.py#put", "py:app/api.py#any"),
        *("py:app/store/base.py#Other", "py:app/store/base.py#Other.check", store, f"{store}.save", f"{store}.check"),
    ]
    assert (f"{store}.save", "calls", f"{store}.check", "exact", 2, 3) in edges(data)
    assert ("py:app/api.py#put", "calls", f"{store}.save", "type", 1, 2) in edges(data)
    assert [row[2] for row in data["nodes"]].count(data["kinds"].index("class")) == 2
    assert data["totals"] == {"files": 3, "definitions": 7, "folded": 1}
    assert data["columns"] == COLUMNS
    row = data["nodes"][named(data).index(store) - 3]
    assert row == ["Store", 2, data["kinds"].index("class"), 1, 5, 0]


def test_undecided_uses_are_counted_where_they_are() -> None:
    data = asked()
    assert {name: row[-1] for name, row in zip(named(data)[3:], data["nodes"], strict=True) if row[-1]} == {
        "py:app/api.py#any": 1
    }
    assert [row[4] for row in asked(by="file")["files"]] == [1, 0, 0]


def test_what_is_too_small_is_stood_for_by_what_it_is_in() -> None:
    whole, some = asked(), asked(maxNodes=6)
    assert len(some["files"]) + len(some["nodes"]) <= 6
    place = {name: name for name in named(some)}

    def standing(name: str) -> str:
        while name not in place:
            name = name.rpartition(".")[0] if "." in name.partition("#")[2] else name.partition("#")[0]
        return name

    sums: dict[tuple[str, str, str, str], int] = {}
    for source, kind, target, level, uses, _ in edges(whole):
        key = standing(source), kind, standing(target), level
        if key[0] != key[2]:
            sums[key] = sums.get(key, 0) + uses
    assert sums == {row[:4]: row[4] for row in edges(some)}


def test_between_files() -> None:
    data = asked(by="file")
    assert data["nodes"] == []
    assert {(a, b) for a, _, b, *_ in edges(data)} == {("py:app/api.py", "py:app/store/store.py")}


def test_tests_are_folded_until_asked_for_and_a_scope_is_all_there_is() -> None:
    assert "py:tests/test_api.py" in named(asked(tests="include"))
    areas = asked(tests="include")["areas"]
    assert [role for _, _, role in areas].count("tests") == 1
    assert {name.partition("#")[0] for name in named(asked(scope="app/store"))} == {
        "py:app/store/base.py",
        "py:app/store/store.py",
    }


def test_what_changed_is_said_to_be_stale() -> None:
    world = World(build_snapshot(FILES), disk=Disk(frozenset(("app/api.py",))))
    assert [row[5] for row in asked(world=world)["files"]] == [1, 0, 0]


def test_measures_are_further_columns() -> None:
    past = past_of("a Ada: Add | app/api.py, app/store/store.py\nb Bob: Mend | app/api.py 2", FILES)
    data = asked(Script({}, FILES, None, past), measures=["complexity", "churn"])
    assert data["columns"]["files"][-2:] == ["complexity", "churn"]
    assert [row[-2] for row in data["files"]] == [2, 1, 2]
    assert [row[-1] for row in data["files"]] == [2, 0, 1]


def test_without_a_history_the_answer_says_so() -> None:
    data = asked(measures=["churn"])
    assert [row[-1] for row in data["files"]] == [-1, -1, -1]
    assert data["warnings"]


@given(st.integers(1, 30), st.sampled_from(["fold", "include"]))
def test_never_more_than_asked_for_and_containers_come_first(most: int, tests: str) -> None:
    data = asked(maxNodes=most, tests=tests)
    count = len(data["files"])
    assert count + len(data["nodes"]) <= most
    assert all(row[1] < place for place, row in enumerate(data["nodes"], count))


def test_programs_may_ask_for_megabytes_and_models_are_not_listed_it() -> None:
    assert budget_of({"tokenBudget": 4_000_000}, TOOL.budget_max) == 4_000_000
    assert budget_of({"tokenBudget": 4_000_000}) == 10_000
    assert TOOL in PROGRAM_TOOLS
    assert TOOL not in TOOLS
    decoded = decode_params(TOOL, {"maxNodes": 100_000, "tokenBudget": 99_000_000})
    assert getattr(decoded, "token_budget", 0) == BUDGET_MAX


@pytest.mark.parametrize("most", [100, 200, 2000])
def test_it_keeps_to_a_small_budget_as_well(most: int) -> None:
    answer = answered(WORLD, TOOL, {"tests": "include"})
    envelope = json.loads(render(answer, most, most=BUDGET_MAX).text)
    assert envelope["tokenBudget"]["used"] <= most
    assert envelope["tokenBudget"]["max"] == BUDGET_MAX
    assert envelope["truncated"] == (most < 2000)
