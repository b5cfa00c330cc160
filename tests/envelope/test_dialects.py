"""The other dialects: their seeds' own examples, the cap of each by construction, and walks through their pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope import ctxo
from codemap.envelope.answer import Answer, CutList, Dropped, Failure
from codemap.envelope.cursor import decode_cursor
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.errors import ErrorCode
from codemap.envelope.limits import PROFILES
from codemap.envelope.native import clamp
from codemap.envelope.reply import Reply, Terms
from tests.envelope.answers import ORIGIN, budgets, failures, plain_answers, wild_answers

IMPORTERS = CutList(("importers",), "importers", "pass kind to narrow", key=("id",))
OTHERS = ("ctxo", "scalpel")


def render(dialect: str, answer: Answer | Failure, **terms: Any) -> Reply:
    return DIALECTS[dialect](answer, Terms(**terms))


def importers(count: int) -> Answer:
    return Answer({"importers": [{"id": f"py:pkg/module_{number}.py"} for number in range(count)]}, (IMPORTERS,))


# -- ctxo: the examples of its seed -----------------------------------------------------------------------------------


def test_ctxo_success() -> None:
    reply = render("ctxo", importers(42))
    payload = json.dumps({"importers": importers(42).data["importers"]}, separators=(",", ":"))
    meta = {"totalItems": 42, "returnedItems": 42, "truncated": False, "totalBytes": len(payload)}
    assert reply.structured["_meta"] == meta
    assert list(reply.structured) == ["importers", "_meta"]
    assert not reply.is_error


def test_ctxo_graceful_miss_is_no_error() -> None:
    reply = render("ctxo", Failure(ErrorCode.MAP_NOT_BUILT, "There is no map.", hint='Run "codemap status".'))
    assert reply.structured == {"found": False, "hint": 'There is no map. Run "codemap status".'}
    assert not reply.is_error


def test_ctxo_error() -> None:
    failure = Failure(ErrorCode.BAD_ARGS, "symbolId: String must contain at least 1 character(s)", hint="")
    reply = render("ctxo", failure)
    assert reply.structured == {"error": True, "message": "symbolId: String must contain at least 1 character(s)"}
    assert reply.is_error


def test_ctxo_truncation_says_the_next_step_in_the_same_words_whatever_was_cut() -> None:
    replies = [render("ctxo", importers(count)) for count in (400, 4000)]
    hints = {reply.structured["_meta"]["hint"] for reply in replies}
    assert hints == {"Pass kind to narrow. Narrow the call, or raise CTXO_RESPONSE_LIMIT."}
    for reply, count in zip(replies, (400, 4000), strict=True):
        meta = reply.structured["_meta"]
        assert meta["truncated"]
        assert meta["totalItems"] == count
        assert meta["returnedItems"] == len(reply.structured["importers"])
        assert 8192 - 60 < len(reply.text.encode()) <= 8192


@pytest.mark.parametrize(
    ("text", "limit"), [("16384", 16384), ("0", 8192), ("-1", 8192), ("many", 8192), (None, 8192), ("1", 1)]
)
def test_ctxo_limit_of_the_environment(text: str | None, limit: int) -> None:
    assert ctxo.limit_of(text, 8192) == limit


def test_ctxo_keeps_to_a_budget_that_the_caller_named() -> None:
    reply = render("ctxo", importers(400), budget=500, is_budget_asked=True)
    assert len(reply.text) <= 2000
    assert len(render("ctxo", importers(400), budget=500).text) > 2000


# -- scalpel: the examples of its seed --------------------------------------------------------------------------------


def test_scalpel_success() -> None:
    data = {"functions": [{"name": "process_order", "line": 45, "complexity": 8}], "classes": [], "imports": ["os"]}
    reply = render("scalpel", Answer(data), duration_ms=45.2)
    assert reply.structured == {
        "data": data,
        "tier_applied": "community",
        "tier_limits": {"max_depth": 3, "max_nodes": 200},
        "was_limited": False,
        "duration_ms": 45,
        "error": None,
    }


def test_scalpel_error() -> None:
    failure = Failure(
        ErrorCode.SYMBOL_NOT_FOUND,
        "Function 'process_ordder' not found in file",
        suggestion="Did you mean 'process_order'?",
        recovery_options=("process_order", "process_orders", "handle_order"),
        file="app/orders.py",
        line=7,
    )
    reply = render("scalpel", failure, duration_ms=12)
    assert reply.is_error
    assert reply.structured["data"] is None
    assert reply.structured["error"] == {
        "code": "SYMBOL_NOT_FOUND",
        "message": "Function 'process_ordder' not found in file",
        "suggestion": "Did you mean 'process_order'?",
        "recovery_options": ["process_order", "process_orders", "handle_order"],
        "file": "app/orders.py",
        "line": 7,
    }


def test_scalpel_lists_are_pages() -> None:
    page = render("scalpel", importers(42), budget=10_000).structured["data"]["importers"]
    assert (page["total"], page["page"], page["per_page"], len(page["items"])) == (42, 1, 42, 42)


def test_scalpel_list_of_pages_of_twenty() -> None:
    """The numbers of its seed."""
    twenty = msgspec.structs.replace(IMPORTERS, page=20)
    answer = msgspec.structs.replace(importers(42), lists=(twenty,))
    page = render("scalpel", answer, budget=10_000).structured["data"]["importers"]
    assert (page["total"], page["page"], page["per_page"], len(page["items"])) == (42, 1, 20, 20)


def test_scalpel_analysis_has_its_own_warnings_and_those_of_the_reply() -> None:
    """With a diagram under the name that its seed gives it."""
    data = {"summary": {"critical": 1}, "details": [], "warnings": ["Disk slow."], "diagram": "graph TD\n  a --> b"}
    shown = render("scalpel", Answer(data, warnings=("Stale.",))).structured["data"]
    assert shown == {
        "summary": {"critical": 1},
        "details": [],
        "warnings": ["Disk slow.", "Stale."],
        "mermaid_diagram": "graph TD\n  a --> b",
    }


def test_scalpel_replies_are_read_by_the_code_of_its_seed() -> None:
    failed = render("scalpel", Failure(ErrorCode.SYMBOL_NOT_FOUND, "No such function.", suggestion="Did you mean b?"))
    result = json.loads(failed.text)
    assert result.get("error")
    assert (result["error"]["message"], result["error"].get("suggestion")) == ("No such function.", "Did you mean b?")
    found = json.loads(render("scalpel", Answer({"functions": [1, 2]})).text)
    assert not found.get("error")
    assert len(found["data"]["functions"]) == 2


def test_scalpel_limits() -> None:
    answer = Answer({"nodes": []}, (), (), (Dropped("neighbors", 12, "pass depth:1", is_profiled=True),))
    reply = render("scalpel", answer, limits=PROFILES["community"]).structured
    assert reply["was_limited"]
    assert reply["limitation_warning"] == "Left out 12 neighbors: pass depth:1. The limits profile pro reaches further."
    largest = render("scalpel", answer, limits=PROFILES["enterprise"]).structured
    assert largest["tier_applied"] == "enterprise"
    assert "profile" not in largest["limitation_warning"]
    other = Answer({"results": []}, (), (), (Dropped("results", 12, "pass a limit up to 100"),))
    assert "profile" not in render("scalpel", other).structured["limitation_warning"], "none would show more"


def test_scalpel_timing_breakdown() -> None:
    reply = render("scalpel", Answer({}), duration_ms=1250, timings={"parse": 45.3, "analyze": 1100, "format": 105})
    assert reply.structured["timing_breakdown"] == {"parse": 45, "analyze": 1100, "format": 105}


def test_scalpel_partial_results() -> None:
    reply = render("scalpel", Answer({"done": 1}, incomplete="Timeout after 5000 ms")).structured
    assert reply["status"] == "partial"
    assert reply["data"]["incomplete_reason"] == "Timeout after 5000 ms"


# -- any answer -------------------------------------------------------------------------------------------------------


def nulls(node: Any) -> int:
    if isinstance(node, dict):
        return sum(map(nulls, node.values()))
    if isinstance(node, list):
        return sum(map(nulls, node))
    return node is None


def check(dialect: str, reply: Reply, budget: int) -> None:
    assert json.loads(reply.text) == json.loads(json.dumps(reply.structured))
    if dialect == "ctxo":
        assert len(reply.text.encode()) <= max(ctxo.BYTES_MIN, min(8192, budget * 4))
        assert not nulls(reply.structured)
    else:
        assert len(reply.text) <= clamp(budget) * 4
        assert nulls(reply.structured) == 1, "error of a success, data of a failure"


@pytest.mark.parametrize("dialect", OTHERS)
@given(answer=wild_answers | failures, budget=budgets)
def test_any_answer_fits_any_budget(dialect: str, answer: Answer | Failure, budget: int) -> None:
    terms = {"budget": budget, "is_budget_asked": True, "origin": ORIGIN, "timings": {"answer": 3.5}}
    check(dialect, render(dialect, answer, **terms), budget)


def walk(dialect: str, answer: Answer, budget: int) -> Iterator[dict[str, Any]]:
    while True:
        reply = render(dialect, answer, budget=budget, is_budget_asked=True, origin=ORIGIN)
        check(dialect, reply, budget)
        whole = reply.structured
        yield whole
        cursor = whole["_meta"].get("cursor") if dialect == "ctxo" else whole["data"].get("next_cursor")
        if cursor is None:
            return
        answer = msgspec.structs.replace(answer, resume=decode_cursor(cursor, ORIGIN))


@pytest.mark.parametrize("dialect", OTHERS)
@given(answer=plain_answers, budget=st.integers(250, 2000))
def test_a_walk_shows_every_element_once_and_in_order(dialect: str, answer: Answer, budget: int) -> None:
    seen: list[str] = []
    for whole in walk(dialect, answer, budget):
        clusters = (
            whole.get("clusters", []) if dialect == "ctxo" else whole["data"].get("clusters", {}).get("items", [])
        )
        seen += [cluster["id"] for cluster in clusters if "continued" not in cluster]
    assert seen == [cluster["id"] for cluster in answer.data["clusters"]]


@given(count=st.integers(0, 300), budget=st.integers(150, 3000))
def test_scalpel_pages_say_when_they_are_the_last(count: int, budget: int) -> None:
    pages = [whole["data"]["importers"] for whole in walk("scalpel", importers(count), budget)]
    assert [page["page"] for page in pages] == list(range(1, len(pages) + 1))
    assert all(page["total"] == count for page in pages)
    is_last = [page["page"] * page["per_page"] >= count for page in pages]
    assert is_last == [False] * (len(pages) - 1) + [True]


@pytest.mark.parametrize("dialect", OTHERS)
@given(count=st.integers(0, 300), budget=st.integers(100, 2000), more=st.integers(1, 2000))
def test_a_bigger_budget_never_shows_less(dialect: str, count: int, budget: int, more: int) -> None:
    def shown(tokens: int) -> int:
        whole = render(dialect, importers(count), budget=tokens, is_budget_asked=True).structured
        if dialect == "ctxo":
            return len(whole["importers"])
        return len(whole["data"].get("importers", {}).get("items", []))

    assert shown(budget) <= shown(budget + more)
