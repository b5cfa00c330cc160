"""Shows nodes in the replies of map tools, with the warnings and errors that these share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, TypedDict

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import MATCHES_MAX, near
from codemap.facts import Symbol, SymbolKind
from codemap.graph.index.inheritance import inherited_member
from codemap.graph.likelihood.likelihood import Likelihood
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.search import search
from codemap.ids import BadNodeId, NodeId, external_id, parse_id
from codemap.tools.outputs import one_of
from codemap.tools.short_ids import are_overloads, corrected_id, long_ids, say_where
from codemap.tools.tool import World

SCORE_DIGITS = 3
RETRIED = "It is tried again by itself, and at once by map_rebuild; the log on stderr says what failed."
NEAR_SEARCHED = 20
"""Search results that near matches are chosen from."""
MEANT_MAX = 12
"""Of so many nodes that one name may mean the IDs are listed."""
SIMILAR_MAX = 200
"""IDs that near matches are chosen from."""
NAMED_MAX = 3
"""Stale files that a warning names."""
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
"""What a definition may be called, qualified or not."""
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


def find_node(world: World, snapshot: Snapshot, text: str) -> int | Failure:
    """The node of an ID that a client gave, whole or short, or why there is none, with near matches."""
    whole = whole_id(snapshot, text)
    if isinstance(whole, Failure):
        return whole
    wanted, node = parse_id(whole), snapshot.find(whole)
    if wanted.path in world.disk.deleted:
        message = f"{wanted.path} has vanished from disk."
        others = [node for node in _find_named(snapshot, _name(wanted)) if not _is_in(snapshot, node, wanted.path)]
        return refuse(ErrorCode.FILE_DELETED, message, near(text, _list_ids(snapshot, others)).matches)
    if node is None and wanted.path in snapshot.by_path and "." in wanted.name:
        owner, _, member = wanted.name.rpartition(".")
        node = inherited_member(snapshot, snapshot.find(f"{whole.partition('#')[0]}#{owner}"), member)
    if node is None:
        building = say_where(wanted.path) + (" The map is still being built." if snapshot.is_partial else "")
        building += f" The map is not kept up to date: {world.behind}." if world.behind else ""
        stale = f" {wanted.path} is not indexed as it is on disk now: repeat with freshWaitMs."
        message = f"{text} is not in the map.{building}{stale if wanted.path in world.disk.stale else ''}"
        return refuse(ErrorCode.NODE_NOT_FOUND, message, near(text, _find_similar(snapshot, wanted)).matches)
    return node


def whole_id(snapshot: Snapshot, text: str) -> str | Failure:
    """The ID that a text is, or means: see `short_ids`. The first of overloads stands for all."""
    try:
        return corrected_id(snapshot, text)
    except BadNodeId as error:
        meant = long_ids(snapshot, text)
        overloads = sorted(map(parse_id, meant), key=lambda one: one.ordinal)
        if are_overloads(snapshot, overloads):
            return corrected_id(snapshot, str(overloads[0]))
        if meant:
            message = f"{text} may mean {len(meant)} nodes: pass the ID of one."
            return refuse(ErrorCode.BAD_NODE_ID, message, tuple(meant), MEANT_MAX)
        if snapshot.is_partial:
            message = f"{text} is not in the map. The map is still being built."
            return refuse(ErrorCode.NODE_NOT_FOUND, message, tuple(_list_ids(snapshot, _find_named(snapshot, text))))
        similar = tuple(_list_ids(snapshot, _find_named(snapshot, text)))
        if _NAME.fullmatch(text):
            return refuse(ErrorCode.NODE_NOT_FOUND, f"No definition is called {text}.", similar)
        return refuse(ErrorCode.BAD_NODE_ID, f"{error}.", similar)


def refuse(code: ErrorCode, message: str, matches: tuple[str, ...], most: int = MATCHES_MAX) -> Failure:
    """A failure with what may have been meant, the nearest first."""
    suggestion = f"Did you mean {matches[0]}?" if matches else None
    return Failure(code, message, suggestion=suggestion, recovery_options=matches[:most])


def _find_similar(snapshot: Snapshot, wanted: NodeId) -> list[str]:
    """IDs that a wrong one may mean, the likelier first: of similar names in the same file and the same name
    anywhere; where there are none, what a search finds."""
    if wanted.is_external:
        return [external_id(lang, package) for lang, package in snapshot.externals]
    file = snapshot.by_path.get(wanted.path)
    if not wanted.name:
        return [other.own_id for other in _find_similar_files(snapshot, wanted.path)]
    if file is None:
        return _list_ids(snapshot, _find_named(snapshot, _name(wanted)))
    likely = [node for node in _find_resembling(file, _name(wanted)) if node not in snapshot.named(_name(wanted))]
    likely += snapshot.named(_name(wanted))
    owner = wanted.name.rpartition(".")[0]
    likely.sort(key=lambda node: (not _is_in(snapshot, node, file.path), _find_owner(snapshot, node) != owner))
    return _list_ids(snapshot, likely[:SIMILAR_MAX] or _find_named(snapshot, _name(wanted)))


def _find_similar_files(snapshot: Snapshot, path: str) -> list[IndexedFile]:
    """The file itself, where only the language of the ID is wrong; those of the same base name; of the same folder."""
    if path in snapshot.by_path:
        return [snapshot.by_path[path]]
    folder, slash, base = path.rpartition("/")
    named = [file for file in snapshot.files if file.path.endswith(base) and file.path.rpartition("/")[2] == base]
    beside = [file for file in snapshot.files if file.path.startswith(f"{folder}{slash}")]
    return [*named, *(file for file in beside if "/" not in file.path[len(folder) + len(slash) :])][:SIMILAR_MAX]


def _find_resembling(file: IndexedFile, name: str) -> list[int]:
    """The definitions in a file whose names resemble one."""
    numbers = file.symbols[Symbol.WIDTH + Symbol.NAME :: Symbol.WIDTH].tolist()
    names = file.facts.names
    resembling = set(near(name, dict.fromkeys(names[number] for number in numbers)).matches)
    return [file.base + row for row, number in enumerate(numbers, 1) if names[number] in resembling]


def _find_owner(snapshot: Snapshot, node: int) -> str:
    return snapshot.qualified_name_of(node).rpartition(".")[0]


def _find_named(snapshot: Snapshot, name: str) -> tuple[int, ...]:
    return search(snapshot, name, frozenset(), NEAR_SEARCHED).nodes


def _name(wanted: NodeId) -> str:
    return wanted.name.rpartition(".")[2] or wanted.path.rpartition("/")[2]


def _list_ids(snapshot: Snapshot, nodes: Iterable[int]) -> list[str]:
    return [snapshot.id_of(node) for node in nodes]


def _is_in(snapshot: Snapshot, node: int, path: str) -> bool:
    file = snapshot.file_of(node)
    return file is not None and file.path == path
