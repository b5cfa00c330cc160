"""Puts beside compact rows the lines of code that they name, from the files as they are on disk."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from codemap.envelope.answer import Answer
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Found, Source
from codemap.tools.compact import GroupedRows, cut
from codemap.tools.tool import Asking

FILES_MAX = 60
"""Files that are read."""
CHARS_MAX = 120
"""Of a line of code that are shown."""
LINES_MAX = 4
"""Lines of one use that are shown as one."""
_OPEN, _CLOSING = ("(", "["), (")", "]")
_THROUGH = "members"
"""Of sections whose rows are files with names."""
_LOW = "low"
"""The likelihood of uses that are seldom read."""
_ALIKE = "overrides"
"""The edge of sections whose rows are declared like what was asked about, which says all of their code."""
_PLACES = r"\d+(?::\d+)?(?:,\d+(?::\d+)?)*"
_ROW = re.compile(rf"(?P<head>(?:.* )?)(?P<places>{_PLACES})(?P<words>(?: (?!{_PLACES}(?: |$))\S+)*)")
"""A row: the last numbers in it are the lines of the uses, or of the definition where it has no other."""
_USED, _VIA = " used ", " via "
_OF_FILE = re.compile(rf"(?:{_PLACES} )?use[sd]:? \D")
"""A row of a folder's answer: a file, and some names."""


def ask_lines(snapshot: Snapshot, paths: Iterable[str]) -> Asking[Mapping[str, Sequence[str]]]:
    """The lines of the first files; without those that differ on disk from what the map was made from."""
    chosen = [path for path in paths if path in snapshot.by_path][:FILES_MAX]
    facts = (yield tuple(map(Source, chosen))) if chosen else ()
    return {
        path: fact.value.lines
        for path, fact in zip(chosen, facts, strict=True)
        if isinstance(fact, Found) and fact.value.digest == snapshot.by_path[path].stamp.digest
    }


def code_at(lines: Sequence[str], number: int) -> str:
    """A line by its number from 1, with the next ones where it begins a list of arguments and does not end it."""
    code = ""
    for line in lines[number - 1 : number - 1 + LINES_MAX]:
        code += (" " if code.endswith(",") else "") + " ".join(line.split())
        if not code.endswith(_OPEN) and not (code.endswith(",") and _is_open(code)):
            break
    return cut(code, CHARS_MAX)


def _is_open(code: str) -> bool:
    """Whether more brackets open than close, in texts too."""
    return sum(map(code.count, _OPEN)) > sum(map(code.count, _CLOSING))


def ask_code(
    snapshot: Snapshot, found: Answer, lists: Collection[str], own: str = "", bare: Collection[str] = ()
) -> Asking[Answer]:
    """The answer with the code of the compact rows in some of its lists, a row for each line: `login 31: close(store)`;
    as it was in files that differ on disk from what the map was made from. `own` is the file that has the uses of rows
    which say where something is `used`; edges that are `bare` get no code, nor do the few rows of tests. Uses of low
    likelihood that are in one function get the code of the first."""

    def has_code(view: Mapping[str, Any]) -> bool:
        return _has_code(view) and view.get("edge") not in bare

    sections = [view for name in lists for view in found.data.get(name, ()) if has_code(view)]
    paths = dict.fromkeys(path for view in sections for path in (own, *view["rows"]) if path in snapshot.by_path)
    lines = yield from ask_lines(snapshot, paths)
    shown = dict(found.data)
    for name in shown.keys() & lists:
        shown[name] = [
            {**view, "rows": _show_rows(view["rows"], lines, own, is_brief=view.get("likelihood") == _LOW)}
            if has_code(view)
            else view
            for view in shown[name]
        ]
    warnings = found.warnings
    if len(paths) > FILES_MAX:
        warnings = (*warnings, f"code: of the first {FILES_MAX} files; pass fileFilter for others.")
    return replace(found, data=shown, warnings=warnings)


def _has_code(view: Mapping[str, Any]) -> bool:
    return "rows" in view and "role" not in view and view.get("through") != _THROUGH and view.get("edge") != _ALIKE


def _show_rows(rows: GroupedRows, lines: Mapping[str, Sequence[str]], own: str, *, is_brief: bool) -> GroupedRows:
    """`own` is the file of the node, which has the uses of what it uses."""
    return {
        path: [text for row in some for text in _show_row(row, lines.get(path), lines.get(own), is_brief=is_brief)]
        for path, some in rows.items()
    }


def _show_row(row: str, lines: Sequence[str] | None, own: Sequence[str] | None, *, is_brief: bool) -> Iterator[str]:
    found = _ROW.fullmatch(row)
    if found is not None and found["head"].endswith(_USED):
        lines = None if _VIA in found["words"] else own  # the uses of another definition are in its file
    if found is None or lines is None or _OF_FILE.match(row):
        yield row
        return
    for place in [found["places"]] if is_brief else found["places"].split(","):
        number = int(re.split("[:,]", place)[0])
        code = code_at(lines, number)
        yield f"{found['head']}{place}{found['words']}" + (f": {code}" if code else "")
