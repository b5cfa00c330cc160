"""Translates a pattern with wildcards, as git matches it, to a regular expression.

No expression takes exponential time: what follows a star is tied to its first match as soon as another star follows.

Source: git's wildmatch.c, with WM_PATHNAME.
"""

from __future__ import annotations

import re
from typing import Final

_BACKSLASH: Final = ord("\\")
_WITHIN: Final = b"[^/]*"
_ACROSS: Final = b"(?:.*/)?"
SPECIAL: Final = re.compile(rb"[*?\[\\]")
_CLASSES: Final = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": rb"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    b"space": rb" \t\n\r\x0b\x0c",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}


def expression_of(pattern: bytes, *, is_basename: bool) -> re.Pattern[bytes] | None:
    """The regular expression for a whole path, or for its last part; None for a pattern that never matches."""
    regex = _Translation(pattern, is_basename).regex()
    return None if regex is None else re.compile(regex + rb"\Z", re.DOTALL)


class _Translation:
    """One glob pattern on its way to a regular expression."""

    def __init__(self, pattern: bytes, is_basename: bool) -> None:
        self._pattern = pattern
        self._is_basename = is_basename
        self._at = 0
        self._within: int | None = None  # which piece is the last star inside a part of the path
        self._across: int | None = None  # which piece is the last `**/`

    def regex(self) -> bytes | None:
        """The regular expression, or None for a pattern that never matches."""
        out: list[bytes] = []
        pattern, size = self._pattern, len(self._pattern)
        while self._at < size:
            char = pattern[self._at : self._at + 1]
            self._at += 1
            if char == b"*":
                out.append(self._read_star())
            elif char == b"?":
                out.append(b"[^/]")
            elif char == b"[":
                group = self._read_bracket()
                if group is None:
                    return None
                out.append(group)
            elif char == b"\\":
                if self._at == size:
                    return None
                out.append(re.escape(pattern[self._at : self._at + 1]))
                self._at += 1
            else:
                out.append(re.escape(char))
            if out[-1] in (_WITHIN, _ACROSS):
                self._commit(out)
        return b"".join(out)

    def _commit(self, out: list[bytes]) -> None:
        """Ties what follows the last star but one to its first match, now that another star follows.

        A later match could only leave less for the rest, so nothing is lost, and no pattern takes exponential time.
        """
        star = out.pop()
        if star == _ACROSS:
            self._within = None
            if self._across is not None:
                out[self._across :] = [b"(?>(?:.*?/)??%s)" % b"".join(out[self._across + 1 :])]
            self._across = len(out)
        else:
            if self._within is not None:
                out[self._within :] = [b"(?>[^/]*?%s)" % b"".join(out[self._within + 1 :])]
            self._within = len(out)
        out.append(star)

    def _read_star(self) -> bytes:
        pattern, before = self._pattern, self._at - 2
        first_star = self._at - 1
        while pattern[self._at : self._at + 1] == b"*":
            self._at += 1
        if self._at - first_star == 1 or self._is_basename:
            return _WITHIN
        rest = pattern[self._at :]
        # git compares the literal beginning of a pattern on its own, so what follows it counts as a beginning, too.
        begins = pattern[before : before + 1] == b"/" or not SPECIAL.search(pattern, 0, first_star)
        if begins and (not rest or rest.startswith((b"/", b"\\/"))):
            if rest.startswith(b"/"):
                self._at += 1
                return _ACROSS
            return b".*"
        return _WITHIN

    def _read_bracket(self) -> bytes | None:
        """A bracket expression, from after its `[`; None when it is not closed or names no known class."""
        pattern, size = self._pattern, len(self._pattern)
        negated = pattern[self._at : self._at + 1] in (b"!", b"^")
        self._at += negated
        first = self._at
        parts: list[bytes] = []
        low: int | None = None  # the character before a possible `-`
        while True:
            if self._at >= size:
                return None
            char = pattern[self._at]
            if char == ord("]") and self._at > first:
                self._at += 1
                break
            if char == ord("-") and low is not None and pattern[self._at + 1 : self._at + 2] not in (b"", b"]"):
                self._at += 1
                high = self._read_literal()
                if high is None:
                    return None
                if low <= high:
                    parts.append(b"%s-%s" % (_escape_byte(low), _escape_byte(high)))
                low = None
            elif pattern.startswith(b"[:", self._at):
                end = pattern.find(b"]", self._at + 2)
                if end < 0:
                    return None
                if pattern[end - 1 : end] == b":" and end - 1 > self._at + 1:
                    name = pattern[self._at + 2 : end - 1]
                    if name not in _CLASSES:
                        return None
                    parts.append(_CLASSES[name])
                    self._at = end + 1
                else:
                    parts.append(_escape_byte(char))
                    self._at += 1
                low = None
            else:
                low = self._read_literal()
                if low is None:
                    return None
                parts.append(_escape_byte(low))
        if not parts:
            return b"[^/]" if negated else b"(?!)"
        return b"(?!/)[%s%s]" % (b"^" if negated else b"", b"".join(parts))

    def _read_literal(self) -> int | None:
        """The next character, a backslash before it taken off; None at the end."""
        if self._pattern[self._at] == _BACKSLASH:
            self._at += 1
        if self._at >= len(self._pattern):
            return None
        self._at += 1
        return self._pattern[self._at - 1]


def _escape_byte(value: int) -> bytes:
    return b"\\x%02x" % value
