"""Compact rows of tools that ask language servers: places by file and enclosing definition.

    {"app/api.py": ["login 31:8,40:12", "1:22 import"]}        uses: the definition around them
    {"app/store.py": ["Session.refresh 12:9 to 14"]}           definitions: where they begin and end

Rules of the file:
- A place is `line:column`, 1-based, columns in UTF-16 code units: what the same tools take.
- A row without a name is at the top of its file, or in a file that the map does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from codemap.facts import Import, rows
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Place
from codemap.tools.compact import Row
from codemap.tools.nav.target import Target, is_mapped
from codemap.tools.params import PositionParams
from codemap.tools.places.anchors import Definition, clip
from codemap.tools.tool import World


def target_text(world: World, params: PositionParams, target: Target) -> str:
    """`py:app/store.py#Session.refresh 12:9`; without an ID `refresh app/api.py:5:11`; `12:9` alone for an ID that the
    call names in full."""
    at, parsed = target.at, target.now.parsed
    place = f"{at.line}:{at.col}{' relocated' * target.is_relocated}"
    if target.row is None or parsed is None or not is_mapped(world, at.file):
        return f"{target.name} {at.file}:{place}"
    return named_at(params, parsed.id_of(target.row), place)


def named_at(params: PositionParams, node_id: str, place: str) -> str:
    """The ID before the place, unless the call names it, with its language or without."""
    return place if params.node_id in (node_id, node_id.partition(":")[2]) else f"{node_id} {place}"


def name_of(file: IndexedFile, row: int) -> str:
    """The name of a definition as its ID has it; empty for the file."""
    return file.id_of(row).partition("#")[2] if row else ""


def owners_of(files: Mapping[str, IndexedFile], places: Iterable[Place]) -> dict[tuple[str, int], int]:
    """(path, line) -> the innermost definition around it, in the files that are known."""
    lines: dict[str, list[int]] = {}
    for place in places:
        if not place.is_external and place.file in files:
            lines.setdefault(place.file, []).append(place.line)
    return {(path, line): row for path, at in lines.items() for line, row in files[path].innermost_rows(at).items()}


def use_rows(files: Mapping[str, IndexedFile], places: Sequence[Place]) -> Iterator[Row]:
    """A row for the uses in one definition; imports apart. In the order of their first uses."""
    owners = owners_of(files, places)
    imported = {path: import_lines(files[path]) for path, _ in owners}
    found: dict[tuple[str, int, bool], list[Place]] = {}
    for place in places:
        row = owners.get((place.file, place.line), 0)
        is_import = place.line in imported.get(place.file, ())
        found.setdefault((place.file, row, is_import), []).append(place)
    for (path, row, is_import), uses in found.items():
        at = [f"{place.line}:{place.col}" for place in uses]
        yield Row(path, name_of(files[path], row) if row else "", at, ["import"] * is_import)


def definition_row(place: Place, definition: Definition | None, *, has_code: bool = False) -> Row:
    """Where a definition begins and ends; with its first line where that is asked for, or where it has no name."""
    name = name_of(definition.file, definition.row) if definition is not None else ""
    whole = definition.end_line if definition is not None and definition.row else 0
    end = max(place.end_line, whole)
    words = [f"to {end}"] if end > place.line else []
    if place.snippet and (has_code or not name):
        words.append(clip(place.snippet))
    return Row(place.file, name, [f"{place.line}:{place.col}"], words)


def import_lines(file: IndexedFile) -> frozenset[int]:
    imports = rows(file.facts.imports).tolist()
    return frozenset(imports[at + Import.LINE] for at in range(0, len(imports), Import.WIDTH))
