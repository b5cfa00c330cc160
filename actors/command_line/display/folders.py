"""Rows by file with the folders that files share said once, where that is shorter.

logback-core/src/main/java/ch/qos/logback/core/
  FileAppender.java  FileAppender.start 94
  rolling/RollingFileAppender.java  RollingFileAppender.start 81
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from posixpath import commonpath, dirname

from actors.command_line.display.terminal import GAP, Style, indent


def folder_lines(rows: Mapping[str, Sequence[str]], style: Style) -> list[str]:
    """The lines of some files: those of a folder stand together, folders in the order of their first files."""
    return _lines(list(rows), rows, 0, style)


def _lines(paths: Sequence[str], rows: Mapping[str, Sequence[str]], start: int, style: Style) -> list[str]:
    """The lines of files whose paths are said up to a character."""
    shared = commonpath([dirname(path) for path in paths])[start:] if len(paths) > 1 else ""
    begin = start + len(shared) + 1
    if not shared:
        begin = start
    elif _saves(paths, rows, shared):
        return [style.paint(f"{shared}/", "dim"), *indent(_lines(paths, rows, begin, style))]
    if len(paths) == 1:
        return _of_file(paths[0], rows[paths[0]], start, style)
    found: dict[str, list[str]] = {}
    for path in paths:
        folder, slash, _ = path[begin:].partition("/")
        found.setdefault(folder if slash else path, []).append(path)
    return [line for some in found.values() for line in _lines(some, rows, start, style)]


def _saves(paths: Sequence[str], rows: Mapping[str, Sequence[str]], shared: str) -> bool:
    """Whether it is shorter to say a folder on a line of its own, with all that is in it a step further in."""
    lines = sum(1 if len(rows[path]) == 1 else 1 + len(rows[path]) for path in paths)
    return (len(shared) + 1) * (len(paths) - 1) > len(GAP) * (lines + 1)


def _of_file(path: str, texts: Sequence[str], start: int, style: Style) -> list[str]:
    shown = style.paint(path[start:], "dim")
    return [f"{shown}{GAP}{texts[0]}"] if len(texts) == 1 else [shown, *indent(texts)]
