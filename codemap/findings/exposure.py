"""Finds how code is reached: from an entry of a program or only from tests, by which path, and how surely.

Code at the top level of a file runs when the file is imported, so that what is found there is reached when any file
that is reached imports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from codemap.facts import SymbolKind
from codemap.file_roles import Role, role_of
from codemap.findings.call_flow import Flow, flow_from
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import Along
from codemap.graph.query.undecided import Side, undecided_sites
from codemap.impact.steps import Tier

Reached = Literal["entry", "tests", "callers", "none"]
"""From where a program is entered; only from tests; from callers that nothing is known to lead to; by nobody known."""

_IN: tuple[Side, ...] = ("in",)
_USES = (EdgeKind.CALLS, EdgeKind.REFERENCES)
_RUN_AT_ONCE = (SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.TYPE_ALIAS)


class Exposure(msgspec.Struct, frozen=True):
    reached: Reached
    entry: str = ""
    """What kind of entry: `programs`, `commands`, `routes`, …"""
    path: tuple[int, ...] = ()
    """The surest way, from where it begins to the definition."""
    tier: Tier = Tier.CERTAIN
    """How sure the weakest step of it is."""
    callers: tuple[int, ...] = ()
    """Those that use it directly, product code first."""
    undecided: int = 0
    """Uses that may mean it and could not be decided."""


class Exposures:
    """Of one map; each question costs a look at the direct users."""

    def __init__(self, snapshot: Snapshot, entries: Mapping[int, str]) -> None:
        """`entries` are the definitions that programs begin with, with what kind each is."""
        self._snapshot = snapshot
        self._entries = entries
        tests = [file.base for file in snapshot.files if role_of(file.path) is Role.TEST]
        self._tests = frozenset(tests)
        self._from_entries = flow_from(snapshot, _with_what_runs(snapshot, entries))
        self._from_tests = flow_from(snapshot, _in_files(snapshot, tests))
        self._imported = flow_from(snapshot, _files_of(snapshot, self._from_entries), Along.IMPORTS)
        self._imported_by_tests = flow_from(snapshot, tests, Along.IMPORTS)

    def of(self, node: int) -> Exposure:
        callers, undecided = self._callers(node), undecided_sites(self._snapshot, node, _IN, _USES)
        at_import = self._snapshot.is_file(node) or self._snapshot.kind_of(node) in _RUN_AT_ONCE
        file = self._snapshot.row_of(node)[0].base
        found = self._way(self._from_entries, node) or (self._way(self._imported, file) if at_import else None)
        if found is not None:
            path, tier = found
            return Exposure("entry", self._kind(path[0]), path, tier, callers, undecided)
        found = self._way(self._from_tests, node) or (self._way(self._imported_by_tests, file) if at_import else None)
        if found is not None:
            return Exposure("tests", "", *found, callers, undecided)
        return Exposure("callers" if callers else "none", "", (), Tier.CERTAIN, callers, undecided)

    def _way(self, flow: Flow, node: int) -> tuple[tuple[int, ...], Tier] | None:
        return (tuple(flow.path(node)), flow.tier(node)) if flow.is_reached(node) else None

    def _kind(self, node: int) -> str:
        """What kind of entry a way begins with; of a file that is reached, that of what reaches it."""
        if node in self._entries:
            return self._entries[node]
        parent = self._snapshot.parent_of(node)
        if parent is not None and parent in self._entries:
            return self._entries[parent]
        inside = self._snapshot.row_of(node)[0]
        reached = range(inside.base, inside.base + inside.symbol_count)
        first = next((one for one in reached if self._from_entries.is_reached(one)), node)
        return self._entries.get(self._from_entries.path(first)[0], "programs")

    def _callers(self, node: int) -> tuple[int, ...]:
        nodes = dict.fromkeys(edge.source for edge in self._snapshot.edges_in(node, _USES) if edge.source != node)
        return tuple(sorted(nodes, key=lambda one: self._snapshot.row_of(one)[0].base in self._tests))


def _with_what_runs(snapshot: Snapshot, entries: Mapping[int, str]) -> list[int]:
    """The entries, what runs with a file at its top level, and the methods of a class."""
    found = list(entries)
    for node in entries:
        kind = snapshot.kind_of(node)
        wanted = _RUN_AT_ONCE if kind is SymbolKind.FILE else (SymbolKind.METHOD,) if kind is SymbolKind.CLASS else ()
        found += [child for child in snapshot.children_of(node) if snapshot.kind_of(child) in wanted]
    return found


def _in_files(snapshot: Snapshot, files: list[int]) -> list[int]:
    """All nodes of some files."""
    its = [snapshot.row_of(base)[0] for base in files]
    return [node for file in its for node in range(file.base, file.base + file.symbol_count)]


def _files_of(snapshot: Snapshot, flow: Flow) -> list[int]:
    """The files of all that is reached."""
    reached = flow.reached()
    inside = reached[reached < snapshot.first_external]
    return [snapshot.files[number].base for number in distinct(columns_of(snapshot).file[inside]).tolist()]
