"""What holds for the live tools whatever a server says: budgets, pages without loss, every list cuttable, no crash."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.answer import Answer, CutList
from codemap.envelope.native import characters
from codemap.facts import Symbol
from codemap.findings.finding import Finding, Report, Run, Severity
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import (
    At,
    Because,
    CallItem,
    CallLink,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Fact,
    Found,
    Hover,
    Implementations,
    Kind,
    Measured,
    Mentioned,
    Missed,
    Named,
    NamesRead,
    NamesSought,
    Outline,
    PastOf,
    Place,
    Question,
    References,
    ReportOf,
    Source,
    WordsCounted,
    WorkspaceSymbols,
)
from codemap.measures import FileMeasures, FunctionMeasures, Measuring
from codemap.mentions.account import Account, Elsewhere, Ledger, Mention
from codemap.mentions.seeking import Affix, Sought, SoughtIn
from codemap.mentions.word_counts import WordCount, WordCounts
from codemap.occurrences.words import Nature
from codemap.tools import Disk, World, decode_params
from codemap.tools.nav.calls.tree import NODES_MAX, REQUESTS_MAX
from tests.history.scripted import pasts
from tests.tools.calls import answered, reply, tool_named
from tests.tools.live import Script, source
from tests.tools.test_answers import lists_in

FILES = {
    "app/store.py": b"class Store:\n    def get(self): ...\n\n\ndef make() -> Store:\n    return Store()\n",
    "app/use.py": "from app.store import make\n\n\ndef näme(x):\n    make().get()\n    x.get()\n".encode(),
    "web/store.ts": b"export class Store {}\n",
}
GET = {"nodeId": "py:app/store.py#Store.get"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("nav_definition", GET),
    ("nav_definition", {"file": "app/use.py", "line": 5}),
    ("nav_definition", {**GET, "rows": "full"}),
    ("nav_references", GET),
    ("nav_references", {**GET, "rows": "full"}),
    ("nav_references", {**GET, "tests": "only"}),
    ("nav_references", {**GET, "includeDeclaration": True, "fileFilter": "app/**"}),
    ("nav_implementations", GET),
    ("nav_implementations", {**GET, "rows": "full"}),
    ("nav_type", {"file": "app/use.py", "line": 5, "col": 5}),
    ("nav_type", {"file": "app/use.py", "line": 5, "col": 5, "rows": "full"}),
    ("nav_callHierarchy", {**GET, "direction": "incoming", "depth": 3}),
    ("nav_callHierarchy", {**GET, "direction": "incoming", "depth": 3, "rows": "full"}),
    ("nav_callHierarchy", {"nodeId": "py:app/use.py#näme", "direction": "outgoing", "depth": 2}),
    ("nav_callHierarchy", {"nodeId": "py:app/use.py#näme", "direction": "outgoing", "depth": 2, "rows": "full"}),
    ("map_unused", {"tier": "possible"}),
    ("map_unused", {"tier": "possible", "rows": "full"}),
    ("nav_symbols", {"file": "app/store.py"}),
    ("nav_symbols", {"file": "app/store.py", "rows": "full"}),
    ("nav_workspaceSymbols", {"query": "get"}),
    ("nav_workspaceSymbols", {"query": "get", "tests": "exclude", "fileFilter": "app"}),
    ("nav_callHierarchy", {**GET, "direction": "outgoing", "fileFilter": "!app", "rows": "full", "tests": "fold"}),
    ("nav_workspaceSymbols", {"query": "get", "rows": "full"}),
    ("resolve", GET),
    ("resolve", {"file": "app/use.py", "line": 5, "col": 12}),
    ("resolve", {"file": "app/use.py", "line": 3}),
]

texts = st.text(max_size=60)
files = st.sampled_from([*FILES, "app/gone.py", "/usr/lib/python3/builtins.pyi", "a\udcff.py"])
numbers = st.integers(1, 12)


@st.composite
def places(draw: st.DrawFn) -> Place:
    file, line, col = draw(files), draw(numbers), draw(numbers)
    end = line + draw(st.integers(0, 3))
    return Place(file, line, col, end, draw(numbers), draw(texts), is_external=file.startswith("/"))


items = st.builds(CallItem, texts, st.sampled_from(Kind), places(), st.none())
links = st.builds(CallLink, items, st.lists(places(), max_size=4).map(tuple))
named = st.recursive(
    st.builds(Named, texts, st.sampled_from(Kind), places(), places()),
    lambda inner: st.builds(
        Named, texts, st.sampled_from(Kind), places(), places(), st.lists(inner, max_size=4).map(tuple), texts
    ),
    max_leaves=12,
)
mentions = st.builds(Mention, files, numbers, numbers, st.sampled_from(Account))
few = st.integers(0, 2)
functions = st.builds(FunctionMeasures, numbers, numbers, numbers, numbers, numbers, numbers, few, few, st.just(-1))
measures = st.builds(FileMeasures, numbers, numbers, numbers, few, st.lists(functions, max_size=4).map(tuple))
rows_of_words = st.lists(st.tuples(numbers, numbers, st.sampled_from(Nature)), min_size=1, max_size=3)
words = rows_of_words.map(lambda rows: array("i", [cell for row in rows for cell in row]).tobytes())
affixes = st.builds(Affix, numbers, st.sampled_from(["", "ha", "Shop"]), st.booleans())
sought_in = st.builds(
    SoughtIn,
    files,
    st.binary(max_size=1),
    st.dictionaries(st.sampled_from(["Shop", "sell", "none"]), words, max_size=3),
    st.lists(affixes, max_size=2),
    st.lists(st.tuples(numbers, texts), max_size=2),
)
soughts = st.builds(Sought, st.lists(sought_in, max_size=5), st.lists(files, max_size=2), numbers)
uris = st.one_of(files, st.sampled_from(["pkg/m0.py", "pkg/m1.py", "file:///repository/pkg/m2.py", "../x.py", ""]))
found = st.builds(
    Finding, texts, texts, st.sampled_from(Severity), texts, uris, numbers, numbers, numbers, st.booleans(), st.just(())
)
runs = st.builds(Run, texts, texts, st.none(), st.booleans(), st.lists(texts, max_size=2).map(tuple))
reports = st.builds(
    Report, st.lists(runs, max_size=2).map(tuple), st.lists(found, max_size=12).map(tuple), few, few, few
)
elsewhere = st.builds(Elsewhere, files, texts, st.integers(1, 9), st.lists(st.integers(1, 99)).map(tuple))
ledgers = st.builds(
    Ledger,
    st.lists(mentions, max_size=30).map(tuple),
    st.integers(0, 2),
    st.lists(elsewhere, max_size=5, unique_by=lambda one: one.path).map(tuple),
)
word_counts = st.builds(
    WordCounts, st.lists(st.builds(WordCount, files, numbers, numbers), max_size=5).map(tuple), st.integers(0, 2)
)
misses = st.builds(Missed, st.sampled_from(Because), texts, texts, st.sampled_from(["", "py", "xx"]), texts)


def value_of(question: Question, draw: st.DrawFn) -> Any:
    match question:
        case Hover():
            return draw(st.text(max_size=5000))
        case Definition() | References() | Implementations():
            return tuple(draw(st.lists(places(), max_size=30)))
        case CallRoots():
            return tuple(draw(st.lists(items, max_size=2)))
        case CallsTo() | CallsFrom():
            return tuple(draw(st.lists(links, max_size=6)))
        case Outline() | WorkspaceSymbols():
            return tuple(draw(st.lists(named, max_size=6)))
        case Mentioned():
            return draw(ledgers)
        case WordsCounted():
            return draw(word_counts)
        case NamesSought() | NamesRead():
            return draw(soughts)
        case ReportOf():
            return draw(reports)
        case _:
            raise AssertionError(question)


class AnyServer(Script):
    """Says anything, the same to the same question."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__({}, FILES)
        self._draw = draw
        self._said: list[tuple[Question, Fact]] = []

    def fact(self, question: Question) -> Fact:
        if isinstance(question, Source):
            return source(FILES, question.file)
        for asked, fact in self._said:
            if asked == question:
                return fact
        if isinstance(question, Measured):
            value: st.SearchStrategy[object] = st.just(self._measuring(question))
        elif isinstance(question, PastOf):
            assert self.snapshot is not None
            value = pasts({file.path: last_line(file) for file in self.snapshot.files})
        else:
            value = st.just(value_of(question, self._draw))
        found = st.builds(Found, value, texts, st.sampled_from(["", "it indexes"]), is_lasting=st.booleans())
        fact = self._draw(st.one_of(found, found, found, misses))
        self._said.append((question, fact))
        return fact

    def _measuring(self, question: Measured) -> Measuring:
        """Measures of some of the files, of the content in the map or of another."""
        assert self.snapshot is not None
        known = {path: self.snapshot.by_path[path].stamp.digest for path in question.files}
        seen = {path: self._draw(st.sampled_from((digest, digest, b"other"))) for path, digest in known.items()}
        return Measuring({path: (digest, self._draw(measures)) for path, digest in seen.items()}, self._draw(few))


def last_line(file: IndexedFile) -> int:
    return max((file.cell(row, Symbol.END_LINE) for row in range(file.symbol_count)), default=1)


@pytest.fixture(scope="module")
def world() -> World:
    return World(snapshot=build_snapshot(FILES), root="/repository")


stales = st.sampled_from([frozenset[str](), frozenset(("app/use.py",)), frozenset(FILES)])


@given(data=st.data(), call=st.sampled_from(CALLS), budget=st.integers(100, 1500), stale=stales)
def test_replies_fit_their_budget_whatever_the_facts(
    world: World, data: st.DataObject, call: tuple[str, dict[str, Any]], budget: int, stale: frozenset[str]
) -> None:
    name, arguments = call
    changed = World(snapshot=world.snapshot, root=world.root, disk=Disk(stale))
    found = reply(changed, name, {**arguments, "tokenBudget": budget}, AnyServer(data.draw))
    assert -(-characters(found.text.encode()) // 4) <= budget


@given(data=st.data(), call=st.sampled_from(CALLS))
def test_every_list_is_declared(world: World, data: st.DataObject, call: tuple[str, dict[str, Any]]) -> None:
    """Every list of a payload can be cut: it is declared, or stands in an element of one that is."""
    name, arguments = call
    answer = answered(world, tool_named(name), arguments, AnyServer(data.draw))
    if isinstance(answer, Answer):
        declared = {cut.path for cut in answer.lists}
        grouped = {cut.path for cut in answer.lists if isinstance(cut, CutList) and cut.is_grouped}
        deepest = [path for path in declared if path.count("*") == max(one.count("*") for one in declared)]
        found = {
            path for path in lists_in(answer.data, ()) if not any(path[: len(d) + 1] == (*d, "*") for d in deepest)
        } - {path for path in lists_in(answer.data, ()) if path[:-1] in grouped}
        assert found <= declared


@given(data=st.data(), call=st.sampled_from(CALLS))
def test_the_same_facts_give_the_same_bytes(
    world: World, data: st.DataObject, call: tuple[str, dict[str, Any]]
) -> None:
    server = AnyServer(data.draw)
    name, arguments = call
    assert reply(world, name, arguments, server).text == reply(world, name, arguments, server).text


@given(data=st.data(), call=st.sampled_from(CALLS))
def test_an_empty_list_says_why(world: World, data: st.DataObject, call: tuple[str, dict[str, Any]]) -> None:
    name, arguments = call
    answer = answered(world, tool_named(name), arguments, AnyServer(data.draw))
    if not isinstance(answer, Answer):
        return
    members = ("locations", "symbols", "contents", "calls")
    lists = [answer.data[member] for member in members if member in answer.data]
    lists += [answer.data["root"]["children"]] if isinstance(answer.data.get("root"), dict) else []
    assert all(("emptyBecause" in answer.data) == (not found) for found in lists)


@given(data=st.data(), total=st.integers(0, 120), budget=st.integers(150, 900))
def test_pages_of_references_show_each_once(world: World, data: st.DataObject, total: int, budget: int) -> None:
    spread = [(data.draw(st.sampled_from(sorted(FILES))), number) for number in range(1, total + 1)]
    server = Script(
        {
            "definition app/store.py:2:9": [],
            "references and declaration app/store.py:2:9": [f"{file}:{number}:1-4" for file, number in spread],
        },
        FILES,
    )
    arguments: dict[str, Any] = {**GET, "tokenBudget": budget, "rows": data.draw(st.sampled_from(["full", "compact"]))}
    shown: list[tuple[str, int]] = []
    while True:
        page = reply(world, "nav_references", arguments, server).structured
        shown += list(places_in(page["data"]["locations"]))
        assert page["data"]["total"] == total
        cursor = page.get("dropped", {}).get("cursor")
        if cursor is None:
            break
        arguments["cursor"] = cursor
    assert sorted(shown) == sorted(spread)
    assert [file for file, _ in shown] == sorted((file for file, _ in shown), key=[f for f, _ in shown].index)


def places_in(locations: Any) -> Iterator[tuple[str, int]]:
    """File and line of each place, in either form; no row is empty, and no file without one."""
    if isinstance(locations, list):
        yield from ((place["file"], place["line"]) for place in locations)
        return
    for file, texts in locations.items():
        assert texts
        for text in texts:
            *_, places = (word for word in text.split() if ":" in word)
            yield from ((file, int(place.partition(":")[0])) for place in places.split(","))


def test_a_call_tree_stops_at_its_limits(world: World) -> None:
    """Everybody calls thirty others: what is left out is counted."""
    asked = 0

    class Crowd(Script):
        def fact(self, question: Question) -> Fact:
            nonlocal asked
            match question:
                case Source(file):
                    return source(FILES, file)
                case CallRoots(At(file, line, col)):
                    return Found((CallItem("get", Kind.METHOD, Place(file, line, col, line, col + 3)),))
                case CallsTo(item):
                    asked += 1
                    line = item.place.line * 100
                    others = [
                        CallItem("f", Kind.FUNCTION, Place("app/use.py", line + n, 1, line + n, 2)) for n in range(30)
                    ]
                    return Found(tuple(CallLink(one, (one.place,)) for one in others))
                case _:
                    raise AssertionError(question)

    tool = tool_named("nav_callHierarchy")
    arguments = {**GET, "direction": "incoming", "depth": 3, "rows": "full"}
    answer = tool.answer(world, decode_params(tool, arguments))
    found = Crowd({}, FILES).run(answer)
    assert isinstance(found, Answer)
    assert asked <= REQUESTS_MAX
    assert count(found.data["root"]) - 1 == NODES_MAX
    (dropped,) = found.already_dropped
    assert (dropped.kind, dropped.count > 0) == ("calls", True)


def count(node: dict[str, Any]) -> int:
    return 1 + sum(map(count, node.get("children", ())))
