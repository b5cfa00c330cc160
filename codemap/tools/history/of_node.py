"""`map_history` of a definition or a file: its commits, their authors, what changes with it."""

from __future__ import annotations

from codemap.envelope.answer import Answer
from codemap.graph.model.snapshot import Snapshot
from codemap.history.churn import churn_of
from codemap.history.companions import companions
from codemap.history.past import Past, of_node
from codemap.history.table import Flag
from codemap.tools.compact import short_id
from codemap.tools.history.params import Params, Payload
from codemap.tools.history.shown import lists_of
from codemap.tools.history.views import (
    SHORT_ID,
    author_text,
    author_views,
    commit_text,
    commit_views,
    companion_rows,
    companion_views,
    date_of,
    say_missing,
)
from codemap.tools.row_selection import filter_rows, place_of_path
from codemap.tools.tool import World
from codemap.tools.view import map_incomplete, map_warnings


def answer_of_node(world: World, snapshot: Snapshot, params: Params, past: Past, node: int) -> Answer:
    history = past.history
    file, _ = snapshot.row_of(node)
    commits, is_open = of_node(past, snapshot, node)
    is_compact = params.rows == "compact"
    data: Payload = {"of": short_id(snapshot, node), "head": history.head[:SHORT_ID]}
    warnings = [*map_warnings(world, snapshot), *say_missing(past, is_open=is_open)]
    is_new = past.touch_of(file.path) < 0 and past.uncommitted.get(file.path, ()) is None
    if is_new:
        warnings.append(f"{file.path} is in no commit: it is new, ignored, or of a submodule.")
    elif past.touch_of(file.path) < 0:
        or_out = ", or left out" if past.gaps else ""
        warnings.append(f"No commit that was read changed {file.path}: it is older than these{or_out}.")
    elif past.uncommitted.get(file.path, ()):
        warnings.append(f"{file.path} has changes that are not committed: they are in no commit here.")
    if commits:
        data["last"], data["first"] = date_of(history, commits[0]), date_of(history, commits[-1])
        churn = churn_of(past, snapshot, node)
        data["churn"] = {"commits": len(commits), "percentile": churn.percentile, "among": churn.among}
        data["fixes"] = sum(bool(history.flags[one] & Flag.FIX) for one in commits)
        data["reverted"] = sum(one in history.reverted_by for one in commits)
        authors = author_views(history, commits)
        data["authors"] = [author_text(one) for one in authors] if is_compact else list(authors)
        found = companions(past, snapshot, commits, {node}, [file.path])
        if params.file_filter:
            found = list(filter_rows(found, lambda one: place_of_path(one.path), params).rows)
        if found and is_compact:
            data["changesWith"] = companion_rows(snapshot, found)
        elif found:
            data["companions"] = companion_views(snapshot, found)
        views = commit_views(history, commits)
        if is_compact:
            data["log"] = [commit_text(one) for one in views]
        else:
            data["commits"] = views
    else:
        is_known = past.touch_of(file.path) >= 0 and not past.gaps
        data["emptyBecause"] = "none" if is_known else "notIndexed"
    named = frozenset((file.path,))
    incomplete = map_incomplete(world, snapshot) or next(iter(past.gaps), "")
    return Answer(data, lists_of(is_compact=is_compact), tuple(warnings), incomplete=incomplete, rests_on=named)
