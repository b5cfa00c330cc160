"""Packs and unpacks snapshots for the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from codemap.graph.build.packed_snapshot import snapshot_parts, unpack_snapshot
from codemap.graph.model.indexed_file import PackedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.overlay import overlay_of, without_overlay
from codemap.packed.packed_facts import pack_facts
from codemap.packed.texts import Octets

REOPENED_MIN_FILES = 200
"""Of fewer files, facts in memory are not worth opening the map again."""


class _Parts:
    """The parts of a snapshot, made one by one whenever they are gone through."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def __iter__(self) -> Iterator[bytes]:
        return snapshot_parts(self._snapshot)


class SnapshotCodec:
    """See `Codec`."""

    def pack(self, snapshot: Snapshot) -> Iterable[bytes]:
        """Packs all but confirmations, which are stored by content."""
        return _Parts(without_overlay(snapshot))

    def unpack(self, parts: Sequence[Octets], facts: Sequence[bytes], configs: Mapping[str, bytes]) -> Snapshot:
        return unpack_snapshot(parts, facts, configs)

    def contents(self, snapshot: Snapshot) -> list[tuple[str, bytes]]:
        return [(file.path, file.stamp.digest) for file in snapshot.files]

    def facts(self, snapshot: Snapshot, number: int) -> bytes:
        held = snapshot.files[number].held
        return held.packed if isinstance(held, PackedFile) else pack_facts(held)

    def is_in_memory(self, snapshot: Snapshot) -> bool:
        """Confirmations go by the facts in memory: with them, a snapshot stays as it is."""
        held = sum(not isinstance(file.held, PackedFile) or file.held.is_in_memory for file in snapshot.files)
        return held >= REOPENED_MIN_FILES and overlay_of(snapshot) is None

    def reopen(self, snapshot: Snapshot, stored: Snapshot) -> Snapshot | None:
        if stored.token != snapshot.token or overlay_of(snapshot) is not None:
            return None
        if snapshot.references is not None and stored.references is not None:
            stored.references.take_over(snapshot.references, snapshot.files, stored.files)
        return stored
