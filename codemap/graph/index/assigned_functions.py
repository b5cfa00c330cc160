"""Finds the functions that are assigned to a variable or a member which is called: `e.serve = e.run`.

A function that is named after a place on its line, with no other place between them, is taken for assigned to it: a map
knows where names are, and not what is written between them. Only places that are called count.
"""

from __future__ import annotations

import msgspec
import numpy as np

from codemap.facts import SymbolFlag
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.model.edges import (
    ARE_FUNCTIONS,
    ARE_VARIABLES,
    EdgeKind,
    EdgeTable,
    Ints,
    Numbers,
    UnresolvedTable,
    starts,
)
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot

FUNCTIONS_MAX = 40
"""Of a place that is given more, nobody can say which is meant."""
_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)
_LINE_BITS, COLUMN_BITS = 22, 16
"""Of a site in one number, after its definition; a longer file or line is counted to its last."""


class Assigned(msgspec.Struct, frozen=True):
    """Pairs of a place and a function."""

    place: Ints
    function: Ints
    place_start: Ints
    """Row n: where the pairs of place n begin; one longer than there are nodes."""
    by_function: Ints
    """Pairs in order of the function."""
    function_start: Ints

    def of_places(self, nodes: Ints) -> tuple[Ints, Ints]:
        """(place, function) of some places."""
        return self._select(gathered(np.arange(len(self.place), dtype=np.int32), self.place_start, nodes)[0])

    def of_functions(self, nodes: Ints) -> tuple[Ints, Ints]:
        """(place, function) of some functions."""
        return self._select(gathered(self.by_function, self.function_start, nodes)[0])

    def _select(self, pairs: Ints) -> tuple[Ints, Ints]:
        return self.place.take(pairs), self.function.take(pairs)


def _find_assigned(snapshot: Snapshot) -> Assigned:
    columns, table, count = columns_of(snapshot), snapshot.edges, snapshot.first_external
    kinds, flags = columns.kind[:count], columns.flags[:count]
    are_places = ARE_VARIABLES[kinds] & (flags & int(SymbolFlag.ACCESSOR) == 0)
    are_called = np.zeros(count, dtype=np.bool_)
    called = table.target[table.kind == _CALLS]
    are_called[called[called < count]] = True
    inside = np.flatnonzero((table.kind == _REFERENCES) & (table.target < count))
    target = table.target[inside]
    named = inside[ARE_FUNCTIONS[kinds[target]]]
    sources = np.zeros(snapshot.node_count, dtype=np.bool_)
    sources[table.source[named]] = True
    places = inside[are_places[target] & sources[table.source[inside]]]
    key, of = site_keys(table, places)
    order = np.argsort(key)
    own, key = table.target[places[of[order]]], key[order]
    at, of = site_keys(table, named)
    functions = table.target[named[of]]
    before = np.searchsorted(key, at) - 1
    found = np.flatnonzero(before >= 0)
    before, functions, at = before[found], functions[found], at[found]
    on_line = key[before] >> COLUMN_BITS == at >> COLUMN_BITS
    pairs = np.stack((own[before[on_line]], functions[on_line]), axis=1)
    pairs = np.unique(pairs[are_called[pairs[:, 0]]], axis=0).astype(np.int32)
    pairs = pairs[np.bincount(pairs[:, 0], minlength=1)[pairs[:, 0]] <= FUNCTIONS_MAX]
    place, function = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    by_function = np.argsort(function, kind="stable").astype(np.int32)
    return Assigned(
        place,
        function,
        starts(place, snapshot.node_count),
        by_function,
        starts(function[by_function], snapshot.node_count),
    )


def site_keys(table: EdgeTable | UnresolvedTable, rows: Numbers) -> tuple[Numbers, Ints]:
    """A number of each site of some uses, in which source, line and column follow one another; and the place of its use
    among them."""
    places, at = expand_ranges(table.first[rows], table.count[rows])
    sites, of = table.sites[places].astype(np.int64), rows[at]
    line = np.minimum(sites[:, 0], (1 << _LINE_BITS) - 1)
    column = np.minimum(sites[:, 1], (1 << COLUMN_BITS) - 1)
    return ((table.source[of].astype(np.int64) << _LINE_BITS) + line << COLUMN_BITS) + column, at


def sources_and_lines(keys: Numbers) -> tuple[Ints, Ints]:
    """The sources and the lines of such numbers."""
    lines = keys >> COLUMN_BITS
    return (lines >> _LINE_BITS).astype(np.int32), (lines & (1 << _LINE_BITS) - 1).astype(np.int32)


ASSIGNED = Slot[Assigned](_find_assigned, rescore=reuse)
