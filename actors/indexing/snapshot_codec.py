"""Packs and unpacks snapshots for the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codemap.graph.build.packed_snapshot import pack_snapshot, unpack_snapshot
from codemap.graph.model.indexed_file import PackedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.overlay import overlay_of, without_overlay
from codemap.packed.packed_facts import pack_facts
from codemap.packed.texts import Octets

REOPENED_MIN_FILES = 200
"""Of fewer files, facts in memory are not worth opening the map again."""


class SnapshotCodec:
    """See `Codec`."""

    def pack(self, snapshot: Snapshot) -> list[bytes]:
        """Packs all but confirmations, which are stored by content."""
        return pack_snapshot(without_overlay(snapshot))

    def unpack(self, parts: Sequence[Octets], facts: Sequence[bytes], configs: Mapping[str, bytes]) -> Snapshot:
        return unpack_snapshot(parts, facts, configs)

    def contents(self, snapshot: Snapshot) -> list[tuple[str, bytes]]:
        return [(file.path, file.stamp.digest) for file in snapshot.files]

    def facts(self, snapshot: Snapshot, number: int) -> bytes:
        return pack_facts(snapshot.files[number].facts)

    def is_in_memory(self, snapshot: Snapshot) -> bool:
        """Confirmations go by the facts in memory: with them, a snapshot stays as it is."""
        held = sum(not isinstance(file.held, PackedFile) for file in snapshot.files)
        return held >= REOPENED_MIN_FILES and overlay_of(snapshot) is None

    def reopen(self, snapshot: Snapshot, stored: Snapshot) -> Snapshot | None:
        if stored.token != snapshot.token or overlay_of(snapshot) is not None:
            return None
        if snapshot.mentions is not None and stored.mentions is not None:
            stored.mentions.take_over(snapshot.mentions, snapshot.files, stored.files)
        return stored
