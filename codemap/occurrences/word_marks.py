"""Records which words a file has, as numbers, so that a question about a word reads only the files that have it.

A word here is a run of ASCII letters, digits and underscores, and its mark the CRC-32 of it. Marks say too much at
times (of two words with one mark, of `na` in `naïve`), and never too little.

Worker processes import this file: the standard library only.
"""

from __future__ import annotations

import re
from array import array
from zlib import crc32

_WORD = re.compile(rb"\w+")
_UNICODE_WORD = re.compile(r"\w+")
BLANKS = bytes(byte if _WORD.match(bytes((byte,))) else ord(" ") for byte in range(256))


MARK_BYTES = array("I").itemsize


def marks_of(source: bytes) -> bytes:
    """The marks of all words, each once, ascending, as uint32. Cost: a tenth of a parse.

    Ascending as a set of bytes has another order in each process, and equal files must give equal facts.
    """
    return array("I", sorted(set(map(crc32, set(source.translate(BLANKS).split()))))).tobytes()


def mark_of(name: str) -> int | None:
    """A mark that every file has in which the name occurs as a word; None where marks cannot decide."""
    words: list[bytes] = _WORD.findall(name.encode("utf-8", "surrogateescape"))
    return crc32(max(words, key=len)) if words else None


def marks_in(name: str) -> list[int]:
    """All the marks that every file has in which the name occurs as a word; none where marks cannot decide."""
    return sorted({crc32(word) for word in _WORD.findall(name.encode("utf-8", "surrogateescape"))})


def word_in(name: str) -> str:
    """The longest word in a name, which is in a text wherever the name is; empty where it has none."""
    return max(_UNICODE_WORD.findall(name), key=len, default="")
