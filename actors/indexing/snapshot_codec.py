"""Packs and unpacks snapshots for the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codemap.graph.build.packed_snapshot import pack_snapshot, unpack_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.overlay import without_overlay
from codemap.packed.packed_facts import pack_facts
from codemap.packed.texts import Octets


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
