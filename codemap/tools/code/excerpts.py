"""Chooses which lines of a file are shown of a definition, in excerpts that a reply can be cut between.

Rules of the file:
- An excerpt is whole lines, but for a header that ends inside its last one; it ends without a line feed.
- Excerpts of one definition are in order and do not overlap. A definition that is not too long is one excerpt; a longer
  one is split where statements begin, the outermost first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

import msgspec

from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.packed.text_lines import TextLines
from codemap.syntax import NO_LINES, DefinitionSyntax, FileSyntax

WHOLE_MAX_CHARS = 4_000
"""A definition of so many is one excerpt: half of what a reply usually holds."""
EXCERPT_MAX_CHARS = 2_400
LINES_MAX = 60
"""Of an excerpt that no statement begins in, such as a table of data; and of the comment above a definition."""
DOC_LINES_MAX = 3
"""Of a skeleton: longer documentation is shown by its first line."""
FIELD_LINES_MAX = 3

_CONTAINERS = frozenset(
    (SymbolKind.FILE, SymbolKind.MODULE, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM),
)
_FIELDS = frozenset((SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.TYPE_ALIAS))
_COMMENT = re.compile(
    r"\s*(?://|/\*|\*|--|#(?!\s*(?:include|define|undef|if|ifdef|ifndef|el|endif|pragma|error|line|!)\b))"
)


class Excerpt(msgspec.Struct, frozen=True):
    first: int
    """Line, from 1."""
    last: int
    text: str


class Text:
    """The lines of a file as it is on disk, without their line feeds."""

    def __init__(self, text: str, encoding: str = "utf-8") -> None:
        """`encoding` is what the offsets of its syntax count the bytes of."""
        self.encoding = encoding
        self.lines: Sequence[str] = TextLines(text.removesuffix("\n")) if text else ()

    def excerpt(self, first: int, last: int) -> Excerpt:
        last = min(last, len(self.lines))
        return Excerpt(first, last, "\n".join(self.lines[first - 1 : last]).removesuffix("\r"))

    def length(self, first: int, last: int) -> int:
        """In characters."""
        return sum(map(len, self.lines[first - 1 : last])) + last - first + 1

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of each line, and of the end."""
        if self.encoding == "utf-8" and all(map(str.isascii, self.lines)):
            return [0, *accumulate(len(line) + 1 for line in self.lines)]
        mark = len("".encode(self.encoding))  # some encodings begin each text with one
        lengths = (len(f"{line}\n".encode(self.encoding)) - mark for line in self.lines)
        return [0, *(mark + end for end in accumulate(lengths))]

    def until(self, first: int, offset: int) -> Excerpt:
        """From the beginning of a line to an offset."""
        last = bisect_right(self._starts, offset)  # what follows the line of the offset changes nothing
        rest = "\n".join(self.lines[first - 1 : last]).encode(self.encoding)[: max(0, offset - self._starts[first - 1])]
        shown = rest.decode(self.encoding, "ignore").removesuffix("\n").removesuffix("\r")
        return Excerpt(first, first + shown.count("\n"), shown)


def lines_of_definition(file: IndexedFile, row: int, text: Text, *, has_comment: bool) -> tuple[int, int]:
    """The first and last line of a definition, or of the file; perhaps with the comment right above it, of a file with
    the one that it begins with."""
    if not row:
        return 1 if has_comment else _end_of_head(text.lines), len(text.lines)
    first, last = file.cell(row, Symbol.START_LINE), file.cell(row, Symbol.END_LINE)
    return (first_of_comment(text.lines, first) if has_comment else first), last


def _end_of_head(lines: Sequence[str]) -> int:
    """The first line behind the comments that a file begins with, such as a licence; 1 where there is nothing else."""
    at = 0
    while at < len(lines) and (not lines[at].strip() or _COMMENT.match(lines[at])):
        if lines[at].lstrip().startswith("/*"):
            while at < len(lines) and "*/" not in lines[at]:
                at += 1
        at += 1
    return at + 1 if at < len(lines) else 1


def innermost_around(file: IndexedFile, first: int, last: int) -> int:
    """The row of the innermost definition that has all of some lines; 0 for the file."""
    row = file.innermost_rows((first,))[first]
    while row and file.cell(row, Symbol.END_LINE) < last:
        row = file.cell(row, Symbol.PARENT)
    return row


def first_of_comment(lines: Sequence[str], first: int) -> int:
    """The first line of the comment that ends right above a line; the line itself where there is none."""
    at = first
    if at > 1 and lines[at - 2].rstrip().endswith("*/"):
        while at > 1 and first - at < LINES_MAX:
            at -= 1
            if "/*" in lines[at - 1]:
                return at if lines[at - 1].lstrip().startswith("/*") else first
        return first
    while at > 1 and first - at < LINES_MAX and _COMMENT.match(lines[at - 2]):
        at -= 1
    return at


def is_long(text: Text, *parts: tuple[int, int]) -> bool:
    """Whether the lines of some parts are together more than one excerpt."""
    return sum(text.length(*lines) for lines in parts) > WHOLE_MAX_CHARS


def split(text: Text, lines: tuple[int, int], borders: Iterable[tuple[int, int]] = ()) -> Iterator[Excerpt]:
    """The lines as excerpts; `borders` are the lines at which statements begin, with their depths."""
    first, last = lines
    known = [border for border in borders if first < border[0] <= last]
    while first <= last:
        end = last if text.length(first, last) <= WHOLE_MAX_CHARS else _end(text, first, last, known)
        yield text.excerpt(first, end)
        first = end + 1


def _end(text: Text, first: int, last: int, borders: Sequence[tuple[int, int]]) -> int:
    """The last line of the excerpt that begins at a line: before the outermost statement that begins late enough in
    it, the last of several; else before the next one."""
    length, latest = 0, first
    while latest <= last and (length := length + len(text.lines[latest - 1]) + 1) <= EXCERPT_MAX_CHARS:
        latest += 1
    middle = (first + latest) // 2
    within = [(depth, -line) for line, depth in borders if middle < line <= latest]
    if within:
        return -min(within)[1] - 1
    before = [line for line, _ in borders if first < line <= latest]
    if before:
        return before[-1] - 1
    later = next((line for line, _ in borders if line > latest), last + 1)
    return min(later - 1, max(latest, first + LINES_MAX) - 1, last)


def header(text: Text, file: IndexedFile, row: int, syntax: DefinitionSyntax) -> Excerpt:
    """The lines that introduce a definition, without its body."""
    return text.until(file.cell(row, Symbol.START_LINE), syntax.header_end)


def skeleton(text: Text, file: IndexedFile, row: int, syntax: FileSyntax) -> list[Excerpt]:
    """Headers, documentation and fields of a definition and of all in it that is no part of a function."""
    members: dict[int, list[int]] = {}
    for one, parent in enumerate(file.symbols[Symbol.PARENT :: Symbol.WIDTH].tolist()):
        members.setdefault(parent, []).append(one)
    kept: dict[int, bool] = {}
    """Line -> whether a member begins there."""
    for first, last in _choose_lines(text, file, row, syntax, members):
        for line in range(first, last + 1):
            kept[line] = kept.get(line, False) or line == first
    return list(_join_lines(text, kept))


def _choose_lines(
    text: Text, file: IndexedFile, row: int, syntax: FileSyntax, members: dict[int, list[int]]
) -> Iterator[tuple[int, int]]:
    kind, one = SymbolKind(file.cell(row, Symbol.KIND)), syntax.definitions[row]
    first = file.cell(row, Symbol.START_LINE)
    if row:
        above = first_of_comment(text.lines, first)
        yield from _find_documentation((above, first - 1))
        end, last = header(text, file, row, one).last, file.cell(row, Symbol.END_LINE)
        if kind in _FIELDS and last - first < FIELD_LINES_MAX:
            end = last  # a function in it is no body to leave out, as the bracket behind would go with it
        yield first, end if one.body != NO_LINES or kind not in _FIELDS else min(end, first + FIELD_LINES_MAX - 1)
    yield from _find_documentation(one.doc)
    if kind in _CONTAINERS:
        for member in members.get(row, ()):
            yield from _choose_lines(text, file, member, syntax, members)


def _find_documentation(lines: tuple[int, int]) -> Iterator[tuple[int, int]]:
    first, last = lines
    if first and last >= first:
        yield (first, last) if last - first < DOC_LINES_MAX else (first, first)


def _join_lines(text: Text, kept: dict[int, bool]) -> Iterator[Excerpt]:
    """Lines that follow one another are one excerpt, as long as it is not too long; so are those around empty ones."""
    first = last = 0
    for line in sorted(kept):
        is_next = all(not text.lines[between - 1].strip() for between in range(last + 1, line))
        is_room = not kept[line] or text.length(first, line) <= EXCERPT_MAX_CHARS
        if first and is_next and is_room:
            last = line
            continue
        if first:
            yield text.excerpt(first, last)
        first = last = line
    if first:
        yield text.excerpt(first, last)
