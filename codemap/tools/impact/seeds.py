"""The definitions that `map_impact` is asked about: by IDs and names, or all of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import near
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import has_overloads
from codemap.ids import has_ordinal
from codemap.tools.short_ids import NAMESAKES_MAX, namesakes
from codemap.tools.tool import World, is_plain_path
from codemap.tools.view import find_node, refuse


def seeds_of_ids(world: World, snapshot: Snapshot, ids: tuple[str, ...]) -> list[int] | Failure:
    """What some IDs and names mean."""
    found: dict[int, None] = {}
    for place, text in enumerate(ids):
        node = find_node(world, snapshot, text)
        if not isinstance(node, Failure):
            found[node] = None
        elif several := _find_several(world, snapshot, text):
            found |= dict.fromkeys(several)
        else:
            return _of_argument(f"nodeIds[{place}]", node)
    return list(found)


def _find_several(world: World, snapshot: Snapshot, text: str) -> tuple[int, ...]:
    """The few definitions that a name may mean, which change together; none where it means one, or is an ID."""
    if isinstance(find_node(world, snapshot, text), int):
        return ()
    nodes = namesakes(snapshot, text)
    return nodes if len(nodes) <= NAMESAKES_MAX else ()


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
    return list(range(file.base, file.base + file.symbol_count))


def find_alone(world: World, snapshot: Snapshot, text: str) -> Iterator[int]:
    """What a text means, where that is one of overloads: by its number, or by the ID of the first."""
    node = find_node(world, snapshot, text)
    if isinstance(node, int) and (has_ordinal(text) or ("#" in text and has_overloads(snapshot, node))):
        yield node
