"""Puts the line of code beside each use in compact rows: `login 31: session.refresh()`, a row for each line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec.structs import replace

from codemap.envelope.answer import Answer
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.code_lines import FILES_MAX, ask_lines, code_at
from codemap.tools.compact import GroupedRows
from codemap.tools.neighbors.asked import Payload
from codemap.tools.tool import Asking

_LISTS = frozenset(("neighbors", "unresolved", "mentionsRest"))
_THROUGH = "members"
"""Of sections whose rows are files with names."""
_PLACES = r"\d+(?::\d+)?(?:,\d+(?::\d+)?)*"
_ROW = re.compile(rf"(?P<head>(?:.* )?)(?P<places>{_PLACES})(?P<words>(?: (?!{_PLACES}(?: |$))\S+)*)")
"""A row: the last numbers in it are the lines of the uses, or of the definition where it has no other."""
_USED, _VIA = " used ", " via "
_OF_FILE = re.compile(rf"(?:{_PLACES} )?use[sd]:? \D")
"""A row of a folder's answer: a file, and some names."""


def ask_code(snapshot: Snapshot, found: Answer) -> Asking[Answer]:
    """The answer with the code of its rows; as it was in files that differ on disk from what the map was made from."""
    data = cast("Payload", found.data)
    own = str(data["node"]).partition(":")[2].partition("#")[0]
    paths = dict.fromkeys(path for rows in _rows_of(data) for path in (own, *rows) if path in snapshot.by_path)
    lines = yield from ask_lines(snapshot, paths)
    shown = dict(found.data)
    for name in shown.keys() & _LISTS:
        shown[name] = [_show_section(view, lines, own) for view in shown[name]]
    warnings = found.warnings
    if len(paths) > FILES_MAX:
        warnings = (*warnings, f"code: of the first {FILES_MAX} files; pass fileFilter for others.")
    return replace(found, data=shown, warnings=warnings)


def _rows_of(data: Payload) -> Iterator[GroupedRows]:
    for name in _LISTS:
        for view in cast("Sequence[Mapping[str, object]]", data.get(name, ())):
            if "rows" in view and view.get("through") != _THROUGH:
                yield cast("GroupedRows", view["rows"])


def _show_section(view: Mapping[str, object], lines: Mapping[str, Sequence[str]], own: str) -> Mapping[str, object]:
    if "rows" not in view or view.get("through") == _THROUGH:
        return view
    return {**view, "rows": _show_rows(cast("GroupedRows", view["rows"]), lines, own)}


def _show_rows(rows: GroupedRows, lines: Mapping[str, Sequence[str]], own: str) -> GroupedRows:
    """`own` is the file of the node, which has the uses of what it uses."""
    return {
        path: [text for row in some for text in _show_row(row, lines.get(path), lines.get(own))]
        for path, some in rows.items()
    }


def _show_row(row: str, lines: Sequence[str] | None, own: Sequence[str] | None) -> Iterator[str]:
    found = _ROW.fullmatch(row)
    if found is not None and found["head"].endswith(_USED):
        lines = None if _VIA in found["words"] else own  # the uses of another definition are in its file
    if found is None or lines is None or _OF_FILE.match(row):
        yield row
        return
    for place in found["places"].split(","):
        number = int(place.partition(":")[0])
        code = code_at(lines, number)
        yield f"{found['head']}{place}{found['words']}" + (f": {code}" if code else "")
