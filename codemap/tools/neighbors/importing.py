"""Shows who imports a file or a symbol, in compact rows: direct imports first, then those through other files.

{"edge": "imports", "through": "app/__init__.py", "rows": {"app/api.py": ["2"]}}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from codemap.file_roles import Role
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.importers import Importer, importers, is_type_only
from codemap.tools.compact import FoldedCounts, Row, group_by_file, lines_of, most_common, short_id
from codemap.tools.neighbors.asked import Asked, Listed, Params
from codemap.tools.neighbors.payload import NeighborView
from codemap.tools.row_selection import Folded, folded_counts, place_of, sift
from codemap.tools.tool import World
from codemap.tools.view import CONFIDENCE_NAMES

TYPE_ONLY = "type-only"
"""Of imports that load nothing."""


def listed_importers(asked: Asked) -> Listed:
    """Lists who imports a file or what is in it, directly and through other files."""
    found = importers(asked.snapshot, asked.node, asked.params.depth)
    return show_importers(asked.world, asked.snapshot, found, asked.params, asked.role)


def show_importers(
    world: World, snapshot: Snapshot, found: Sequence[Importer], params: Params, role: Role, *, is_alone: bool = True
) -> Listed:
    """Some importers in sections by depth and by what passes on what they import; `is_alone` as in `sift`."""
    shown = sift(found, lambda one: place_of(snapshot, one.node, len(one.sites)), params, role, is_alone=is_alone)
    sections: dict[tuple[int, int], NeighborView] = {}
    for key in dict.fromkeys((one.depth, one.through) for one in found):
        rows = [one for one in shown.rows if (one.depth, one.through) == key]
        folded = [one for one in shown.folded if (one.row.depth, one.row.through) == key]
        if rows or folded:
            sections[key] = _show_importing(world, snapshot, key, rows, folded)
    files = frozenset(file.path for file in map(snapshot.file_of, (one.node for one in found)) if file)
    return Listed([sections[key] for key in sorted(sections)], not shown.rows, shown.hidden, shown.only, files=files)


def _show_importing(
    world: World,
    snapshot: Snapshot,
    key: tuple[int, int],
    rows: Sequence[Importer],
    folded: Sequence[Folded[Importer]],
) -> NeighborView:
    depth, through = key
    view: NeighborView = {"edge": "imports"}
    if depth > 1:
        view["depth"] = depth
    if through >= 0:
        view["through"] = short_id(snapshot, through)
    if rows:
        view["confidence"] = most_common(CONFIDENCE_NAMES[one.confidence] for one in rows)
    via = most_common(short_id(snapshot, one.via) for one in rows) if depth > 1 else ""
    if via:
        view["via"] = via
    if rows:
        view["rows"] = group_by_file(_show_importer(world, snapshot, one, via) for one in rows)
    if folded:
        view["folded"] = cast("FoldedCounts", folded_counts(folded))
    return view


def _show_importer(world: World, snapshot: Snapshot, one: Importer, via: str) -> Row:
    file = snapshot.row_of(one.node)[0]
    words = [TYPE_ONLY] if is_type_only(file, one.sites) else []
    words += [f"via {own}"] if one.depth > 1 and (own := short_id(snapshot, one.via)) != via else []
    words += ["stale"] if world.disk.differs(file.path) else []
    return Row(file.path, "", lines_of(one.sites, has_columns=False), words)
