"""Results of requests -> the value types of `codemap.live_queries`, still with the server's own positions.

Every form that the protocol allows is accepted for every request, since servers differ: one location, a list, links,
null; symbols nested or flat; hover contents as one string, marked strings or a list of them.

Source: LSP 3.17, language features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar, assert_never

import msgspec

from codemap.live_queries import (
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
    LiveQuestion,
    Named,
    Outline,
    Place,
    References,
    Rename,
    RenameRange,
    Renaming,
    Severity,
    WorkspaceSymbols,
)
from codemap.lsp import protocol_structs
from codemap.lsp.kinds import kind_of
from codemap.lsp.messages import decode
from codemap.lsp.positions import Encoding
from codemap.lsp.uris import to_absolute, to_path

T = TypeVar("T")

_NOWHERE = protocol_structs.Range(protocol_structs.Position(0, 0), protocol_structs.Position(0, 0))
"""Of a symbol whose server gives only the file."""
_SEVERITIES: Mapping[int, Severity] = MappingProxyType(dict(enumerate(Severity, 1)))


class Unplaced(msgspec.Struct, frozen=True):
    """A result whose places are as the server gave them, but counted from 1: see `codemap.lsp.places`."""

    question: LiveQuestion
    value: Any
    """Of the type that the question names; paths are absolute (or a URI where it is no file), columns are in
    `encoding`, no place is external, none has a snippet."""
    encoding: Encoding
    repository: str
    """Absolute; what paths will be relative to."""


def read_result(question: LiveQuestion, result: msgspec.Raw, repository: str) -> Any:
    """The `value` of an `Unplaced`. Raises msgspec.DecodeError where it is no answer to this question."""
    match question:
        case Definition() | References() | Implementations():
            return tuple(map(_spot, _list(result, protocol_structs.Location)))
        case Hover():
            return _markdown(_list(result, protocol_structs.Hover))
        case Outline(file=file):
            path = to_absolute(file, repository)
            return tuple(_named(symbol, path) for symbol in _list(result, protocol_structs.Symbol))
        case WorkspaceSymbols():
            return tuple(_named(symbol, "") for symbol in _list(result, protocol_structs.Symbol))
        case CallRoots():
            return tuple(map(_item, _list(result, msgspec.Raw)))
        case CallsTo():
            return tuple(map(_incoming, _list(result, protocol_structs.IncomingCall)))
        case CallsFrom(item=item):
            caller = to_absolute(item.place.file, repository)
            calls = _list(result, protocol_structs.OutgoingCall)
            return tuple(CallLink(_item(call.to), _sites(caller, call.from_ranges)) for call in calls)
        case Diagnostics(file=file):
            return read_diagnostics(_report(result), to_absolute(file, repository))
        case RenameRange(at=at):
            return tuple(_rename_ranges(result, to_absolute(at.file, repository)))
        case Rename():
            return _renaming(result)
    assert_never(question)


def read_diagnostics(found: Sequence[protocol_structs.Diagnostic], path: str) -> tuple[Diagnostic, ...]:
    """Of the file with this absolute path."""
    return tuple(
        Diagnostic(
            _place(path, one.range or _NOWHERE),
            _SEVERITIES.get(one.severity or 1, Severity.ERROR),
            one.message.strip(),
            "" if one.code is None else str(one.code),
        )
        for one in found
    )


def _report(result: msgspec.Raw) -> list[protocol_structs.Diagnostic]:
    report = decode(result, protocol_structs.DiagnosticReport)
    if report.kind != "full" or report.items is None:
        raise msgspec.ValidationError("no full report of diagnostics")
    return report.items


def _rename_ranges(result: msgspec.Raw, path: str) -> Iterator[Place]:
    if bytes(result) == b"null":
        return
    found = decode(result, protocol_structs.RenameRange)
    if found.range is not None:
        yield _place(path, found.range)
    elif found.start is not None and found.end is not None:
        yield _place(path, protocol_structs.Range(found.start, found.end))
    elif found.default_behavior:
        yield Place(path, 0, 0, 0, 0)
    else:
        raise msgspec.ValidationError("no range")


def _renaming(result: msgspec.Raw) -> Renaming:
    """The edits of `documentChanges` where there are any, else those of `changes`: LSP 3.17, WorkspaceEdit."""
    if bytes(result) == b"null":
        return Renaming(())
    found = decode(result, protocol_structs.WorkspaceEdit)
    annotations = found.change_annotations or {}
    edits: list[Edit] = []
    operations: list[str] = []

    def add(uri: str, texts: Sequence[protocol_structs.TextEdit]) -> None:
        for one in texts:
            note = annotations.get(one.annotation_id or "")
            edits.append(
                Edit(_place(to_path(uri), one.range), one.new_text, note is not None and note.needs_confirmation)
            )

    if found.document_changes is None:
        for uri, texts in (found.changes or {}).items():
            add(uri, texts)
    for change in found.document_changes or ():
        if change.kind:
            paths = [to_path(uri) for uri in (change.uri, change.old_uri, change.new_uri) if uri]
            operations.append(" ".join((change.kind, *paths)))
        elif change.text_document is not None:
            add(change.text_document.uri, change.edits)
    return Renaming(tuple(edits), tuple(operations))


def _list(result: msgspec.Raw, type_: type[T]) -> list[T]:
    """The members of a list; none for null, one for an object."""
    text = bytes(result)
    if text.startswith(b"{"):
        return [decode(text, type_)]
    return [] if text == b"null" else decode(text, list[type_])  # type: ignore[valid-type]


def _spot(location: protocol_structs.Location) -> Place:
    if location.target_uri and location.target_selection_range is not None:
        return _place(to_path(location.target_uri), location.target_selection_range)
    if location.uri and location.range is not None:
        return _place(to_path(location.uri), location.range)
    raise msgspec.ValidationError("a location without a range")


def _place(path: str, range_: protocol_structs.Range) -> Place:
    start, end = range_.start, range_.end
    return Place(path, start.line + 1, start.character + 1, end.line + 1, end.character + 1)


def _markdown(hovers: Sequence[protocol_structs.Hover]) -> str:
    contents = [hover.contents for hover in hovers]
    parts = [part for content in contents for part in (content if isinstance(content, list) else [content])]
    return "\n\n".join(text for text in map(_text, parts) if text)


def _text(content: protocol_structs.Contents) -> str:
    if isinstance(content, str):
        return content.strip()
    if content.language and content.value:
        return f"```{content.language}\n{content.value}\n```"
    return content.value.strip()


def _named(symbol: protocol_structs.Symbol, path: str) -> Named:
    """`path` is of the file that was asked about; symbols of a workspace name their own."""
    if symbol.location is not None:
        found = _place(to_path(symbol.location.uri), symbol.location.range or _NOWHERE)
        return Named(symbol.name, kind_of(symbol.kind), found, found, (), symbol.container_name or "")
    if symbol.range is None:
        raise msgspec.ValidationError("a symbol without a range")
    return Named(
        symbol.name,
        kind_of(symbol.kind),
        _place(path, symbol.selection_range or symbol.range),
        _place(path, symbol.range),
        tuple(_named(child, path) for child in symbol.children or ()),
        symbol.container_name or "",
    )


def _item(raw: msgspec.Raw) -> CallItem:
    item = decode(raw, protocol_structs.CallItem)
    return CallItem(item.name, kind_of(item.kind), _place(to_path(item.uri), item.selection_range), bytes(raw))


def _incoming(call: protocol_structs.IncomingCall) -> CallLink:
    item = _item(call.from_)
    return CallLink(item, _sites(item.place.file, call.from_ranges))


def _sites(path: str, ranges: Sequence[protocol_structs.Range]) -> tuple[Place, ...]:
    return tuple(_place(path, range_) for range_ in ranges)
