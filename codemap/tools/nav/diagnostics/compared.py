"""Finds the diagnostics of a file that are new since an earlier text of it.

A diagnostic is old if the earlier text has one of the same severity, code and message on the same line, or, on lines
that an edit put in place of others, anywhere on those others. Each earlier diagnostic makes at most one of now old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher

from codemap.live_queries import Diagnostic

LINES_MAX = 20_000
"""Longer differing texts are compared line by line from both ends only."""


def new_since(
    now: Iterable[Diagnostic], then: Iterable[Diagnostic], text_now: str, text_then: str
) -> tuple[list[Diagnostic], int]:
    """Those of now that are new, in order, and how many are not. Both texts are those that were diagnosed."""
    lines_before = _line_mapping(text_now.split("\n"), text_then.split("\n"))
    left = list(then)
    new: list[Diagnostic] = []
    old = 0
    for one in now:
        first, last = lines_before(one.place.line)
        excuse = next((each for each in left if _same(one, each) and first <= each.place.line <= last), None)
        if excuse is None:
            new.append(one)
        else:
            left.remove(excuse)
            old += 1
    return new, old


def _same(one: Diagnostic, other: Diagnostic) -> bool:
    return (one.severity, one.code, one.message) == (other.severity, other.code, other.message)


def _line_mapping(now: Sequence[str], then: Sequence[str]) -> Callable[[int], tuple[int, int]]:
    """Line of now, 1-based -> the first and last line that it may have been; none where the first is the greater."""
    head = 0
    while head < min(len(now), len(then)) and now[head] == then[head]:
        head += 1
    tail = 0
    while tail < min(len(now), len(then)) - head and now[-1 - tail] == then[-1 - tail]:
        tail += 1
    middle_now, middle_then = now[head : len(now) - tail], then[head : len(then) - tail]
    blocks = [("replace", 0, len(middle_now), 0, len(middle_then))]
    if max(len(middle_now), len(middle_then)) <= LINES_MAX:
        blocks = list(SequenceMatcher(None, middle_now, middle_then, autojunk=False).get_opcodes())

    def before(line: int) -> tuple[int, int]:
        at = line - 1
        if at < head:
            return line, line
        if at >= len(now) - tail:
            return line + len(then) - len(now), line + len(then) - len(now)
        for tag, first, last, was_first, was_last in blocks:
            if first <= at - head < last:
                if tag == "equal":
                    was = at - first + was_first
                    return was + 1, was + 1
                return head + was_first + 1, head + was_last
        return 1, 0

    return before
