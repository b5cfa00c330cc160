"""Diagnostics as answers show them.

    {"app/store.py": ["Store.get 12:9 error unresolved-attribute: Type `Key` has no attribute `name`"]}

A row begins with the definition that the place is in; nothing for the top of a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Diagnostic
from codemap.tools.compact import GroupedRows, Row, cut, group_by_file
from codemap.tools.nav.compact import name_of
from codemap.tools.nav.diagnostics.params import DiagnosticView

MESSAGE_MAX_CHARS = 240


def compact_rows(found: Sequence[Diagnostic], files: Mapping[str, IndexedFile]) -> GroupedRows:
    """A row for all places in one definition that the same is said of."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for one, owner in zip(found, _owners(found, files), strict=True):
        name = name_of(files[one.place.file], owner) if owner else ""
        code = f"{one.code}: " if one.code else ""
        said = f"{one.severity.value} {code}{message_of(one)}"
        places.setdefault((one.place.file, name, said), []).append(f"{one.place.line}:{one.place.col}")
    return group_by_file(Row(file, name, at, [said]) for (file, name, said), at in places.items())


def full_rows(found: Sequence[Diagnostic], files: Mapping[str, IndexedFile]) -> list[DiagnosticView]:
    shown: list[DiagnosticView] = []
    for one, owner in zip(found, _owners(found, files), strict=True):
        place = one.place
        view: DiagnosticView = {"file": place.file, "line": place.line, "col": place.col}
        if (place.end_line, place.end_col) > (place.line, place.col):
            view["endLine"], view["endCol"] = place.end_line, place.end_col
        view["severity"] = one.severity.value
        if one.code:
            view["code"] = one.code
        view["message"] = message_of(one)
        if place.file in files:
            view["id"] = files[place.file].id_of(owner)
        shown.append(view)
    return shown


_ASIDE = re.compile(r"\n\s*(?:info|help|note): ")


def message_of(one: Diagnostic) -> str:
    """On one line, cut, without what a server adds below it about how it searched and how to silence it."""
    text = " ".join(_ASIDE.split(one.message)[0].split())
    return cut(text, MESSAGE_MAX_CHARS)


def _owners(found: Sequence[Diagnostic], files: Mapping[str, IndexedFile]) -> list[int]:
    """The row of the innermost definition around each; 0 for the file."""
    lines: dict[str, list[int]] = {}
    for one in found:
        lines.setdefault(one.place.file, []).append(one.place.line)
    owners = {path: files[path].innermost_rows(at) for path, at in lines.items() if path in files}
    return [owners.get(one.place.file, {}).get(one.place.line, 0) for one in found]
