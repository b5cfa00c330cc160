"""Seeks many names in a file at once: where each occurs as a word, and what else in the text may mean a definition.

Rules of the file:
- Nothing is parsed here; `codemap.extract.word_classification` says what a word is.
- What a text composes is read from it alone: `"visit_" + kind` may mean whatever begins with `visit_`, and so may
  `visit_##kind` in a macro.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

import msgspec

from codemap.languages import language_of
from codemap.occurrences.word_marks import BLANKS
from codemap.occurrences.words import Nature, look, offsets, without_bom

AFFIXES_MAX = 500
"""Of one file."""
JOINED_MIN = 2
"""Characters of a name that a macro must say for the name to be one that it may make."""
_PLAIN = re.compile(r"[A-Za-z0-9_]+")
_PREFIX = re.compile(rb"[\"'`]([A-Za-z_]\w{0,60})(?:[\"'`]\s*(?:\+|\.\s*\$|%|\.\.)|\$?\{|%[sdrv]|#\{)")
_SUFFIX = re.compile(rb"(?:\}|%[sdrv]|(?:\+|\.)\s*[\"'`])([A-Za-z_]\w{0,60})[\"'`]")

_WORD = re.compile(rb"\w+")
_CHAIN = re.compile(rb"\w+(?:(?:\s|\\\r?\n)*##(?:\s|\\\r?\n)*\w+)+")


class Affix(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a computed name begins or ends with."""

    line: int
    text: str
    """Empty: it may be any name, of what the file itself defines."""
    is_prefix: bool


class Pasted(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a name that a macro makes of words begins and ends with; one of both may be empty."""

    line: int
    start: str
    end: str

    def may_make(self, name: str) -> bool:
        """Whether the macro may make a name, of which it says enough."""
        said = len(self.start) + len(self.end)
        return JOINED_MIN <= said < len(name) and name.startswith(self.start) and name.endswith(self.end)


class SoughtIn(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What was found in a file."""

    path: str
    digest: bytes
    words: Mapping[str, bytes]
    """Name -> rows of `codemap.occurrences.words.Sighted.words`."""
    affixes: Sequence[Affix] = ()
    directives: Sequence[tuple[int, str]] = ()
    """(line, name) of comments that mean definitions."""
    pasted: Sequence[Pasted] = ()


class Sought(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a look through files has found, of those in which there is anything."""

    files: Sequence[SoughtIn]
    unseen: Sequence[str] = ()
    """Paths that there was no time for, or that could not be read."""
    seen: int = 0
    """Files that were looked at."""


class Names:
    """Names that are sought. The words of a source alone rule most files out."""

    def __init__(self, names: Collection[str]) -> None:
        self._plain = {name.encode() for name in names if _PLAIN.fullmatch(name)}
        self._others = [name for name in names if not _PLAIN.fullmatch(name)]

    def present(self, source: bytes) -> Iterator[str]:
        """Those that may occur in a source. Cost: its words."""
        found = self._plain.intersection(source.translate(BLANKS).split())
        yield from sorted(name.decode() for name in found)
        for name in self._others:
            if name.encode("utf-8", "surrogateescape") in source:
                yield name


def seek(path: str, digest: bytes, source: bytes, names: Names) -> SoughtIn | None:
    """What a file has of some names; None for nothing."""
    text = without_bom(source)
    sighted = {name: look(text, dict.fromkeys(offsets(text, name), Nature.UNREAD)) for name in names.present(source)}
    words = {name: rows for name, rows in sighted.items() if rows}
    language = language_of(path)
    affixes: list[Affix] = []
    directives: list[tuple[int, str]] = []
    pasted: list[Pasted] = []
    if language is not None:
        liveness = language.liveness
        if liveness.computed_names and _compiled(liveness.computed_names).search(source):
            affixes += _affixes(source)
        if liveness.computed_members and (match := _compiled(liveness.computed_members).search(source)):
            affixes.append(Affix(_line(source, match.start()), "", is_prefix=True))
        if liveness.comment_names:
            found = _compiled(liveness.comment_names).finditer(source)
            directives += [(_line(source, one.start()), one[1].decode("utf-8", "replace")) for one in found]
        if liveness.pasting_macros and b"##" in source:
            pasted += _pasted(source, _compiled(liveness.pasting_macros))
    is_empty = not (words or affixes or directives or pasted)
    return None if is_empty else SoughtIn(path, digest, words, affixes, directives, pasted)


def _affixes(source: bytes) -> Iterator[Affix]:
    for pattern, is_prefix in ((_PREFIX, True), (_SUFFIX, False)):
        for count, match in enumerate(pattern.finditer(source)):
            if count == AFFIXES_MAX:
                break
            yield Affix(_line(source, match.start(1)), match[1].decode("utf-8", "replace"), is_prefix)


def _pasted(source: bytes, macros: re.Pattern[bytes]) -> Iterator[Pasted]:
    """Of the words that macros join: those that begin or end what is made, and are no parameters. What is made of
    parameters alone may be anything."""
    for macro in macros.finditer(source):
        own = {*_WORD.findall(macro[1]), b"__VA_ARGS__"}
        for chain in _CHAIN.finditer(macro[2]):
            words = _WORD.findall(chain[0])
            start, end = (b"" if word in own else word for word in (words[0], words[-1]))
            if (start or end) and not own.isdisjoint(words):
                line = _line(source, macro.start(2) + chain.start())
                yield Pasted(line, start.decode("utf-8", "replace"), end.decode("utf-8", "replace"))


def _line(source: bytes, at: int) -> int:
    return source.count(b"\n", 0, at) + 1


@cache
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())
