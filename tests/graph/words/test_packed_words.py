"""The word index comes back with the map that it was packed with: no file's words are read again but those of edits."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.graph.build.build import build, build_snapshot, extracted
from codemap.graph.build.packed_snapshot import pack_snapshot, unpack_snapshot
from codemap.graph.index.terms import Terms
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.search import search
from codemap.graph.words import word_index as module
from codemap.graph.words.packed_words import WORD_PARTS
from codemap.graph.words.postings import Postings, Rows, postings_of, rows_by_file
from codemap.graph.words.word_index import word_index
from codemap.packed.packed_facts import pack_facts
from codemap.packed.parts import BadParts
from tests.examples import examples

SOURCES = {
    "a.py": b'def flush(rows):\n    """Write pending rows to the disk."""\n',
    "b.py": b'class Session:\n    """Keeps what is pending."""\n\n    def close(self): ...\n',
    "c/d\udcff.py": b"def rows_of(table):\n    return table.pending\n",
}
EDITED = {"b.py": b'class Session:\n    """Forgets the disk."""\n', "e.py": b'def load():\n    """Read the disk."""\n'}
QUESTIONS = ("pending rows", "write to disk", "what a session keeps", "read from disk")


def again(snapshot: Snapshot) -> Snapshot:
    return unpack_snapshot(pack_snapshot(snapshot), [pack_facts(file.facts) for file in snapshot.files], {})


def edited(snapshot: Snapshot, sources: dict[str, bytes], removed: frozenset[str] = frozenset()) -> Snapshot:
    changed = {path: extracted(path, source) for path, source in sources.items()}
    return finish(build(snapshot, changed, removed, {}, built_at="2000-01-01T00:00:00Z"))


def found(snapshot: Snapshot) -> list[list[str]]:
    return [
        sorted(snapshot.id_of(node) for node in search(snapshot, question, frozenset(), 20).nodes)
        for question in QUESTIONS
    ]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of files whose words were read, in order."""
    paths: list[str] = []

    def reading(files: Sequence[IndexedFile]) -> Generator[None, None, Postings]:
        paths.extend(file.path for file in files)
        return (yield from postings_of(files))

    def reading_apart(files: Sequence[IndexedFile], terms: Terms) -> list[Rows]:
        paths.extend(file.path for file in files)
        return rows_by_file(files, terms)

    monkeypatch.setattr(module, "postings_of", reading)
    monkeypatch.setattr(module, "rows_by_file", reading_apart)
    return paths


def test_a_second_start_reads_no_words(read: list[str]) -> None:
    snapshot = build_snapshot(SOURCES)
    before = found(snapshot)
    assert sorted(read) == sorted(SOURCES)
    back = again(snapshot)
    read.clear()
    assert found(back) == before
    assert read == []


def test_what_was_not_made_before_packing_is_made_when_it_is_asked_for(read: list[str]) -> None:
    snapshot = build_snapshot(SOURCES)
    back = again(snapshot)
    assert read == []
    assert found(back) == found(snapshot)


def test_an_edit_before_or_after_a_restart_costs_the_files_that_it_changed(read: list[str]) -> None:
    snapshot = build_snapshot(SOURCES)
    word_index(snapshot)
    read.clear()
    after = again(edited(snapshot, EDITED, frozenset({"a.py"})))
    assert read == []
    found(after)
    assert sorted(read) == sorted(EDITED)
    read.clear()
    assert found(edited(again(snapshot), EDITED, frozenset({"a.py"}))) == found(after)
    assert sorted(read) == sorted(EDITED)


@given(st.lists(st.tuples(st.sampled_from((*SOURCES, "e.py")), st.sampled_from((*SOURCES.values(), b""))), max_size=6))
@settings(max_examples=examples(30), deadline=None)
def test_after_edits_and_restarts_all_is_found_as_if_made_anew(edits: list[tuple[str, bytes]]) -> None:
    snapshot, sources = build_snapshot(SOURCES), dict(SOURCES)
    word_index(snapshot)
    for path, source in edits:
        if source:
            sources[path] = source
            snapshot = edited(snapshot, {path: source})
        elif path in sources:
            del sources[path]
            snapshot = edited(snapshot, {}, frozenset({path}))
        snapshot = again(snapshot)
    assert found(snapshot) == found(build_snapshot(sources))


@given(st.integers(1, WORD_PARTS - 1), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_parts_of_another_index_are_refused_or_do_no_harm(place: int, data: st.DataObject) -> None:
    snapshot = build_snapshot(SOURCES)
    facts = [pack_facts(file.facts) for file in snapshot.files]
    strange = build_snapshot(SOURCES | EDITED)
    word_index(snapshot), word_index(strange)
    parts, other = pack_snapshot(snapshot), pack_snapshot(strange)
    at = len(parts) - WORD_PARTS + place
    cut = parts[at][: data.draw(st.integers(0, len(parts[at]) - 1))]
    parts[at] = data.draw(st.sampled_from((other[-WORD_PARTS:][place], cut)))
    try:
        back = unpack_snapshot(parts, facts, {})
    except BadParts:
        return
    assert place == 1, "terms that happen to be as many are what a checksum finds"
    found(back)
