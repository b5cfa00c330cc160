"""The structures of the protocol that codemap reads, with the members that it uses.

Members that servers leave out against the specification have a default; unknown ones are skipped.

Source: LSP 3.17, language features and basic structures.
"""

from __future__ import annotations

from typing import Any

import msgspec


class _Shape(msgspec.Struct, frozen=True, rename="camel"):
    pass


class Position(_Shape, frozen=True, gc=False):
    line: int
    """0-based."""
    character: int
    """0-based, in the encoding of the session."""


class Range(_Shape, frozen=True, gc=False):
    start: Position
    end: Position


class Location(_Shape, frozen=True, gc=False):
    """A `Location` or a `LocationLink`; servers mix them in one list."""

    uri: str = ""
    range: Range | None = None
    target_uri: str = ""
    target_selection_range: Range | None = None


class MarkedContent(_Shape, frozen=True, gc=False):
    """A `MarkupContent` or a `MarkedString` with a language."""

    value: str
    kind: str = ""
    language: str = ""


Contents = str | MarkedContent


class Hover(_Shape, frozen=True):
    contents: Contents | list[Contents]


class SymbolLocation(_Shape, frozen=True, gc=False):
    uri: str
    range: Range | None = None
    """A `WorkspaceSymbol` may leave it out."""


class Symbol(_Shape, frozen=True):
    """A `DocumentSymbol`, which has `range`, or a `SymbolInformation` or `WorkspaceSymbol`, which have `location`."""

    name: str
    kind: int = 0
    range: Range | None = None
    selection_range: Range | None = None
    children: list[Symbol] | None = None
    location: SymbolLocation | None = None
    container_name: str | None = None


class CallItem(_Shape, frozen=True):
    """A `CallHierarchyItem`."""

    name: str
    uri: str
    range: Range
    selection_range: Range
    kind: int = 0


class IncomingCall(_Shape, frozen=True):
    from_: msgspec.Raw = msgspec.field(name="from")
    from_ranges: list[Range] = []


class OutgoingCall(_Shape, frozen=True):
    to: msgspec.Raw
    from_ranges: list[Range] = []


class ServerName(_Shape, frozen=True):
    name: str = ""
    version: str | None = None


class InitializeResult(_Shape, frozen=True):
    capabilities: dict[str, Any]
    server_info: ServerName | None = None


class ConfigurationItem(_Shape, frozen=True):
    section: str | None = None


class ConfigurationParams(_Shape, frozen=True):
    items: list[ConfigurationItem]


class Registration(_Shape, frozen=True):
    id: str
    method: str = ""


class RegistrationParams(_Shape, frozen=True):
    """Of `client/registerCapability` and `client/unregisterCapability`, whose list is misspelt in the protocol."""

    registrations: list[Registration] = []
    unregisterations: list[Registration] = []


class WorkDone(_Shape, frozen=True):
    """The value of a work-done progress: `begin`, `report` or `end`."""

    kind: str = ""
    title: str = ""
    message: str | None = None
    percentage: float | None = None


class ProgressParams(_Shape, frozen=True):
    token: int | str
    value: msgspec.Raw
    """Anything at all where the token is of a partial result."""


class LogParams(_Shape, frozen=True):
    """Of `window/logMessage` and `window/showMessage`."""

    message: str
    type: int = 4


class Diagnostic(_Shape, frozen=True):
    message: str = ""
    severity: int | None = 1
    range: Range | None = None
    code: int | str | None = None


class DiagnosticsParams(_Shape, frozen=True):
    uri: str
    diagnostics: msgspec.Raw
    version: int | None = None


class DiagnosticReport(_Shape, frozen=True):
    """A `DocumentDiagnosticReport`; without `kind: full` it says nothing to who has no earlier one."""

    kind: str = ""
    items: list[Diagnostic] | None = None


class RenameRange(_Shape, frozen=True):
    """What `prepareRename` gives: a range, a range with a placeholder, or that the client is to find the name."""

    start: Position | None = None
    end: Position | None = None
    range: Range | None = None
    default_behavior: bool = False


class TextEdit(_Shape, frozen=True):
    """A `TextEdit` or an `AnnotatedTextEdit`."""

    range: Range
    new_text: str
    annotation_id: str | None = None


class DocumentIdentity(_Shape, frozen=True):
    uri: str


class DocumentChange(_Shape, frozen=True):
    """A `TextDocumentEdit`, or with `kind` a file that is created, renamed or deleted."""

    text_document: DocumentIdentity | None = None
    edits: list[TextEdit] = []
    kind: str = ""
    uri: str = ""
    old_uri: str = ""
    new_uri: str = ""


class ChangeAnnotation(_Shape, frozen=True):
    needs_confirmation: bool = False


class WorkspaceEdit(_Shape, frozen=True):
    changes: dict[str, list[TextEdit]] | None = None
    document_changes: list[DocumentChange] | None = None
    change_annotations: dict[str, ChangeAnnotation] | None = None
