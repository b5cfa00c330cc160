"""Finds the definitions that pasted output and diffs name by their places: what ran, what failed, what is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from codemap.context.failing_tests import failing_tests
from codemap.context.frames import Frame, files_meant
from codemap.context.suspects import Origin
from codemap.facts import Symbol
from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_node, role_of_row
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot

FRAME, OUTER_FRAME = 4.0, 2.0
"""Of the innermost frame in the product, and of the next; each further one counts half of the one before."""
ALIKE_MAX = 4
"""Definitions of one name that are all taken for meant; they share its points."""


def find_files(snapshot: Snapshot, places: Sequence[Frame]) -> dict[str, str]:
    """The files that places mean, by how their paths are written."""
    prefixes = snapshot.roots.others if snapshot.roots is not None else ()
    return files_meant(places, [file.path for file in snapshot.files], prefixes) if places else {}


def weigh_frames(
    snapshot: Snapshot, traces: Sequence[Sequence[Frame]], meant: Mapping[str, str]
) -> list[tuple[Origin, str]]:
    """The definitions that frames lie in, each with its best place: that of its weight in all traces that have it."""
    places: dict[int, tuple[float, int, str]] = {}
    counts = Counter[int]()
    for trace in traces:
        score, number, seen = FRAME, 0, set[int]()
        for frame in trace:
            path = meant.get(frame.path)
            if path is None:
                continue
            file = snapshot.by_path[path]
            row, is_there = _find_row(file, frame)
            node, weight = file.base + row, score
            if frame.line:
                number += 1
                reason = f"frame {number}, line {frame.line}" if is_there else f"frame {number}, by name"
                if role_of_row(file, row) is Role.PRODUCT:
                    score = OUTER_FRAME if score == FRAME else score / 2
            else:
                reason = "failing test"
            seen.add(node)
            if node not in places or weight > places[node][0]:
                line = frame.line or places.get(node, (0.0, 0, ""))[1]
                places[node] = (weight, line, reason)
            elif frame.line and not places[node][1]:
                places[node] = (places[node][0], frame.line, f"{places[node][2]}, line {frame.line}")
        counts.update(seen)
    most = max(1, len(traces))
    ran = []
    for node, (weight, line, reason) in places.items():
        share = (1 + counts[node] / most) / 2
        ran.append((Origin(node, line, weight * share), reason))
    return sorted(ran, key=lambda one: -one[0].weight)


def find_changed(snapshot: Snapshot, changes: Sequence[Frame], meant: Mapping[str, str]) -> dict[int, int]:
    """The definitions that a diff changes, each with the first line; none around another one, such as its file."""
    lines: dict[int, int] = {}
    around: set[int] = set()
    for change in changes:
        path = meant.get(change.path)
        if path is not None:
            file = snapshot.by_path[path]
            row = file.innermost_row(change.line)
            lines.setdefault(file.base + row, change.line)
            while row > 0:
                row = max(file.cell(row, Symbol.PARENT), 0)
                around.add(file.base + row)
    return {node: line for node, line in lines.items() if node not in around}


def find_failing(snapshot: Snapshot, text: str, known: Set[int]) -> list[tuple[Origin, str]]:
    """The failing tests that a runner names without a place."""
    found = [snapshot.find_by_suffix(name) for name in failing_tests(text)]
    tests = [node for some in found for node in some[:ALIKE_MAX] if role_of_node(snapshot, node) is Role.TEST]
    return [(Origin(node, 0, FRAME), "failing test") for node in dict.fromkeys(tests) if node not in known]


def _find_row(file: IndexedFile, frame: Frame) -> tuple[int, bool]:
    """The definition that a frame means, and whether its line is in it: the one at that line, but where the function
    that it names is another one, the nearest of that name, as the trace is of another version of the file."""
    if frame.name:
        return file.rows_by_name.get((frame.name, 1), 0), True
    row = around = file.innermost_row(frame.line)
    while around > 0:
        if file.name_of(around) == frame.function:
            return row, True
        around = file.cell(around, Symbol.PARENT)
    same = [one for one in range(1, file.symbol_count) if frame.function and file.name_of(one) == frame.function]
    found = min(same, key=lambda one: abs(file.cell(one, Symbol.LINE) - frame.line), default=row)
    return found, found == row
