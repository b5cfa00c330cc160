"""What the map says of who keeps whom in use is found once for a snapshot, and what each file says once."""

from __future__ import annotations

import pytest

from codemap.graph.build.build import build, build_snapshot, extracted
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.tools.overview.entries import packages_of
from codemap.unused import map_steps, reading
from codemap.unused.findings import Search

SOURCES = {
    "app/store.py": b"def load(): ...\ndef save(): ...\ndef drop(): ...\n",
    "app/main.py": b"from app.store import load\n\nif __name__ == '__main__':\n    load()\n",
}
EDITS = [
    {"app/main.py": b"from app.store import load, save\n\nif __name__ == '__main__':\n    load()\n    save()\n"},
    {"app/store.py": b"def load(): drop()\ndef save(): ...\ndef drop(): ...\n"},
    {"app/store.py": b"def save(): ...\ndef drop(): ...\ndef load(): ...\n"},
    {"app/more.py": b"import app.store\napp.store.drop()\n"},
]


def unused(snapshot: Snapshot) -> set[str]:
    search = Search(snapshot, packages_of(snapshot), lambda _path: True)
    finish(search.begin())
    found = finish(search.findings(None, None))
    return {snapshot.id_of(one.node) for one in found.definitions}


def test_after_each_edit_it_says_what_a_map_made_anew_says() -> None:
    snapshot, sources = build_snapshot(SOURCES), dict(SOURCES)
    assert unused(snapshot) == {"py:app/store.py#save", "py:app/store.py#drop"}
    for edit in EDITS:
        changed = {path: extracted(path, source) for path, source in edit.items()}
        snapshot = finish(build(snapshot, changed, frozenset(), {}, built_at=""))
        sources |= edit
        assert unused(snapshot) == unused(build_snapshot(sources))


def test_two_questions_look_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    read = reading.read

    def noted(file: IndexedFile) -> reading.Read:
        looked.append(file.path)
        return read(file)

    monkeypatch.setattr(map_steps, "read", noted)
    snapshot = build_snapshot(SOURCES)
    assert unused(snapshot) == unused(snapshot)
    assert sorted(looked) == sorted(SOURCES)
    looked.clear()
    changed = {path: extracted(path, source) for path, source in EDITS[1].items()}
    unused(finish(build(snapshot, changed, frozenset(), {}, built_at="")))
    assert looked == ["app/store.py"]


def test_the_words_of_one_question_are_not_in_the_next() -> None:
    snapshot = build_snapshot(SOURCES)
    first = finish(map_steps.map_steps(snapshot, packages_of(snapshot)))
    count = first.names.count
    unused(snapshot)
    assert finish(map_steps.map_steps(snapshot, packages_of(snapshot))) is first
    assert first.names.count == count
