"""Answers of every shape, and the walk through their pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.envelope.cursor import Origin, decode_cursor
from codemap.envelope.errors import ErrorCode
from codemap.envelope.native import BUDGET_MAX, Reply, render

ORIGIN = Origin("map_overview", {"focus": "src", "tokenBudget": 300}, "v7")

HUBS = CutList(("clusters", "*", "hubs"), "hubs", "pass focus to see one part")
FILES = CutList(("clusters", "*", "files"), "files", "pass focus to see one part")
SITES = CutList(("clusters", "*", "hubs", "*", "sites"), "sites", "call map_neighbors on the hub")
CLUSTERS = CutList(("clusters",), "clusters", "pass focus to see one part", key=("id",))
ROWS = CutList(("clusters", "*", "rows"), "rows", "pass focus to see one part", is_grouped=True)
USES = CutList(("uses",), "uses", "pass fileFilter", is_grouped=True)
STALE = CutList(("staleFiles",), "stale files", "call map_rebuild")
CHILDREN = CutList(("root", "children"), "children", "pass a smaller depth", key=("id",))
GRANDCHILDREN = CutList(("root", "children", "*", "children"), "grandchildren", "pass a smaller depth")
SPARES = (
    Spare(("clusters", "*", "label"), "labels", "pass focus to see one part"),
    Spare(("clusters", "*", "hubs", "*", "extra"), "extras", "call map_neighbors on the hub"),
)
LISTS = (STALE, FILES, ROWS, SITES, HUBS, CLUSTERS, GRANDCHILDREN, CHILDREN, USES)

texts = st.text(max_size=30) | st.sampled_from(["null", "π€😀" * 20, '\0\x1f\\"' * 9, "a:null,null", "x" * 500])
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
junk = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)
small = st.integers(0, 10**6) | st.text("abc é", max_size=12)
budgets = st.integers(100, 700) | st.integers(100, BUDGET_MAX)


def elements(prefix: str, most: int, **members: Any) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Lists of objects, each with an `id` of its own, first."""
    return st.lists(st.fixed_dictionaries(members), max_size=most).map(
        lambda items: [{"id": f"{prefix}{index}", **item} for index, item in enumerate(items)]
    )


def groups(rows: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, list[Any]]]:
    """Rows by file."""
    return st.dictionaries(st.text("ab/.é", min_size=1, max_size=9), st.lists(rows, min_size=1, max_size=4), max_size=4)


def lists_of(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Payloads whose list elements carry values of the strategy."""
    hubs = elements("h", 5, extra=strategy, sites=st.lists(st.integers(1, 99), max_size=4))
    children = elements("g", 3, extra=strategy)
    return st.fixed_dictionaries(
        {
            "clusters": elements(
                "c",
                14,
                label=strategy,
                files=st.lists(st.text("ab/.", max_size=9), max_size=4),
                rows=groups(st.integers(0, 99)),
                hubs=hubs,
            ),
            "uses": groups(st.integers(0, 999)),
            "staleFiles": st.lists(st.integers(0, 50).map("app/f{}.py".format), max_size=8, unique=True),
            "root": st.fixed_dictionaries({"name": st.just("r"), "children": elements("k", 4, children=children)}),
        }
    )


def kept(lists: Sequence[CutList], keeps: Sequence[int]) -> tuple[CutList, ...]:
    return tuple(msgspec.structs.replace(cut, keep=keep) for cut, keep in zip(lists, keeps, strict=False))


keeps = st.just((0,) * len(LISTS)) | st.tuples(*[st.integers(0, 3)] * len(LISTS))
plain_answers = st.builds(lambda data, keeps: Answer(data, kept(LISTS, keeps)), lists_of(small), keeps)
"""Answers of which one element of each list fits into the smallest budget."""

dropped = st.builds(Dropped, texts, st.integers(1, 10**6), texts)
wild_answers = st.builds(
    lambda data, extra, lists, keeps, warnings, already, spares: Answer(
        {**extra, **data}, (*spares, *kept(lists, keeps)), tuple(warnings), tuple(already)
    ),
    lists_of(junk),
    st.dictionaries(texts, junk, max_size=4),
    st.permutations(LISTS).flatmap(lambda order: st.integers(0, len(order)).map(lambda n: order[:n])),
    keeps,
    st.lists(texts, max_size=12),
    st.lists(dropped, max_size=3),
    st.lists(st.sampled_from(SPARES), max_size=2, unique=True),
)
"""Anything at all."""


def cursor_of(reply: Reply) -> str | None:
    return reply.structured.get("dropped", {}).get("cursor")


def at(answer: Answer, cursor: str | None) -> Answer:
    return answer if cursor is None else msgspec.structs.replace(answer, resume=decode_cursor(cursor, ORIGIN))


def walk(answer: Answer, budget: int) -> Iterator[Reply]:
    """The pages to the end, each cursor passed back; a page without progress fails."""
    cursor = None
    while True:
        reply = render(at(answer, cursor), budget, ORIGIN)
        yield reply
        following = cursor_of(reply)
        if following is None:
            return
        assert following != cursor
        cursor = following


failures = st.builds(
    Failure,
    st.sampled_from(ErrorCode),
    texts | st.text(max_size=3000),
    hint=st.none() | texts,
    language=st.none() | texts,
    line=st.none() | st.integers(1),
    suggestion=st.none() | texts,
    recovery_options=st.lists(texts, max_size=5).map(tuple),
    extras=st.dictionaries(st.sampled_from(["filesDone", "stderr", "incident"]), junk),
    warnings=st.lists(texts, max_size=9).map(tuple),
)
