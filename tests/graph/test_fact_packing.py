"""A large map's files have their facts packed once they are bound: what the map says is the same."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, settings

from actors.indexing.snapshot_codec import SnapshotCodec
from codemap.graph.build import build as building
from codemap.graph.build import fact_packing
from codemap.graph.build.build import build_snapshot
from codemap.graph.build.packed_snapshot import pack_snapshot
from codemap.graph.model.indexed_file import PackedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.packed.packed_facts import pack_facts
from codemap.packed.texts import PackedTexts
from tests.examples import examples
from tests.graph.test_incremental import CONFIG, VARIANTS, Edits
from tests.graph.test_packed import answers, first

SOURCES = {path: sources[0].encode() for path, sources in VARIANTS.items()} | first(CONFIG)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    monkeypatch.setattr(building, "PACKED_MIN_NODES", 0)
    return build_snapshot(SOURCES)


def test_the_facts_of_a_large_map_are_packed(large: Snapshot) -> None:
    assert all(isinstance(file.held, PackedFile) for file in large.files)
    assert isinstance(large.names, PackedTexts)


def test_those_of_a_small_one_are_not() -> None:
    assert not any(isinstance(file.held, PackedFile) for file in build_snapshot(SOURCES).files)
    assert len(SOURCES) < fact_packing.PACKED_MIN_NODES


def test_it_says_the_same(large: Snapshot) -> None:
    small = build_snapshot(SOURCES)
    assert [file.facts for file in large.files] == [file.facts for file in small.files]
    assert [file.symbols.tolist() for file in large.files] == [file.symbols.tolist() for file in small.files]
    assert pack_snapshot(large) == pack_snapshot(small)
    assert answers(large) == answers(small)


def test_the_store_is_given_the_facts_as_they_are_packed(large: Snapshot) -> None:
    given = [SnapshotCodec().facts(large, number) for number in range(len(large.files))]
    assert given == [pack_facts(file.facts) for file in build_snapshot(SOURCES).files]


def test_it_is_opened_again_as_it_was_stored(large: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory packed need not be there, either."""
    monkeypatch.setattr("actors.indexing.snapshot_codec.REOPENED_MIN_FILES", len(large.files))
    codec = SnapshotCodec()
    assert codec.is_in_memory(large)
    kept = tuple(codec.facts(large, number) for number in range(len(large.files)))
    assert not codec.is_in_memory(codec.unpack([*codec.pack(large)], kept, large.configs))


class EditsOfLargeMaps(Edits):
    """Edits of a map whose facts are packed whenever all of it is bound."""

    def change(self, changed: Mapping[str, bytes], removed: frozenset[str] = frozenset()) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(building, "PACKED_MIN_NODES", 0)
            super().change(changed, removed)


EditsOfLargeMaps.TestCase.settings = settings(
    max_examples=examples(20), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestEditsOfLargeMaps = EditsOfLargeMaps.TestCase
