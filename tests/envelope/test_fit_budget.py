"""Properties of packing over any answer and budget; nested counts, case by case."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.envelope.fit_budget import Rest, pack
from codemap.envelope.native import BUDGET_MAX, Reply, clamp, render
from tests.envelope.answers import (
    CLUSTERS,
    HUBS,
    LISTS,
    ORIGIN,
    at,
    budgets,
    cursor_of,
    failures,
    kept,
    plain_answers,
    walk,
    wild_answers,
)
from tests.examples import examples


def check_envelope(reply: Reply, budget: int) -> None:
    value = json.loads(reply.text)
    assert value == reply.structured
    assert list(value) == [
        "ok",
        "error" if reply.is_error else "data",
        "tokenBudget",
        "truncated",
        *(["dropped"] if value["truncated"] else []),
        "warnings",
    ]
    assert value["ok"] is not reply.is_error
    spent = value["tokenBudget"]
    assert spent == {"requested": budget, "used": math.ceil(len(reply.text) / 4), "max": BUDGET_MAX}
    assert spent["used"] <= budget
    assert not has_null(value)
    assert reply.text == json.dumps(value, ensure_ascii=False, separators=(",", ":")) or "e" in reply.text
    if value["truncated"]:
        assert value["dropped"]["count"] > 0


def has_null(node: Any) -> bool:
    if isinstance(node, dict):
        return any(map(has_null, node.values()))
    if isinstance(node, list):
        return any(map(has_null, node))
    return node is None


@given(wild_answers, budgets)
def test_any_answer_fits_any_budget(answer: Answer, budget: int) -> None:
    reply = render(answer, budget, ORIGIN)
    check_envelope(reply, budget)
    assert render(answer, budget, ORIGIN).text == reply.text


@given(failures, budgets)
def test_any_failure_fits_any_budget(failure: Failure, budget: int) -> None:
    reply = render(failure, budget)
    check_envelope(reply, budget)
    assert reply.structured["error"]["code"] == failure.code


@given(wild_answers)
def test_later_pages_of_any_answer_fit_too(answer: Answer) -> None:
    cursor = None
    for budget in (100, 130, 200, 130, 100, 400):
        reply = render(at(answer, cursor), budget, ORIGIN)
        check_envelope(reply, budget)
        cursor = cursor_of(reply)
        if cursor is None:
            break


@given(plain_answers, st.integers(100, 3000))
def test_a_walk_shows_everything_once_and_in_order(answer: Answer, budget: int) -> None:
    seen: dict[str, list[Any]] = {"clusters": [], "staleFiles": [], "children": []}
    inner: dict[tuple[str, str], list[Any]] = {}
    uses: list[Any] = []
    was_reduced = False  # an element was shown without some of its members
    for reply in walk(answer, budget):
        check_envelope(reply, budget)
        data = reply.structured["data"]
        seen["staleFiles"] += data.get("staleFiles", [])
        uses += flat(data.get("uses", {}))
        kind = reply.structured.get("dropped", {}).get("kind", "")
        was_reduced |= "sites" in kind or "members" in kind or "…" in kind
        for name, elements in (
            ("clusters", data.get("clusters", [])),
            ("children", data.get("root", {}).get("children", [])),
        ):
            for element in elements:
                if "continued" not in element:
                    seen[name].append(element["id"])
                for member in ("hubs", "files", "rows", "children"):
                    inner.setdefault((element["id"], member), []).extend(flat(element.get(member, ())))
    data = answer.data
    assert seen["staleFiles"] == data["staleFiles"]
    assert uses == flat(data["uses"])
    assert seen["clusters"] == [cluster["id"] for cluster in data["clusters"]]
    assert seen["children"] == [child["id"] for child in data["root"]["children"]]
    for element in data["clusters"] + data["root"]["children"]:
        for member in ("hubs", "files", "rows", "children"):
            shown, whole = inner.get((element["id"], member), []), flat(element.get(member, []))
            if was_reduced and member not in ("files", "rows"):
                shown, whole = [inside["id"] for inside in shown], [inside["id"] for inside in whole]
            assert shown == whole


def flat(elements: Any) -> list[Any]:
    """The elements of a list; of a grouped one, with their groups."""
    if isinstance(elements, dict):
        return [(group, row) for group, rows in elements.items() for row in rows]
    return list(elements)


@given(wild_answers, st.integers(100, 1500), st.integers(1, 1500), st.booleans())
def test_a_bigger_budget_never_shows_less(answer: Answer, budget: int, more: int, later: bool) -> None:
    cursor = cursor_of(render(answer, budget, ORIGIN)) if later else None
    page = at(answer, cursor)
    less_shown = render(page, budget, ORIGIN).structured
    more_shown = render(page, budget + more, ORIGIN).structured
    assert is_part(less_shown["data"], more_shown["data"])
    assert len(less_shown["warnings"]) <= len(more_shown["warnings"])
    assert less_shown["truncated"] or not more_shown["truncated"]


def is_part(less: Any, more: Any) -> bool:
    """Every member, element and text of the one is in the other; shortened texts are beginnings."""
    if isinstance(less, dict):
        return isinstance(more, dict) and all(name in more and is_part(less[name], more[name]) for name in less)
    if isinstance(less, list):
        return isinstance(more, list) and len(less) <= len(more) and all(map(is_part, less, more))
    if isinstance(less, str) and less.endswith("…"):
        return isinstance(more, str) and more.startswith(less[:-1])
    return bool(less == more)


@given(plain_answers, st.integers(100, 3000))
def test_truncated_says_what_is_missing_and_counts_it(answer: Answer, budget: int) -> None:
    reply = render(answer, budget, ORIGIN).structured
    assert reply["truncated"] == (reply["data"] != answer.data)
    if not reply["truncated"]:
        return
    missing: dict[str, int] = {}
    for cut in LISTS:
        missing[cut.kind] = count_missing(reply["data"], answer.data, cut.path)
    kinds = [kind for kind, count in missing.items() if count]
    named = reply["dropped"]["kind"].split(", ")
    if "texts" not in named and "members" not in named and not named[-1].endswith("…"):
        assert named == kinds
        assert reply["dropped"]["count"] == sum(missing.values())
        for kind in kinds:
            assert f"Left out {missing[kind]} {kind}: " in reply["dropped"]["note"] or reply["dropped"][
                "note"
            ].endswith("…")


def count_missing(shown: Any, whole: Any, path: tuple[str, ...]) -> int:
    if not path:
        return len(flat(whole)) - len(flat(shown))
    if path[0] == "*":
        return sum(count_missing(a, b, path[1:]) for a, b in zip(shown, whole, strict=False))
    if path[0] in shown:
        return count_missing(shown[path[0]], whole[path[0]], path[1:])
    return len(flat(whole[path[0]])) if path[0] in whole and len(path) == 1 else 0


def nested(counts: list[int]) -> Answer:
    clusters = [{"id": i, "hubs": [10 * i + j for j in range(n)]} for i, n in enumerate(counts)]
    return Answer({"clusters": clusters}, (HUBS, CLUSTERS))


@pytest.mark.parametrize(
    ("counts", "room", "expected"),
    [
        ([], 0, []),
        ([3], 0, [0]),
        ([1, 1, 1], 200, [1, 1, 1]),
        ([2, 2, 2], 4, [0, 0, 0]),
        ([2, 2, 2], 10, [1, 1, 1]),
        ([2, 2, 2], 12, [1, 1, 1]),
        ([2, 2, 2], 13, [2, 2, 2]),
        ([1, 2, 3], 10, [1, 1, 1]),
        ([1, 2, 3], 11, [1, 2, 2]),
        ([1, 2, 3], 13, [1, 2, 2]),
        ([1, 2, 3], 14, [1, 2, 3]),
        ([0, 0, 9], 7, [0, 0, 2]),
        ([0, 0, 9], 8, [0, 0, 3]),
        ([9, 0, 0], 7, [4, 0, 0]),
        ([4, 4], -1, [0]),
        ([4, 4, 4], -30, [0]),
    ],
)
def test_inner_lists_are_cut_alike_and_before_their_parents(counts: list[int], room: int, expected: list[int]) -> None:
    """`room` is in characters beyond the clusters without hubs."""
    answer = nested(counts)
    bare = len(msgspec.json.encode({"clusters": [{"id": i, "hubs": []} for i in range(len(counts))]}))
    packed = pack(answer.data, answer.lists, (), Rest((), (), (), ()), lambda rest: bare + room, len)
    assert [len(cluster["hubs"]) for cluster in packed.tree["clusters"]] == expected
    assert len(packed.text) <= max(bare + room, len('{"clusters":[{}]}'))


@pytest.mark.parametrize(
    ("counts", "room", "expected"),
    [
        ([], 0, []),
        ([3], len('"a":[1]'), [1]),
        ([3], len('"a":[1,1]') - 1, [1]),
        ([3], len('"a":[1,1,1]'), [3]),
        ([2, 2], len('"a":[1,1],"b":[1]') - 1, [2]),
        ([2, 2], len('"a":[1,1],"b":[1]'), [2, 1]),
        ([1, 1, 1], len('"a":[1],"b":[1],"c":[1]'), [1, 1, 1]),
    ],
)
def test_rows_in_groups_are_cut_like_one_list(counts: list[int], room: int, expected: list[int]) -> None:
    """`room` is in characters beyond the empty object; at least one row is shown."""
    uses = {group: [1] * count for group, count in zip("abc", counts, strict=False)}
    lists = (CutList(("uses",), "uses", "pass fileFilter", is_grouped=True),)
    packed = pack({"uses": uses}, lists, (), Rest((), (), (), ()), lambda rest: len('{"uses":{}}') + room, len)
    assert [len(rows) for rows in packed.tree["uses"].values()] == expected
    assert len(packed.text) <= len('{"uses":{}}') + room


@pytest.mark.parametrize(
    ("counts", "room", "expected"),
    [
        ([2, 2, 2], 13, [2, 2, 2]),
        ([2, 2, 2], 12, [1, 1, 1]),
        ([2, 2, 2], 5, [1, 1, 1]),
        ([2, 2, 2], 4, [1, 1]),
        ([2, 2, 2], -17, [1]),
        ([2, 2, 2], -38, [0]),
        ([0, 3, 1], 4, [0, 1, 1]),
        ([0, 3, 1], 7, [0, 2, 1]),
    ],
)
def test_each_parent_keeps_so_many_while_parents_go(counts: list[int], room: int, expected: list[int]) -> None:
    answer = nested(counts)
    bare = len(msgspec.json.encode({"clusters": [{"id": i, "hubs": []} for i in range(len(counts))]}))
    lists = kept(answer.lists, (1, 0))
    packed = pack(answer.data, lists, (), Rest((), (), (), ()), lambda rest: bare + room, len)
    assert [len(cluster["hubs"]) for cluster in packed.tree["clusters"]] == expected


def test_what_goes_below_keep_is_continued_too() -> None:
    clusters = [{"id": f"c{n}", "hubs": [f"{n}{m}" * 14 for m in range(3)]} for n in range(3)]
    answer = Answer({"clusters": clusters}, kept((HUBS, CLUSTERS), (1, 0)))
    hubs: dict[str, list[str]] = {}
    first = None
    for reply in walk(answer, 100):
        for cluster in reply.structured["data"]["clusters"]:
            hubs.setdefault(cluster["id"], []).extend(cluster["hubs"])
        first = first or reply.structured["data"]["clusters"]
    assert first == [{"id": "c0", "hubs": []}]
    assert hubs == {cluster["id"]: cluster["hubs"] for cluster in clusters}


@pytest.mark.parametrize(
    ("asked", "given"), [(None, 2000), (-5, 100), (0, 100), (99, 100), (100, 100), (10**9, 10_000)]
)
def test_budgets_are_clamped(asked: int | None, given: int) -> None:
    assert clamp(asked) == given
    assert render(Answer({}), asked).structured["tokenBudget"]["requested"] == given


def test_a_fixed_limit_that_bit_is_reported_without_a_call_for_budget() -> None:
    reply = render(Answer({"a": 1}, already_dropped=(Dropped("neighbors", 7, "pass maxNodes"),)))
    assert reply.structured["truncated"] is True
    assert reply.structured["dropped"] == {
        "kind": "neighbors",
        "count": 7,
        "note": "Left out 7 neighbors: pass maxNodes.",
    }


def test_one_kind_cut_twice_is_reported_once() -> None:
    lists = (CutList(("neighbors",), "neighbors", "pass edgeKinds"),)
    already = (Dropped("neighbors", 7, "pass maxNodes"),)
    reply = render(Answer({"neighbors": ["n" * 20] * 40}, lists, (), already), 100)
    shown = len(reply.structured["data"]["neighbors"])
    assert reply.structured["dropped"]["kind"] == "neighbors"
    assert reply.structured["dropped"]["count"] == 7 + 40 - shown
    assert "pass maxNodes; pass edgeKinds" in reply.structured["dropped"]["note"]


def test_spare_members_go_before_lists_are_cut() -> None:
    results = [{"id": i, "signature": "s" * 60} for i in range(8)]
    lists = (
        Spare(("results", "*", "signature"), "signatures", "call map_search"),
        CutList(("results",), "results", "pass kind"),
    )
    answer = Answer({"results": results}, lists)
    assert render(answer, 300).structured["data"] == {"results": results}
    thin = render(answer, 120).structured
    assert thin["data"] == {"results": [{"id": i} for i in range(8)]}
    assert thin["dropped"] == {
        "kind": "signatures",
        "count": 8,
        "note": "Left out 8 signatures: call map_search. Or raise tokenBudget.",
    }


def test_a_spare_member_alone_goes_as_a_whole() -> None:
    """With no list to cut, it is neither kept nor shortened to its first element."""
    answer = Answer({"diagram": "graph LR", "why": "w" * 600}, (Spare(("diagram",), "diagrams", "narrow the call"),))
    shown = render(answer, 100).structured
    assert "diagram" not in shown["data"]
    assert shown["dropped"]["kind"].startswith("diagrams")


def test_a_list_of_which_nothing_is_shown_is_left_out() -> None:
    """An empty one would say that there is none. The last list is the answer itself."""
    tests, rows = [f"test_{number}" for number in range(99)], [f"row {number}" for number in range(99)]
    lists = CutList(("tests",), "tests", "pass depth"), CutList(("rows",), "rows", "pass depth")
    shown = render(Answer({"tests": tests, "rows": rows, "types": []}, lists), 200).structured
    assert shown["data"].keys() == {"rows", "types"}
    assert "Left out 99 tests" in shown["dropped"]["note"]
    assert render(Answer({"tests": [], "rows": []}, lists), 200).structured["data"] == {"tests": [], "rows": []}


def test_snippets_go_only_when_lists_cannot() -> None:
    results = [{"id": i, "snippet": "s" * 200} for i in range(3)]
    answer = Answer({"results": results}, (CutList(("results",), "results", "pass kind"),))
    assert render(answer, 140).structured["data"] == {"results": results[:1]}
    assert render(answer, 100).structured["data"] == {"results": [{"id": 0}]}
    assert render(answer, 100).structured["dropped"]["kind"] == "results, snippets"


def test_what_json_cannot_say() -> None:
    class Payload(msgspec.Struct, omit_defaults=True):
        name: str
        doc: str | None = None
        sites: list[float | None] = []

    payload = Payload("a\udcff", sites=[1.0, math.nan, None])
    assert render(Answer(payload)).structured["data"] == {"name": r"a\udcff", "sites": [1.0]}
    assert render(Answer({"a": None, "b": [None, {"c": None}]})).structured["data"] == {"b": [{}]}


@settings(max_examples=examples(20))
@given(st.integers(0, 400), budgets)
def test_the_largest_prefix_is_shown(count: int, budget: int) -> None:
    """One element more would not have left room for a note of this length."""
    answer = Answer({"results": ["x" * 50] * count}, (CutList(("results",), "results", "pass kind"),))
    reply = render(answer, budget)
    if reply.structured["truncated"]:
        assert len(reply.text) + 53 + 3 > 4 * budget - 8
    else:
        assert len(reply.structured["data"]["results"]) == count
