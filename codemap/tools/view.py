"""Shows nodes in the replies of map tools, with the warnings and errors that these share."""

from __future__ import annotations

from typing import Annotated, TypedDict

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.facts import Symbol, SymbolKind
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.tools.outputs import one_of
from codemap.tools.tool import World

SCORE_DIGITS = 3
RETRIED = "It is tried again by itself, and at once by map_rebuild; the log on stderr says what failed."
NAMED_MAX = 3
"""Stale files that a warning names."""
KIND_NAMES = tuple(kind.name.lower() for kind in SymbolKind)
EDGE_NAMES = tuple(kind.name.lower() for kind in EdgeKind)
CONFIDENCE_NAMES = tuple(level.name.lower() for level in Confidence)
LIKELIHOOD_NAMES = tuple(level.name.lower() for level in Likelihood)
KindName = Annotated[str, one_of(KIND_NAMES)]
EdgeName = Annotated[str, one_of(EDGE_NAMES)]
SideName = Annotated[str, one_of(("in", "out"))]
ConfidenceName = Annotated[str, one_of(CONFIDENCE_NAMES)]
LikelihoodName = Annotated[str, one_of(LIKELIHOOD_NAMES)]
EmptyBecause = Annotated[
    str, one_of(("none", "unresolved", "notIndexed", "stale", "building", "serverNotReady", "filtered"))
]


class Site(TypedDict, total=False):
    line: int
    col: int


class NodeView(TypedDict, total=False):
    """The node view of the contract; members without a value are left out."""

    id: str
    kind: KindName
    name: str
    file: str
    line: int
    signature: str
    doc: str
    cluster: str
    score: float
    stale: bool


def node_view(world: World, snapshot: Snapshot, node: int) -> NodeView:
    """The whole view."""
    if snapshot.is_external(node):
        return _show_external(snapshot, node)
    return _show_whole(world, snapshot, node, *snapshot.row_of(node))


def clustered_view(world: World, snapshot: Snapshot, node: int) -> NodeView:
    """The whole view and the cluster of the node's file."""
    if snapshot.is_external(node):
        return _show_external(snapshot, node)
    file, row = snapshot.row_of(node)
    view = _show_whole(world, snapshot, node, file, row)
    view["cluster"] = snapshot.cluster_of(file)
    return view


def node_place(world: World, snapshot: Snapshot, node: int) -> NodeView:
    """The node view without signature and doc, for lists where they would crowd out other nodes."""
    if snapshot.is_external(node):
        return _show_external(snapshot, node)
    return _add_state(world, snapshot, node, _show_definition(*snapshot.row_of(node)))


def signed_place(world: World, snapshot: Snapshot, node: int) -> NodeView:
    """The node view without doc; the signature is its last member, and so the first to be dropped for want of room."""
    if snapshot.is_external(node):
        return _show_external(snapshot, node)
    file, row = snapshot.row_of(node)
    view = _add_state(world, snapshot, node, _show_definition(file, row))
    if text := file.text_of(row, Symbol.SIGNATURE):
        view["signature"] = text
    return view


def _show_external(snapshot: Snapshot, node: int) -> NodeView:
    return {"id": snapshot.id_of(node), "kind": KIND_NAMES[snapshot.kind_of(node)], "name": snapshot.name_of(node)}


def _show_whole(world: World, snapshot: Snapshot, node: int, file: IndexedFile, row: int) -> NodeView:
    view = _show_definition(file, row)
    if signature := file.text_of(row, Symbol.SIGNATURE):
        view["signature"] = signature
    if doc := file.text_of(row, Symbol.DOC):
        view["doc"] = doc
    return _add_state(world, snapshot, node, view)


def _show_definition(file: IndexedFile, row: int) -> NodeView:
    cells = file.cells(row)
    return {
        "id": file.id_of(row),
        "kind": KIND_NAMES[cells[Symbol.KIND]],
        "name": file.name_of(row) if row else file.path.rpartition("/")[2],
        "file": file.path,
        "line": cells[Symbol.LINE] if row else 1,
    }


def _add_state(world: World, snapshot: Snapshot, node: int, view: NodeView) -> NodeView:
    """The view with the node's score, and whether its file has changed since it was indexed."""
    if score := round(float(snapshot.scores[node]), SCORE_DIGITS):
        view["score"] = score
    if world.disk.differs(view["file"]):
        view["stale"] = True
    return view


def stale_files(world: World) -> list[str]:
    """Every file known to differ from what was indexed."""
    return list(world.disk.differing)


def map_warnings(world: World, snapshot: Snapshot) -> list[str]:
    """The warnings of every answer from this map: that it is partial, that files have changed."""
    warnings = []
    if snapshot.is_partial:
        warnings.append(f"{map_incomplete(world, snapshot)} Repeat the call when map_status says built.")
    if world.behind:
        warnings.append(
            f"The map is not kept up to date: {world.behind}. What changed since is missing here; it is tried again "
            "by itself, and at once by map_rebuild."
        )
    stale = stale_files(world)
    if stale:
        named = ", ".join(stale[:NAMED_MAX]) + (", …" if len(stale) > NAMED_MAX else "")
        warnings.append(
            f"{len(stale)} file(s) changed since the last index ({named}); their nodes carry stale:true. "
            "Call map_rebuild, then repeat."
        )
    warnings += world.warnings
    return warnings


def map_incomplete(world: World, snapshot: Snapshot) -> str:
    """Why an answer from this map may lack something; empty where the map is whole."""
    if not snapshot.is_partial:
        return ""
    progress = world.progress
    done = f" ({progress.words})" if progress else ""
    return f"The map is still being built{done}: what is not indexed yet is missing here, and edges come last."


def empty_because(world: World, snapshot: Snapshot, hidden: int = 0) -> str:
    """Why a list may be empty when nothing better is known. `hidden` are rows that are there, but for a filter."""
    if snapshot.is_partial or hidden:
        return "building" if snapshot.is_partial else "filtered"
    if world.behind or stale_files(world):
        return "stale"
    return "none" if snapshot.files else "notIndexed"


def not_built(world: World) -> Failure:
    """MAP_NOT_BUILT, with how far the first build is."""
    progress = world.progress
    if world.behind:
        return Failure(ErrorCode.MAP_NOT_BUILT, f"There is no map for now: {world.behind}.", hint=RETRIED)
    if progress is None:
        return Failure(ErrorCode.MAP_NOT_BUILT, "There is no map of this repository yet.")
    return Failure(
        ErrorCode.MAP_NOT_BUILT,
        f"The first build is running: {progress.words}.",
        hint="Repeat the call in a moment; map_status shows the progress.",
        extras={"filesDone": progress.files_done, "filesTotal": progress.files_total},
    )
