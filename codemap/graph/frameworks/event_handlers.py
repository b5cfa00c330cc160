"""Finds who sends the events that functions are registered for.

    placed = Signal()
    placed.connect(confirm)     # or above `confirm`: @receiver(placed), @placed.connect
    placed.send(order)          # may run `confirm`

A function is registered with a variable that is above it, in or before a call, or that a member is called of on the
line where it is named. The variable is sent to where a member of a name in `_SENDS` is called of it. What is registered
with a function (`@group.command()`) is run by that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
import numpy as np

from codemap.facts import EXPR_WIDTH, SITE_WIDTH, Op, Symbol, SymbolFlag, Use, UseRole
from codemap.graph.index.assigned_functions import COLUMN_BITS, site_keys, sources_and_lines
from codemap.graph.index.columns import columns_of, gathered, lines_of, places
from codemap.graph.model.edges import (
    ARE_FUNCTIONS,
    ARE_VARIABLES,
    BARE,
    EdgeKind,
    Ints,
    Mask,
    Numbers,
    are_among,
    distinct,
)
from codemap.graph.model.index_slots import Slot, keep_unchanged, reuse
from codemap.graph.model.indexed_file import IndexedFile, table
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.used_names import inner_of

_SENDS = re.compile(
    r"_*(?i:broadcast|call|dispatch|emit|execute|fire|invoke|listen|notify|post|publish|raise|run|send|serve|signal"
    r"|start|trigger)(?![a-z])"
)
"""How names of what sends an event, or has events waited for, begin."""
FEW = 800
"""Functions that are asked about without a look at the whole map."""
SENDERS_MAX, HANDLERS_MAX, USES_MAX = 20, 40, 1_000
"""Of one variable; with more, nobody can say which of them is meant."""

_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)


class Sent(msgspec.Struct, frozen=True):
    sender: int
    row: int
    """Of the edge by which it uses the variable; -1 where `sender` is what the function is registered with."""
    line: int
    """Of the first that it sends; 0 for that."""
    variable: int
    handlers: int
    """How many are registered with the variable."""


class _Sites(msgspec.Struct, frozen=True):
    """Where definitions are named, in order of source, line and column."""

    key: Numbers
    """See `site_keys`."""
    target: Ints
    row: Ints
    """Of the edge."""
    behind: Numbers
    """The number of the place right behind the name."""

    def at(self, places: Numbers) -> _Sites:
        columns = (self.key, self.target, self.row, self.behind)
        return _Sites(*(column.take(places) for column in columns))


def senders_of(snapshot: Snapshot, functions: Ints) -> Mapping[int, tuple[Sent, ...]]:
    """Some functions -> who sends what they are registered for; of few, without a look at the rest of the map."""
    held = SENDERS.held_by(snapshot)
    if held is not None or len(functions) > FEW:
        return SENDERS.of(snapshot) if held is None else held
    is_one = len(functions) == 1
    if is_one and not _is_named(snapshot, int(functions[0])):
        return {}
    named = _find_named(snapshot, functions)
    found = _find_senders(snapshot, _rows_around(snapshot, named), named) if len(named) else {}
    return {node: found[node] for node in functions.tolist() if node in found}


def _is_named(snapshot: Snapshot, node: int) -> bool:
    """Whether a definition is named somewhere and not called, or something is above its name."""
    edges = snapshot.edges
    if _REFERENCES in edges.kind[edges.arriving(node)]:
        return True
    leaving = edges.leaving(node)
    above = edges.sites[edges.first[leaving], 0] < snapshot.cell(node, Symbol.LINE)
    return _REFERENCES in edges.kind[leaving[above]]


def _find_named(snapshot: Snapshot, functions: Ints) -> Ints:
    """What some functions may be registered with, in order: what is named above them, and variables on a line with one
    of them."""
    edges = snapshot.edges
    leaving, by = places(edges.out_start, functions)
    above = edges.sites[edges.first[leaving], 0] < lines_of(snapshot, functions)[by]
    arriving = gathered(edges.by_target, edges.in_start, functions)[0]
    arriving = arriving[edges.kind[arriving] == _REFERENCES]
    lines = distinct(site_keys(edges, arriving)[0] >> COLUMN_BITS)
    beside = _rows_of(snapshot, places(edges.out_start, distinct(edges.source[arriving]))[0])
    beside = beside[ARE_VARIABLES[columns_of(snapshot).kind[edges.target[beside]]]]
    key, of = site_keys(edges, beside)
    beside = beside[of[are_among(key >> COLUMN_BITS, lines)]]
    return distinct(edges.target[np.concatenate((_rows_of(snapshot, leaving[above]), beside))])


def _rows_around(snapshot: Snapshot, named: Ints) -> Numbers:
    """The edges by all who name any of some definitions."""
    edges = snapshot.edges
    users = _rows_of(snapshot, gathered(edges.by_target, edges.in_start, named)[0])
    return _rows_of(snapshot, places(edges.out_start, distinct(edges.source[users]))[0])


def _rows_of(snapshot: Snapshot, rows: Numbers) -> Numbers:
    """Those of some edges that name functions, or variables that are not used everywhere, without calling them."""
    columns, edges = columns_of(snapshot), snapshot.edges
    rows = rows[edges.kind[rows] == _REFERENCES]
    rows = rows[edges.target[rows] < snapshot.first_external]
    target = edges.target[rows]
    kinds, flags = columns.kind[target], columns.flags[target]
    are_wanted = ARE_FUNCTIONS[kinds] | (ARE_VARIABLES[kinds] & (flags & int(SymbolFlag.ACCESSOR) == 0))
    found: Numbers = rows[are_wanted & (edges.in_start[target + 1] - edges.in_start[target] <= USES_MAX)]
    return found


def _find_all(snapshot: Snapshot) -> dict[int, tuple[Sent, ...]]:
    return _find_senders(snapshot, _rows_of(snapshot, np.arange(len(snapshot.edges.kind))))


SENDERS = Slot[Mapping[int, tuple[Sent, ...]]](_find_all, rescore=reuse)
"""Function -> who sends what it is registered for, of all functions."""


def _find_senders(snapshot: Snapshot, rows: Numbers, named: Ints | None = None) -> dict[int, tuple[Sent, ...]]:
    """Who sends, by some edges; to some definitions, or to any."""
    sites = _list_sites(snapshot, rows)
    objects = sites.at(np.flatnonzero(_are_objects(snapshot, sites)))
    passed, of = _find_passed(snapshot, sites, objects)
    if named is not None:
        sites = sites.at(np.flatnonzero(are_among(sites.target, named)))
        passed, of = (column[are_among(passed[:, 0], named)] for column in (passed, of))
    above = _find_above(snapshot, sites, objects)
    wanted = distinct(np.concatenate((above[:, 0], passed[:, 0])))
    objects = objects.at(np.flatnonzero(are_among(objects.target, wanted)))
    sends = objects.at(np.flatnonzero(_are_called_of(snapshot, objects, _SENDING)))
    passed = passed[~are_among(of, sends.key)]
    registered: dict[int, dict[int, None]] = {}
    for variable, handler in (*above.tolist(), *passed.tolist()):
        registered.setdefault(variable, {})[handler] = None
    senders = _list_senders(snapshot, sends, wanted)
    found: dict[int, list[Sent]] = {}
    for variable, handlers in sorted(registered.items()):
        its = senders.get(variable, {}) if ARE_VARIABLES[snapshot.kind_of(variable)] else {variable: (-1, 0)}
        if len(its) <= SENDERS_MAX and len(handlers) <= HANDLERS_MAX:
            for handler in handlers:
                sent = (Sent(one, *use, variable, len(handlers)) for one, use in its.items() if one != handler)
                found.setdefault(handler, []).extend(sent)
    return {handler: tuple(its) for handler, its in found.items() if its}


def _list_sites(snapshot: Snapshot, rows: Numbers) -> _Sites:
    edges, names = snapshot.edges, snapshot.node_names
    key, of = site_keys(edges, rows)
    order = np.argsort(key)
    key, rows = key[order], rows[of[order]].astype(np.int32)
    named = names.of_node[edges.target[rows]]
    distinct_names, at = np.unique(named, return_inverse=True)
    lengths = np.fromiter((len(names.names[one]) for one in distinct_names.tolist()), np.int64, len(distinct_names))
    return _Sites(key, edges.target[rows], rows, key + lengths[at])


def _are_objects(snapshot: Snapshot, sites: _Sites) -> Mask:
    """Where a member of what is named is called right behind."""
    edges, unresolved = snapshot.edges, snapshot.unresolved
    sources = distinct(edges.source[sites.row])
    rows, others = places(edges.out_start, sources)[0], places(unresolved.out_start, sources)[0]
    called = site_keys(edges, rows[edges.kind[rows] == _CALLS])[0]
    undecided = site_keys(unresolved, others[unresolved.kind[others] & ~BARE == _CALLS])[0]
    return _are_behind(sites.behind, np.sort(np.concatenate((called, undecided))))


def _find_above(snapshot: Snapshot, sites: _Sites, objects: _Sites) -> Ints:
    """(what is named above the name of a function, that function), of variables that a member is called of anywhere,
    and of functions that one is called of there."""
    kinds = columns_of(snapshot).kind
    chosen = ARE_FUNCTIONS[kinds[sites.target]] | are_among(sites.target, distinct(objects.target))
    sites = sites.at(np.flatnonzero(chosen & ARE_FUNCTIONS[kinds[sources_and_lines(sites.key)[0]]]))
    source, line = sources_and_lines(sites.key)
    sites = sites.at(np.flatnonzero(line < lines_of(snapshot, source)))
    are_functions = ARE_FUNCTIONS[kinds[sites.target]]
    variables, functions = sites.at(np.flatnonzero(~are_functions)), sites.at(np.flatnonzero(are_functions))
    functions = functions.at(np.flatnonzero(_are_called_of(snapshot, functions, _MEMBERS)))
    found = (np.stack((its.target, sources_and_lines(its.key)[0]), axis=1) for its in (variables, functions))
    return np.concatenate((*found,))


def _find_passed(snapshot: Snapshot, sites: _Sites, objects: _Sites) -> tuple[Ints, Numbers]:
    """(variable, function named behind the call of a member of it on that line), and the number of the variable's
    site."""
    kinds = columns_of(snapshot).kind
    objects = objects.at(np.flatnonzero(ARE_VARIABLES[kinds[objects.target]]))
    functions = sites.at(np.flatnonzero(ARE_FUNCTIONS[kinds[sites.target]]))
    before = np.searchsorted(objects.key, functions.key) - 1
    known = np.flatnonzero(before >= 0)
    known = known[objects.key[before[known]] >> COLUMN_BITS == functions.key[known] >> COLUMN_BITS]
    before = before[known]
    return np.stack((objects.target[before], functions.target[known]), axis=1), objects.key[before]


def _are_called_of(snapshot: Snapshot, sites: _Sites, called: Slot[dict[str, Numbers]]) -> Mask:
    """At which sites one of some members is called of what is named. Cost: a look at the files that they are in."""
    source, line = sources_and_lines(sites.key)
    place = (line.astype(np.int64) << COLUMN_BITS) + (sites.behind & (1 << COLUMN_BITS) - 1)
    number, known = columns_of(snapshot).file[source], called.of(snapshot)
    found = np.zeros(len(place), dtype=np.bool_)
    for each in distinct(number).tolist():
        file, its = snapshot.files[each], np.flatnonzero(number == each)
        if file.path not in known:
            known[file.path] = _find_members(file, sending=called is _SENDING)
        found[its] = _are_behind(place[its], known[file.path])
    return found


def _are_behind(places: Numbers, called: Numbers) -> Mask:
    """Where a member is called right behind `.`, or `->`, `?.`, `::`."""
    return are_among(places + 1, called) | are_among(places + 2, called)


def _find_members(file: IndexedFile, *, sending: bool) -> Numbers:
    """Where a file calls members, or those that send something, in order: the line and the column in one number."""
    uses, sites = table(file.facts.uses, Use.WIDTH), table(file.facts.sites, SITE_WIDTH)
    exprs = table(file.facts.exprs, EXPR_WIDTH)
    uses = uses[uses[:, Use.ROLE] == UseRole.CALL]
    expr = inner_of(exprs, uses[:, Use.EXPR])
    are_wanted = exprs[expr, 0] == Op.ATTR
    if sending:
        named = [number for number, name in enumerate(file.facts.names) if _SENDS.match(name)]
        are_wanted &= are_among(exprs[expr, 2], np.array(named, dtype=np.int32))
    uses = uses[are_wanted]
    at = sites[expand_ranges(uses[:, Use.FIRST], uses[:, Use.COUNT])[0]].astype(np.int64)
    return np.sort((at[:, 0] << COLUMN_BITS) + at[:, 1])


_MEMBERS, _SENDING = (Slot[dict[str, Numbers]](lambda _: {}, carry=keep_unchanged, rescore=reuse) for _ in range(2))
"""By path of a file that was asked: where it calls members, and those that send something."""


def _list_senders(snapshot: Snapshot, sends: _Sites, wanted: Ints) -> dict[int, dict[int, tuple[int, int]]]:
    """Variable -> who sends to it or calls it, with the row of the edge and the first line of that."""
    edges = snapshot.edges
    called = gathered(edges.by_target, edges.in_start, wanted)[0]
    called = called[edges.kind[called] == _CALLS]
    rows = np.concatenate((sends.row, called))
    lines = np.concatenate((sources_and_lines(sends.key)[1], edges.sites[edges.first[called], 0]))
    found: dict[int, dict[int, tuple[int, int]]] = {}
    columns = (edges.target[rows], edges.source[rows], rows, lines)
    for variable, sender, row, line in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(variable, {}).setdefault(sender, (row, line))
    return found
