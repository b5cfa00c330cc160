"""A builder that leaves out what a service does when it is idle: what is measured is the build itself."""

from __future__ import annotations

from actors.indexing.snapshot_builder import SnapshotBuilder
from codemap.graph.model.snapshot import Snapshot


class UnpolishedBuilder(SnapshotBuilder):
    def polish(self, _snapshot: Snapshot, /) -> None:
        return None
