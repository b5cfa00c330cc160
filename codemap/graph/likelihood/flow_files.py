"""The files that data flow is followed through, with what it looks up in their facts.

Each question evaluates on its own, so that what it finds does not depend on what was asked before. What follows from
the facts of a file alone is computed once for all questions, and kept for the files that were asked last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from functools import cached_property
from typing import TypeVar

import numpy as np

from codemap.facts import EXPR_WIDTH, SITE_WIDTH, Binding, Decorator, Op, Source, SourceKind, Use, UseRole, rows
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.evaluate.graph_files import GraphFiles
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile, table
from codemap.graph.model.indexes import T
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

FILES_MAX = 500
"""Files of which that is kept: some 10 kB each."""
NODES_MAX = 2_000
"""Nodes and names of which something is kept: some hundred bytes each."""
_CALLED, _CALL, _ATTR, _NAME = int(UseRole.CALL), int(Op.CALL), int(Op.ATTR), int(Op.NAME)
_INDEX, _NAMED, _SELF = int(Op.INDEX), int(Op.NAMED), int(SourceKind.SELF)
_ANSWERS = ("asked", "binding_memo", "import_memo", "memo", "unbound")
_OF_FACTS = tuple(name for name in GraphFile.__slots__ if name not in ("__dict__", *_ANSWERS))


K = TypeVar("K", bound=Hashable)

DEPTH_MAX = 2
"""Containers in containers that are looked into."""
Store = tuple[int, int, int]
"""The expression of the place, that of what is put there, and how deep."""
Stores = Mapping[str, list[Store]]
"""Last name of a place -> what is put into what it holds."""


class FlowFile(GraphFile):
    """A file of a finished snapshot."""

    __slots__ = ()

    def afresh(self) -> FlowFile:
        """The same file, of which nothing is evaluated yet; both have what is computed of the facts."""
        other = FlowFile.__new__(FlowFile)
        for name in _OF_FACTS:
            setattr(other, name, getattr(self, name))
        other.start_answers()
        other.__dict__ = self.__dict__
        return other

    def find_callees_at(self, owner: int, sites: Set[tuple[int, int]]) -> list[int]:
        """The expressions that a symbol calls at some sites."""
        owners, calls = self._calls_by_owner
        cells = self._sites
        found = []
        for at in range(bisect_left(owners, owner) * 3, bisect_right(owners, owner) * 3, 3):
            first = calls[at + 1] * SITE_WIDTH
            end = first + calls[at + 2] * SITE_WIDTH
            if any((cells[one], cells[one + 1]) in sites for one in range(first, end, SITE_WIDTH)):
                found.append(calls[at])
        return found

    @cached_property
    def _calls_by_owner(self) -> tuple[memoryview, memoryview]:
        """Symbols that call, in order; of each call the expression, the first of its sites, and how many these are."""
        uses = table(self.facts.uses, Use.WIDTH)
        calls = uses[uses[:, Use.ROLE] == _CALLED]
        calls = calls[np.argsort(calls[:, Use.OWNER], kind="stable")]
        return rows(calls[:, Use.OWNER].tobytes()), rows(calls[:, [Use.EXPR, Use.FIRST, Use.COUNT]].tobytes())

    @cached_property
    def _sites(self) -> memoryview:
        return rows(self.facts.sites)

    def lists_of(self, callee: int) -> list[int]:
        """The ARG lists of the calls of an expression."""
        callees, lists = self._lists_by_callee
        return lists[bisect_left(callees, callee) : bisect_right(callees, callee)].tolist()

    @cached_property
    def _lists_by_callee(self) -> tuple[memoryview, memoryview]:
        """Expressions that are called, in order; the ARG list of each call."""
        exprs = table(self.facts.exprs, EXPR_WIDTH)
        calls = exprs[exprs[:, 0] == _CALL]
        calls = calls[np.argsort(calls[:, 1], kind="stable")]
        return rows(calls[:, 1].tobytes()), rows(calls[:, 2].tobytes())

    def find_self_class(self, expr: int) -> int:
        """The symbol of the class whose instance an expression is that is `self`; -1 for any other."""
        if expr < 0 or self.exprs[expr * EXPR_WIDTH] != _NAME:
            return -1
        source = self.bindings[self.exprs[expr * EXPR_WIDTH + 1] * Binding.WIDTH + Binding.FIRST] * Source.WIDTH
        return self.sources[source + Source.A] if self.sources[source + Source.KIND] == _SELF else -1

    @cached_property
    def stores(self) -> Stores:
        """What calls put into containers: `self.hooks.append(f)`, `self.hooks.setdefault(name, []).append(f)`."""
        return _find_stores(self)

    @cached_property
    def decorators_of(self) -> dict[int, list[int]]:
        """Symbol -> the expressions of its decorators."""
        found: dict[int, list[int]] = {}
        cells = iter(rows(self.facts.decorators).tolist())
        for symbol, expr in zip(*[cells] * Decorator.WIDTH, strict=True):
            found.setdefault(symbol, []).append(expr)
        return found


class FlowFiles(GraphFiles):
    """The files of a snapshot, for one question."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot.files, snapshot.by_path, snapshot.bases)
        self._kept = _KEPT.of(snapshot)

    def _make(self, file: IndexedFile) -> FlowFile:
        kept = self._kept.pop(file.number, None)
        if kept is None:
            kept = FlowFile(file.path, file.facts, by_name()[file.lang], file.base)
        self._kept[file.number] = kept  # as the last one asked
        while len(self._kept) > FILES_MAX:
            self._kept.pop(next(iter(self._kept)), None)
        return kept.afresh()


def keep(kept: dict[K, T], key: K, find: Callable[[], T]) -> T:
    """What is kept of a node or a name, found where it is not. Threads may use it at the same time."""
    known = kept.get(key)
    if known is None:
        known = kept[key] = find()
        while len(kept) > NODES_MAX:
            kept.pop(next(iter(kept)), None)
    return known


def followed(file: GraphFile) -> FlowFile:
    """A file of an evaluation that follows data flow."""
    assert isinstance(file, FlowFile)
    return file


def _find_stores(file: GraphFile) -> Stores:
    """Those of a file."""
    found: dict[str, list[Store]] = {}
    methods = file.language.containers.stores
    numbers = [number for number, name in enumerate(file.names) if name in methods]
    for of, method, listed in _list_calls_of_members(file, numbers) if numbers else ():
        given = _find_argument(file, listed, methods[file.names[method]])
        if given >= 0:
            place, deep = _find_place(file, of)
            name = _name_of(file, place)
            if name and deep <= DEPTH_MAX:
                found.setdefault(name, []).append((place, given, deep))
    return found


def _list_calls_of_members(file: GraphFile, names: Sequence[int]) -> list[list[int]]:
    """Of each call with arguments of a member of one of some names: the expression of the value, the number of the
    member's name, and the ARG list."""
    exprs = table(file.facts.exprs, EXPR_WIDTH)
    calls = exprs[(exprs[:, 0] == _CALL) & (exprs[:, 2] >= 0)]
    callees = exprs[calls[:, 1]]
    is_wanted = (callees[:, 0] == _ATTR) & np.isin(callees[:, 2], names)
    found: list[list[int]] = np.concatenate((callees[:, 1:], calls[:, 2:]), axis=1)[is_wanted].tolist()
    return found


def _find_argument(file: GraphFile, listed: int, position: int) -> int:
    """The argument at a position of an ARG list, or -1."""
    exprs = file.exprs
    while listed >= 0:
        given, listed = exprs[listed * EXPR_WIDTH + 1], exprs[listed * EXPR_WIDTH + 2]
        if given >= 0 and exprs[given * EXPR_WIDTH] == _NAMED:
            return -1
        if not position:
            return given
        position -= 1
    return -1


def _find_place(file: GraphFile, expr: int) -> tuple[int, int]:
    """The place whose value an expression is, or is an element of, and how deep."""
    exprs, deep = file.exprs, 0
    while True:
        at = expr * EXPR_WIDTH
        if exprs[at] == _INDEX:
            expr = exprs[at + 1]
        elif exprs[at] == _CALL and exprs[exprs[at + 1] * EXPR_WIDTH] == _ATTR:
            callee = exprs[at + 1] * EXPR_WIDTH
            if file.language.containers.methods.get(file.names[exprs[callee + 2]]) != "value":
                return expr, deep
            expr = exprs[callee + 1]
        else:
            return expr, deep
        deep += 1


def _name_of(file: GraphFile, expr: int) -> str:
    op, a, b = file.exprs[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
    if op == _ATTR:
        return file.names[b]
    return file.names[file.bindings[a * Binding.WIDTH + Binding.NAME]] if op == _NAME else ""


def _carry_files(kept: dict[int, FlowFile], edit: Edit) -> dict[int, FlowFile] | None:
    """What imports mean may differ after any edit."""
    if edit.reach is not Reach.CONTENTS:
        return None
    found = {number: file.afresh() for number, file in tuple(kept.items()) if file.path not in edit.paths}
    for file in found.values():
        file.resolved = {}
    return found


_KEPT = Slot[dict[int, FlowFile]](lambda _: {}, carry=_carry_files, rescore=reuse)
"""By number. Nothing is evaluated in these. Threads may use it at the same time."""
