"""Finds the halves of a chain that is not known: how near the start gets to what leads to the end, and from where that
is reached."""

from __future__ import annotations

import numpy as np

from codemap.graph.model.edges import ARE_FUNCTIONS, Ints, are_among, distinct
from codemap.graph.query.chain_steps import Ways
from codemap.graph.query.chains import Step, chains
from codemap.graph.query.step_tables import implied, uses
from codemap.tools.path.bridges import NEAR_MAX
from codemap.tools.path.reach import reach, whole

ROOTS_MAX, TRIED_MAX = 2, 8
"""Beginnings that are shown, and of which these are chosen: the nearest."""
_STEPS_MAX = 10

Half = tuple[Step, ...]


def find_halves(ways: Ways, start: int, end: int) -> tuple[Half, tuple[Half, ...]]:
    """A chain from the start to the file that most nearly leads to the end; and chains to the end from what nothing is
    known to lead to, the nearest first; where the start gets to no such file, from what is in its own file alone, as
    nothing says that anything else has to do with it."""
    behind = _functions(ways, reach(ways, whole(ways, end), is_forward=False, most=NEAR_MAX))
    ahead = _functions(ways, reach(ways, whole(ways, start), is_forward=True, most=NEAR_MAX))
    files = list(dict.fromkeys(ways.columns.file[behind].tolist()))
    of_file = ways.columns.file[ahead]
    near = next((int(ahead[of_file == file][0]) for file in files if (of_file == file).any()), start)
    leading = _connect(ways, start, near) if near != start else ()
    roots = behind[~_are_led_to(ways, behind)]
    if not leading:
        own = ways.columns.file[start] if start < ways.snapshot.first_external else -1
        roots = roots[ways.columns.file[roots] == own]
    arriving: list[Half] = []
    for root in roots[:TRIED_MAX].tolist():
        half = _connect(ways, root, end) if root != end else ()
        if half and not any(_are_alike(half, other) for other in arriving):
            arriving.append(half)
        if len(arriving) == ROOTS_MAX:
            break
    return leading, tuple(arriving)


def _are_alike(half: Half, other: Half) -> bool:
    """Whether two chains share half of what the first leads through."""
    nodes, others = ({step.source for step in steps} for steps in (half, other))
    return 2 * len(nodes & others) >= len(nodes)


def _functions(ways: Ways, nodes: Ints) -> Ints:
    """The functions of the product among some nodes, unless the search is about other code."""
    inside = nodes[nodes < ways.snapshot.first_external]
    kept: Ints = inside[ARE_FUNCTIONS[ways.columns.kind[inside]] & (ways.file_cost[ways.columns.file[inside]] == 0)]
    return kept


def _are_led_to(ways: Ways, nodes: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of some nodes a step leads to."""
    steps = [find(ways, nodes, is_forward=False) for find in (uses, implied)]
    led = [step.target[step.source != step.target] for step in steps]
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = are_among(nodes, distinct(np.concatenate(led)))
    return found


def _connect(ways: Ways, start: int, end: int) -> Half:
    found = chains(ways, start, end, _STEPS_MAX, 1).chains
    return found[0] if found else ()
