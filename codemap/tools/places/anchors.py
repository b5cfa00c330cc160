"""Shows places in answers: anchors, grouped by file, with the node IDs of the definitions there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

import msgspec

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Found, Place, Source, SourceNow
from codemap.tools.compact import cut
from codemap.tools.places.current_file import parsed_file
from codemap.tools.places.rows import row_of_place, rows_by_name_place
from codemap.tools.tool import Asking, World

SNIPPET_MAX_CHARS = 160
"""A longer line is no line that anybody reads."""


class Anchor(TypedDict, total=False):
    """The anchor of the contract."""

    file: str
    line: int
    col: int
    endLine: int
    external: bool
    id: str
    snippet: str


class Definition(msgspec.Struct, frozen=True):
    """A definition that a place turned out to be."""

    file: IndexedFile
    row: int

    @property
    def id(self) -> str:
        return self.file.id_of(self.row)

    @property
    def end_line(self) -> int:
        return self.file.cell(self.row, Symbol.END_LINE)


def anchor(place: Place, definition: Definition | None = None) -> Anchor:
    """The anchor of the contract; that of a definition ends where the whole definition does."""
    shown: Anchor = {"file": place.file, "line": place.line, "col": place.col}
    end = max(place.end_line, definition.end_line if definition is not None and definition.row else 0)
    if end > place.line:
        shown["endLine"] = end
    if place.is_external:
        shown["external"] = True
    if definition is not None:
        shown["id"] = definition.id
    if place.snippet:
        shown["snippet"] = clip(place.snippet)
    return shown


def clip(snippet: str) -> str:
    return cut(snippet, SNIPPET_MAX_CHARS)


def by_worth(world: World, places: Iterable[Place], own: str) -> list[Place]:
    """The places in the target's own file, then those in each other file, central ones first, then those outside."""
    snapshot = world.snapshot

    def worth(place: Place) -> tuple[bool, bool, float, str, int, int]:
        file = None if snapshot is None else snapshot.by_path.get(place.file)
        score = 0.0 if file is None or snapshot is None else float(snapshot.scores[file.base])
        return place.is_external, place.file != own, -score, place.file, place.line, place.col

    return sorted(places, key=worth)


def definitions_at(
    world: World, places: Sequence[Place], held: Mapping[str, IndexedFile] = {}
) -> Asking[list[Definition | None]]:
    """For each place the definition that it is, where it is one in a file of the map.

    A file that differs from the map is parsed as it is now. `held` are files that were parsed already.
    """
    files = yield from files_now(world, (place.file for place in places if not place.is_external), held)
    names = {path: rows_by_name_place(file) for path, file in files.items()}
    found: list[Definition | None] = []
    for place in places:
        file = None if place.is_external else files.get(place.file)
        row = None if file is None else row_of_place(file, names[place.file], place)
        found.append(None if file is None or row is None else Definition(file, row))
    return found


def without_ids(world: World, places: Iterable[Place]) -> tuple[str, ...]:
    """Warns where definitions lack IDs only because their files are not in the map yet."""
    snapshot = world.snapshot
    if snapshot is not None and not snapshot.is_partial:
        return ()
    if all(place.is_external or (snapshot is not None and place.file in snapshot.by_path) for place in places):
        return ()
    return ("The map is still being built: definitions in files that it has not yet are shown without an id.",)


def files_now(
    world: World, paths: Iterable[str], held: Mapping[str, IndexedFile] = {}
) -> Asking[dict[str, IndexedFile]]:
    """The definitions of those files that the map knows, as the files are now."""
    snapshot = world.snapshot
    if snapshot is None:
        return {}
    known = [path for path in dict.fromkeys(paths) if path in snapshot.by_path]
    changed = [path for path in known if path in world.disk.stale and path not in held]
    facts = (yield tuple(Source(path) for path in changed)) if changed else ()
    files = dict(held)
    for path, fact in zip(changed, facts, strict=True):
        source = fact.value if isinstance(fact, Found) else None
        parsed = parsed_file(path, source) if isinstance(source, SourceNow) else None
        if parsed is not None:
            files[path] = parsed
    gone = world.disk.stale | world.disk.deleted
    return {path: files.get(path) or snapshot.by_path[path] for path in known if path in files or path not in gone}
