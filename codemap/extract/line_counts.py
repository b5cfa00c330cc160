"""Counts the lines of a file that have code, and those that only have a comment."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from codemap.fact_building.positions import Places


def count_lines(source: bytes, comments: Iterable[Node], places: Places) -> tuple[int, int, int]:
    """All lines, those with code, and those that are comment alone; `places` are those of the source."""
    lines = source.split(b"\n")
    if not lines[-1]:
        lines.pop()
    written = {row for row, line in enumerate(lines, 1) if line.strip()}
    alone: set[int] = set()
    for node in comments:
        start, end = node.start_byte, node.end_byte
        first, last = places.lines_between(start, end)
        line_end = source.find(b"\n", max(start, end - 1))
        before = source[source.rfind(b"\n", 0, start) + 1 : start]
        after = source[end : line_end if line_end >= 0 else len(source)]
        for line in range(first, last + 1):
            has_code = (line == first and before.strip()) or (line == last and after.strip())
            if not has_code and line in written:
                alone.add(line)
    return len(lines), len(written) - len(alone), len(alone)
