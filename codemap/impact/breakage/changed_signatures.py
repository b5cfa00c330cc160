"""Finds the definitions whose parameters a change altered, with the calls that the map is sure mean them.

A definition of both versions is one by its qualified name. Where several share it, each is a possible reading of a
call, and so are prototypes, overloads in bases, and the constructor for calls of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.calls.lists import CallLists, ParameterList
from codemap.changes.changed_definitions import Pair
from codemap.changes.version import Version
from codemap.facts import Symbol
from codemap.graph.index.inheritance import inheritance
from codemap.graph.model.edges import INHERITANCE, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.override_family import Kin, family_of, is_constructor
from codemap.graph.query.undecided import Side, undecided_rows, undecided_sites
from codemap.languages import by_name

Lists = Callable[[str], CallLists | None]
"""File after the change -> its lists; None where they are not known."""
_CALLS = (EdgeKind.CALLS,)
_INTO: tuple[Side, ...] = ("in",)
_UNSURE = (Confidence.NAME, Confidence.CANDIDATE)
_LEVELS_MAX = 12


class Resigned(msgspec.Struct, frozen=True):
    """A definition after the change."""

    node: int
    old: tuple[ParameterList, ...]
    """The lists of its name in its file before."""
    new: tuple[ParameterList, ...]
    others: tuple[int, ...]
    """Definitions elsewhere that a call of it may mean as well."""
    calls: tuple[Call, ...]
    open_sites: int
    """Calls that may mean it, and that the map is not sure of."""


class Call(msgspec.Struct, frozen=True):
    """Where one definition calls it."""

    source: int
    sites: tuple[tuple[int, int], ...]
    called: int
    """What it names: the definition, or a class that it constructs."""


def resigned(pairs: Sequence[Pair], after: Snapshot, before: Snapshot | None = None) -> tuple[Resigned, ...]:
    """By file and place. Calls that no overload takes any more are those of the map `before`."""
    found: list[Resigned] = []
    for pair in pairs:
        if pair.path in after.by_path:
            base = after.by_path[pair.path].base
            for name, rows, old, new in _changed(pair):
                calls = () if before is None else tuple(_lost(before, after, pairs, pair.path, name))
                found += [_one(after, base + row, old, new, calls, is_first=row == rows[0]) for row in rows]
    return tuple(found)


def needs_before(pairs: Sequence[Pair]) -> bool:
    """Whether calls that fit no more may mean nothing in the map after the change, and methods implement nothing."""
    return any(_depends_on_parameters(pair.after.facts.lang) and any(_changed(pair)) for pair in pairs if pair.after)


def _depends_on_parameters(lang: str) -> bool:
    return means_by_parameters(lang) or by_name()[lang].is_structural


def means_by_parameters(lang: str) -> bool:
    """Whether what a call means depends on its arguments."""
    return by_name()[lang].has_overloads or by_name()[lang].has_alike


def _changed(pair: Pair) -> Iterator[tuple[str, list[int], tuple[ParameterList, ...], tuple[ParameterList, ...]]]:
    """(qualified name, rows after, lists before, lists after) of what has other parameters."""
    if pair.before is None or pair.after is None:
        return
    before, after = lists_by_name(pair.before), lists_by_name(pair.after)
    for name, rows in _rows_by_name(pair.after).items():
        if before.get(name) and set(before[name]) != set(after[name]):
            yield name, rows, before[name], after[name]


def _lost(before: Snapshot, after: Snapshot, pairs: Sequence[Pair], path: str, name: str) -> Iterator[Call]:
    """The calls of a name of a file before that mean nothing after, or nobody can say what."""
    file, changed = before.by_path.get(path), {pair.path for pair in pairs}
    if file is None or not means_by_parameters(file.lang):
        return
    for row in range(1, file.symbol_count):
        if file.qualified_name(row) != name:
            continue
        for called in _called_for(before, file.base + row):
            now = after.find(before.id_of(called))
            for edge in before.edges_in(called, _CALLS):
                user = after.find(before.id_of(edge.source))
                if user is None or now is None or edge.confidence in _UNSURE:
                    continue
                (old, old_row), (new, new_row) = before.row_of(edge.source), after.row_of(user)
                moved = new.cell(new_row, Symbol.START_LINE) - old.cell(old_row, Symbol.START_LINE)
                shift = moved if old.path in changed and old_row else 0
                known = {site for one in after.edges_out(user, _CALLS) for site in after.sites(one)}
                sites = [(line + shift, column) for line, column in before.sites(edge)]
                yield Call(user, tuple(site for site in sites if site not in known), now)


def files_to_read(found: Sequence[Resigned], after: Snapshot) -> list[str]:
    """The files that have the calls and the other definitions, those with most calls first."""
    count: dict[str, int] = {}
    for one in found:
        for call in one.calls:
            path = after.row_of(call.source)[0].path
            count[path] = count.get(path, 0) + len(call.sites)
        for node in one.others:
            count.setdefault(after.row_of(node)[0].path, 1)
    return sorted(count, key=lambda path: (-count[path], path))


def lists_by_name(version: Version) -> Mapping[str, tuple[ParameterList, ...]]:
    """Qualified name -> the parameter lists of that name."""
    parameters = version.lists.parameters
    return {
        name: tuple(one for row in rows for one in parameters.get(row, ()))
        for name, rows in _rows_by_name(version).items()
    }


def _rows_by_name(version: Version) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row, name in enumerate(version.qualified_names):
        if row in version.lists.parameters:
            found.setdefault(name, []).append(row)
    return found


def _one(
    after: Snapshot,
    node: int,
    old: tuple[ParameterList, ...],
    new: tuple[ParameterList, ...],
    lost: tuple[Call, ...],
    *,
    is_first: bool,
) -> Resigned:
    """`is_first`: whether what may mean any of several of the name is counted for it."""
    calls = [call for call in lost if call.sites] if is_first else []
    open_sites = _count_open(after, node, calls) if is_first else 0
    for called in _called_for(after, node):
        for edge in after.edges_in(called, _CALLS):
            sites = tuple(after.sites(edge))
            if edge.confidence in _UNSURE or after.is_external(edge.source):
                open_sites += len(sites)
            else:
                calls.append(Call(edge.source, sites, called))
    return Resigned(node, old, new, tuple(_others(after, node)), tuple(calls), open_sites)


def _count_open(after: Snapshot, node: int, lost: Sequence[Call]) -> int:
    """The undecided calls that may mean a definition, without those that did before the change."""
    if not lost:
        return undecided_sites(after, node, _INTO, _CALLS)
    known = {(call.source, site) for call in lost for site in call.sites}
    uses = map(after.unresolved_use, undecided_rows(after, node, _INTO, _CALLS)[0].tolist())
    return sum((use.source, site) not in known for use in uses for site in after.sites(use))


def _called_for(after: Snapshot, node: int) -> Iterator[int]:
    """What calls name that run it: itself; of a constructor, its class and the heirs that have none of their own."""
    yield node
    parent = after.parent_of(node)
    waiting = [parent] if parent is not None and is_constructor(after, node) else []
    seen = set(waiting)
    for _ in range(_LEVELS_MAX):
        yield from waiting
        edges, _ = inheritance(after, np.array(waiting, dtype=np.int32), downwards=True)
        heirs = set(after.edges.source[edges].tolist()) - seen
        seen |= heirs
        waiting = sorted(one for one in heirs if not _may_construct(after, one))


def _may_construct(after: Snapshot, cls: int) -> bool:
    """Whether a class has a constructor of its own, or may inherit one from another base."""
    has_own = any(is_constructor(after, child) for child in after.children_of(cls))
    return has_own or sum(1 for _ in after.edges_out(cls, INHERITANCE)) > 1


def _others(after: Snapshot, node: int) -> Iterator[int]:
    """Prototypes and other parts, and methods of its name in bases where overloads are inherited."""
    own = after.row_of(node)[0]
    for other, kin in family_of(after, node).items():
        if kin is Kin.PART and not after.is_external(other) and not after.is_file(other):
            yield other
    parent = after.parent_of(node)
    if parent is None or not means_by_parameters(own.lang) or is_constructor(after, node):
        return
    waiting, seen = [parent], {parent}
    while waiting:
        edges, _ = inheritance(after, np.array(waiting, dtype=np.int32), downwards=False)
        bases = set(after.edges.target[edges].tolist()) - seen
        seen |= bases
        waiting = [one for one in sorted(bases) if not after.is_external(one)]
        for base in waiting:
            yield from (child for child in after.children_of(base) if after.name_of(child) == after.name_of(node))
