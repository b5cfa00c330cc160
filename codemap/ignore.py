"""Decides by ignore rules, as git reads them, whether a path is ignored.

Rules of the file:
- A decision is about the path itself, never about what lies under it: whoever walks a tree decides folder by folder,
  from the top, and does not enter an ignored one. (A pattern that takes back a folder does not take back what other
  patterns say about its files, so a matcher that also matches descendants cannot answer as git does.)
- Paths and patterns are bytes, as for git: `?` is one byte. The last pattern that matches decides.
- Strangers write the patterns. Names, paths and endings are looked up; each other pattern matches in time that grows
  with the path, and of these a file has `WILD_MAX` at most: the rest is left out, and counted.

Source: gitignore(5); git's dir.c (parse_path_pattern, match_basename, match_pathname).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

from codemap.wildmatch import SPECIAL, expression_of

WILD_MAX = 500
"""Different patterns of a file with wildcards, but for a star at the beginning alone: each is held against every path.
The largest collections of templates have a hundred."""

WILD_MAX_BYTES = 512
"""Of one such pattern."""


class Verdict(Enum):
    IGNORED = 1
    KEPT = 2  # taken back by a pattern with `!`


class Kind(Enum):
    FILE = 1
    FOLDER = 2


class Rule(msgspec.Struct, frozen=True):
    """One line."""

    line: int
    """From 1."""
    text: bytes
    """As it is written, without spaces that do not count."""
    verdict: Verdict
    folders_only: bool
    pattern: bytes
    """Without `!` and without the slash at its end."""


_Table = dict[bytes, tuple[int, int]]
"""Text -> the numbers of the last rules that say just that: for folders, and for files. -1: none."""


class _Wild(msgspec.Struct, frozen=True):
    """Patterns that are held against each text, those of later rules first."""

    patterns: tuple[tuple[tuple[int, int], re.Pattern[bytes]], ...]
    """Each with the numbers of its last rules, as in a table."""
    any: re.Pattern[bytes]
    """Matches what one of them does."""


class Rules(msgspec.Struct, frozen=True):
    """The rules of one file, for paths relative to the folder that it is in."""

    rules: tuple[Rule, ...]
    names: _Table
    """By the last part of a path."""
    paths: _Table
    endings: _Table
    """By how the last part of a path ends."""
    ending_sizes: tuple[int, ...]
    wild_names: _Wild | None
    wild_paths: _Wild | None
    left_out: int = 0
    """Patterns that are not obeyed, as there are too many or they are too long."""

    def verdict(self, path: bytes, name: bytes, kind: Kind) -> Verdict | None:
        """The decision of the rules about `path`, whose last part is `name`; None when no pattern matches."""
        rule = self.deciding(path, name, kind)
        return None if rule is None else rule.verdict

    def deciding(self, path: bytes, name: bytes, kind: Kind) -> Rule | None:
        """The last rule that matches."""
        column = int(kind is Kind.FILE)
        best = self.names[name][column] if name in self.names else -1
        if path in self.paths:
            best = max(best, self.paths[path][column])
        for size in self.ending_sizes:
            ending = name[len(name) - size :]
            if size <= len(name) and ending in self.endings:
                best = max(best, self.endings[ending][column])
        if self.wild_names is not None:
            best = _find_last_wild(self.wild_names, name, best, column)
        if self.wild_paths is not None:
            best = _find_last_wild(self.wild_paths, path, best, column)
        return None if best < 0 else self.rules[best]

    def without(self, rule: Rule) -> Rules | None:
        """A copy of the rules without one; None where none is left."""
        return _index_rules([one for one in self.rules if one is not rule], self.left_out)


def rules_of(lines: Iterable[bytes]) -> Rules | None:
    """The rules of some pattern lines, without their line ends; None when none of them can match."""
    found = (_read_rule(number, line) for number, line in enumerate(lines, 1))
    return _index_rules([rule for rule in found if rule is not None], 0)


def rules_in(text: bytes) -> Rules | None:
    """The rules of an ignore file's contents; None when none of them can match."""
    return rules_of(line.removesuffix(b"\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"))


def _index_rules(rules: Sequence[Rule], left_out: int) -> Rules | None:
    """The rules by what they are looked up by."""
    kept: list[Rule] = []
    names: _Table = {}
    paths: _Table = {}
    endings: _Table = {}
    wild_names: _Table = {}
    wild_paths: _Table = {}
    for rule in rules:
        is_basename = b"/" not in rule.pattern
        pattern = rule.pattern.removeprefix(b"/")
        if not SPECIAL.search(pattern):
            table = names if is_basename else paths
        elif is_basename and pattern[:1] == b"*" and not SPECIAL.search(pattern, 1):
            table, pattern = endings, pattern[1:]
        else:
            table = wild_names if is_basename else wild_paths
            is_full = len(wild_names) + len(wild_paths) >= WILD_MAX
            if len(pattern) > WILD_MAX_BYTES or (is_full and pattern not in table):
                left_out += 1
                continue
        _, for_files = table.get(pattern, (-1, -1))
        table[pattern] = len(kept), for_files if rule.folders_only else len(kept)
        kept.append(rule)
    if not kept and not left_out:
        return None
    sizes = tuple(sorted({len(ending) for ending in endings}))
    wild = _collect_wild(wild_names, is_basename=True), _collect_wild(wild_paths, is_basename=False)
    return Rules(tuple(kept), names, paths, endings, sizes, *wild, left_out)


def _collect_wild(table: _Table, *, is_basename: bool) -> _Wild | None:
    """The patterns of a table, without those that never match."""
    found: list[tuple[tuple[int, int], re.Pattern[bytes]]] = []
    for pattern, numbers in sorted(table.items(), key=lambda item: item[1], reverse=True):
        expression = expression_of(pattern, is_basename=is_basename)
        if expression is not None:
            found.append((numbers, expression))
    if not found:
        return None
    return _Wild(tuple(found), re.compile(b"|".join(pattern.pattern for _, pattern in found), re.DOTALL))


def _find_last_wild(wild: _Wild, text: bytes, best: int, column: int) -> int:
    """The last of some patterns that matches, where that is later than the best so far."""
    if wild.any.match(text):
        for numbers, pattern in wild.patterns:
            if numbers[0] < best:
                break
            if numbers[column] > best and pattern.match(text):
                best = numbers[column]
    return best


def _read_rule(number: int, line: bytes) -> Rule | None:
    if line.startswith(b"#"):
        return None
    text = pattern = _strip_spaces(line.partition(b"\0")[0])
    verdict = Verdict.IGNORED
    if pattern.startswith(b"!"):
        verdict, pattern = Verdict.KEPT, pattern[1:]
    folders_only = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    return Rule(number, text, verdict, folders_only, pattern) if pattern.removeprefix(b"/") else None


def _strip_spaces(line: bytes) -> bytes:
    """The line without its unescaped spaces at the end; a tab is no space."""
    end, at = 0, 0
    while at < len(line):
        if line[at] == ord("\\"):
            at = min(at + 2, len(line))
            end = at
        else:
            at += 1
            if line[at - 1] != ord(" "):
                end = at
    return line[:end]
