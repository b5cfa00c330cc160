"""Decides why a file is not indexed, from its name, size and first bytes; converts UTF-16 to what grammars read.

Rules of the file:
- People see the reasons (`map_status`), so each is one plain word.
- A wrong skip loses every symbol of a file; a missed one costs a few odd symbols. The rules for minified and generated
  files lean to keeping.
- It runs for every file in the worker processes: standard library only, no pass over more than `HEAD_BYTES`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

HEAD_BYTES = 65_536
"""How much of a file's beginning the rules look at; a longer head is allowed and not read further."""


class SkipReason(StrEnum):
    BINARY = "binary"
    OVERSIZED = "oversized"
    MINIFIED = "minified"
    GENERATED = "generated"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"
    UNPARSABLE = "unparsable"
    TIMEOUT = "timeout"
    MEMORY = "memory"  # it would take more than codemap may
    ENCODING = "encoding"
    SYMLINK = "symlink"  # its target is in the root under its own name
    OUTSIDE = "outside"  # a link out of the root, or nothing at its end
    SPECIAL = "special"  # a pipe, socket or device
    EXCLUDED = "excluded"  # by the `exclude` setting
    WORKTREE = "worktree"  # another checkout of a repository that is listed already


GIVEN_UP = frozenset((SkipReason.UNREADABLE, SkipReason.UNPARSABLE, SkipReason.TIMEOUT, SkipReason.MEMORY))
"""Reasons that say nothing of what a file is: it belongs into the map, and something failed."""


def skip_reason(
    path: str, head: bytes, size: int, *, max_bytes: int, kept: Collection[SkipReason] = ()
) -> SkipReason | None:
    """The reason not to index the file, or None. `size` and `max_bytes` are bytes of the whole file.

    An empty head decides by name and size alone. `kept`, which may hold GENERATED, is indexed nevertheless.
    """
    if size > max_bytes:
        return SkipReason.OVERSIZED
    head = normalize(head[:HEAD_BYTES])
    if is_binary(head):
        return SkipReason.BINARY
    if _MINIFIED_NAME.search(path) or _is_minified(head):
        return SkipReason.MINIFIED
    if SkipReason.GENERATED not in kept and _is_generated(head):
        return SkipReason.GENERATED
    return None


def is_binary(head: bytes) -> bool:
    """Whether a normalized content, or its beginning, is no text, by git's own rule (`buffer_is_binary`)."""
    return b"\0" in head[:_BINARY_BYTES]


def normalize(source: bytes) -> bytes:
    """UTF-16 with a byte order mark becomes UTF-8 without one; all other bytes stay as they are.

    Half characters and lone surrogates become U+FFFD.
    """
    if source[:2] == b"\xff\xfe":
        return source[2:].decode("utf-16-le", "replace").encode()
    if source[:2] == b"\xfe\xff":
        return source[2:].decode("utf-16-be", "replace").encode()
    return source


_BINARY_BYTES = 8_000  # as in xdiff-interface.c of git

_MINIFIED_NAME = re.compile(r"[.-]min\.[cm]?(?:j|cs)s\Z")
_LONG_LINE_BYTES = 500
_DENSE_PER_LINE_BYTES = 2_000


def _is_minified(head: bytes) -> bool:
    """Whether nearly all of the head is program text in long lines.

    Long lines of another texture (strings, tables, nesting) do not count, and five ordinary lines outweigh a long line
    of 10,000 bytes.
    """
    if len(head) < _DENSE_PER_LINE_BYTES or head.count(b"\n") * _LONG_LINE_BYTES > len(head):
        return False
    dense, others = 0, 0
    for line in head.split(b"\n"):
        if len(line) > _LONG_LINE_BYTES and _is_dense(line):
            dense += len(line)
        elif line.strip():
            others += 1
    return dense > _DENSE_PER_LINE_BYTES * max(1, others)


def _is_dense(line: bytes) -> bool:
    """Whether a line holds many whole statements: blocks, calls and separators, with little white space."""
    size = len(line)
    return (
        line.count(b"{") * 250 > size
        and line.count(b"(") * 100 > size
        and (line.count(b";") + line.count(b",")) * 60 > size
        and line.count(b" ") * 10 < size
    )


_HEADER_LINES = 40
_COMMENT = (b"#", b"//", b"/*", b"*", b"--", b";", b"<!--", b'"""', b"'''", b"'use ", b'"use ')
_BLOCKS = ((b"/*", b"*/"), (b'"""', b'"""'), (b"'''", b"'''"), (b"<!--", b"-->"))

# A generator's tag is first in its comment line or names what generated the file; prose about tags does neither.
_TAG = re.compile(rb"(?m)^[\s#/*;<!-]*@generated(?![\w-])|@generated (?:by|from|with|SignedSource)\b")
_BANNER = re.compile(
    rb"(?is)\b(?:auto-?)?generated\b.{0,160}?\bdo(?: not|n't) (?:manually |hand.)?(?:edit|modify|change|make changes)"
    rb"|\bdo(?: not|n't) (?:manually |hand.)?(?:edit|modify|change)\b(?! it).{0,160}?\b(?:auto-?|machine.)?generated\b"
)


def _is_generated(head: bytes) -> bool:
    """Whether the comments before the first line of code say that a program wrote the file and people must not edit it.

    Files that a program began and people continue (migrations, scaffolds) carry no such order.
    """
    start = head[:4_096]
    if b"enerated" not in start and b"ENERATED" not in start:
        return False
    header = _read_header(start)
    return (_TAG.search(header) is not None or _BANNER.search(header) is not None) and not _only_forwards(head)


_MADE = re.compile(
    rb"\bBison (?:\w+ )?parser, made by GNU Bison|\bBison (?:implementation|interface) for \w+-like parsers"
    rb"|\blexical (?:scanner|analy[sz]er) generated by \w*flex\b|\bGenerated by re2c\b"
    rb"|\bGenerated from [^\n]{1,300} by ANTLR\b"
)


def is_made(source: bytes) -> bool:
    """Whether the beginning of a source says that a program made it out of another file, which is of no language of the
    map: a grammar. Other code uses what it defines, so that it is read, apart from what people write."""
    start = source[:4_096]
    return (b"Bison" in start or b"enerated" in start) and _MADE.search(start) is not None


_COMMENTS = re.compile(rb"(?s)/\*.*?\*/|\"\"\".*?\"\"\"|(?m:^\s*(?://|#)[^\n]*$)")
_FORWARD = re.compile(
    rb"\s*(?:"
    rb"export\b(?!\s+(?:default|declare|abstract|async|class|function|interface|enum|namespace|const|let|var)\b)[^=(]*"
    rb"|import\b[^=(]*|from\b.*\bimport\b[^=]*"
    rb"|[\w$.*, ]+|[})]+[^=(]*"  # the names of a statement over several lines, and its end
    rb")\s*\Z"
)


def _only_forwards(head: bytes) -> bool:
    """Whether every statement hands on names of other files: a generated barrel, without which imports lead nowhere."""
    lines = [line for line in _COMMENTS.sub(b"", head).split(b"\n") if line.strip()]
    return bool(lines) and lines[0].lstrip().startswith(_FORWARD_STARTS) and all(map(_FORWARD.match, lines))


_FORWARD_STARTS = (b"export ", b"import ", b"from ")


def _read_header(head: bytes) -> bytes:
    """The comment and blank lines before the first line of code."""
    kept: list[bytes] = []
    end: bytes | None = None
    for raw in head.split(b"\n", _HEADER_LINES)[:_HEADER_LINES]:
        line = raw.strip().removeprefix(b"\xef\xbb\xbf")
        if end is not None:
            kept.append(line)
            if end in line:
                end = None
            continue
        if line and not line.startswith(_COMMENT):
            break
        kept.append(line)
        for opening, closing in _BLOCKS:
            if line.startswith(opening) and closing not in line[len(opening) :]:
                end = closing
    return b"\n".join(kept)
