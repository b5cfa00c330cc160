"""The records of a build: every step into another file is a question that somebody is noted to ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model import records as recorded
from codemap.graph.model.records import NO_RECORDS, Names
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Meaning
from tests import literate
from tests.coverage import folders
from tests.graph.test_incremental import run

LANGUAGES = Path(__file__).parent.parent / "languages"


@pytest.mark.parametrize("folder", sorted(folder for folder, _ in folders()))
def test_expressions_of_another_file_are_not_evaluated_unasked(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = Evaluator.expr

    def watched(ev: Evaluator, file: GraphFile, index: int) -> Meaning:
        assert index < 0 or ev.solver.frame is file, (file.path, index)
        return evaluate(ev, file, index)

    monkeypatch.setattr(Evaluator, "expr", watched)
    for document in sorted((LANGUAGES / folder).glob("*.md")):
        for case in literate.cases(document.read_text(encoding="utf-8")):
            build_snapshot(case.files)


def questions(snapshot: Snapshot, path: str) -> set[tuple[object, str, str]]:
    """What a file asks: kind, qualified name of what the question is about, and the name that it looks for."""
    records, number = snapshot.records, snapshot.by_path[path].number
    assert records is not None
    asked = [second for first, second in records.asks.rows().tolist() if first == number]
    found = set()
    for form, node, name, _ in records.cells[asked].tolist():
        about = snapshot.id_of(node) if node >= 0 else ""
        found.add((records.forms[form][0], about, records.names[name]))
    return found


SOURCES = {
    "lib.py": b"class A:\n    def go(self) -> int: ...\ndef make(): return A()\n",
    "use.py": b"from lib import make, gone\nclass Own:\n    def stay(self): self.stay()\ndef far(): make().go()\n",
}


def test_what_a_file_asks_of_another_is_recorded_misses_included() -> None:
    assert questions(build_snapshot(SOURCES), "use.py") == {
        ("offered", "py:lib.py", "make"),
        ("offered", "py:lib.py", "gone"),
        ("result", "py:lib.py#make", ""),
        ("member", "py:lib.py#A", "go"),
    }


def test_records_follow_an_edit_that_moves_everything() -> None:
    before = build_snapshot(SOURCES)
    moved = {"lib.py": b"import os\nclass First: ...\n" + SOURCES["lib.py"], "a.py": b"def a(): ...\n"}
    after = run(before, moved, set(), {})
    assert questions(after, "use.py") == questions(build_snapshot({**SOURCES, **moved}), "use.py")


def test_questions_about_what_is_gone_go_with_it() -> None:
    after = run(build_snapshot(SOURCES), {"lib.py": b"def make(): ...\n"}, set(), {})
    assert questions(after, "use.py") == questions(
        build_snapshot({**SOURCES, "lib.py": b"def make(): ...\n"}), "use.py"
    )


def test_many_edits_leave_no_heap_of_questions() -> None:
    names = [f"name{number}" for number in range(400)]
    lib = "".join(f"def {name}(): ...\n" for name in names).encode()
    use = "from lib import *\n" + "".join(f"def far{place}(): {name}()\n" for place, name in enumerate(names))
    snapshot = build_snapshot({"lib.py": lib, "use.py": use.encode()})
    snapshot = run(snapshot, {"use.py": b"from lib import name1\nname1()\n"}, set(), {})
    snapshot = run(snapshot, {"use.py": b"from lib import name2\nname2()\n"}, {"lib.py"}, {})
    assert snapshot.records is not None
    assert len(snapshot.records) < 10


def test_names_are_found_as_calls_spell_them() -> None:
    names = NO_RECORDS.names.and_also(["save", "save(2)", "load", "a\0\n", "d\udcff"])
    assert names.find(["save", "a\0\n", "d\udcff", "none"]) == {"save": 0, "a\0\n": 3, "d\udcff": 4}
    assert sorted(names.find_spelled(["save"])) == sorted(names.find_spelled(["save(1)"])) == [0, 1]
    again = Names(names.text, names.ends)
    assert [again[number] for number in range(len(again))] == ["save", "save(2)", "load", "a\0\n", "d\udcff"]
    assert again.find(["load"]) == {"load": 2}


def test_how_many_questions_are_asked_is_never_overestimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """It decides when those that nobody asks are looked for."""
    monkeypatch.setattr(recorded, "COMPACTED_MIN", 0)
    sources = {f"f{number}.py": b"from base import one, two\none()\ntwo()\n" for number in range(8)}
    snapshot = build_snapshot(sources | {"base.py": b"def one(): ...\ndef two(): ...\n"})
    for number in range(8):
        edited = {f"f{number}.py": b"from base import one\none()\n"}
        removed = {f"f{number - 1}.py"} if number % 3 == 2 else set[str]()
        snapshot = run(snapshot, edited, removed, {})
        records = snapshot.records
        assert records is not None
        asks = records.asks.rows()
        asked = {*asks[:, 1].tolist()} | {~first for first in asks[:, 0].tolist() if first < 0}
        assert 0 < records.asked_least <= len(asked)
