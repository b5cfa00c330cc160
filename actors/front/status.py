"""Collects what `map_status` shows besides the snapshot: building, watcher, actors, language servers."""

from __future__ import annotations

from itertools import chain
from typing import Any

from actors.front.freshness import watcher_status
from actors.indexing.config_files import config_warnings
from actors.indexing.latest_snapshot import Published
from actors.indexing.unparsable_files import given_up
from actors.service.service import Service
from codemap.graph.model.snapshot import Snapshot


def status_of(service: Service[Snapshot], published: Published[Snapshot] | None) -> dict[str, Any]:
    """Makes the members of `World.status`."""
    skipped: dict[str, int] = {}
    warnings: list[str] = []
    if published is not None:
        records = chain(published.files.values(), published.config_files.values())
        reasons = [record.skipped for record in records if record.skipped is not None]
        for reason in (*published.unlisted.values(), *reasons):
            skipped[reason.value] = skipped.get(reason.value, 0) + 1
        warnings = [*published.warnings, *config_warnings(published)]
    warnings += [*service.store_warnings, *service.sharing_warnings, *service.cluster_warnings]
    warnings += [f"Ignored: {sentence}" for sentence in service.ignored_settings]
    building = service.latest.building
    lost = {} if published is None else given_up(published)
    return {
        "watcher": watcher_status(service.watching),
        "skipped": dict(sorted(skipped.items())),
        "skippedFiles": [
            {"file": path, "reason": record.skipped, **({"detail": record.detail} if record.detail else {})}
            for path, record in lost.items()
        ],
        "warnings": warnings,
        "stage": None if building is None else building.stage,
        "lsp": service.live_status() or None,
        "actors": service.statistics(),
        "metricsReport": service.usage.report(),
    }
