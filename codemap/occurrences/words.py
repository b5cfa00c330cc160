"""Finds a name as a word in a text, as `rg --word-regexp --fixed-strings` does, and what it is there.

A name is a word where no word character is right before or behind it. Word characters are those of `\\w` in Unicode
(UTS #18, annex C, as ripgrep has it): alphabetic ones, marks, decimal digits, connectors, joiners. Beside bytes that
are no UTF-8 there is no word.

Worker processes import this file: the standard library and msgspec only.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import lru_cache

import msgspec

_BOM = b"\xef\xbb\xbf"
_LONGEST = 4
"""Bytes of a character in UTF-8."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_OF_WORDS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"))
_JOINERS = "\u200c\u200d"
_CIRCLED = ("\u24b6", "\u24e9")
"""Letters in circles are symbols, and alphabetic."""
_CLOSED = re.compile(rb"""\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`""")
"""A text with both its quotes."""
_PATTERNS_MAX = 4_096
_LINE_MAX = 2_000
"""Bytes of a line that are looked at for one word; machines write longer ones, and a word often stands in those."""
_OPENED = re.compile(rb"[\"'`]|/\*|^\s*\*")


class Nature(IntEnum):
    """The nature of a word by its syntax, before anything is known of its meaning."""

    CODE = 0
    """Some name."""
    COMMENT = 1
    STRING = 2
    """Text in any form: the plain parts of strings, regular expressions, markup."""
    ERROR = 3
    """Inside a syntax error."""
    MACRO = 4
    """Text that only a preprocessor or a macro reads, or that the grammar has no word for."""
    KEYWORD = 5
    LABEL = 6
    """Names an argument, a field, a key, a label, or a part of a module's name."""
    PARAMETER = 7
    """Stands where a parameter is declared."""
    MEMBER = 8
    """Is asked of something: `x.name`, `x.name()`."""
    SYMBOL = 9
    """Text that code may mean a definition by: `:name` of Ruby."""
    LOCAL = 10
    """A bare name that the function around it declares as a variable."""
    UNREAD = 11
    """Nobody has looked at the syntax around it."""
    PERHAPS_TEXT = 12
    """The same, and its line seems to be in a string or comment there: some languages read names in those."""
    PROSE = 13
    """Text, with blanks around it: a word of a sentence."""


def word_of(name: str) -> str:
    """The text of a name wherever it is used, where some places add what marks a variable (`$name`, `@name`)."""
    return name.lstrip(MARKS) or name


MARKS = "$@"
MARKED = ("$", "@", "@@")
"""What may be before a name."""


class Sighted(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file that has the word."""

    path: str
    digest: bytes
    """Of its content."""
    words: bytes
    """Rows of int32 (line, column, Nature): 1-based, columns in UTF-16 code units as in `codemap.facts`."""


WORD_WIDTH = 3


class Sightings(msgspec.Struct, frozen=True):
    """The result of looking through files."""

    files: tuple[Sighted, ...]
    unseen: int = 0
    """Files that there was no time for."""


def offsets(source: bytes, name: str) -> Iterator[int]:
    """Byte offset of each occurrence, in order; none overlap. Cost: a search for the bytes.

    As in ripgrep 13, the character before an occurrence is none of the occurrence before it.
    """
    wanted = name.encode("utf-8", "surrogateescape")
    if wanted and wanted[0] in _PLAIN and wanted[-1] in _PLAIN:
        for match in _bounded(wanted).finditer(source):
            if _ends_before(source, match.start()) and _ends_at(source, match.end()):
                yield match.start()
        return
    at, last = source.find(wanted) if wanted else -1, -1
    while at >= 0:
        end = at + len(wanted)
        is_word = at != last and _ends_before(source, at) and _ends_at(source, end)
        if is_word:
            yield at
            last = end
        at = source.find(wanted, end if is_word else at + 1)


@lru_cache(maxsize=_PATTERNS_MAX)
def _bounded(word: bytes) -> re.Pattern[bytes]:
    """What finds a word as far as ASCII can tell. A loop over all places of its bytes takes ten times as long."""
    text = re.escape(word)
    return re.compile(text + rb"\b(?<!\w" + text + rb")")  # begins with what is plain: that is sought at once


def glance(source: bytes, name: str) -> bytes:
    """The rows of `Sighted.words`, none of which is read. Cost: a search for the bytes."""
    source = without_bom(source)
    return look(source, {at: _guess_nature(source, at) for at in offsets(source, name)})


def find_places(source: bytes, name: str) -> bytes:
    """The same for who asks only where the words are: nothing is said of their natures."""
    source = without_bom(source)
    return look(source, dict.fromkeys(offsets(source, name), Nature.UNREAD))


def _guess_nature(source: bytes, at: int) -> Nature:
    begin = source.rfind(b"\n", max(0, at - _LINE_MAX), at) + 1
    if not begin and at > _LINE_MAX:
        return Nature.PERHAPS_TEXT
    before = _CLOSED.sub(b"", source[begin:at])
    return Nature.PERHAPS_TEXT if _OPENED.search(before) else Nature.UNREAD


def count(source: bytes, name: str) -> int:
    """Counts how often a name occurs as a word."""
    return sum(1 for _ in offsets(source, name))


def lines_of(source: bytes, name: str) -> Iterator[int]:
    """The line of each occurrence of a name, from 1. Cost: a search for the bytes, however long lines are."""
    line, seen = 1, 0
    for at in offsets(source, name):
        line += source.count(b"\n", seen, at)
        seen = at
        yield line


def without_prose(source: bytes, name: str, rows: bytes) -> bytes:
    """The rows of all occurrences of a name, in which strings and those within sentences differ."""
    found = array("i", rows)
    size = len(name.encode("utf-8", "surrogateescape"))
    for place, at in enumerate(offsets(source, name)):
        nature = place * WORD_WIDTH + 2
        if found[nature] == Nature.STRING:
            before, after = source[at - 1 : at], source[at + size : at + size + 2]
            if (before.isspace() and after[:1] not in (b"(", b"[")) or (after[:1].isspace() and before.isspace()):
                found[nature] = Nature.PROSE
    return found.tobytes()


def look(source: bytes, natures: Mapping[int, Nature]) -> bytes:
    """The rows of `Sighted.words`, of words at byte offsets in order."""
    rows = array("i")
    line, begin, seen = 1, 0, 0
    for at, nature in natures.items():
        if breaks := source.count(b"\n", seen, at):
            line += breaks
            begin = source.rfind(b"\n", seen, at) + 1
        seen = at
        col = 1 + len(source[begin:at].decode("utf-8", "replace").encode("utf-16-le")) // 2
        rows.extend((line, col, nature))
    return rows.tobytes()


def without_bom(source: bytes) -> bytes:
    """The source with blanks for a byte order mark, as it is parsed."""
    return b" " * len(_BOM) + source[len(_BOM) :] if source.startswith(_BOM) else source


def _ends_before(source: bytes, at: int) -> bool:
    """Whether no word goes on before an offset."""
    if not at:
        return True
    last = source[at - 1]
    if last < 0x80:
        return last not in _PLAIN
    begin = at - 1
    while begin > max(0, at - _LONGEST) and source[begin] & 0xC0 == 0x80:
        begin -= 1
    return _is_apart(source[begin:at])


def _ends_at(source: bytes, at: int) -> bool:
    """Whether no word goes on at an offset."""
    if at >= len(source):
        return True
    first = source[at]
    if first < 0x80:
        return first not in _PLAIN
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return _is_apart(source[at : at + size])


def _is_apart(encoded: bytes) -> bool:
    """Whether bytes are one character, and none of words."""
    try:
        text = encoded.decode()
    except UnicodeDecodeError:
        return False
    if len(text) != 1 or unicodedata.category(text) in _OF_WORDS or text in _JOINERS:
        return False
    return not _CIRCLED[0] <= text <= _CIRCLED[1]
