"""What the first question in words needs of all files is read before it comes, when nothing else is to do."""

from __future__ import annotations

from actors.indexing.snapshot_builder import SnapshotBuilder
from codemap.graph.build.build import build_snapshot
from codemap.graph.build.packed_snapshot import pack_snapshot, unpack_snapshot
from codemap.graph.query.search import search
from codemap.graph.words.word_index import WORD_INDEX, has_words, make_words
from codemap.packed.packed_facts import pack_facts

SOURCES = {"a.py": b'def flush(rows):\n    """Write pending rows to the disk."""\n'}


def test_a_map_that_was_kept_without_words_gets_them() -> None:
    snapshot = build_snapshot(SOURCES)
    back = unpack_snapshot(pack_snapshot(snapshot), [pack_facts(file.facts) for file in snapshot.files], {})
    assert not has_words(back)
    builder = SnapshotBuilder()
    steps = builder.polish(back)
    assert steps is not None
    for _ in steps:
        pass
    assert has_words(back)
    assert builder.polish(back) is None
    assert len(search(back, "pending disk", frozenset(), 5).nodes) == 1


def test_a_map_that_was_kept_with_its_words_needs_none() -> None:
    snapshot = build_snapshot(SOURCES)
    for _ in make_words(snapshot):
        pass
    back = unpack_snapshot(pack_snapshot(snapshot), [pack_facts(file.facts) for file in snapshot.files], {})
    assert has_words(back)


def test_snapshots_of_the_same_files_share_one_index() -> None:
    one, other = build_snapshot(SOURCES), build_snapshot(SOURCES)
    for _ in make_words(one, other):
        pass
    assert WORD_INDEX.held_by(one) is not None
    assert WORD_INDEX.held_by(one) is WORD_INDEX.held_by(other)
