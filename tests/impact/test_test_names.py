"""The names of tests are read once, and again in files that were edited."""

from __future__ import annotations

import pytest

from codemap.graph.build.build import build, build_snapshot, extracted, ranked
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.impact import selection, test_names
from codemap.impact.reach import reach

SOURCES = {
    "store.py": b"def refresh(): ...\ndef through(): refresh()\n",
    "tests/test_a.py": b"from store import through\ndef test_a(): through()\n",
    "tests/test_b.py": b"from store import through\ndef test_refresh(): through()\n",
    "tests/test_c.py": b"from store import through\ndef test_c(): through()\n",
}
EDITS = [
    {"tests/test_c.py": b"from store import through\ndef test_c_refresh(): through()\n"},
    {"tests/test_a.py": b"from store import through\n\n\ndef test_z(): ...\ndef test_a_refresh(): through()\n"},
    {"tests/test_b.py": b"from store import through\ndef test_other(): through()\n"},
    {"tests/test_aa.py": b"from store import through\ndef test_refresh(): through()\n"},
]


def found(snapshot: Snapshot) -> list[selection.ReachedTest]:
    changed = [snapshot.find("py:store.py#refresh") or 0]
    (run,) = selection.tests_of(snapshot, changed, reach(snapshot, changed))
    return list(run.tests)


def test_after_each_edit_the_tests_are_those_of_a_map_made_anew() -> None:
    snapshot, sources = build_snapshot(SOURCES), dict(SOURCES)
    found(snapshot)
    for edit in EDITS * 3:
        changed = {path: extracted(path, source) for path, source in edit.items()}
        snapshot = finish(ranked(finish(build(snapshot, changed, frozenset(), {}, built_at=""))))
        sources |= edit
        assert found(snapshot) == found(build_snapshot(sources))


def test_an_edit_has_the_names_of_its_own_file_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = build_snapshot(SOURCES)
    found(snapshot)
    read: list[str] = []
    words_of_file = test_names.words_of_file

    def noted(path: str) -> frozenset[str]:
        read.append(path)
        return words_of_file(path)

    monkeypatch.setattr(test_names, "words_of_file", noted)
    found(snapshot)
    assert read == []
    (edit, *_) = EDITS
    changed = {path: extracted(path, source) for path, source in edit.items()}
    found(finish(build(snapshot, changed, frozenset(), {}, built_at="")))
    assert read == ["tests/test_c.py"]
