"""Asks for the texts of files as they are on disk, each once, and for where the parts of their definitions are."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import language_of
from codemap.live_queries import Found, Source, SourceNow, Syntax
from codemap.syntax import FileSyntax
from codemap.tools.code.excerpts import Text
from codemap.tools.places.current_file import parsed_file
from codemap.tools.tool import Asking

UTF8, LATIN1 = "utf-8", "latin-1"
_UTF8_NAMES = frozenset((UTF8, "utf8", "utf-8-unix", "utf-8-dos"))
_NAMED = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
"""A comment on one of the first two lines (PEP 263; Ruby's magic comment is the same)."""


class FileText(msgspec.Struct, frozen=True):
    """A file whose code is shown."""

    path: str
    text: Text
    digest: bytes
    parsed: IndexedFile
    """Of this content."""


def file_text(path: str, source: SourceNow) -> FileText | None:
    """None where the content cannot be parsed."""
    parsed = parsed_file(path, source)
    if parsed is None:
        return None
    key = file_text, path
    if key not in source.derived:
        text, encoding = decoded(path, source.content)
        source.derived[key] = FileText(path, Text(text, encoding), source.digest, parsed)
    found: FileText = source.derived[key]
    return found


def ask_texts(paths: Iterable[str]) -> Asking[dict[str, FileText]]:
    """Asks for the texts of files, those that can be read and parsed now."""
    wanted = tuple(dict.fromkeys(paths))
    facts = (yield tuple(Source(path) for path in wanted)) if wanted else ()
    found: dict[str, FileText] = {}
    for path, fact in zip(wanted, facts, strict=True):
        if isinstance(fact, Found) and isinstance(fact.value, SourceNow):
            one = file_text(path, fact.value)
            if one is not None:
                found[path] = one
    return found


def ask_definitions(snapshot: Snapshot, nodes: Iterable[int]) -> Asking[list[tuple[FileText, int]]]:
    """The definitions as they are on disk now, in order, as (file, row); files and what is gone are left out."""
    places = [(file, row) for file, row in map(snapshot.row_of, nodes) if row]
    texts = yield from ask_texts(file.path for file, _ in places)
    found: list[tuple[FileText, int]] = []
    for file, row in places:
        text = texts.get(file.path)
        now = None if text is None else file.row_in(text.parsed, row)
        if text is not None and now is not None:
            found.append((text, now))
    return found


def ask_syntax(
    files: Iterable[FileText], borders_of: Iterable[tuple[FileText, int]] = ()
) -> Asking[dict[str, FileSyntax]]:
    """By path, with where the statements begin of some definitions in them, given as (file, row); files that changed
    since they were read are left out."""
    wanted = {file.path: file for file in files}
    rows: dict[str, set[int]] = {}
    for file, row in borders_of:
        rows.setdefault(file.path, set()).add(row)
    asked = tuple(Syntax(path, tuple(sorted(rows.get(path, ())))) for path in wanted)
    facts = (yield asked) if wanted else ()
    return {
        file.path: fact.value
        for file, fact in zip(wanted.values(), facts, strict=True)
        if isinstance(fact, Found) and isinstance(fact.value, FileSyntax) and fact.value.digest == file.digest
    }


def decoded(path: str, content: bytes) -> tuple[str, str]:
    """The text of a content and its encoding: the one that it names, where the language has such a comment; UTF-8; or,
    for what is neither, Latin-1, in which each byte is a character."""
    language = language_of(path)
    named = _NAMED.match(content) if language is not None and language.names_encoding else None
    for encoding in (*((named[1].decode(),) if named else ()), UTF8):
        try:
            return content.decode(encoding), UTF8 if encoding.lower().replace("_", "-") in _UTF8_NAMES else encoding
        except (LookupError, ValueError):
            continue
    return content.decode(LATIN1), LATIN1
