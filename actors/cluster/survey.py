"""Finds out for people whether a cluster can be used, and how large it is."""

from __future__ import annotations

import msgspec

from actors.cluster.opening import ClusterUse, NoCluster
from actors.ports import ClusterTrouble


class ClusterSurvey(msgspec.Struct, frozen=True):
    place: str
    batches: int
    """Batches that it works on at the same time."""
    why: str = ""
    """Why it cannot be used, as a clause."""


async def survey_cluster(use: ClusterUse | NoCluster) -> ClusterSurvey:
    """Connects to a cluster, and leaves it."""
    if isinstance(use, NoCluster):
        return ClusterSurvey(use.place, 0, use.why)
    try:
        async with use.open() as cluster:
            return ClusterSurvey(use.place, cluster.batches, "" if cluster.batches else "it has no workers")
    except ClusterTrouble as trouble:
        return ClusterSurvey(use.place, 0, str(trouble))
