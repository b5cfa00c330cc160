"""Search: tiers, words, typos, filters; and that the index finds what looking at each name finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.answer import Answer
from codemap.facts import SymbolKind
from codemap.graph.build.build import build_snapshot
from codemap.graph.index import name_index as name_indexes
from codemap.graph.index.name_index import name_index
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query import search_hits
from codemap.graph.query.index_warming import warm
from codemap.graph.query.search import QUERY_MAX, search
from codemap.graph.query.search_hits import Tier
from codemap.graph.words import word_index as word_indexes
from codemap.graph.words.prior import PRIOR
from codemap.graph.words.reranking import NAME_LENGTHS
from codemap.tools import World
from codemap.tools.search.tool import TOO_EARLY
from tests.costs import instructions
from tests.tools.calls import answered, tool_named

SOURCES = {
    "app/store.py": b"""
class Store: ...


class SessionStore:
    def refresh(self): ...

    def refresh_all(self): ...

    def _refresh_quietly(self): ...


def store(): ...


def restore(): ...


def refresh_session_token(): ...
""",
    "app/views/session_list.py": b"def render(): ...\n",
    "lib/util.py": b"def Refresh(): ...\n\n\nVALUE = 1\n",
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return build_snapshot(SOURCES)


def names(snapshot: Snapshot, query: str, kinds: tuple[SymbolKind, ...] = (), limit: int = 20) -> list[str]:
    found = search(snapshot, query, frozenset(kinds), limit)
    assert len(found.nodes) <= min(found.total, limit)
    return [snapshot.id_of(node).removeprefix("py:") for node in found.nodes]


def test_tiers_in_order(snapshot: Snapshot) -> None:
    assert names(snapshot, "store") == [
        "app/store.py#store",
        "app/store.py#Store",
        "app/store.py",
        "app/store.py#restore",
        "app/store.py#SessionStore",
        "app/store.py#SessionStore.refresh",
        "app/store.py#SessionStore.refresh_all",
        "app/store.py#SessionStore._refresh_quietly",
    ]


def test_the_case_as_written_comes_first(snapshot: Snapshot) -> None:
    assert names(snapshot, "Refresh")[0] == "lib/util.py#Refresh"
    assert names(snapshot, "refresh")[0] == "app/store.py#SessionStore.refresh"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("SessionStore.refresh", "app/store.py#SessionStore.refresh"),
        ("sessionstore.ref", "app/store.py#SessionStore.refresh"),
        ("py:app/store.py#SessionStore.refresh_all", "app/store.py#SessionStore.refresh_all"),
        ("app/store.py#restore", "app/store.py#restore"),
        ("app/store.py", "app/store.py"),
        ("store.py", "app/store.py"),
        ("views/sess", "app/views/session_list.py"),
        ("session refresh", "app/store.py#SessionStore.refresh"),
        ("refresh session", "app/store.py#refresh_session_token"),
        ("session list render", "app/views/session_list.py#render"),
        ("refreshSession", "app/store.py#refresh_session_token"),
        ("SESSION_STORE", "app/store.py#SessionStore"),
        ("SesionStore", "app/store.py#SessionStore"),
        ("refersh_all", "app/store.py#SessionStore.refresh_all"),
        ("sesion refesh", "app/store.py#SessionStore.refresh"),
    ],
)
def test_what_is_meant_comes_first(snapshot: Snapshot, query: str, first: str) -> None:
    assert names(snapshot, query)[0] == first


def test_any_of_the_words_is_enough(snapshot: Snapshot) -> None:
    found = names(snapshot, "session render refresh")
    assert found[0] == "app/views/session_list.py#render"
    assert "app/store.py#SessionStore.refresh" in found
    assert names(snapshot, "quaternion zebra") == []


def test_a_kind_filter_filters_and_says_what_it_hid(snapshot: Snapshot) -> None:
    assert names(snapshot, "store", (SymbolKind.CLASS,)) == ["app/store.py#Store", "app/store.py#SessionStore"]
    hidden = search(snapshot, "store", frozenset((SymbolKind.ENUM,)), 20)
    assert (hidden.nodes, hidden.total, hidden.hidden) == ((), 0, 8)


def test_exported_before_private(snapshot: Snapshot) -> None:
    found = names(snapshot, "refr")
    assert found.index("app/store.py#refresh_session_token") < len(found) - 1
    assert found[-1] == "app/store.py#SessionStore._refresh_quietly"


def test_typos_are_tried_last(snapshot: Snapshot) -> None:
    assert search(snapshot, "restroe", frozenset(), 20).tier == Tier.TYPO
    assert search(snapshot, "restore", frozenset(), 20).tier == Tier.EXACT
    assert names(snapshot, "quaternion") == []


def test_typos_of_each_kind_are_found() -> None:
    snapshot = build_snapshot({"a.py": b"def authenticate(): ...\ndef open_connection(): ...\ndef load(): ...\n"})
    wrong = ("authentcate", "uathenticate", "authenticcate", "autentikate", "conection", "laod", "loat", "lod", "loaad")
    for word in wrong:
        found = search(snapshot, word, frozenset(), 10)
        assert (len(found.nodes), found.tier) == (1, Tier.TYPO), word
    for word in ("quaternion", "lxyd", "la"):
        assert search(snapshot, word, frozenset(), 10).nodes == (), word


def test_words_in_a_large_repository_wait_for_their_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_indexes, "NODES_AT_ONCE", 0)
    snapshot = build_snapshot({"a.py": b"def authenticate(): ...\n"})
    for tool, asked in (("map_search", {"query": "quaternion"}), ("map_context", {"task": "quaternion"})):
        told = answered(World(snapshot=snapshot), tool_named(tool), asked)
        assert isinstance(told, Answer)
        assert told.data["emptyBecause"] == "building"
        assert TOO_EARLY in told.incomplete


def test_the_limit_cuts_the_list_and_not_the_total(snapshot: Snapshot) -> None:
    assert names(snapshot, "store", limit=2) == names(snapshot, "store")[:2]
    assert search(snapshot, "store", frozenset(), 2).total == 8


def test_an_empty_map_finds_nothing() -> None:
    assert search(build_snapshot({}), "store", frozenset(), 20).total == 0


def test_the_index_is_made_once(snapshot: Snapshot) -> None:
    assert name_index(snapshot) is name_index(snapshot)


def test_warming_makes_what_queries_share() -> None:
    cold, warmed = build_snapshot(SOURCES), build_snapshot(SOURCES)
    steps = list(warm(warmed, for_words=True))
    assert len(steps) > 2
    held = set(warmed.indexes)
    assert names(cold, "sesion refesh") == names(warmed, "sesion refesh")
    assert set(warmed.indexes) - held <= {PRIOR, NAME_LENGTHS}, "what takes no time"


IDENTIFIERS = st.from_regex(r"[a-cA-C_]{1,5}", fullmatch=True)


@given(st.lists(IDENTIFIERS, min_size=1, max_size=12), st.from_regex(r"[a-cA-C_]{1,3}", fullmatch=True))
def test_substrings_agree_with_looking_at_each_name(defined: list[str], query: str) -> None:
    source = "".join(f"def {name}(): ...\n" for name in defined)
    snapshot = build_snapshot({"zzz.py": source.encode()})
    index = name_index(snapshot)
    found = {index.names[place] for place in index.names_with(query.lower())}
    assert found == {name for name in [*defined, "zzz.py"] if query.lower() in name.lower()}


QUERIES = st.one_of(
    st.from_regex(r"[a-cA-C_]{1,4}", fullmatch=True),
    st.sampled_from(["Aa bB", "a.b", "zzz#A.b", "zzz", "test a", "AaBb", "zzz.A", "m a"]),
)


@given(st.lists(IDENTIFIERS, min_size=1, max_size=12), QUERIES, st.sampled_from([1, 5, 50]), st.booleans())
def test_few_and_many_hits_are_ranked_alike(defined: list[str], query: str, limit: int, is_filtered: bool) -> None:
    source = "".join(f"def {name}(): ...\nclass M{name}:\n    def {name}(self): ...\n" for name in defined)
    snapshot = build_snapshot({"zzz.py": source.encode(), "tests/test_zzz.py": source.encode()})
    kinds = frozenset((SymbolKind.METHOD,)) if is_filtered else frozenset[SymbolKind]()
    found = search(snapshot, query, kinds, limit)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(search_hits, "FEW", -1)
        patched.setattr(name_indexes, "FEW", -1)
        assert search(snapshot, query, kinds, limit) == found


@given(st.text(min_size=1, max_size=20))
def test_no_query_fails(query: str) -> None:
    small = build_snapshot({"a.py": b"def f(): ...\n"})
    assert search(small, query, frozenset(), 5).total >= 0


def test_a_letter_finds_the_names_that_begin_with_it() -> None:
    sources = {"e.py": b"T = 1\ndef t(): ...\ndef Tree(): ...\ndef tall(): ...\ndef at(): ...\ndef one(): ...\n"}
    few = build_snapshot(sources)
    assert names(few, "T") == ["e.py#T", "e.py#t", "e.py#Tree", "e.py#tall"]
    assert names(few, "t") == ["e.py#t", "e.py#T", "e.py#Tree", "e.py#tall"]
    assert names(few, "n") == ["e.py#one"], "where none does, those that have it"
    assert search(few, "T", frozenset(), 1).total == 4


def test_a_qualified_name_comes_before_the_name_in_a_file_that_is_called_like_its_owner() -> None:
    source = (
        b"class Store:\n    def get(self): ...\n    def put(self): ...\ndef get(): ...\ndef put(): ...\nput()\nput()\n"
    )
    snapshot = build_snapshot({"store.py": source})
    found = search(snapshot, "Store.put", frozenset(), 20)
    assert [snapshot.qualified_name_of(node) for node in found.nodes[:2]] == ["Store.put", "put"]


@pytest.mark.parametrize("query", ["#turn", "Lock.#turn"])
def test_a_private_name_is_found_with_its_sign(query: str) -> None:
    snapshot = build_snapshot({"lock.ts": b"export class Lock { turn() {}\n#turn() {}\n}\nexport function turn() {}\n"})
    assert names(snapshot, query)[0] == "ts:lock.ts#Lock.#turn"


@pytest.mark.parametrize("unit", ["a::", "refresh.", "store of ", "x_"])
def test_a_long_query_costs_no_more_than_its_beginning(unit: str) -> None:
    snapshot = build_snapshot(SOURCES)

    def cost(length: int) -> int:
        query = unit * (length // len(unit))
        return instructions(lambda: search(snapshot, query, frozenset(), 20))

    assert cost(20 * QUERY_MAX) < 1.2 * cost(QUERY_MAX)


def test_a_name_may_consist_of_words_that_say_little_elsewhere() -> None:
    sources = {
        "a.py": b"def subscribe_with_selector(): ...\n\nclass SelectorSubscribeImpl: ...\n\ndef with_both(): ...\n"
    }
    found = names(build_snapshot(sources), "subscribe with selector")
    assert found == ["a.py#subscribe_with_selector", "a.py#SelectorSubscribeImpl"]
