"""How map tools show nodes, and what they all say about freshness, partial maps and misses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near import MATCHES_MAX, near
from codemap.facts import Symbol
from codemap.graph.search import search
from codemap.graph.snapshot import Snapshot
from codemap.ids import BadNodeId, NodeId, file_id, parse_id
from codemap.tools.tool import World

SCORE_DIGITS = 3
NEAR_SEARCHED = 20
"""Search results that near matches are chosen from."""
NAMED_MAX = 3
"""Stale files that a warning names."""


def node_view(world: World, snapshot: Snapshot, node: int) -> dict[str, Any]:
    """The node view of the contract; members without a value are left out."""
    place = node_place(world, snapshot, node)
    score, stale = place.pop("score", None), place.pop("stale", None)
    for member, column in (("signature", Symbol.SIGNATURE), ("doc", Symbol.DOC)):
        if text := snapshot.text_of(node, column):
            place[member] = text
    if score:
        place["score"] = score
    if stale:
        place["stale"] = stale
    return place


def node_place(world: World, snapshot: Snapshot, node: int) -> dict[str, Any]:
    """The node view without signature and doc, for lists where they would crowd out other nodes."""
    view: dict[str, Any] = {
        "id": snapshot.id_of(node),
        "kind": snapshot.kind_of(node).name.lower(),
        "name": snapshot.name_of(node),
    }
    file = snapshot.file_of(node)
    if file is None:
        return view
    view["file"] = file.path
    view["line"] = snapshot.cell(node, Symbol.LINE) if node != file.base else 1
    if score := round(float(snapshot.scores[node]), SCORE_DIGITS):
        view["score"] = score
    if file.path in world.disk.stale or file.path in world.disk.deleted:
        view["stale"] = True
    return view


def stale_files(world: World) -> list[str]:
    """Every file known to differ from what was indexed."""
    return sorted(world.disk.stale | world.disk.deleted)


def map_warnings(world: World, snapshot: Snapshot) -> list[str]:
    """What every answer from this map must say: that it is partial, that files have changed."""
    warnings = []
    if snapshot.is_partial:
        progress = world.progress
        done = f" ({progress.files_done} of {progress.files_total} files)" if progress else ""
        warnings.append(
            f"The map is still being built{done}: what is not indexed yet is missing here. "
            "Repeat the call when map_status says built."
        )
    stale = stale_files(world)
    if stale:
        named = ", ".join(stale[:NAMED_MAX]) + (", …" if len(stale) > NAMED_MAX else "")
        warnings.append(
            f"{len(stale)} file(s) changed since the last index ({named}); their nodes carry stale:true. "
            "Call map_rebuild, then repeat."
        )
    return warnings


def empty_because(world: World, snapshot: Snapshot) -> str:
    """Why a list may be empty when nothing better is known."""
    if snapshot.is_partial:
        return "building"
    if not snapshot.files:
        return "notIndexed"
    return "stale" if stale_files(world) else "none"


def not_built(world: World) -> Failure:
    """MAP_NOT_BUILT, with how far the first build is."""
    progress = world.progress
    if progress is None:
        return Failure(ErrorCode.MAP_NOT_BUILT, "There is no map of this repository yet.")
    return Failure(
        ErrorCode.MAP_NOT_BUILT,
        f"The first build is running: {progress.files_done} of {progress.files_total} files are done.",
        hint="Repeat the call in a moment; map_status shows the progress.",
        extras={"filesDone": progress.files_done, "filesTotal": progress.files_total},
    )


def find_node(world: World, snapshot: Snapshot, text: str) -> int | Failure:
    """The node of an ID that a client gave, or why there is none, with near matches."""
    try:
        wanted = parse_id(text)
        node = snapshot.find(text)
    except BadNodeId as error:
        return _miss(ErrorCode.BAD_NODE_ID, f"{error}.", tuple(_ids(snapshot, _found(snapshot, text))))
    if wanted.path in world.disk.deleted:
        message = f"{wanted.path} has vanished from disk."
        others = [node for node in _found(snapshot, _name(wanted)) if not _is_in(snapshot, node, wanted.path)]
        return _miss(ErrorCode.FILE_DELETED, message, near(text, _ids(snapshot, others)).matches)
    if node is None:
        building = " The map is still being built." if snapshot.is_partial else ""
        message = f"{text} is not in the map.{building}"
        return _miss(ErrorCode.NODE_NOT_FOUND, message, near(text, _similar(snapshot, wanted)).matches)
    return node


def _miss(code: ErrorCode, message: str, matches: tuple[str, ...]) -> Failure:
    suggestion = f"Did you mean {matches[0]}?" if matches else None
    return Failure(code, message, suggestion=suggestion, recovery_options=matches[:MATCHES_MAX])


def _similar(snapshot: Snapshot, wanted: NodeId) -> list[str]:
    """IDs that a wrong one may mean, the likelier first: of the same file, then of similar names anywhere."""
    if wanted.is_external:
        return [f"{lang}:ext:{package}" for lang, package in snapshot.externals]
    found: list[str] = []
    file = snapshot.by_path.get(wanted.path)
    if file is not None:
        if not wanted.name:
            return [file_id(file.lang, file.path)]
        nodes = range(file.base + 1, file.base + file.symbol_count)
        owner = wanted.name.rpartition(".")[0]
        found += _ids(
            snapshot, sorted(nodes, key=lambda n: file.qualified_name(n - file.base).rpartition(".")[0] != owner)
        )
    return found + _ids(snapshot, _found(snapshot, _name(wanted)))


def _found(snapshot: Snapshot, name: str) -> tuple[int, ...]:
    return search(snapshot, name, frozenset(), NEAR_SEARCHED).nodes


def _name(wanted: NodeId) -> str:
    return wanted.name.rpartition(".")[2] or wanted.path.rpartition("/")[2]


def _ids(snapshot: Snapshot, nodes: Iterable[int]) -> list[str]:
    return [snapshot.id_of(node) for node in nodes]


def _is_in(snapshot: Snapshot, node: int, path: str) -> bool:
    file = snapshot.file_of(node)
    return file is not None and file.path == path
