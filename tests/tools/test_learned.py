"""What live tools hand over for the map to keep, and what becomes of imports that servers name as definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.envelope.answer import Answer
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dump import edge_lines
from codemap.graph.verified.confirmations import is_sound
from codemap.graph.verified.overlay import Verdict, confirm, count_verdicts
from codemap.live_queries import Found, Place, SourceNow
from codemap.tools import Disk, World
from codemap.tools.nav.imports import is_import
from codemap.tools.places.current_file import file_now
from tests.tools.calls import answered, tool_named
from tests.tools.live import Script, source
from tests.tools.test_live import CALLS as LIVE_CALLS
from tests.tools.test_live import FILES as LIVE_FILES
from tests.tools.test_live import AnyServer

FILES = {
    "app/store.py": (
        b"from gone import lost\n"
        b"class Base:\n    def save(self): ...\n"
        b"class Store(Base):\n    def save(self): ...\n"
        b"    def all(self, item):\n        item.save()\n        self.save()\n"
        b"def make(): return Store()\n"
    ),
    "app/use.py": b"from app.store import make\n\ndef run(x, y):\n    make()\n    x.save()\n    y(make)\n    lost()\n",
}
SAVE, MAKE = "py:app/store.py#Store.save", "py:app/store.py#make"


def learned(
    tool: str, arguments: dict[str, Any], script: Mapping[str, Any], now: Mapping[str, bytes] = {}, **world: Any
) -> tuple[Snapshot, list[str]]:
    """The map with what a call taught, and the lines of its edges that are verified."""
    snapshot = build_snapshot(FILES)
    answer = answered(
        World(snapshot=snapshot, root="/repository", **world),
        tool_named(tool),
        arguments,
        Script(script, {**FILES, **now}),
    )
    assert isinstance(answer, Answer)
    after = confirm(snapshot, answer.learned)
    return after, [line for line in edge_lines(after) if "verified" in line]


DEFINITION = {"definition app/use.py:5:7": ["app/store.py:5:9-13"]}
AT_USE = {"file": "app/use.py", "line": 5, "col": 7}


def test_the_definition_of_an_undecided_use_becomes_an_edge() -> None:
    _, lines = learned("nav_definition", AT_USE, DEFINITION)
    assert len(lines) == 1
    assert "app/use.py#run" in lines[0]
    assert "app/store.py#Store.save" in lines[0]


@pytest.mark.parametrize("path", FILES)
def test_nothing_is_learned_of_a_file_that_is_not_on_disk_as_indexed(path: str) -> None:
    now = {path: FILES[path] + b"\n"}
    assert learned("nav_definition", AT_USE, DEFINITION, now)[1] == []
    assert learned("nav_definition", AT_USE, DEFINITION, disk=Disk(frozenset((path,))))[1] == []


def test_an_incomplete_definition_teaches_nothing() -> None:
    script = {"definition app/use.py:5:7": {"found": ["app/store.py:5:9-13"], "incomplete": "it indexes"}}
    assert learned("nav_definition", AT_USE, script)[1] == []


def test_asked_at_a_definition_there_is_nothing_to_learn() -> None:
    after, lines = learned("nav_definition", {"nodeId": SAVE}, {"definition app/store.py:5:9": ["app/store.py:5:9-13"]})
    assert lines == []
    assert sum(count_verdicts(after).values()) == 0


def test_the_references_of_a_function_become_edges() -> None:
    script = {
        "definition app/store.py:9:5": ["app/store.py:9:5-9"],
        "references and declaration app/store.py:9:5": [
            "app/store.py:9:5-9", "app/use.py:1:23-27", "app/use.py:4:5-9", "app/use.py:6:7-11", "/lib/x.py:3:1-5"
        ],
    }  # fmt: skip
    after, lines = learned("nav_references", {"nodeId": MAKE}, script)
    assert count_verdicts(after)[Verdict.VERIFIED] == 2
    assert len(lines) == 2
    assert all("app/use.py#run" in line and MAKE.partition(":")[2] in line for line in lines)


def test_a_reference_to_a_member_confirms_only_what_the_map_knows() -> None:
    """`item.save()` may be meant as `Base.save`: servers name it among the references of the overriding one too."""
    script = {
        "definition app/store.py:5:9": ["app/store.py:5:9-13"],
        "references and declaration app/store.py:5:9": [
            "app/store.py:5:9-13", "app/store.py:7:14-18", "app/store.py:8:14-18", "app/use.py:5:7-11"
        ],
    }  # fmt: skip
    after, lines = learned("nav_references", {"nodeId": SAVE}, script)
    assert count_verdicts(after)[Verdict.VERIFIED] == 1
    assert sum(count_verdicts(after).values()) == 1
    (line,) = lines
    assert "Store.all" in line
    assert "8:14" in line


def test_without_a_definition_references_teach_nothing() -> None:
    references = {"references and declaration app/use.py:4:5": ["app/use.py:4:5-9"]}
    at = {"file": "app/use.py", "line": 4, "col": 5}
    for definition in (
        [],
        {"missed": "timeout", "message": "late"},
        {"found": ["app/store.py:9:5-9"], "incomplete": "x"},
    ):
        after, _ = learned("nav_references", at, {**references, "definition app/use.py:4:5": definition})
        assert sum(count_verdicts(after).values()) == 0


def test_an_import_line_named_as_definition_moves_no_edge() -> None:
    files = {"a.py": b"from b import f\n\ndef run():\n    f()\n", "b.py": b"def f(): ...\n"}
    snapshot = build_snapshot(files)
    script = Script({"definition a.py:4:5": ["a.py:1:15-16"]}, files)
    for tool, arguments in (
        ("map_neighbors", {"nodeId": "py:a.py#run", "verify": True, "edgeKinds": ["calls"]}),
        ("nav_definition", {"file": "a.py", "line": 4, "col": 5}),
    ):
        script = Script({"definition a.py:4:5": ["a.py:1:15-16"], "definition a.py:1:15": []}, files)
        answer = answered(World(snapshot=snapshot, root="/repository"), tool_named(tool), arguments, script)
        assert isinstance(answer, Answer)
        assert answer.learned
        after = confirm(snapshot, answer.learned)
        assert edge_lines(after) == edge_lines(snapshot)
        assert count_verdicts(after)[Verdict.MOVED] == count_verdicts(after)[Verdict.VERIFIED] == 0


TYPESCRIPT = b"""\
import Def, { named, other as alias } from './nosuch';
import * as ns from 'nopkg';
import {
  later,
} from './nosuch';
const req = require('./gone');
export function own() { Def(); named(); alias(); ns.x(); req(); later(); }
"""


@pytest.mark.parametrize(
    ("line", "col", "is_one"),
    [
        (1, 8, True), (1, 15, True), (1, 22, True), (1, 31, True), (2, 13, True), (4, 3, True), (6, 7, True),
        (7, 17, False), (7, 25, False), (1, 1, False), (99, 1, False),
    ],
)  # fmt: skip
def test_which_places_are_imports(line: int, col: int, is_one: bool) -> None:
    fact = source({"a.ts": TYPESCRIPT}, "a.ts")
    assert isinstance(fact, Found)
    assert isinstance(fact.value, SourceNow)
    now = file_now("a.ts", fact.value)
    assert is_import(now, Place("a.ts", line, col, line, col + 1)) is is_one
    assert not is_import(now, Place("b.ts", line, col, line, col + 1))


@given(data=st.data(), call=st.sampled_from(LIVE_CALLS))
def test_whatever_a_server_says_what_is_learned_can_be_kept(
    data: st.DataObject, call: tuple[str, dict[str, Any]]
) -> None:
    name, arguments = call
    snapshot = build_snapshot(LIVE_FILES)
    server = AnyServer(data.draw)
    answer = answered(World(snapshot=snapshot, root="/repository"), tool_named(name), arguments, server)
    if isinstance(answer, Answer):
        assert all(is_sound(one) for one in answer.learned.values())
        after = confirm(snapshot, answer.learned)
        assert len(after.files) == len(snapshot.files)
        assert set(answer.learned) <= set(snapshot.by_path)
