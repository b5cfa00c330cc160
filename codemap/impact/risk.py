"""Scores the risk of a change from 0 to 1, and lists the factors of the score.

    score = 1 - exp(-sum over those reached of w(tier) * 0.6^(depth - 1) * (0.5 + 0.5 * importance) / K)

The importance of a definition is the share of all nodes that have a lower hub score. K is such that the median of the
repository's definitions that have users scores 0.2; it is measured on `SAMPLE` of them, evenly spread. Tests that are
reached are no part of the sum: they are what limits the risk. A change that leaves uses which no longer work is of a
medium risk at least.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.model.edges import Ints, Mask, distinct
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.folders import FOLDERS
from codemap.impact.reach import reach
from codemap.impact.reached import Reach

WEIGHTS = (1.0, 0.6, 0.2, 0.0)
"""By tier; what only a class leads to is listed apart."""
DECAY = 0.6
"""Of a step."""
MEDIAN_SCORE = 0.2
MEDIUM_MIN, HIGH_MIN = 0.3, 0.7
"""Scores from which a risk is medium, and high."""
SAMPLE = 33
SAMPLE_DEPTH = 6
"""Steps that are followed for the sample: those beyond weigh less than a twelfth."""

Risk = Literal["low", "medium", "high"]


class Factors(msgspec.Struct, frozen=True):
    """The counts behind a score, without tests but for their own number."""

    direct_users: int
    files: int
    folders: int


def without_tests(snapshot: Snapshot, reached: Reach) -> Reach:
    """What a change reaches in files that hold no tests."""
    return reached.where(~are_tests(snapshot, reached.node))


def score_of(snapshot: Snapshot, others: Reach) -> float:
    """The score of what a change reaches, without tests."""
    return 1 - math.exp(-_sum(snapshot, others) / _SCALE.of(snapshot))


def risk_of(score: float) -> Risk:
    return "high" if score >= HIGH_MIN else "medium" if score >= MEDIUM_MIN else "low"


def factors_of(snapshot: Snapshot, others: Reach) -> Factors:
    """The factors that follow from what is reached, without tests."""
    files = distinct(columns_of(snapshot).file.take(others.node))
    folders = distinct(FOLDERS.of(snapshot).of_file.take(files))
    return Factors(int((others.depth == 1).sum()), len(files), len(folders))


def are_tests(snapshot: Snapshot, nodes: Ints) -> Mask:
    """Whether nodes of the repository are in files that hold tests."""
    return are_in_files_of(snapshot, nodes, Role.TEST)


def _sum(snapshot: Snapshot, others: Reach) -> float:
    importance = 1 - columns_of(snapshot).rank.take(others.node) / max(snapshot.node_count, 1)
    weights = np.array(WEIGHTS).take(others.tier) * DECAY ** (others.depth - 1)
    return float((weights * (0.5 + 0.5 * importance)).sum())


def _measure_scale(snapshot: Snapshot) -> float:
    """K. Cost: a search for each of the sample."""
    start = snapshot.edges.in_start
    columns = columns_of(snapshot)
    used = np.flatnonzero((np.diff(start)[: snapshot.first_external] > 0) & (columns.parent >= 0))
    used = used[~are_tests(snapshot, used.astype(np.int32))]
    if not len(used):
        return 1.0
    chosen = used[np.linspace(0, len(used) - 1, min(SAMPLE, len(used))).round().astype(np.int64)]
    chosen = chosen[np.argsort(start[chosen] - start[chosen + 1])]  # a wide search makes the others cheap
    found = (reach(snapshot, [node], depth_max=SAMPLE_DEPTH) for node in chosen.tolist())
    sums = [_sum(snapshot, without_tests(snapshot, reached)) for reached in found]
    middle = float(np.median(np.array([one for one in sums if one > 0] or [1.0])))
    return middle / -math.log(1 - MEDIAN_SCORE)


_SCALE = Slot[float](_measure_scale)
