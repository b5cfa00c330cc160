"""Finds the node that a client asks about, or says why there is none, with what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import MATCHES_MAX, near
from codemap.facts import Symbol
from codemap.graph.index.inheritance import inherited_member
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.search import search
from codemap.ids import BadNodeId, NodeId, external_id, parse_id
from codemap.tools.names.id_lookup import corrected_id, long_ids, say_where
from codemap.tools.names.namesakes import are_overloads
from codemap.tools.tool import World

NEAR_SEARCHED = 20
"""Search results that near matches are chosen from."""
MEANT_MAX = 12
"""Of so many nodes that one name may mean the IDs are listed."""
SIMILAR_MAX = 200
"""IDs that near matches are chosen from."""
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
"""What a definition may be called, qualified or not."""


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
    """The ID that a text is, or means: see `codemap.tools.names`. The first of overloads stands for all."""
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
