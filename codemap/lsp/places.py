"""Converts results of a server to codemap's positions, with the texts on disk.

What lies outside the repository keeps the columns of the server: nothing there is read. Places, symbols and functions
that a server names twice are kept once.

A definition that is an import of the file that was asked about is what servers answer where they cannot follow it
(measured); it stays, since only the facts of the file distinguish it from a definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, assert_never

import msgspec

from codemap.live_queries import (
    At,
    CallItem,
    CallLink,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Diagnostic,
    Diagnostics,
    Edit,
    Hover,
    Implementations,
    Named,
    Outline,
    Place,
    References,
    Rename,
    RenameRange,
    Renaming,
    WorkspaceSymbols,
)
from codemap.lsp.positions import Encoding, Lines, from_server
from codemap.lsp.results import Unplaced
from codemap.lsp.uris import to_relative

T = TypeVar("T")


def files_of(result: Unplaced) -> frozenset[str]:
    """The files inside the repository whose texts `place` needs, relative to it."""
    paths = {place.file for place in _places(result)}
    return frozenset(file for path in paths if (file := to_relative(path, result.repository)) != path)


def place(result: Unplaced, texts: Mapping[str, Lines]) -> Any:
    """The value of the type that the question names, duplicates removed, in the server's order.

    `texts` are the contents on disk of `files_of(result)`; columns of a file that is missing there stay as the server
    counts them.
    """
    put = _Placer(result.repository, result.encoding, texts)
    match result.question:
        case Definition() | References() | Implementations() | RenameRange():
            return _once(map(put.place, result.value))
        case Hover():
            return result.value
        case CallRoots():
            return _once(map(put.item, result.value))
        case CallsTo() | CallsFrom():
            return put.links(result.value)
        case Outline() | WorkspaceSymbols():
            return _once(map(put.named, result.value))
        case Diagnostics():
            return _once(map(put.diagnostic, result.value))
        case Rename():
            renaming: Renaming = result.value
            return msgspec.structs.replace(renaming, edits=_once(map(put.edit, renaming.edits)))
    assert_never(result.question)


def covers(found: Place, at: At) -> bool:
    """Whether a position lies in a place; the position right behind a name belongs to it."""
    start, end = (found.line, found.col), (found.end_line, found.end_col)
    return found.file == at.file and start <= (at.line, at.col) <= end


class _Placer(msgspec.Struct, frozen=True):
    """What all places of one result have in common."""

    repository: str
    encoding: Encoding
    texts: Mapping[str, Lines]

    def place(self, raw: Place) -> Place:
        file = to_relative(raw.file, self.repository)
        if file == raw.file:
            return msgspec.structs.replace(raw, is_external=True)
        lines = self.texts.get(file)
        if lines is None:
            return msgspec.structs.replace(raw, file=file)
        first = lines.line(raw.line)
        last = first if raw.end_line == raw.line else lines.line(raw.end_line)
        return Place(
            file,
            raw.line,
            from_server(first, raw.col - 1, self.encoding),
            raw.end_line,
            from_server(last, raw.end_col - 1, self.encoding),
            first.strip(),
        )

    def diagnostic(self, raw: Diagnostic) -> Diagnostic:
        return msgspec.structs.replace(raw, place=self.place(raw.place))

    def edit(self, raw: Edit) -> Edit:
        return msgspec.structs.replace(raw, place=self.place(raw.place))

    def item(self, raw: CallItem) -> CallItem:
        return msgspec.structs.replace(raw, place=self.place(raw.place))

    def links(self, raw: Iterable[CallLink]) -> tuple[CallLink, ...]:
        """A function that comes several times is one link with all its sites."""
        sites: dict[tuple[str, Place], list[Place]] = {}
        items: dict[tuple[str, Place], CallItem] = {}
        for link in raw:
            item = self.item(link.item)
            key = (item.name, item.place)
            items.setdefault(key, item)
            sites.setdefault(key, []).extend(map(self.place, link.sites))
        return tuple(CallLink(item, _once(sites[key])) for key, item in items.items())

    def named(self, raw: Named) -> Named:
        whole = self.place(raw.whole)
        found = self.place(raw.place) if raw.place != raw.whole else self.name_in(whole, raw.name)
        children = _once(map(self.named, raw.children))
        return msgspec.structs.replace(raw, place=found, whole=whole, children=children)

    def name_in(self, whole: Place, name: str) -> Place:
        """The name of a definition of which the server gives only the whole: the only word on its first line that is
        this name; the whole where that is not so.
        """
        if whole.is_external or whole.file not in self.texts:
            return whole
        line = self.texts[whole.file].line(whole.line)
        found = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", line)]
        if len(found) != 1:
            return whole
        start, end = (from_server(line, character, Encoding.UTF_32) for character in found[0])
        return msgspec.structs.replace(whole, col=start, end_line=whole.line, end_col=end)


def _once(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))


def _places(result: Unplaced) -> Iterator[Place]:
    match result.question:
        case Definition() | References() | Implementations() | RenameRange():
            yield from result.value
        case Diagnostics():
            yield from (found.place for found in result.value)
        case Rename():
            yield from (edit.place for edit in result.value.edits)
        case Hover():
            return
        case CallRoots():
            yield from (item.place for item in result.value)
        case CallsTo() | CallsFrom():
            for link in result.value:
                yield link.item.place
                yield from link.sites
        case Outline() | WorkspaceSymbols():
            # All of a document's symbols lie in one file.
            yield from (named.place for named in result.value)
        case _:
            assert_never(result.question)
