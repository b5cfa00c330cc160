"""The files that the edits of a rename touch, before and after; and the edits as answers show them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from codemap.live_queries import Edit, Found, Source, SourceNow
from codemap.tools.compact import Row, group_by_file
from codemap.tools.nav.rename.params import EditView
from codemap.tools.places.texts import replaced, spans_of
from codemap.tools.tool import Asking


class Changed(msgspec.Struct, frozen=True):
    """The files that the edits touch, before and after."""

    before: dict[str, str]
    after: dict[str, str]
    digests: dict[str, bytes]
    unusual: tuple[str, ...]
    """Files whose edits are not as a rename's, or that are no UTF-8."""


def read_changed(name: str, new_name: str, edits: Sequence[Edit]) -> Asking[Changed]:
    """The texts before and after."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.place.file, []).append(edit)
    facts = yield tuple(map(Source, by_file))
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    digests: dict[str, bytes] = {}
    unusual: list[str] = []
    for (path, some), fact in zip(by_file.items(), facts, strict=True):
        text = None
        if isinstance(fact, Found) and isinstance(fact.value, SourceNow):
            text = _decoded(fact.value.content)
            digests[path] = fact.value.digest
        spans = None if text is None else spans_of(text, some)
        if text is None or spans is None or any(edit.needs_confirmation for edit in some):
            unusual.append(path)
            continue
        before[path], after[path] = text, replaced(text, spans)
        if not all(text[span.start : span.end] in (name, "") and new_name in span.text for span in spans):
            unusual.append(path)
    return Changed(before, after, digests, tuple(unusual))


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def compact_edits(edits: Sequence[Edit], new_name: str) -> dict[str, list[str]]:
    """`line:col` where the name there is replaced by the new one, which is all where nothing else is said."""
    rows: dict[tuple[str, str], list[str]] = {}
    for edit in edits:
        place = edit.place
        is_plain = edit.text == new_name and place.line == place.end_line
        words = "" if is_plain else f"to {place.end_line}:{place.end_col} {edit.text!r}"
        rows.setdefault((place.file, words), []).append(f"{place.line}:{place.col}")
    return group_by_file(Row(file, "", at, [words] if words else ()) for (file, words), at in rows.items())


def edit_view(edit: Edit) -> EditView:
    place = edit.place
    return {
        "file": place.file,
        "line": place.line,
        "col": place.col,
        "endLine": place.end_line,
        "endCol": place.end_col,
        "text": edit.text,
    }
