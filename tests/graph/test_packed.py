"""A snapshot that was packed and unpacked is the same to everyone who asks it, the next build included."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from codemap.envelope.answer import Answer
from codemap.graph.build.build import build_snapshot
from codemap.graph.build.packed_snapshot import pack_snapshot, unpack_snapshot
from codemap.graph.model.indexed_file import PackedFile
from codemap.graph.model.records import Records
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dump import edge_lines
from codemap.packed.packed_facts import pack_facts
from codemap.packed.parts import BadParts
from codemap.tools import TOOLS, World
from tests.examples import examples
from tests.graph.test_incremental import CONFIG, EDITS, VARIANTS, Edits
from tests.tools.calls import answered

NOT_PACKED = {"configs", "resolvers", "definitions", "references", "is_partial"}
"""Given, made anew from what is given, found again by looking, and never kept."""

QUESTIONS = (
    ("map_overview", {}),
    ("map_status", {}),
    ("map_search", {"query": "store"}),
    ("map_search", {"query": "sav"}),
    ("map_search", {"query": "chekc"}),
    ("map_search", {"query": "save what the store keeps"}),
    ("map_neighbors", {"nodeId": "py:pkg/store.py#Store", "depth": 3}),
    ("map_neighbors", {"nodeId": "py:pkg/base.py#Base.save"}),
    ("map_neighbors", {"nodeId": "ts:src/store.ts#Store"}),
    ("map_path", {"from": "py:app.py#main", "to": "py:pkg/base.py#Base"}),
    ("map_path", {"from": "py:none.py", "to": "py:app.py"}),
)


def again(snapshot: Snapshot) -> Snapshot:
    facts = [pack_facts(file.facts) for file in snapshot.files]
    return unpack_snapshot(pack_snapshot(snapshot), facts, snapshot.configs)


def said(records: Records) -> set[tuple[object, ...]]:
    """Who asks which questions, and who guesses by which names."""
    cells = records.cells.tolist()
    questions = [(records.forms[form], node, records.names[name], other) for form, node, name, other in cells]
    asks = {
        (questions[~asker] if asker < 0 else asker, questions[asked]) for asker, asked in records.asks.rows().tolist()
    }
    return asks | {(file, records.names[name]) for file, name in records.guesses.rows().tolist()}


def answers(snapshot: Snapshot) -> list[object]:
    tools = {tool.name: tool for tool in TOOLS}
    found: list[object] = []
    for name, arguments in QUESTIONS:
        answer = answered(World(snapshot), tools[name], arguments)
        found.append(answer.data if isinstance(answer, Answer) else answer)
    return found


def columns(table: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(table, name).tolist() for name in table.COLUMNS}


def test_every_member_comes_back() -> None:
    snapshot = build_snapshot({path: sources[0].encode() for path, sources in VARIANTS.items()} | first(CONFIG))
    back = again(snapshot)
    for name in Snapshot.__struct_fields__:
        before, after = getattr(snapshot, name), getattr(back, name)
        if name in ("edges", "unresolved"):
            assert columns(before) == columns(after)
            assert all(getattr(after, column).dtype == np.int32 for column in after.COLUMNS)
        elif name == "files":
            assert all(isinstance(file.held, PackedFile) for file in after)
            members = ("path", "lang", "family", "stamp", "base", "number", "size", "error_bytes", "facts")
            assert [[getattr(f, m) for m in members] for f in before] == [
                [getattr(f, m) for m in members] for f in after
            ]
            assert [file.symbols.tolist() for file in before] == [file.symbols.tolist() for file in after]
        elif isinstance(before, np.ndarray):
            assert (before.dtype, before.tolist()) == (after.dtype, after.tolist())
        elif name == "records":
            assert said(after) == said(before)
        elif name == "names":
            assert list(before) == list(after)
        elif name not in NOT_PACKED:
            assert before == after, name
    assert sorted(back.resolvers) == sorted(snapshot.resolvers)
    assert edge_lines(back) == edge_lines(snapshot)


def test_searches_unpack_no_facts_but_those_of_what_they_show() -> None:
    sources = {f"f{number}.py": f"def unlike_{number}(): ...\n".encode() for number in range(20)}
    back = again(build_snapshot(sources))
    tools = {tool.name: tool for tool in TOOLS}
    for name, arguments in (("map_search", {"query": "unlike_7"}), ("map_status", {})):
        assert isinstance(answered(World(back), tools[name], arguments), Answer)
    unpacked = [file.path for file in back.files if isinstance(file.held, PackedFile) and file.held._facts is not None]
    assert "f7.py" in unpacked
    assert len(unpacked) < len(sources) / 2


@given(edits=st.lists(EDITS, max_size=12))
@settings(max_examples=examples(40), deadline=None)
def test_answers_are_the_same(edits: list[tuple[str, str]]) -> None:
    snapshot = build_snapshot({path: source.encode() for path, source in edits} | first(CONFIG))
    assert answers(again(snapshot)) == answers(snapshot)


def test_paths_and_names_of_any_characters() -> None:
    sources = {
        "d\udcff/\u4e2d.py": "def \u00e9t\u00e9(): ...\n".encode(),
        "q.ts": b'const o = { "a\0b\\n": () => 1 }\n',
    }
    snapshot = build_snapshot(sources)
    back = again(snapshot)
    assert back.node_names.names == snapshot.node_names.names
    assert [back.id_of(node) for node in range(back.node_count)] == [
        snapshot.id_of(node) for node in range(snapshot.node_count)
    ]
    assert back.cluster_labels == snapshot.cluster_labels


def test_an_empty_snapshot() -> None:
    back = again(build_snapshot({}))
    assert (len(back.files), back.node_count, len(back.edges.source)) == (0, 0, 0)


@given(data=st.data())
@settings(max_examples=examples(100), deadline=None)
def test_parts_that_do_not_belong_together_are_refused(data: st.DataObject) -> None:
    snapshot = build_snapshot({path: sources[0].encode() for path, sources in VARIANTS.items()})
    other = build_snapshot({path: sources[-1].encode() for path, sources in VARIANTS.items()})
    facts = [pack_facts(file.facts) for file in snapshot.files]
    parts, strange = pack_snapshot(snapshot), pack_snapshot(other)
    place = data.draw(st.integers(0, 7) | st.integers(-5, -1))
    change = data.draw(st.sampled_from(("other", "short", "empty", "gone")))
    match change:
        case "other":
            parts[place] = strange[place]
        case "short":
            parts[place] = parts[place][: data.draw(st.integers(0, max(0, len(parts[place]) - 1)))]
        case "empty":
            parts[place] = b""
        case "gone":
            del parts[place]
    try:
        back = unpack_snapshot(parts, facts, {})
    except BadParts:
        return
    assert len(back.files) == len(snapshot.files)


def test_facts_of_another_number_of_files_are_refused() -> None:
    snapshot = build_snapshot({"a.py": b"x = 1\n", "b.py": b"y = 1\n"})
    with pytest.raises(BadParts):
        unpack_snapshot(pack_snapshot(snapshot), [pack_facts(snapshot.files[0].facts)], {})


def first(configs: dict[str, list[bytes]]) -> dict[str, bytes]:
    return {path: contents[0] for path, contents in configs.items()}


class EditsAndRestarts(Edits):
    """The same edits, with a restart now and then: the next build starts from what was unpacked."""

    @rule()
    def restart(self) -> None:
        if self.snapshot is not None:
            self.snapshot = again(self.snapshot)


EditsAndRestarts.TestCase.settings = settings(
    max_examples=examples(20), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestEditsAndRestarts = EditsAndRestarts.TestCase
