"""A map as it was stored, used in place of the one that was packed."""

from __future__ import annotations

from actors.indexing.snapshot_codec import SnapshotCodec
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.packed.packed_facts import pack_facts

SOURCES = {"a.py": b"from b import work\n\nwork()\n", "b.py": b"def work(): ...\n"}


def stored(snapshot: Snapshot) -> Snapshot:
    codec = SnapshotCodec()
    facts = [pack_facts(file.facts) for file in snapshot.files]
    return codec.unpack([*codec.pack(snapshot)], facts, snapshot.configs)


def read(snapshot: Snapshot) -> Snapshot:
    """The same, with what language servers are asked about read ahead."""
    assert snapshot.references is not None
    for _ in snapshot.references.add(snapshot.files):
        pass
    return snapshot


def paths(snapshot: Snapshot) -> list[str]:
    assert snapshot.references is not None
    return sorted(snapshot.references.paths("work"))


def test_what_was_read_ahead_is_known_of_both() -> None:
    """The one in memory goes on answering: the stored one may not be taken after all."""
    built = read(build_snapshot(SOURCES))
    again = SnapshotCodec().reopen(built, stored(built))
    assert again is not None
    assert paths(again) == paths(built) == ["a.py"]
    assert again.references is not None
    assert list(again.references.add(again.files)) == []
    assert paths(read(built)) == ["a.py"]


def test_another_map_is_not_taken() -> None:
    built = build_snapshot(SOURCES)
    other = build_snapshot(SOURCES | {"b.py": b"def work(): return 1\n"})
    assert SnapshotCodec().reopen(built, stored(other)) is None
