"""Compact rows: a list that says each thing once, grouped by file, with one short text for each symbol.

    {"src/app/store.py": ["Session.refresh 83", "Session.close 91,97 name"]}

A row is the name of a symbol as its node ID has it, the lines that the list is about, and only what differs from what
the list states for all of its rows. The node ID is `<lang>:<file>#<name>`; every tool takes `<file>#<name>` for it.

Rules of the file:
- A row without a name is the file itself: its ID has no `#`. An external package is listed under `ext:<package>`, as
  in its ID.
- A line is listed once; where it has two uses and they differ, each is written as `line:column`.
- A row has few enough lines to be read; further ones are in further rows of the same name, so that any list can be
  cut between rows and nothing is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypedDict

import msgspec
import numpy as np

from codemap.graph.index.columns import columns_of
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import external_id

LINES_MAX = 12
"""Lines of one row: few enough to fit into the smallest page."""

AROUND = 3
"""Characters around a row: quotes and a comma."""

GroupedRows = dict[str, list[str]]
"""File -> its rows."""


def cut(text: str, most: int) -> str:
    """A text of at most so many characters: its beginning and `…` where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


class FoldedCounts(TypedDict, total=False):
    """Uses by file or folder, of what is not listed."""

    tests: dict[str, int]
    examples: dict[str, int]
    generated: dict[str, int]
    vendored: dict[str, int]


class Row(msgspec.Struct, frozen=True):
    file: str
    """The key that it is grouped under."""
    name: str
    """As the node ID has it after `#`; empty for a file and for an external package."""
    lines: Sequence[str] = ()
    words: Sequence[str] = ()
    """What differs from what the list states."""
    used: Sequence[str] = ()
    """Lines of the uses, where `lines` are those of a definition."""


def group_by_file(rows: Iterable[Row]) -> GroupedRows:
    """The rows by file; files in the order of their first rows."""
    groups: GroupedRows = {}
    for row in rows:
        groups.setdefault(row.file, []).extend(texts_of(row))
    return groups


def texts_of(row: Row) -> list[str]:
    """One text, or several where there are many lines or uses."""
    lines = [",".join(part) for part in _split_lines(row.lines)]
    if not row.used:
        return [" ".join(filter(None, (row.name, part, *row.words))) for part in lines]
    uses = [f"used {','.join(part)}" for part in _split_lines(row.used)]
    return [" ".join(filter(None, (row.name, lines[0], part, *row.words))) for part in uses]


def _split_lines(lines: Sequence[str]) -> list[Sequence[str]]:
    """At least one, of few enough."""
    if len(lines) <= LINES_MAX:
        return [lines]
    return [lines[begin : begin + LINES_MAX] for begin in range(0, len(lines), LINES_MAX)]


def lines_of(sites: Iterable[tuple[int, int]], *, has_columns: bool = True) -> list[str]:
    """Each line once, in order; with its columns where it has several sites and they differ."""
    places = sorted(set(sites))
    if len(places) == 1:
        return [str(places[0][0])]
    lines = dict.fromkeys(line for line, _ in places)
    if not has_columns or len(lines) == len(places):
        return list(map(str, lines))
    per_line = Counter(line for line, _ in places)
    return [str(line) if per_line[line] == 1 else f"{line}:{col}" for line, col in places]


def row_place(snapshot: Snapshot, node: int) -> tuple[str, str]:
    """The group and the name of the row of a node."""
    if snapshot.is_external(node):
        return external_id(*snapshot.externals[node - snapshot.first_external]).partition(":")[2], ""
    file, row = snapshot.row_of(node)
    return file.path, file.name_in_id(row)


def short_id(snapshot: Snapshot, node: int) -> str:
    """The ID of a node without its language, which every tool takes."""
    if snapshot.is_external(node):
        return snapshot.id_of(node).partition(":")[2]
    return short_id_of(*snapshot.row_of(node))


def shortest_id(snapshot: Snapshot, node: int) -> str:
    """The qualified name of a definition where that surely means it alone, else its ID without the language: of the
    others with its name none is in something with the name that it is in."""
    if snapshot.is_external(node) or snapshot.is_file(node):
        return short_id(snapshot, node)
    names, parents = snapshot.node_names.of_node, columns_of(snapshot).parent
    others = snapshot.node_names.namesakes(node)
    if len(others) > 1:
        parent = int(parents[node])
        others = others[others < snapshot.first_external]
        if snapshot.is_file(parent) or np.count_nonzero(names[parents[others]] == names[parent]) > 1:
            return short_id(snapshot, node)
    return snapshot.qualified_name_of(node)


def short_id_of(file: IndexedFile, row: int) -> str:
    """The same of a symbol of a file, or of the file itself."""
    own = file.own_id[len(file.lang) + 1 :]
    return f"{own}#{file.name_in_id(row)}" if row else own


def fill_groups(
    rows: Sequence[GroupedRows], groups: Sequence[Iterator[tuple[str, str]]], page_chars: int, kept: int
) -> int:
    """Adds texts to some objects of rows until all that a page holds is there: so many to each, one after the other,
    then one in turn. How many it added."""
    waiting = list(zip(rows, groups, strict=True))
    chars = made = 0
    turn = kept
    while waiting and (not page_chars or chars <= page_chars):
        left = []
        for grouped, texts in waiting:
            if turn > 1 and page_chars and chars > page_chars:
                break
            some = list(islice(texts, turn))
            for file, text in some:
                grouped.setdefault(file, []).append(text)
                chars += len(text) + AROUND
            made += len(some)
            if len(some) == turn:
                left.append((grouped, texts))
        waiting, turn = left, 1
    return made


def most_common(values: Iterable[str]) -> str:
    """The most frequent of some values, the first of equally frequent ones; empty for none."""
    listed = [*values]
    if len({*listed}) < 2:
        return listed[0] if listed else ""
    return Counter(listed).most_common(1)[0][0]


def sort_rows(rows: list[Row]) -> list[Row]:
    """By file, in the order given; in a file by line."""
    place = {file: number for number, file in enumerate(dict.fromkeys(row.file for row in rows))}
    return sorted(rows, key=lambda row: (place[row.file], _first_line(row)))


def sort_by_use(rows: Iterable[Row]) -> list[Row]:
    """In the order in which one definition uses them, as far as each file stands once: files by their first use."""
    rows = sorted(rows, key=lambda row: _first_place(row.used))
    place = {file: number for number, file in enumerate(dict.fromkeys(row.file for row in rows))}
    return sorted(rows, key=lambda row: place[row.file])


def _first_line(row: Row) -> int:
    return _first_place(row.lines)[0]


def _first_place(places: Sequence[str]) -> tuple[int, int]:
    """The first line and column, which not all have; the places are in order."""
    line, _, col = places[0].partition(":") if places else ("0", "", "")
    return int(line), int(col or 0)
