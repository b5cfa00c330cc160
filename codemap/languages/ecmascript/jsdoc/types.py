"""Types that JSDoc comments of JavaScript state.

`@type {T}`, `@param {T} x`, `@returns {T}`, `@typedef {T} N` and `@template T` are read; other tags state none. The
types of a file are parsed together, by TypeScript's grammar, from a source of the same length in which each is as a
type alias at its own place: so their offsets are those of the file.

Source: the TypeScript Handbook, "JSDoc Reference" and "Type Checking JavaScript Files".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from tree_sitter import Parser
from tree_sitter_language_pack import get_language

from codemap.languages.ecmascript.imports_exports.import_types import as_names

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMAR: Literal["typescript"] = "typescript"
_COMMENT = re.compile(rb"/\*\*(?!/).*?\*/", re.DOTALL)
_TAG = re.compile(rb"@(?:(type|param|arg|argument|returns?|typedef)[ \t]*\{|(template)[ \t]+(?=[A-Za-z_$]))")
_NAME = re.compile(rb"[ \t\r\n*]*\[?([A-Za-z_$][\w$]*)")
_NAMES = re.compile(rb"[A-Za-z_$][\w$]*(?:[ \t]*,[ \t]*[A-Za-z_$][\w$]*)*")
_MARGIN = re.compile(rb"\n([ \t]*)\*")
_PREFIX = re.compile(rb"^(\s*)(\.\.\.|[?!])")
_SUFFIX = re.compile(rb"([=?])(\s*)$")
_ALIAS = b"type _="
"""Stands where `@type {` ends, or the like: each of the tags is as long."""
_GAP_MAX = 16
"""White space between a comment and the expression whose type it states."""


class Tags(NamedTuple):
    """What one comment states; types by the offset where they begin."""

    type: int = -1
    result: int = -1
    parameters: Mapping[str, int] = {}
    names: tuple[tuple[str, int], ...] = ()
    """Types that the comment names."""
    templates: tuple[str, ...] = ()


NO_TAGS = Tags()


class Documented:
    """The stated types of one file."""

    def __init__(self, source: bytes, tags: Mapping[int, Tags], types: Mapping[int, Node]):
        self._source = source
        self._tags = tags
        self._types = types

    def of(self, comment: Node | None) -> Tags:
        return NO_TAGS if comment is None else self._tags.get(comment.end_byte, NO_TAGS)

    def before(self, at: int) -> Tags:
        """What the comment right before an offset states."""
        gap = self._source[max(0, at - _GAP_MAX) : at]
        return self._tags.get(at - len(gap) + len(gap.rstrip()), NO_TAGS)

    def type(self, at: int) -> Node | None:
        """The syntax of the type that begins at an offset; None where it could not be parsed."""
        return self._types.get(at)

    def names(self) -> Iterator[tuple[str, int]]:
        for tags in self._tags.values():
            yield from tags.names


def read_types(source: bytes) -> Documented | None:
    """What the comments of a source state, or None where they state no type."""
    found: dict[int, Tags] = {}
    spans: list[tuple[int, int]] = []
    for comment in _COMMENT.finditer(source):
        tags = _tags(source, comment.start(), comment.end(), spans) if b"@" in comment[0] else NO_TAGS
        if tags != NO_TAGS:
            found[comment.end()] = tags
    if not found:
        return None
    return Documented(source, found, _parsed(source, spans))


def _tags(source: bytes, start: int, end: int, spans: list[tuple[int, int]]) -> Tags:
    type_ = result = -1
    parameters: dict[str, int] = {}
    names: list[tuple[str, int]] = []
    templates: list[str] = []
    for tag in _TAG.finditer(source, start, end):
        if tag[2]:
            listed = _NAMES.match(source, tag.end(), end)
            templates += [] if listed is None else [part.strip().decode() for part in listed[0].split(b",")]
            continue
        at = tag.end()
        close = _closing(source, at, end)
        if close < 0:
            continue
        name = _NAME.match(source, close + 1, end)
        text = "" if name is None else name[1].decode()
        spans.append((at, close))
        match tag[1]:
            case b"type":
                type_ = at
            case b"return" | b"returns":
                result = at
            case b"typedef":
                if text:
                    names.append((text, at))
            case _:
                is_part = name is not None and source[name.end() : name.end() + 1] in (b".", b"[")
                if text and not is_part:
                    parameters.setdefault(text, at)
    return Tags(type_, result, parameters, tuple(names), tuple(templates))


def _closing(source: bytes, at: int, end: int) -> int:
    """The brace that closes what was opened before `at`, or -1."""
    depth = 1
    for offset in range(at, end):
        char = source[offset]
        if char == 0x7B:
            depth += 1
        elif char == 0x7D:
            depth -= 1
            if not depth:
                return offset
    return -1


def _parsed(source: bytes, spans: list[tuple[int, int]]) -> dict[int, Node]:
    """The syntax of the types between some offsets, each by its first."""
    parts: list[bytes] = []
    done = 0
    for start, end in spans:
        parts.append(b" " * (start - len(_ALIAS) - done))
        parts.append(_ALIAS)
        parts.append(_plain(source[start:end]))
        parts.append(b";")
        done = end + 1
    found: dict[int, Node] = {}
    for node in _parser().parse(b"".join(parts)).root_node.named_children:
        value = node.child_by_field_name("value") if node.type == "type_alias_declaration" else None
        if value is not None and not node.has_error:
            found[node.start_byte + len(_ALIAS)] = value
    return found


def _plain(text: bytes) -> bytes:
    """A type in TypeScript's spelling, of the same length; an imported module becomes a name."""
    text = _MARGIN.sub(lambda match: b"\n" + match[1] + b" ", text)
    text = _PREFIX.sub(lambda match: match[1] + b" " * len(match[2]), as_names(text))
    return _SUFFIX.sub(lambda match: b" " + match[2], text).replace(b".<", b" <")


@cache
def _parser() -> Parser:
    return Parser(get_language(GRAMMAR))
