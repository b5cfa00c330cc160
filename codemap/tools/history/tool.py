"""`map_history`: the commits of a definition or file, what usually changes with it; or the hotspots of a folder."""

from __future__ import annotations

import msgspec

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import near
from codemap.graph.model.snapshot import Snapshot
from codemap.history.past import Past
from codemap.live_queries import Because, Fact, Found, PastOf
from codemap.tools.history.hotspots import answer_of_folder
from codemap.tools.history.of_node import answer_of_node
from codemap.tools.history.params import Params, Payload
from codemap.tools.node_lookup import find_node, refuse
from codemap.tools.tool import Asking, Replied, Spans, Tool, World
from codemap.tools.view import not_built

WAIT_S = 20.0
"""For a history that is being read: what is read by then is shown."""
QUESTIONS_S = 40.0
"""The rest is for what else is asked, and for laying out what was read."""


def answer(world: World, params: Params) -> Asking[Replied]:
    """Of one of the two."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    if params.node_id and params.folder:
        return Failure(ErrorCode.BAD_ARGS, "Pass nodeId or folder, not both.")
    if params.node_id and _is_folder(snapshot, params.node_id.rstrip("/")):
        params = msgspec.structs.replace(params, node_id="", folder=params.node_id)
    node = -1
    if params.node_id:
        found = find_node(world, snapshot, params.node_id)
        if isinstance(found, Failure):
            return found
        node = found
        if snapshot.is_external(node):
            return Failure(ErrorCode.BAD_ARGS, f"nodeId: {params.node_id} is outside the repository.")
    folder = params.folder.strip("/").removeprefix("./")
    if folder and folder != "." and (refused := _unknown_folder(snapshot, folder)) is not None:
        return refused
    (fact,) = yield (PastOf(WAIT_S, walks=True),)
    if not isinstance(fact, Found):
        return _failed(fact)
    past: Past = fact.value
    if node >= 0:
        return answer_of_node(world, snapshot, params, past, node)
    return (yield from answer_of_folder(world, snapshot, params, past, "" if folder == "." else folder))


def _is_folder(snapshot: Snapshot, folder: str) -> bool:
    """Whether files that are indexed lie under it."""
    return any(path.startswith(f"{folder}/") for path in snapshot.by_path)


def _unknown_folder(snapshot: Snapshot, folder: str) -> Failure | None:
    if _is_folder(snapshot, folder):
        return None
    folders = {path.rpartition("/")[0] for path in snapshot.by_path}
    matches = near(folder, sorted(folders - {""})).matches
    return refuse(ErrorCode.BAD_ARGS, f"folder: no indexed file is under {folder!r}.", matches)


def _failed(fact: Fact) -> Failure:
    assert not isinstance(fact, Found), "what was found is no failure"
    if fact.because is Because.UNAVAILABLE:
        return Failure(
            ErrorCode.BAD_ARGS, fact.message, hint="The history is that of the git repository around the root."
        )
    return Failure(ErrorCode.MAP_NOT_BUILT, fact.message, hint="Repeat the call in a moment.")


TOOL = Tool(
    name="map_history",
    command="history",
    title="History and hotspots",
    description=(
        "git's history of a node: commits that touched its lines, authors, fixes, reverts, what changes with it. "
        "Without a node: hotspots (churn × complexity)."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=QUESTIONS_S,
    spans_roots=Spans.MISSED,
)
