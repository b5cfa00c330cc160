"""Finds the calls of methods outside of the repository, which a type here may override."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator

import msgspec
import numpy as np

from codemap.facts import EXPR_WIDTH, SITE_WIDTH, Binding, Op, Source, SourceKind, Symbol, Use, UseRole, rows
from codemap.graph.index.inheritance import ARE_TYPES, find_ancestors, inheritance
from codemap.graph.index.type_methods import ARE_METHODS
from codemap.graph.model.edges import EdgeKind, Ints, Mask, are_among, distinct
from codemap.graph.model.indexed_file import IndexedFile, table
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.used_names import find_inner, inner_of, last_name
from codemap.graph.query.chain_steps import Ways
from codemap.graph.words.word_files import files_with
from codemap.mangled_names import demangle

FILES_MAX = 200
"""With the name of one method, in which calls of it are looked for."""
OVERRIDERS_MAX = 12
"""Types here that have a method of one outside: of more, nobody can say which is called."""

_CALLS = int(EdgeKind.CALLS)


class Call(msgspec.Struct, frozen=True):
    source: int
    package: int
    line: int
    """Of the first."""
    receivers: frozenset[str]
    """The types that some are stated to be on, by name."""


class _Base(msgspec.Struct, frozen=True):
    """A type outside that one here extends."""

    package: int
    name: str


def find_calls(ways: Ways, methods: Ints) -> Iterator[tuple[int, Call]]:
    """(method, a call of one outside that it overrides, on what is stated to be of a base of its type)."""
    bases = _bases_of(ways.snapshot, ways.columns.parent[methods])
    calls: dict[tuple[str, _Base], tuple[Call, ...]] = {}
    near: dict[str, frozenset[int]] = {}
    for method in methods.tolist():
        name = ways.snapshot.name_of(method)
        for base in dict.fromkeys(bases.get(int(ways.columns.parent[method]), ())):
            if (name, base) not in calls:
                calls[name, base] = ()
                if base.name and _are_few(ways, name, base.package):
                    if base.name not in near:
                        near[base.name] = frozenset(file.number for file in files_with(ways.snapshot, base.name))
                    found = calls_outside(ways.snapshot, name, (base.package,), near[base.name])
                    calls[name, base] = tuple(call for call in found if base.name in call.receivers)
            yield from ((method, call) for call in calls[name, base] if call.source != method)


def list_methods(ways: Ways, nodes: Ints) -> Ints:
    """Those of some definitions that are methods of types."""
    columns = ways.columns
    owners = columns.parent[nodes]
    chosen: Mask = (owners >= 0) & ARE_METHODS[columns.kind[nodes]] & ARE_TYPES[columns.kind[np.maximum(owners, 0)]]
    return nodes[chosen]


def _bases_of(snapshot: Snapshot, types: Ints) -> dict[int, list[_Base]]:
    """What types have outside as a base, directly or not."""
    table = snapshot.edges
    named: dict[str, dict[tuple[int, int], str]] = {}
    found: dict[int, list[_Base]] = {}
    for owner, row in _inherit_outside(snapshot, types):
        file, _ = snapshot.row_of(int(table.source[row]))
        if file.path not in named:
            named[file.path] = _names_at(file)
        line, col = table.sites[table.first[row]].tolist()
        found.setdefault(owner, []).append(_Base(int(table.target[row]), named[file.path].get((line, col), "")))
    return found


def _inherit_outside(snapshot: Snapshot, types: Ints) -> list[tuple[int, int]]:
    """(type, row of an edge to what it or a type above it has outside as a base) of some types."""
    types = distinct(types)
    keys = find_ancestors(snapshot, types)
    of = np.concatenate((np.arange(len(types)), keys // snapshot.node_count))
    all_types = np.concatenate((types, (keys % snapshot.node_count).astype(np.int32)))
    edges, at = inheritance(snapshot, all_types, downwards=False)
    are_outside = snapshot.edges.target[edges] >= snapshot.first_external
    return list(zip(types[of[at[are_outside]]].tolist(), edges[are_outside].tolist(), strict=True))


def _names_at(file: IndexedFile) -> dict[tuple[int, int], str]:
    """The names of the bases of types, by where they stand."""
    uses, sites = rows(file.facts.uses).tolist(), rows(file.facts.sites).tolist()
    found: dict[tuple[int, int], str] = {}
    for at in range(0, len(uses), Use.WIDTH):
        if uses[at + Use.ROLE] in (UseRole.EXTENDS, UseRole.IMPLEMENTS):
            first = uses[at + Use.FIRST] * SITE_WIDTH
            found[sites[first], sites[first + 1]] = last_name(file, find_inner(file, uses[at + Use.EXPR]))
    return found


def _are_few(ways: Ways, name: str, package: int) -> bool:
    """Whether few types of the product that have a base in a package have a method of a name."""
    named = ways.snapshot.node_names.named(name)
    methods = list_methods(ways, named[named < ways.snapshot.first_external])
    methods = methods[ways.file_cost[ways.columns.file[methods]] == 0]
    inheriting = _inherit_outside(ways.snapshot, ways.columns.parent[methods])
    return len({owner for owner, row in inheriting if ways.snapshot.edges.target[row] == package}) <= OVERRIDERS_MAX


def calls_outside(
    snapshot: Snapshot, name: str, packages: Collection[int], near: Container[int] | None = None
) -> Iterator[Call]:
    """The calls of what some packages outside have under a name, one for each definition and package; with `near`, of
    members only, in these files."""
    table, wanted = snapshot.edges, np.array(sorted(packages), dtype=np.int32)
    langs = {snapshot.externals[package - snapshot.first_external][0] for package in packages}
    files = [file for file in files_with(snapshot, name) if file.lang in langs]
    if near is not None:
        files = [file for file in files if file.number in near]
    for file in files[:FILES_MAX]:
        leaving = np.arange(table.out_start[file.base], table.out_start[file.base + file.symbol_count])
        own = leaving[(table.kind[leaving] == _CALLS) & are_among(table.target[leaving], wanted)]
        places = _calls_named(file, name, are_members=near is not None) if len(own) else {}
        for row in own.tolist() if places else ():
            first = int(table.first[row])
            at = [tuple(site) for site in table.sites[first : first + int(table.count[row])].tolist()]
            if named := [site for site in at if site in places]:
                types = frozenset(filter(None, (places[site] for site in named)))
                yield Call(int(table.source[row]), int(table.target[row]), named[0][0], types)


def _calls_named(file: IndexedFile, name: str, *, are_members: bool) -> dict[tuple[int, int], str]:
    """Line and column of the calls by a name, with the type that the receiver is stated to have, or ""."""
    names = [at for at, one in enumerate(file.facts.names) if name in one and demangle(one) == name]
    uses, sites = table(file.facts.uses, Use.WIDTH), table(file.facts.sites, SITE_WIDTH)
    exprs = table(file.facts.exprs, EXPR_WIDTH)
    called = uses[uses[:, Use.ROLE] == UseRole.CALL]
    expr = inner_of(exprs, called[:, Use.EXPR])
    op, are_named = exprs[expr, 0], np.isin(exprs[expr, 2], names) & (exprs[expr, 0] == Op.ATTR)
    if not are_members:
        plain = np.flatnonzero((op == Op.NAME) | (op == Op.GLOBAL)).tolist()
        are_named[[at for at in plain if demangle(last_name(file, int(expr[at]))) == name]] = True
    found: dict[tuple[int, int], str] = {}
    for at in np.flatnonzero(are_named).tolist():
        stated = _stated_type(file, int(exprs[expr[at], 1])) if op[at] == Op.ATTR else ""
        begin, count = int(called[at, Use.FIRST]), int(called[at, Use.COUNT])
        for line, col in sites[begin : begin + count].tolist():
            found[line, col] = stated
    return found


def _stated_type(file: IndexedFile, expr: int) -> str:
    """The name of the type that a variable or a member of `this` is stated to have, or made of; "" where none is."""
    op, a, b = rows(file.facts.exprs)[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
    if op == Op.ATTR:
        named = [row for row in range(file.symbol_count) if file.cell(row, Symbol.NAME) == b]
        return _type_of_symbol(file, named[0]) if len(named) == 1 else ""
    if op != Op.NAME:
        return ""
    bindings, sources = rows(file.facts.bindings), rows(file.facts.sources)
    if bindings[a * Binding.WIDTH + Binding.COUNT] != 1:
        return ""
    first = bindings[a * Binding.WIDTH + Binding.FIRST] * Source.WIDTH
    kind, value = sources[first : first + 2].tolist()
    if kind == SourceKind.TYPED:
        return last_name(file, find_inner(file, value))
    return _type_of_symbol(file, value) if kind == SourceKind.SYMBOL else ""


def _type_of_symbol(file: IndexedFile, row: int) -> str:
    stated = file.cell(row, Symbol.TYPE)
    return last_name(file, find_inner(file, stated)) if stated >= 0 else ""
