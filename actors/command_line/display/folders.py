"""Rows by file, with what they share said once: folders of several files, the class that all rows of a file are in, the
definition that several lines are in.

    logback-core/src/main/java/ch/qos/logback/core/
      FileAppender.java  .start 94: openFile(getFile());
      rolling/helper.py  Compressor
        .compress 81: self.close()
          97: self.flush()

A name that begins with a dot is in what is named before it, or in the class that is called like its file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from posixpath import commonpath, dirname

from actors.command_line.display.terminal import GAP, Style, indent

_NAMED = re.compile(r"(?P<name>[^\W\d][^\s:]*) (?P<rest>\d.*)", re.DOTALL)
"""A row with a name: of a file alone there are only lines."""


def folder_lines(rows: Mapping[str, Sequence[str]], style: Style) -> list[str]:
    """The lines of some files: those of a folder stand together, folders in the order of their first files."""
    return _lines(list(rows), rows, 0, style) if rows else []


def _lines(paths: Sequence[str], rows: Mapping[str, Sequence[str]], start: int, style: Style) -> list[str]:
    """The lines of files whose paths are said up to a character."""
    if len(paths) == 1:
        return _of_file(paths[0], rows[paths[0]], start, style)
    is_mixed = len({path.startswith("/") for path in paths}) > 1  # some lie outside the repository
    shared = "" if is_mixed else commonpath([dirname(path) for path in paths])[start:]
    begin = start + len(shared) + 1 if shared else start
    if shared and _saves(paths, rows, shared):
        return [style.paint(f"{shared}/", "dim"), *indent(_lines(paths, rows, begin, style))]
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
    head = style.paint(path[start:], "dim")
    names = [match["name"].split(".") for match in map(_NAMED.fullmatch, texts) if match]
    stem = path.rpartition("/")[2].partition(".")[0]
    shared = _shared_names(names) if len(names) == len(texts) else []
    shared = shared[:1] if shared[:1] == [stem] else shared
    if shared == [stem] or (shared and len(texts) > 1):
        texts = [text[len(".".join(shared)) :] for text in texts]
        head += "" if shared == [stem] else f"{GAP}{'.'.join(shared)}"
    return [f"{head}{GAP}{texts[0]}"] if len(texts) == 1 else [head, *indent(_say_names_once(texts))]


def _shared_names(names: Sequence[Sequence[str]]) -> list[str]:
    """The names around all of some definitions, each of which keeps one."""
    if not names:
        return []
    levels = zip(*(each[:-1] for each in names), strict=False)
    return [level[0] for level in takewhile(lambda level: len({*level}) == 1, levels)]


def _say_names_once(texts: Sequence[str]) -> list[str]:
    """Further rows of one definition are a step further in, without its name."""
    found, before = [], ""
    for text in texts:
        name, blank, rest = text.partition(" ")
        is_further = bool(blank) and name == before and rest[:1].isdigit()
        found.append(GAP + rest if is_further else text)
        before = name
    return found
