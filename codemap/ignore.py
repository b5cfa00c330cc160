"""Ignore rules as git reads them: lines of patterns become a decision about one path.

Rules of the file:
- A decision is about the path itself, never about what lies under it: whoever walks a tree decides folder by folder,
  from the top, and does not enter an ignored one. (A pattern that takes back a folder does not take back what other
  patterns say about its files, so a matcher that also matches descendants cannot answer as git does.)
- Paths and patterns are bytes, as for git: `?` is one byte. The last pattern that matches decides.

Source: gitignore(5); git's dir.c (parse_path_pattern, match_basename, match_pathname) and wildmatch.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Final

import msgspec


class Verdict(Enum):
    IGNORED = 1
    KEPT = 2  # taken back by a pattern with `!`


class Kind(Enum):
    FILE = 1
    FOLDER = 2


class _Rule(msgspec.Struct, frozen=True):
    matches: re.Pattern[bytes]
    verdict: Verdict
    is_basename: bool  # the pattern has no slash: it is matched against the last part of the path
    folders_only: bool


class Rules(msgspec.Struct, frozen=True):
    """The rules of one file, for paths relative to the folder that it stands in."""

    rules: tuple[_Rule, ...]
    """The last first."""
    any_basename: re.Pattern[bytes] | None
    any_path: re.Pattern[bytes] | None

    def verdict(self, path: bytes, name: bytes, kind: Kind) -> Verdict | None:
        """What the rules say about `path`, whose last part is `name`; None when no pattern matches."""
        by_name = self.any_basename is not None and self.any_basename.match(name) is not None
        by_path = self.any_path is not None and self.any_path.match(path) is not None
        if not by_name and not by_path:
            return None
        for rule in self.rules:
            if not (by_name if rule.is_basename else by_path) or (rule.folders_only and kind is Kind.FILE):
                continue
            if rule.matches.match(name if rule.is_basename else path):
                return rule.verdict
        return None


def rules_of(lines: Iterable[bytes]) -> Rules | None:
    """The rules of some pattern lines, without their line ends; None when none of them can match."""
    found = [rule for line in lines if (rule := _rule(line)) is not None]
    if not found:
        return None
    return Rules(
        rules=tuple(reversed(found)),
        any_basename=_any(rule.matches.pattern for rule in found if rule.is_basename),
        any_path=_any(rule.matches.pattern for rule in found if not rule.is_basename),
    )


def rules_in(text: bytes) -> Rules | None:
    """The rules of an ignore file's contents; None when none of them can match."""
    return rules_of(line.removesuffix(b"\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"))


def _any(patterns: Iterable[bytes]) -> re.Pattern[bytes] | None:
    joined = b"|".join(patterns)
    return re.compile(joined, re.DOTALL) if joined else None


def _rule(line: bytes) -> _Rule | None:
    if line.startswith(b"#"):
        return None
    pattern = _without_trailing_spaces(line.partition(b"\0")[0])
    verdict = Verdict.IGNORED
    if pattern.startswith(b"!"):
        verdict, pattern = Verdict.KEPT, pattern[1:]
    folders_only = pattern.endswith(b"/")
    if folders_only:
        pattern = pattern[:-1]
    is_basename = b"/" not in pattern
    regex = _Translation(pattern.removeprefix(b"/"), is_basename).regex() if pattern else None
    if regex is None:
        return None
    return _Rule(re.compile(regex + rb"\Z", re.DOTALL), verdict, is_basename, folders_only)


def _without_trailing_spaces(line: bytes) -> bytes:
    """The line without its unescaped spaces at the end; a tab is no space."""
    end, at = 0, 0
    while at < len(line):
        if line[at] == _BACKSLASH:
            at = min(at + 2, len(line))
            end = at
        else:
            at += 1
            if line[at - 1] != _SPACE:
                end = at
    return line[:end]


_BACKSLASH: Final = ord("\\")
_SPACE: Final = ord(" ")
_WITHIN: Final = b"[^/]*"
_ACROSS: Final = b"(?:.*/)?"
_SPECIAL: Final = re.compile(rb"[*?\[\\]")
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
                out.append(self._star())
            elif char == b"?":
                out.append(b"[^/]")
            elif char == b"[":
                group = self._bracket()
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

    def _star(self) -> bytes:
        pattern, before = self._pattern, self._at - 2
        first_star = self._at - 1
        while pattern[self._at : self._at + 1] == b"*":
            self._at += 1
        if self._at - first_star == 1 or self._is_basename:
            return _WITHIN
        rest = pattern[self._at :]
        # git compares the literal beginning of a pattern on its own, so what follows it counts as a beginning, too.
        begins = pattern[before : before + 1] == b"/" or not _SPECIAL.search(pattern, 0, first_star)
        if begins and (not rest or rest.startswith((b"/", b"\\/"))):
            if rest.startswith(b"/"):
                self._at += 1
                return _ACROSS
            return b".*"
        return _WITHIN

    def _bracket(self) -> bytes | None:
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
                high = self._literal()
                if high is None:
                    return None
                if low <= high:
                    parts.append(b"%s-%s" % (_byte(low), _byte(high)))
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
                    parts.append(_byte(char))
                    self._at += 1
                low = None
            else:
                low = self._literal()
                if low is None:
                    return None
                parts.append(_byte(low))
        if not parts:
            return b"[^/]" if negated else b"(?!)"
        return b"(?!/)[%s%s]" % (b"^" if negated else b"", b"".join(parts))

    def _literal(self) -> int | None:
        """The next character, a backslash before it taken off; None at the end."""
        if self._pattern[self._at] == _BACKSLASH:
            self._at += 1
        if self._at >= len(self._pattern):
            return None
        self._at += 1
        return self._pattern[self._at - 1]


def _byte(value: int) -> bytes:
    return b"\\x%02x" % value
