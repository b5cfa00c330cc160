"""Whole replies, letter by letter. `pytest --update` rewrites them where the run knows that option."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemap.envelope.answer import Answer, CutList, Dropped, Failure
from codemap.envelope.cursor import Origin, decode_cursor
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.errors import HINTS, ErrorCode
from codemap.envelope.native import render
from codemap.envelope.near_matches import near
from codemap.envelope.reply import Terms
from tests.envelope.answers import CLUSTERS, HUBS

GOLDEN = Path(__file__).parent / "golden"

NODE = {
    "id": "py:app/store.py#SessionStore.refresh",
    "kind": "method",
    "file": "app/store.py",
    "line": 21,
    "score": 0.37,
}
CALLER = {
    "id": "py:app/api.py#authenticate", "kind": "function", "file": "app/api.py", "line": 15,
    "edge": "calls", "direction": "in", "resolved": True, "confidence": "import", "depth": 1,
}  # fmt: skip
NEIGHBORS = (CutList(("neighbors",), "neighbors", "pass edgeKinds or direction to narrow"),)
STALE = "3 file(s) changed since the last index; their nodes carry stale:true."

OVERVIEW = Answer(
    {
        "files": 4,
        "clusters": [
            {"id": f"c{n}", "label": f"part {n}", "hubs": [{"id": f"py:{n}.py#f{m}"} for m in range(3)]}
            for n in range(4)
        ],
    },
    (HUBS, CLUSTERS),
)
ORIGIN = Origin("map_overview", {}, "v1")


def page(budget: int, pages_before: int) -> str:
    answer = OVERVIEW
    for _ in range(pages_before):
        cursor = render(answer, budget, ORIGIN).structured["dropped"]["cursor"]
        answer = Answer(OVERVIEW.data, OVERVIEW.lists, resume=decode_cursor(cursor, ORIGIN))
    return render(answer, budget, ORIGIN).text


WHOLE = Answer({"node": NODE, "neighbors": [CALLER], "omitted": 0}, NEIGHBORS, (STALE,))
CUT = Answer(
    {"node": NODE, "neighbors": [CALLER] * 200, "omitted": 3},
    NEIGHBORS,
    (),
    (Dropped("neighbors", 3, "pass depth:1", True),),
)
PART = Answer(
    {"node": NODE, "neighbors": [CALLER]}, NEIGHBORS, ("Repeat the call.",), incomplete="No answer after 5 s."
)
DRAWN = Answer({"path": [CALLER], "diagram": 'graph LR\n  n0["a"]'}, (CutList(("path",), "nodes", "pass maxLen"),))
MISS = Failure(
    ErrorCode.NODE_NOT_FOUND,
    "py:app/store.py#SessionStore.refesh is not in the map.",
    suggestion="Did you mean py:app/store.py#SessionStore.refresh?",
    recovery_options=("py:app/store.py#SessionStore.refresh",),
)
REFUSED = Failure(ErrorCode.BAD_ARGS, "query: missing; expected a string of at least 2 characters.")
TIMINGS = {"answer": 1.4, "stat": 0.2, "render": 3.6}


def other(dialect: str, answer: Answer | Failure) -> str:
    return DIALECTS[dialect](answer, Terms(500, ORIGIN, is_budget_asked=True, duration_ms=5.2, timings=TIMINGS)).text


SHAPES = {"whole": WHOLE, "cut": CUT, "part": PART, "diagram": DRAWN, "miss": MISS, "refused": REFUSED}
OTHERS = {
    f"{dialect}-{name}": other(dialect, answer) for dialect in ("ctxo", "scalpel") for name, answer in SHAPES.items()
}

REPLIES = OTHERS | {
    "whole": render(WHOLE, 800).text,
    "cut": render(Answer({"node": NODE, "neighbors": [CALLER] * 40, "omitted": 0}, NEIGHBORS, (STALE,)), 250).text,
    "fixed-limit": render(Answer({"neighbors": []}, NEIGHBORS, (), (Dropped("neighbors", 12, "pass depth: 1"),))).text,
    "inner-cut": page(130, 0),
    "inner-continued": page(130, 1),
    "inner-last": page(130, 2),
    "smallest": render(Answer({"node": NODE, "neighbors": [CALLER] * 40}, NEIGHBORS, (STALE,)), 100, ORIGIN).text,
    "failure": render(
        Failure(
            ErrorCode.SYMBOL_NOT_FOUND,
            "Function 'process_ordder' not found in file",
            file="app/orders.py",
            suggestion=near("process_ordder", ["process_order", "process_orders"]).suggestion,
            recovery_options=near("process_ordder", ["process_order", "process_orders"]).matches,
        )
    ).text,
    "building": render(
        Failure(ErrorCode.MAP_NOT_BUILT, "The first build is running.", extras={"filesDone": 120, "filesTotal": 2818})
    ).text,
    "unavailable": render(
        Failure(
            ErrorCode.LSP_UNAVAILABLE,
            "pyright-langserver not found on PATH.",
            language="py",
            hint="Install it: npm install -g pyright. Static structure is still available via map_* tools.",
        )
    ).text,
    "long-message": render(Failure(ErrorCode.INTERNAL, "It went wrong. " * 100), 100).text,
}


@pytest.mark.parametrize("name", REPLIES)
def test_golden(name: str, request: pytest.FixtureRequest) -> None:
    file = GOLDEN / f"{name}.json"
    if request.config.getoption("--update", default=False):
        file.write_text(REPLIES[name] + "\n", encoding="utf-8")
    assert file.read_text(encoding="utf-8") == REPLIES[name] + "\n"


def test_no_golden_file_is_left_over() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(REPLIES)


def test_every_code_has_a_hint_that_says_what_to_do() -> None:
    assert set(HINTS) == set(ErrorCode)
    assert all(hint.endswith(".") and len(hint) < 100 for hint in HINTS.values() if "<lang>" not in hint)
