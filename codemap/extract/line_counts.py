"""Counts the lines of a file that have code, and those that only have a comment."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node


def count_lines(source: bytes, comments: Iterable[Node]) -> tuple[int, int, int]:
    """All lines, those with code, and those that are comment alone."""
    lines = source.split(b"\n")
    if not lines[-1]:
        lines.pop()
    written = {row for row, line in enumerate(lines) if line.strip()}
    alone: set[int] = set()
    for node in comments:
        first, last = node.start_point.row, last_row(node)
        for row in range(first, min(last, len(lines) - 1) + 1):
            before = lines[row][: node.start_point.column] if row == first else b""
            after = lines[row][node.end_point.column :] if row == node.end_point.row else b""
            if not before.strip() and not after.strip() and row in written:
                alone.add(row)
    return len(lines), len(written) - len(alone), len(alone)


def last_row(node: Node) -> int:
    """The row, from 0, of the last character."""
    return node.end_point.row - (node.end_point.column == 0 and node.end_byte > node.start_byte)
