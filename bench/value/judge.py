"""What of an answer is in what came back, and what came back that is no part of it.

Rules of the file:
- A reply is held to the place: the file and the qualified name, or the file and the line. A constructor stands for its
  class; in a list of tests, what is nested in a test stands for it.
- Printed lines are taken kindly: a name is shown by any line of its file that has it as a word; in questions about what
  lies on a way, what a body uses or what there is, by any line at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec

from bench.relevance.overview import is_within
from bench.value.questions import Question
from bench.value.shown import Row

_CONSTRUCTORS = ("__init__", "__new__", "constructor")
_OF_ANY_FILE = ("path", "dependencies", "orientation")
"""Kinds in which a printed name need not stand in its file."""
_EXACT = ("callers", "review", "hierarchy", "importers", "tests")
"""Kinds of which the whole answer is known, so that a row beyond it is wrong."""


class Verdict(msgspec.Struct, frozen=True):
    missing: tuple[str, ...]
    wrong: tuple[str, ...]
    """Rows of production code (of tests, where tests are asked for) that are no part of the answer; of replies only."""
    rows: int
    """Rows that could have been wrong."""

    @property
    def is_right(self) -> bool:
        return not self.missing


def judged_reply(question: Question, rows: Sequence[Row], aside: Sequence[str]) -> Verdict:
    missing = tuple(item for item in question.items if not any(_replies(question, item, row) for row in rows))
    if question.kind not in _EXACT:
        return Verdict(missing, (), 0)
    known = (*question.items, *question.also)
    wrong, counted = [], 0
    for row in dict.fromkeys(rows):
        if question.kind != "tests" and any(fnmatchcase(row.path, pattern) for pattern in aside):
            continue
        if row.is_kin and question.kind != "review":
            continue
        counted += 1
        if not any(_replies(question, item, row) for item in known):
            wrong.append(f"{row.path}#{row.name} {','.join(map(str, sorted(row.lines)))}")
    return Verdict(missing, tuple(wrong), counted)


def judged_printed(question: Question, rows: Sequence[Row]) -> Verdict:
    return Verdict(tuple(item for item in question.items if not any(_prints(question, item, r) for r in rows)), (), 0)


def _replies(question: Question, item: str, row: Row) -> bool:
    return any(_replies_one(question, one, row) for one in item.split(" | "))


def _replies_one(question: Question, item: str, row: Row) -> bool:
    path, name, line = parts(item)
    if line:
        return row.path == path and line in row.lines
    if not name:
        return row.path == path if question.kind != "orientation" else is_within(path, row.path)
    shown = re.sub(r"~\d+", "", row.name)
    if row.path != path:
        return False
    nested = shown.removeprefix(name + ".") if shown.startswith(name + ".") else ""
    is_constructor = nested in (*_CONSTRUCTORS, name.rpartition(".")[2])
    return shown == name or (bool(nested) and (question.kind == "tests" or is_constructor))


def _prints(question: Question, item: str, row: Row) -> bool:
    for one in item.split(" | "):
        path, name, line = parts(one)
        if line:
            is_shown = row.path == path and line in row.lines
        elif name:
            word = re.escape(name.rpartition(".")[2])
            is_place = question.kind in _OF_ANY_FILE or row.path == path
            is_shown = is_place and re.search(rf"\b{word}\b", row.name) is not None
        else:
            is_shown = is_within(path, row.path)
        if is_shown:
            return True
    return False


def parts(item: str) -> tuple[str, str, int]:
    """(path, qualified name, line) of an item; empty and 0 for what it does not have."""
    path, _, name = item.partition("#")
    if name:
        return path, name, 0
    place, _, line = item.rpartition(":")
    return (place, "", int(line)) if line.isdigit() else (item, "", 0)
