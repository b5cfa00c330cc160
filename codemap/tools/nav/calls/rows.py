"""A tree of calls in compact rows: a section for each depth, the functions by file.

{"rows": {"app/api.py": ["login 31:8,40:12"]}}                            who calls it: the places of the calls
{"rows": {"app/store.py": ["Store.get 12:9 used 31:8"]}}                  whom it calls: the definition, then the calls
{"depth": 2, "rows": {"app/main.py": ["serve 7:5 via app/api.py#login"]}}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

import msgspec

from codemap.tools.compact import GroupedRows, Row, group_by_file
from codemap.tools.nav.calls.tree import Branch, Function, WayName
from codemap.tools.nav.compact import named_at
from codemap.tools.params import PositionParams

Spot = tuple[str, int, int]
"""File, line and column of the name of a function."""


class Step(TypedDict, total=False):
    """Calls of one depth, in compact rows."""

    depth: int
    rows: GroupedRows
    continued: bool


class CallRow(msgspec.Struct, frozen=True):
    branch: Branch
    depth: int
    """1 for those that call, or are called by, the root itself."""
    parent: Function | None
    """What it calls or is called by; None for the root."""

    @property
    def function(self) -> Function:
        return self.branch.function


def rows_of(branches: Iterable[Branch], depth: int = 1, parent: Function | None = None) -> Iterator[CallRow]:
    """All that is in a tree, each function before what is below it."""
    for branch in branches:
        yield CallRow(branch, depth, parent)
        yield from rows_of(branch.branches, depth + 1, branch.function)


def function_text(function: Function, ids: Mapping[Spot, str], params: PositionParams) -> str:
    """Names a target in a text: its ID, or its name and file where the map does not know it, and its place."""
    node_id = ids.get(function.place)
    at = f"{function.line}:{function.col}"
    return named_at(params, node_id, at) if node_id else f"{function.name} {function.file}:{at}"


def steps(rows: Sequence[CallRow], ids: Mapping[Spot, str], way: WayName) -> list[Step]:
    """Rows by depth; the first is left unsaid."""
    by_depth: dict[int, list[CallRow]] = {}
    for row in rows:
        by_depth.setdefault(row.depth, []).append(row)
    found: list[Step] = []
    for depth, listed in sorted(by_depth.items()):
        step: Step = {"depth": depth} if depth > 1 else {}
        step["rows"] = group_by_file(_show_row(row, ids, way) for row in listed)
        found.append(step)
    return found


def _show_row(row: CallRow, ids: Mapping[Spot, str], way: WayName) -> Row:
    function, branch = row.function, row.branch
    sites = [f"{line}:{col}" for line, col in dict.fromkeys(branch.sites)]
    words = [f"via {_shorten(row.parent, function, ids)}"] if row.parent is not None else []
    words += ["stale"] * function.is_stale + ["incomplete"] * branch.is_incomplete
    file, name = _place(function, ids)
    if way == "incoming":
        return Row(file, name, sites, words)
    return Row(file, name, [f"{function.line}:{function.col}"] if name else [], words, sites)


def _place(function: Function, ids: Mapping[Spot, str]) -> tuple[str, str]:
    """The group and the name of a function; a package outside is listed under its ID."""
    path, _, name = ids.get(function.place, "").partition(":")[2].partition("#")
    if function.is_external and path:
        return path, ""
    return function.file, name if path else function.name


def _shorten(function: Function, beside: Function, ids: Mapping[Spot, str]) -> str:
    file, name = _place(function, ids)
    return f"{file}#{name}" if file != beside.file and name else name or file
