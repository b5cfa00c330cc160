"""`map_history` without a node: what changes often and is complex, by file and by function.

A score is the number of commits times the complexity: work is spent there again and again, and each time it is hard
(A. Tornhill, "Your Code as a Crime Scene", 2015). Only the ratio of two scores means something.
"""

from __future__ import annotations

from functools import partial
from typing import cast

from codemap.envelope.answer import Answer
from codemap.facts import Symbol
from codemap.file_roles import has_tests_inside
from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.history.churn import commits_of_files
from codemap.history.past import Past
from codemap.tools.compact import FoldedCounts
from codemap.tools.history.complexity import Complexity, ask_complexity
from codemap.tools.history.params import HotspotView, Params, Payload
from codemap.tools.history.shown import lists_of
from codemap.tools.history.views import SHORT_ID
from codemap.tools.row_selection import folded_counts, place_in, place_of_path, sift
from codemap.tools.tool import Asking, Replied, World
from codemap.tools.view import empty_because, map_incomplete, map_warnings

FILES_MEASURED = 400
"""Files whose complexity is counted, those with the most commits first."""
HOTSPOTS_MAX = 200
"""Of either kind: more are no ranking."""
COMMITS_MIN = 2
"""What came once and never changed is no hotspot."""


def answer_of_folder(world: World, snapshot: Snapshot, params: Params, past: Past, folder: str) -> Asking[Replied]:
    """The hotspots under a folder; empty: of the whole."""
    before = f"{folder}/" if folder else ""
    inside = [file for file in snapshot.files if file.path.startswith(before)]
    counts = commits_of_files(past, inside)
    sifted = sift(inside, lambda file: place_of_path(file.path), params)
    changed = [file for file in sifted.rows if counts[file.path] >= COMMITS_MIN]
    changed.sort(key=lambda file: (-counts[file.path], file.path))
    measured = changed[:FILES_MEASURED]
    complexity = yield from ask_complexity(world, measured)
    files = _by_score([_of_file(file, counts, complexity) for file in measured])
    symbols = _by_score([one for file in measured for one in _of_functions(snapshot, past, file, complexity, params)])
    is_compact = params.rows == "compact"
    data: Payload = {"head": past.history.head[:SHORT_ID], "complexity": "cyclomatic"}
    data["files"] = [_text(one) if is_compact else one for one in files]
    data["symbols"] = [_text(one) if is_compact else one for one in symbols]
    if sifted.folded:
        data["folded"] = cast("FoldedCounts", folded_counts(sifted.folded))
    if sifted.only:
        data["onlyIn"] = list(sifted.only)
    warnings = [*map_warnings(world, snapshot), *past.gaps]
    if len(changed) > len(measured):
        warnings.append(
            f"Only the {len(measured)} files with the most commits, of {len(changed)}, were measured: pass folder."
        )
    if complexity.unseen:
        late = "not in time, being written, or of a language that is not measured"
        warnings.append(f"{complexity.unseen} file(s) have no complexity ({late}): they are not listed.")
    if not files:
        data["emptyBecause"] = empty_because(world, snapshot, sifted.hidden)
    incomplete = map_incomplete(world, snapshot) or next(iter(past.gaps), "")
    return Answer(data, lists_of(is_compact=is_compact), tuple(warnings), incomplete=incomplete)


def _of_file(file: IndexedFile, counts: dict[str, int], complexity: Complexity) -> HotspotView:
    amount, commits = complexity.of_files.get(file.path, 0), counts[file.path]
    return {"file": file.path, "commits": commits, "complexity": amount, "score": commits * amount}


def _of_functions(
    snapshot: Snapshot, past: Past, file: IndexedFile, complexity: Complexity, params: Params
) -> list[HotspotView]:
    walked = past.of_definitions(file)
    rows = [
        row
        for row in range(1, file.symbol_count)
        if file.cell(row, Symbol.KIND) in FUNCTION_KINDS and len(walked.commits[row]) >= COMMITS_MIN
    ]
    if has_tests_inside(file.path):
        rows = list(sift(rows, partial(place_in, file), params, is_alone=False).rows)
    views: list[HotspotView] = []
    for row in rows:
        node = file.base + row
        amount, commits = complexity.of_nodes.get(node, 0), len(walked.commits[row])
        views.append(
            {
                "id": snapshot.id_of(node),
                "file": file.path,
                "name": snapshot.qualified_name_of(node),
                "line": file.cell(row, Symbol.LINE),
                "commits": commits,
                "complexity": amount,
                "score": commits * amount,
            }
        )
    return views


def _by_score(views: list[HotspotView]) -> list[HotspotView]:
    scored = [one for one in views if one["score"]]
    scored.sort(key=lambda one: (-one["score"], one["file"], one.get("line", 0)))
    return scored[:HOTSPOTS_MAX]


def _text(view: HotspotView) -> str:
    """`app/api.py#renew 12 × 7 = 84`: commits, complexity, score."""
    name = view["id"].partition(":")[2] if "id" in view else view["file"]
    return f"{name} {view['commits']} × {view['complexity']} = {view['score']}"
