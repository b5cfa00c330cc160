"""Finds uses of files that a change no longer loads, where an import binds no name (`require`, `import "./x"`).

Such uses mean the same as before, and work only if something else loads the file first: each is a guess.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec

from codemap.changes.import_lines import unbound
from codemap.facts import Import, rows
from codemap.graph.model.edges import USES, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.impact.breakage.lost_meanings import NOT_IMPORTED, Lost
from codemap.impact.breakage.not_adapted import Left

FILES_MAX = 50
"""Files behind one import that are looked at, the nearest first."""
_IMPORTS = (EdgeKind.IMPORTS,)


class Unloaded(msgspec.Struct, frozen=True):
    """Uses, after the change, of something in a file that their own does not load any more."""

    user: int
    target: int
    lines: tuple[int, ...]


def find_unloaded(lost: Iterable[Lost], before: Snapshot, after: Snapshot) -> list[Unloaded]:
    """By user. Cost: for each import that went, who imports what is behind it."""
    found: dict[tuple[int, int], Unloaded] = {}
    for one in lost:
        if one.kind is not EdgeKind.IMPORTS or not before.is_file(one.target) or not _binds_nothing(before, one):
            continue
        loading = _reach(before, before.row_of(one.source)[0].path, is_up=True)
        for path in list(_reach(before, before.row_of(one.target)[0].path, is_up=False))[:FILES_MAX]:
            if path in after.by_path:
                without = loading.keys() - _reach(after, path, is_up=True).keys()
                for use in _uses_of(after, path, without):
                    found[use.user, use.target] = use
    return [found[key] for key in sorted(found)]


def left_unloaded(unloaded: Iterable[Unloaded], after: Snapshot) -> tuple[Left, ...]:
    """The same as uses that are not adapted."""
    found = []
    for one in unloaded:
        file, row = after.row_of(one.user)
        used, name = after.qualified_name_of(one.target), file.qualified_name(row)
        found.append(Left(file.path, one.lines[0], name, one.lines, used, NOT_IMPORTED, is_guess=True))
    return tuple(sorted(found))


def _binds_nothing(before: Snapshot, one: Lost) -> bool:
    facts = before.row_of(one.source)[0].facts
    cells = rows(facts.imports)
    places = (
        (cells[row * Import.WIDTH + Import.LINE], cells[row * Import.WIDTH + Import.COL]) for row in unbound(facts)
    )
    return any(place in one.sites for place in places)


def _reach(snapshot: Snapshot, path: str, *, is_up: bool) -> dict[str, None]:
    """The files that a file imports, or that import it, directly or not; itself first, then the nearest."""
    found = {path: None}
    waiting = [path]
    for one in waiting:
        node = snapshot.by_path[one].base
        edges = snapshot.edges_in(node, _IMPORTS) if is_up else snapshot.edges_out(node, _IMPORTS)
        for edge in edges:
            other = snapshot.file_of(edge.source if is_up else edge.target)
            if other is not None and other.path not in found:
                found[other.path] = None
                waiting.append(other.path)
    return found


def _uses_of(after: Snapshot, path: str, users: Collection[str]) -> Iterator[Unloaded]:
    """The uses in some files of what a file defines."""
    file = after.by_path[path]
    for row in range(1, file.symbol_count):
        for edge in after.edges_in(file.base + row, USES):
            if edge.confidence <= Confidence.IMPORT and after.row_of(edge.source)[0].path in users:
                lines = tuple(sorted({line for line, _ in after.sites(edge)}))
                yield Unloaded(edge.source, file.base + row, lines)
