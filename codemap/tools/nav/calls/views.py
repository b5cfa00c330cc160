"""A tree of calls in full rows: an object a function, its own calls nested in it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TypedDict

from codemap.tools.nav.calls.rows import Spot
from codemap.tools.nav.calls.tree import Branch, Function
from codemap.tools.nav.kinds import LiveKindName
from codemap.tools.nav.target import Position


class FunctionView(TypedDict, total=False):
    name: str
    kind: LiveKindName
    id: str
    file: str
    line: int
    col: int
    external: bool
    stale: bool
    repeated: bool
    complete: bool
    sites: list[Position]
    children: list[FunctionView]
    continued: bool


def tree_view(
    root: Function, branches: Iterable[Branch], ids: Mapping[Spot, str], kept: Container[int]
) -> FunctionView:
    """The root with those branches below it whose `id()` is kept, and what leads to them."""
    children = [_show_branch(branch, ids, kept) for branch in branches if _is_kept(branch, kept)]
    return {**_show_function(root, ids), "children": children}


def _is_kept(branch: Branch, kept: Container[int]) -> bool:
    """Whether it, or anything below it, is shown."""
    return id(branch) in kept or any(_is_kept(below, kept) for below in branch.branches)


def _show_branch(branch: Branch, ids: Mapping[Spot, str], kept: Container[int]) -> FunctionView:
    shown = _show_function(branch.function, ids)
    if branch.is_repeated:
        shown["repeated"] = True
    if branch.is_incomplete:
        shown["complete"] = False
    shown["sites"] = [{"line": line, "col": col} for line, col in branch.sites]
    if below := [one for one in branch.branches if _is_kept(one, kept)]:
        shown["children"] = [_show_branch(one, ids, kept) for one in below]
    return shown


def _show_function(function: Function, ids: Mapping[Spot, str]) -> FunctionView:
    shown: FunctionView = {"name": function.name, "kind": function.kind}
    if node_id := ids.get(function.place):
        shown["id"] = node_id
    if not function.is_external or function.file != node_id:
        shown["file"], shown["line"], shown["col"] = function.place
    if function.is_external:
        shown["external"] = True
    if function.is_stale:
        shown["stale"] = True
    return shown
