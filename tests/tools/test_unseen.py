"""What nobody sees is an escape in every reply of every tool, in every dialect, and the way back is open.

A `file` and an ID that were shown are accepted. Code stays as it is, with a warning that names its lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemap.completion import Completes, complete
from codemap.envelope.answer import Answer
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.reply import Terms
from codemap.envelope.tree import CODE, unseen_in_code
from codemap.escapes import escaped, unescaped
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import parse_id
from codemap.live_queries import Fact, Found, Place, Question, References, Source
from codemap.tools import Disk, World, decode_params
from codemap.tools.compact import short_id
from codemap.tools.nav.symbols import Params
from tests.examples import examples
from tests.tools.calls import answered, reply, tool_named
from tests.tools.live import Script, source
from tests.tools.test_live import value_of

SEVERE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""What never belongs anywhere."""

HIDDEN = ("\u202e", "\u2066", "\x1b[31m", "\u200b", "\U000e0041", "\xad", "\u2028", "\udce9", "\x07", "a\u200db")
LIKE_ESCAPES = ("\\u202e", "\\u005cu202e", "\\U000e0041", "%2e", "~2", "#x", "\\")
PLAIN = ("\N{MAN}\u200d\N{WOMAN}", "é", "\N{WARNING SIGN}\ufe0f", "'", '"', "name", "\t")
pieces = st.sampled_from((*HIDDEN, *LIKE_ESCAPES, *PLAIN))
odd = st.lists(pieces | st.text(max_size=3), max_size=4).map("".join)
paths = odd.map(lambda text: re.sub("[/\0\ud800-\udc7f\udd00-\udfff]", "_", text)).map(lambda text: f"pkg/x{text}.py")


class Repository(msgspec.Struct, frozen=True):
    """Two modules, the second of which uses the first, and what a server says of them."""

    files: dict[str, bytes]

    @property
    def world(self) -> World:
        return World(
            snapshot=build_snapshot(self.files),
            root="/repository",
            disk=Disk(frozenset(self.files), frozenset()),
            rebuilt={"filesScanned": 2, "filesExtracted": 1, "filesDeleted": 0, "durationMs": 1.5, "cold": True},
        )


@st.composite
def repositories(draw: st.DrawFn) -> Repository:
    first, second = draw(st.lists(paths, min_size=2, max_size=2, unique=True))
    doc, default = (text.encode("utf-8", "replace").decode() for text in (draw(odd), draw(odd)))
    store = f"'''{doc}'''\nclass Store:\n    def get(self, a={default!r}, b='{default}'): ...\n"
    make = f"from store import Store\ndef make(b='{default}'):\n    '''{doc}'''\n    Store().get()\n"
    return Repository({first: store.encode(), second: make.encode()})


class Mean(Script):
    """A server that says such things of these files, and a disk that has them."""

    def __init__(self, files: dict[str, bytes], draw: st.DrawFn) -> None:
        super().__init__({}, files)
        self._draw = draw
        self._said: dict[str, Fact] = {}

    def fact(self, question: Question) -> Fact:
        if isinstance(question, Source):
            return source(self._files, question.file)
        if str(question) not in self._said:
            self._said[str(question)] = Found(self._value(question), self._draw(odd), self._draw(odd))
        return self._said[str(question)]

    def _value(self, question: Question) -> Any:
        if isinstance(question, References):
            return tuple(Place(path, 2, 1, 2, 3, self._draw(odd)) for path in self._files)
        return value_of(question, self._draw)


def calls(repository: Repository, snapshot: Snapshot) -> Iterator[tuple[str, dict[str, Any]]]:
    ids = [snapshot.id_of(node) for node in range(snapshot.node_count)]
    yield from (("map_overview", {"diagram": True}), ("map_status", {}), ("map_rebuild", {}))
    yield from (("map_search", {"query": query}) for query in ("x", "Store", "get make", "nothing"))
    for node_id in ids:
        yield "map_neighbors", {"nodeId": node_id, "diagram": True, "depth": 2}
        yield "resolve", {"nodeId": node_id}
        yield "map_path", {"from": ids[0], "to": node_id, "diagram": True}
    for path in repository.files:
        yield "nav_symbols", {"file": path}
        yield "nav_symbols", {"file": f"{path}x"}
        for tool in ("nav_definition", "nav_references", "nav_type", "nav_implementations", "resolve"):
            yield tool, {"file": path, "line": 2, "col": 7}
        yield "nav_callHierarchy", {"file": path, "line": 3, "direction": "outgoing"}
    yield "nav_workspaceSymbols", {"query": "get"}


def texts(node: Any, member: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a reply with the member that it stands in; names of members are texts too."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield "", name
            yield from texts(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value, member)
    elif isinstance(node, str):
        yield member, node


@settings(
    deadline=None, max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(repository=repositories(), data=st.data(), dialect=st.sampled_from(sorted(DIALECTS)))
def test_no_reply_holds_what_nobody_sees(repository: Repository, data: st.DataObject, dialect: str) -> None:
    world, server = repository.world, Mean(repository.files, data.draw)
    assert world.snapshot is not None
    for tool, arguments in calls(repository, world.snapshot):
        answer = answered(world, tool_named(tool), arguments, server)
        found = DIALECTS[dialect](answer, Terms(4000, is_budget_asked=True))
        whole = json.loads(found.text)
        assert whole == json.loads(json.dumps(found.structured))
        for member, text in texts(whole):
            if member not in CODE:
                assert SEVERE.search(text) is None, (tool, member, text)
                assert escaped(text) == text, (tool, member, text)
            if member == "file" and tool.startswith("map"):
                assert unescaped(text) in repository.files, (tool, text)
            if member == "id" and tool.startswith("map") and ":" in text:
                assert world.snapshot.find(text) is not None, (tool, text)


@settings(deadline=None)
@given(repository=repositories())
def test_what_was_shown_is_accepted(repository: Repository) -> None:
    snapshot = repository.world.snapshot
    assert snapshot is not None
    nothing = Script({"*": {"missed": "unavailable", "message": "none"}}, repository.files)
    for file in snapshot.files:
        found = reply(repository.world, "map_neighbors", {"nodeId": file.own_id, "rows": "full", "tokenBudget": 9000})
        shown = found.structured["data"]["node"]["file"]
        params = decode_params(tool_named("nav_symbols"), {"file": shown})
        assert isinstance(params, Params)
        assert params.file == file.path
        outline = reply(repository.world, "nav_symbols", {"file": shown, "tokenBudget": 9000}, nothing)
        assert outline.structured["data"]["file"] == shown
        assert parse_id(file.own_id).path == file.path
        completed = complete(snapshot, Completes.PATH, shown).values
        assert shown in completed
        assert all(escaped(value) == value for value in completed)
        assert file.own_id in complete(snapshot, Completes.NODE, file.own_id).values


@settings(deadline=None)
@given(repository=repositories())
def test_an_id_without_its_language_is_accepted_as_it_was_shown(repository: Repository) -> None:
    """As rows of one text have it."""
    snapshot = repository.world.snapshot
    assert snapshot is not None
    for node in range(snapshot.node_count):
        if snapshot.is_external(node):
            continue
        shown = escaped(short_id(snapshot, node))
        found = reply(repository.world, "map_neighbors", {"nodeId": shown, "rows": "full", "tokenBudget": 9000})
        assert found.structured["data"]["node"]["id"] == snapshot.id_of(node)


def test_a_path_is_accepted_as_it_is_on_disk() -> None:
    world = World(snapshot=build_snapshot({"a\u202eb.py": b"x = 1\n"}))
    for given_id in ("py:a\u202eb.py", "py:a%E2%80%AEb.py", r"py:a\u202eb.py"):
        node = reply(world, "map_neighbors", {"nodeId": given_id, "rows": "full"}).structured["data"]["node"]
        assert (node["id"], node["file"], node["name"]) == ("py:a%E2%80%AEb.py", r"a\u202eb.py", r"a\u202eb.py")


PLACES = (("a.py", 2, "if x: \u2066# \u202eadmin"), ("a.py", 9, "plain"), ("b\u202e.py", 7, "x\x1b[2J"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_code_stays_as_it_is_and_its_lines_are_named(dialect: str) -> None:
    answer = Answer({"locations": [{"file": file, "line": line, "snippet": code} for file, line, code in PLACES]})
    whole = json.loads(DIALECTS[dialect](answer, Terms(2000)).text)
    data = whole if dialect == "ctxo" else whole["data"]
    assert [one["snippet"] for one in data["locations"]] == [code for _, _, code in PLACES]
    warnings = {"native": whole, "ctxo": whole.get("_meta"), "scalpel": data}[dialect]["warnings"]
    (warning,) = warnings
    assert r"at a.py:2, b\u202e.py:7: " in warning


def test_many_lines_of_code_are_counted() -> None:
    lines = "\n".join(["ok", *["\u200b"] * 5])
    warnings = DIALECTS["native"](Answer({"file": "a.py", "line": 10, "snippet": lines}), Terms(2000)).structured[
        "warnings"
    ]
    assert "at a.py:11, a.py:12, a.py:13 and in 2 more: " in warnings[0]


@pytest.mark.parametrize(
    ("code", "places"),
    [
        ("\ufeffdef f():\r\n    pass\r\n", ""),
        ("def f():\r    pass\n", "a.py:1"),
        ("def f():\n    \ufeffpass\r", "a.py:2"),
        ("\u202edef f(): ...\n", "a.py:1"),
    ],
)
def test_line_ends_and_a_byte_order_mark_are_nothing_to_warn_of(code: str, places: str) -> None:
    warning = unseen_in_code({"pieces": [{"file": "a.py", "line": 1, "code": code}]})
    assert (places in warning) if places else not warning


def test_lines_of_rows_of_a_cut_definition_are_named_too() -> None:
    rows = {"a.py#f": ["4 of 4-90\nx = 1  # \u200b", "8-9 of 4-90\ny = 1\nz = 2  # \u200b"]}
    warning = unseen_in_code({"code": rows})
    assert "a.py:4, a.py:9" in warning
