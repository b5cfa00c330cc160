"""Shows who imports a file or a symbol, in compact rows: direct imports first, then those through other files.

{"edge": "imports", "through": "app/__init__.py", "rows": {"app/api.py": ["2"]}}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from codemap.graph.query.importers import Importer, importers
from codemap.tools.compact import FoldedCounts, Row, group_by_file, lines_of, most_common, row_place, short_id
from codemap.tools.neighbors.asked import Asked, Listed
from codemap.tools.neighbors.payload import NeighborView
from codemap.tools.row_selection import Folded, folded_counts, place_of, sift
from codemap.tools.view import CONFIDENCE_NAMES


def listed_importers(asked: Asked) -> Listed:
    """Lists who imports a file or what is in it, directly and through other files."""
    found = importers(asked.snapshot, asked.node, asked.params.depth)
    shown = sift(found, lambda one: place_of(asked.snapshot, one.node, len(one.sites)), asked.params, asked.role)
    sections: dict[tuple[int, int], NeighborView] = {}
    for key in dict.fromkeys((one.depth, one.through) for one in found):
        rows = [one for one in shown.rows if (one.depth, one.through) == key]
        folded = [one for one in shown.folded if (one.row.depth, one.row.through) == key]
        if rows or folded:
            sections[key] = _show_importing(asked, key, rows, folded)
    files = frozenset(file.path for file in map(asked.snapshot.file_of, (one.node for one in found)) if file)
    return Listed([sections[key] for key in sorted(sections)], not shown.rows, shown.hidden, shown.only, files=files)


def _show_importing(
    asked: Asked, key: tuple[int, int], rows: Sequence[Importer], folded: Sequence[Folded[Importer]]
) -> NeighborView:
    depth, through = key
    view: NeighborView = {"edge": "imports"}
    if depth > 1:
        view["depth"] = depth
    if through >= 0:
        view["through"] = short_id(asked.snapshot, through)
    if rows:
        view["confidence"] = most_common(CONFIDENCE_NAMES[one.confidence] for one in rows)
    via = most_common(_name_via(asked, one) for one in rows) if depth > 1 else ""
    if via:
        view["via"] = via
    if rows:
        view["rows"] = group_by_file(_show_importer(asked, one, via) for one in rows)
    if folded:
        view["folded"] = cast("FoldedCounts", folded_counts(folded))
    return view


def _name_via(asked: Asked, one: Importer) -> str:
    return short_id(asked.snapshot, one.via)


def _show_importer(asked: Asked, one: Importer, via: str) -> Row:
    file, _ = row_place(asked.snapshot, one.node)
    words = [f"via {own}"] if one.depth > 1 and (own := _name_via(asked, one)) != via else []
    words += ["stale"] if asked.is_stale(file) else []
    return Row(file, "", lines_of(one.sites, has_columns=False), words)
