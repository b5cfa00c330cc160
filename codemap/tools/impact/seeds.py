"""The definitions that `map_impact` is asked about: by IDs and names, or all of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import near
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import has_overloads
from codemap.ids import has_ordinal
from codemap.tools.names.namesakes import few_namesakes
from codemap.tools.node_lookup import find_node, refuse
from codemap.tools.tool import World, is_plain_path


def seeds_of_ids(world: World, snapshot: Snapshot, ids: tuple[str, ...]) -> list[int] | Failure:
    """What some IDs and names mean; of a file all that is defined in it, too."""
    found: dict[int, None] = {}
    for place, text in enumerate(ids):
        node = find_node(world, snapshot, text)
        if not isinstance(node, Failure):
            found |= dict.fromkeys(_list_definitions(snapshot, node))
        elif several := _find_several(world, snapshot, text):
            found |= dict.fromkeys(several)
        else:
            return _of_argument(f"nodeIds[{place}]", node)
    return list(found)


def find_file(world: World, snapshot: Snapshot, ids: tuple[str, ...]) -> str:
    """The path of the file that the only ID means; empty where it means something else."""
    node = find_node(world, snapshot, ids[0]) if len(ids) == 1 else None
    return snapshot.row_of(node)[0].path if isinstance(node, int) and snapshot.is_file(node) else ""


def without_members(snapshot: Snapshot, seeds: Sequence[int]) -> list[int]:
    """Those that are in none of the files among them."""
    whole = {node for node in seeds if snapshot.is_file(node)}
    files = {node: node if snapshot.is_external(node) else snapshot.row_of(node)[0].base for node in seeds}
    return [node for node, file in files.items() if node in whole or file not in whole]


def _list_definitions(snapshot: Snapshot, node: int) -> Iterable[int]:
    if not snapshot.is_file(node):
        return (node,)
    file = snapshot.row_of(node)[0]
    return range(file.base, file.base + file.symbol_count)


def _find_several(world: World, snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The few definitions that a name may mean, which change together; none where it means one, or is an ID."""
    if isinstance(find_node(world, snapshot, text), int):
        return ()
    return few_namesakes(snapshot, text)


def say_several(world: World, snapshot: Snapshot, ids: Iterable[str]) -> Iterator[str]:
    """A sentence for each name that was taken for all that it may mean."""
    for text in ids:
        if count := len(_find_several(world, snapshot, text)):
            yield f"{text} may mean {count} nodes: what any of them may break is listed. For one pass its ID."


def _of_argument(name: str, failure: Failure) -> Failure:
    return Failure(
        failure.code,
        f"{name}: {failure.message}",
        suggestion=failure.suggestion,
        recovery_options=failure.recovery_options,
    )


def seeds_of_file(world: World, snapshot: Snapshot, path: str) -> list[int] | Failure:
    """A file and all that is defined in it."""
    if not is_plain_path(path):
        return Failure(ErrorCode.BAD_ARGS, f"file: expected a path relative to the root, got {path!r}.")
    file = snapshot.by_path.get(path)
    if path in world.disk.deleted:
        return Failure(ErrorCode.FILE_DELETED, f"file: {path} has vanished from disk.")
    if file is None:
        matches = near(path, [one.path for one in snapshot.files]).matches
        return refuse(ErrorCode.NODE_NOT_FOUND, f"file: {path} is not in the map.", matches)
    return list(_list_definitions(snapshot, file.base))


def find_alone(world: World, snapshot: Snapshot, text: str) -> Iterator[int]:
    """What a text means, where that is one of overloads: by its number, or by the ID of the first."""
    node = find_node(world, snapshot, text)
    if isinstance(node, int) and (has_ordinal(text) or ("#" in text and has_overloads(snapshot, node))):
        yield node
