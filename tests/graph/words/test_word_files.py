"""A question about a name reads the files that have it as a word, after edits and restarts too."""

from __future__ import annotations

import subprocess
import sys
from array import array
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.graph.build.build import build, build_snapshot, extracted
from codemap.graph.build.packed_snapshot import pack_snapshot, unpack_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.words import word_files as module
from codemap.graph.words.packed_words import WORD_PARTS
from codemap.graph.words.word_files import FILE_PARTS, files_with, has_word_files, make_word_files
from codemap.occurrences.word_marks import mark_of, marks_in, marks_of
from codemap.occurrences.words import count
from codemap.packed.packed_facts import pack_facts
from codemap.packed.parts import BadParts
from tests.examples import examples

SOURCES = {
    "a.py": b"def flush(rows):\n    return rows\n",
    "b.py": b"# flush, and naivet\xc3\xa9\nclass Session: ...\n",
    "c/d\udcff.py": b"def rows_of(table):\n    return table.flush_all\n",
}
OTHERS = ("a.py", "b.py", "e.py", "f.rb")
CONTENTS = (*SOURCES.values(), b"flush = 1\n", b"x = 'rows'\n", b"def \xff(): ...\n", b"Session\xc3\xa9 = 2\n", b"")
NAMES = ("flush", "rows", "Session", "table", "naivet\xe9", "flush_all", "empty?", "==", "d\udcff")

ROOT = Path(__file__).parents[3]


def again(snapshot: Snapshot) -> Snapshot:
    return unpack_snapshot(pack_snapshot(snapshot), [pack_facts(file.facts) for file in snapshot.files], {})


def edited(snapshot: Snapshot, sources: dict[str, bytes], removed: frozenset[str] = frozenset()) -> Snapshot:
    changed = {path: extracted(path, source) for path, source in sources.items()}
    return finish(build(snapshot, changed, removed, {}, built_at="2000-01-01T00:00:00Z"))


def found(snapshot: Snapshot, name: str) -> list[str]:
    return sorted(file.path for file in files_with(snapshot, name))


def test_only_files_that_have_the_word_are_named() -> None:
    snapshot = build_snapshot(SOURCES)
    assert found(snapshot, "flush") == ["a.py", "b.py"]
    assert found(snapshot, "Session") == ["b.py"]
    assert found(snapshot, "nothing") == []
    assert found(snapshot, "flush.Session") == ["b.py"], "all words of a text"
    assert found(snapshot, "flush.nothing") == []


def test_a_name_without_plain_letters_may_be_anywhere() -> None:
    assert found(build_snapshot(SOURCES), "==") == sorted(SOURCES)


@given(text=st.text("ab_1 é\n.", max_size=30), name=st.text("ab_1é?", min_size=1, max_size=4))
def test_whoever_has_a_name_as_a_word_has_its_mark(text: str, name: str) -> None:
    mark, marks = mark_of(name), set(array("I", marks_of(text.encode())))
    if count(text.encode(), name):
        assert mark is None or mark in marks
        assert marks.issuperset(marks_in(name))


edits = st.lists(st.tuples(st.sampled_from(OTHERS), st.sampled_from(CONTENTS)), max_size=8)


@given(edits, st.booleans(), st.integers(0, 3))
@settings(max_examples=examples(40), deadline=None)
def test_after_edits_and_restarts_files_are_found_as_if_made_anew(
    changes: list[tuple[str, bytes]], is_kept: bool, changed_max: int
) -> None:
    snapshot, sources = build_snapshot(SOURCES), dict(SOURCES)
    finish(make_word_files(snapshot))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHANGED_MAX", changed_max)
        for path, source in changes:
            if source:
                sources[path] = source
                snapshot = edited(snapshot, {path: source})
            elif path in sources:
                del sources[path]
                snapshot = edited(snapshot, {}, frozenset({path}))
            if is_kept:
                snapshot = again(snapshot)
            assert has_word_files(snapshot)
            finish(make_word_files(snapshot))
    anew = build_snapshot(sources)
    for name in NAMES:
        assert found(snapshot, name) == found(anew, name)


def test_more_changes_than_a_question_can_wait_for_leave_all_files(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = build_snapshot(SOURCES)
    finish(make_word_files(snapshot))
    monkeypatch.setattr(module, "CHANGED_AT_ONCE", 0)
    monkeypatch.setattr(module, "NODES_AT_ONCE", 0)
    after = edited(snapshot, {"e.py": b"flush = 1\n"})
    assert found(after, "flush") == ["a.py", "b.py", "c/d\udcff.py", "e.py"]
    finish(make_word_files(after))
    assert found(after, "flush") == ["a.py", "b.py", "e.py"]


@given(st.integers(1, FILE_PARTS - 1), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_parts_of_another_map_are_refused_or_do_no_harm(place: int, data: st.DataObject) -> None:
    snapshot, strange = build_snapshot(SOURCES), build_snapshot(SOURCES | {"e.py": b"one, two, three\n"})
    for each in (snapshot, strange):
        finish(make_word_files(each))
    parts, other = pack_snapshot(snapshot), pack_snapshot(strange)
    at = len(parts) - WORD_PARTS - FILE_PARTS + place
    cut = parts[at][: data.draw(st.integers(0, len(parts[at]) - 1))]
    parts[at] = data.draw(st.sampled_from((other[-WORD_PARTS - FILE_PARTS :][place], cut)))
    with pytest.raises(BadParts):
        unpack_snapshot(parts, [pack_facts(file.facts) for file in snapshot.files], {})


def test_equal_files_have_equal_marks_in_every_process() -> None:
    code = "from codemap.occurrences.word_marks import marks_of; print(marks_of(b'one two three four five six').hex())"
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, cwd=ROOT, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1
