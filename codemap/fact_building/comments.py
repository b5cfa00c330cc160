"""Reads the summary of a definition from the comment right above it: its first sentence, on one line.

It is read out of the text, line by line upwards, so that grammars need not agree on where comments hang in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from codemap.fact_building.spelling import decoded

LINES_MAX = 60
"""A longer comment is read from here on down."""
_SUMMARY_MAX = 800
_STOP = re.compile(r"[.!?]\s+(?=\S)")
_GAP = re.compile(r"\n\s*\n")
_NO_PROSE = re.compile(r"^[^\w\n]*$|^.*\b(?:NOLINT\w*|clang-format (?:on|off))\b.*$", re.MULTILINE)
"""Rules that frame a comment, and what it says to tools."""
_BRIEF = re.compile(r"\A[\\@](?:brief|short)\s+")
_STARS = re.compile(r"^[ \t]*\*(?!/)[ \t]?", re.MULTILINE)


def summary_above(chars: str, start: int, *, line: tuple[str, ...], block: tuple[str, str] | None) -> str:
    """The first sentence of the comment that ends on the line above the offset `start`; empty where there is none.

    `chars` is the source with one character a byte, `line` what line comments begin with, the longest first; `block`
    what a block comment begins and ends with.
    """
    end = chars.rfind("\n", 0, start)
    if end < 0:
        return ""
    begin = chars.rfind("\n", 0, end) + 1
    above = chars[begin:end].strip()
    if block is not None and above.endswith(block[1]):
        begin = _find_opening(chars, end, block)
        return _read_block(chars[begin:end], block) if begin >= 0 else ""
    found: list[str] = []
    while above.startswith(line) and len(found) < LINES_MAX:
        found.append(above)
        end = begin - 1
        begin = chars.rfind("\n", 0, max(0, end)) + 1
        above = chars[begin:end].strip() if end >= 0 else ""
    return summary(_read_text(reversed(found), line)) if found else ""


def _find_opening(chars: str, end: int, block: tuple[str, str]) -> int:
    """Where the block comment begins that ends at an offset; -1 for none. It may have what opens one in its text
    (`/static/*`): its own stands first on a line, or behind the end of another one."""
    begin = chars.rfind(block[0], 0, end)
    while begin > 0 and chars[chars.rfind("\n", 0, begin) + 1 : begin].strip():
        earlier = chars.rfind(block[0], 0, begin)
        if earlier < 0 or block[1] in chars[earlier:begin]:
            break
        begin = earlier
    return begin


def _read_text(lines: Iterable[str], line: tuple[str, ...]) -> str:
    """The part of a comment that a summary is taken from."""
    found: list[str] = []
    length = 0
    for text in lines:
        found.append(_strip_marks(text, line))
        length += len(found[-1]) + 1
        if length > _SUMMARY_MAX:
            break
    return "\n".join(found)


def _strip_marks(text: str, line: tuple[str, ...]) -> str:
    for mark in line:
        if text.startswith(mark):
            return text[len(mark) :].strip()
    return text


def _read_block(text: str, block: tuple[str, str]) -> str:
    inside = text.rstrip()[len(block[0]) : -len(block[1])]
    return summary(_STARS.sub("", inside.lstrip("*!")))


def summary(text: str) -> str:
    """The first sentence of a text, one character a byte, or its first paragraph where that ends before."""
    text = _NO_PROSE.sub("", decoded(text[:_SUMMARY_MAX])).strip()
    text = _BRIEF.sub("", text)
    gap = _GAP.search(text)
    return first_sentence(text if gap is None else text[: gap.start()])


def first_sentence(text: str) -> str:
    """Up to a stop behind a word of three letters or more, before something that can begin a sentence."""
    for stop in _STOP.finditer(text):
        at = stop.start()
        word = text[max(0, at - 3) : at]
        if len(word) == 3 and "." not in word and not any(map(str.isspace, word)) and not text[stop.end()].islower():
            return text[: at + 1]
    return text
