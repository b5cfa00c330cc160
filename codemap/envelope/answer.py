"""What a tool returns: an `Answer` or a `Failure`, in no dialect yet.

A tool gives every list whole, best element first, and declares which lists may be cut. Cutting, paging and the shape of
the reply are the envelope's. Where it is known how much a page holds, a list may end beyond that, and the rest of it is
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypedDict

import msgspec

from codemap.envelope.cursor import Position
from codemap.envelope.errors import HINTS, ErrorCode

TEXTS_OF_ONE = 4
"""Texts that are packed in the time of one object."""
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Parts(msgspec.Struct, frozen=True):
    """How an element that does not fit is divided among pages: a text by its lines."""

    count: Callable[[Any], int]
    take: Callable[[Any, int, int], Any]
    """The element with its parts from one on and before another only."""
    end: Callable[[Any, int], int]
    """How many parts to take, where there is room for so many: never fewer for more room."""


class CutList(msgspec.Struct, frozen=True):
    """A list that may be cut, its elements ordered by worth, best first."""

    path: tuple[str, ...]
    """Members from the payload down to the list; `*` is every element of a list: `("clusters", "*", "hubs")`."""
    kind: str
    """What its elements are called in `dropped.kind`, in the plural."""
    note: str
    """The next step that shows what was cut, the narrowing parameter first: `pass fileFilter to narrow`."""
    keep: int = 0
    """Of a list inside the elements of another: so many of its elements stay with each while the other is cut, and go
    when only one of the other's is left. A hub each says more than fewer clusters with more hubs."""
    page: int = 0
    """Of a list of the payload itself: a page shows so many elements at most, the cursor the next; 0 for no limit."""
    key: tuple[str, ...] = ()
    """Members that identify its elements. With a key, lists directly inside its elements are continued by the
    cursor: a later page holds `{<key members>, continued: true, <list>: [the rest]}`. Without one they are not."""
    is_grouped: bool = False
    """Whether it is an object of lists, rows by file, that is cut like the one list of all of them in their order."""
    unmade: Sequence[int] = ()
    """How many elements the tool did not make in each place where the list is, as no page of this size could hold all
    that it made; nothing where it made all."""
    parts: Parts | None = None
    """Of a list of the payload itself that is the last to be cut: how its elements are divided. A grouped one's are
    its rows."""


class Spare(msgspec.Struct, frozen=True):
    """A member that goes from all elements of a page at once, before their list is cut: it is to be had elsewhere."""

    path: tuple[str, ...]
    """Members from the payload down to it, as in `CutList`: `("neighbors", "*", "signature")`."""
    kind: str
    note: str


class Dropped(msgspec.Struct, frozen=True):
    """What was left out, how much of it, and the next step that shows it."""

    kind: str
    count: int
    note: str
    is_profiled: bool = False
    """Whether the limits profile in force left it out: a larger one shows more."""


class Answer(msgspec.Struct, frozen=True):
    data: Any
    """The payload: a msgspec struct or a tree of JSON values, an object at the top."""
    lists: tuple[CutList | Spare, ...] = ()
    """The lists that may be cut, in cutting order, the first to go first. A list inside another goes before it."""
    warnings: tuple[str, ...] = ()
    already_dropped: tuple[Dropped, ...] = ()
    """What fixed limits of the tool left out, before any budget; and rows that no page of this size could hold."""
    resume: Position = ()
    """Where this page begins; empty for the first."""
    incomplete: str = ""
    """Why there may be more than any page shows, as a sentence: work that was not done in time, a map that is still
    being built. Empty where everything was looked at."""
    rests_on: frozenset[str] = frozenset()
    """Paths of files that it rests on without naming them, beside those of its payload."""
    identities: Mapping[str, str] = NOTHING
    """Members that are lists which may not be given whole -> what identifies all of each: a cursor continues only the
    same."""
    learned: Mapping[str, Any] = NOTHING
    """What language servers said of uses, by path, for the map to keep; no part of the reply."""

    @property
    def weight(self) -> int:
        """Elements of the outer lists, as a measure of the work of packing, which is less for texts."""
        paths = [cut.path for cut in self.lists if "*" not in cut.path]
        if isinstance(self.data, dict):  # most members are not there
            paths = [path for path in paths if path[0] in self.data]
        return sum(_weigh_elements(self.data, path) for path in paths)


class ErrorView(TypedDict, total=False):
    """The members of `error`."""

    code: ErrorCode
    message: str
    hint: str
    language: str
    file: str
    line: int
    suggestion: str
    recoveryOptions: list[str]
    filesDone: int
    filesTotal: int
    incident: str
    stderrTail: str


class Failure(msgspec.Struct, frozen=True):
    code: ErrorCode
    message: str
    hint: str | None = None
    """None for the code's own hint."""
    language: str | None = None
    file: str | None = None
    line: int | None = None
    """1-based."""
    suggestion: str | None = None
    recovery_options: tuple[str, ...] = ()
    extras: Mapping[str, Any] = NOTHING
    """Further members of `error`, camelCase: filesDone, filesTotal, incident, …"""
    warnings: tuple[str, ...] = ()
    is_miss: bool = False
    """Whether the arguments are well-formed and name what is not there, whatever the code."""

    @property
    def advice(self) -> str:
        """What to do, in a sentence, for who reads no code; empty where the message says it."""
        if self.hint is not None:
            return self.hint
        return "" if self.code is ErrorCode.BAD_ARGS else HINTS[self.code]

    @property
    def error(self) -> dict[str, Any]:
        """The members in their fixed order, the least dispensable first; empty ones left out."""
        members = {
            "code": self.code.value,
            "message": self.message,
            "hint": HINTS[self.code] if self.hint is None else self.hint,
            "language": self.language,
            "file": self.file,
            "line": self.line,
            "suggestion": self.suggestion,
            "recoveryOptions": list(self.recovery_options),
            **self.extras,
        }
        return {name: value for name, value in members.items() if value is not None and value not in ("", [])}


def _weigh_elements(node: Any, path: tuple[str, ...]) -> int:
    for step in path:
        node = node.get(step) if isinstance(node, dict) else _find_member(node, step)
    are_texts = isinstance(node, list | tuple) and len(node) > 0 and isinstance(node[0], str)
    return count_of(node) // TEXTS_OF_ONE if are_texts else count_of(node)


def count_of(elements: Any) -> int:
    """The elements of a list, grouped or not; 0 for what is neither."""
    if isinstance(elements, Mapping):
        return sum(len(rows) for rows in elements.values() if isinstance(rows, list | tuple))
    return len(elements) if isinstance(elements, list | tuple) else 0


def _find_member(node: Any, wire_name: str) -> Any:
    if not isinstance(node, msgspec.Struct):
        return None
    for field, encoded in zip(node.__struct_fields__, node.__struct_encode_fields__, strict=True):
        if encoded == wire_name:
            return getattr(node, field)
    return None
