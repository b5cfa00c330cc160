"""Who makes objects of a class: they run its constructor, and may run what is called on the object elsewhere.

A call of a class is one of its constructor, or of the one that it inherits. What code outside of the repository calls
on an object, nobody here is seen to call: who makes the object stands for that.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SymbolFlag
from codemap.file_roles import Role
from codemap.graph.frameworks.injected_parameters import INJECTED_USERS
from codemap.graph.index.columns import columns_of, gathered, places
from codemap.graph.index.inheritance import ARE_TYPES, inheritance
from codemap.graph.index.node_roles import are_in_files_of
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.index.type_methods import constructors_of
from codemap.graph.model.edges import (
    ARE_FUNCTIONS,
    ARE_VARIABLES,
    INHERITANCE,
    EdgeKind,
    Ints,
    Mask,
    are_among,
    distinct,
)
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_contents, reuse_for_paths
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.prefix_dispatch import find_looked_up
from codemap.impact.steps import NO_NODES, TIERS, Arrivals, How, Tier, joined, make_arrivals
from codemap.languages import by_name
from codemap.languages.liveness import is_name

LEVELS_MAX = 12
"""Levels of heirs that run the constructor of a base."""
_CALLS, _REFERENCES = int(EdgeKind.CALLS), int(EdgeKind.REFERENCES)
_INHERITS = np.array([kind in INHERITANCE for kind in sorted(EdgeKind)])
"""By EdgeKind."""
_SPECIAL = re.compile(r"__\w+__\Z")
_BY_VALUE = re.compile(r"__(?:call|a?enter|a?exit)__\Z")
"""What a value is for that others are given: neither `x()` nor `with x` names it where the type of `x` is unknown."""


def find_constructing(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """The calls of the classes of some constructors, and of heirs that have none of that name of their own."""
    every, names = np.flatnonzero(constructors_of(snapshot)), snapshot.node_names.of_node
    found = []
    for name in distinct(names[methods]).tolist():
        have_own = distinct(columns_of(snapshot).parent[every[names[every] == name]])
        found.append(_find_makers(snapshot, methods[names[methods] == name], have_own, Tier.CERTAIN))
    return joined(found)


def _find_makers(snapshot: Snapshot, methods: Ints, without: Ints, least: Tier) -> Arrivals:
    """The calls of the classes of some methods, and of their heirs but for some and what is below these. A test fixture
    that names such a class may hand it to tests, which call it by another name."""
    table = snapshot.edges
    made = PARTS.of(snapshot).wholes_of(columns_of(snapshot).parent[methods])
    types, inverse = np.unique(made, return_inverse=True)
    owner = inverse.astype(np.int32)
    owners = np.arange(len(types) + 1, dtype=np.int32)
    are_fixtures = _FIXTURES.of(snapshot)
    beside = owners[:-1]
    """Of each of the types, the place of the owner that it is or inherits from."""
    found = []
    for _ in range(LEVELS_MAX):
        if not len(types):
            break
        rows, of = gathered(table.by_target, table.in_start, types)
        called = (table.kind[rows] == _CALLS) | ((table.kind[rows] == _REFERENCES) & are_fixtures[table.source[rows]])
        rows, of = rows[called], of[called]
        at, method = places(np.searchsorted(beside[of], owners).astype(np.int32), owner)
        rows = rows[at]
        tier = np.maximum(TIERS[table.confidence[rows]], int(least))
        tier[table.kind[rows] == _REFERENCES] = max(least, Tier.POSSIBLE)
        how = np.full(len(rows), How.CONSTRUCTS, np.int32)
        found.append(Arrivals(table.source[rows], methods[method], rows, how, tier))
        heirs, of = inheritance(snapshot, types, downwards=True)
        below = table.source[heirs]
        inherits = ~are_among(below, without)
        types, beside = below[inherits], beside[of[inherits]]
    return joined(found)


def _find_fixtures(snapshot: Snapshot) -> Mask:
    found = np.zeros(snapshot.node_count, dtype=np.bool_)
    found[list(INJECTED_USERS.of(snapshot))] = True
    return found


_FIXTURES = Slot[Mask](_find_fixtures)
"""By node: whether it is run for those that name it as a parameter."""


def are_run_for_classes(snapshot: Snapshot, methods: Ints) -> Mask:
    """Which methods run for the objects of their class where nothing names them: for the classes of a metaclass."""
    found: Mask = _SPECIAL_NAMES.of(snapshot)[snapshot.node_names.of_node[methods]] > _PLAIN
    return found & (columns_of(snapshot).parent[methods] >= 0)


def find_of_metaclass(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """The classes that name the class of some methods, as they name their metaclass."""
    columns, table = columns_of(snapshot), snapshot.edges
    rows, of = gathered(table.by_target, table.in_start, columns.parent[methods])
    source = table.source[rows]
    chosen = (table.kind[rows] == _REFERENCES) & (columns.parent[source] >= 0) & ARE_TYPES[columns.kind[source]]
    rows, of = rows[chosen], of[chosen]
    return make_arrivals(table.source[rows], methods[of], rows, How.REFERENCES, Tier.REMOTE)


def find_makers_for_outside(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """Who makes what code outside of the repository may call some methods of: those that a runtime calls by their names
    (`__enter__`) where nothing here is known to call them, and those that no product code is known to call where their
    class has a base outside, or where the product has a shared object of it, made outside of functions. And who holds
    objects that outside code may call otherwise, or makes those that ask themselves for methods by computed names."""
    columns, table = columns_of(snapshot), snapshot.edges
    methods = methods[columns.parent[methods] >= 0]
    rows, of = gathered(table.by_target, table.in_start, methods)
    is_call = table.kind[rows] == _CALLS
    by_product = is_call & are_in_files_of(snapshot, table.source[rows], Role.PRODUCT)
    are_called, are_called_by_product = np.zeros((2, len(methods)), dtype=bool)
    are_called[of[is_call]] = True
    are_called_by_product[of[by_product]] = True
    rows, of = places(table.out_start, columns.parent[methods])
    may_override = np.zeros(len(methods), dtype=bool)
    may_override[of[_INHERITS[table.kind[rows]] & (table.target[rows] >= snapshot.first_external)]] = True
    kinds = _SPECIAL_NAMES.of(snapshot)[snapshot.node_names.of_node[methods]]
    are_contracts = _CONTRACT_METHODS.of(snapshot)[methods]
    are_special = kinds > _PLAIN
    may_override |= kinds == _FOR_VALUES
    may_run = ((are_special | are_contracts) & ~are_called) | (may_override & ~are_called_by_product)
    may_run |= are_among(methods, find_looked_up(snapshot, methods))
    shared = _find_makers(
        snapshot, methods[~(are_special | may_override | are_called_by_product)], NO_NODES, Tier.REMOTE
    )
    is_shared = ~ARE_FUNCTIONS[columns.kind[shared.source]]
    is_shared &= are_in_files_of(snapshot, shared.source, Role.PRODUCT)
    return joined(
        (
            _find_makers(snapshot, methods[may_run], NO_NODES, Tier.REMOTE),
            shared.where(is_shared),
            _find_holders(snapshot, methods[~are_called_by_product & (are_contracts | ~are_called)]),
        )
    )


def _find_holders(snapshot: Snapshot, methods: Ints) -> Arrivals:
    """Who names what some methods, which nothing is known to call, are handed on in: a variable that holds an object
    with them (`new Proxy(target, traps)`), or a type that implements interfaces outside without saying so."""
    columns, table = columns_of(snapshot), snapshot.edges
    owners = columns.parent[methods]
    may_implement = _STRUCTURAL_FILES.of(snapshot)[columns.file[methods]] & ARE_TYPES[columns.kind[owners]]
    may_implement &= columns.flags[methods] & int(SymbolFlag.EXPORTED) != 0
    are_held = may_implement | ARE_VARIABLES[columns.kind[owners]]
    methods, owners = methods[are_held], owners[are_held]
    rows, of = gathered(table.by_target, table.in_start, owners)
    chosen = (table.kind[rows] == _REFERENCES) & (table.source[rows] != methods[of])
    rows, of = rows[chosen], of[chosen]
    return make_arrivals(table.source[rows], methods[of], rows, How.REFERENCES, Tier.REMOTE)


"""By SymbolKind."""


def _find_contracts(snapshot: Snapshot) -> Mask:
    names, of_node = snapshot.node_names.names, snapshot.node_names.of_node
    by_language: dict[str, Mask] = {}
    found = np.zeros(snapshot.first_external, dtype=np.bool_)
    for file in snapshot.files:
        if file.lang not in by_language:
            pattern = by_name()[file.lang].liveness.contract_names
            its = (bool(pattern) and is_name(pattern, name) for name in names)
            by_language[file.lang] = np.fromiter(its, np.bool_, len(names))
        here = slice(file.base, file.base + file.symbol_count)
        found[here] = by_language[file.lang][of_node[here]]
    return found


_CONTRACT_METHODS = Slot[Mask](_find_contracts, carry=reuse_for_contents, rescore=reuse)
"""By node: whether things outside ask for members of its name, whatever the class is."""


def _find_structural(snapshot: Snapshot) -> Mask:
    languages = by_name()
    return np.fromiter((languages[file.lang].is_structural for file in snapshot.files), np.bool_, len(snapshot.files))


_STRUCTURAL_FILES = Slot[Mask](_find_structural, carry=reuse_for_paths, rescore=reuse)
"""By file number: whether types implement interfaces by their methods alone."""


def _find_special(snapshot: Snapshot) -> NDArray[np.int8]:
    names = snapshot.node_names.names
    found = np.full(len(names), _PLAIN, dtype=np.int8)
    for place, name in enumerate(names):
        if name.startswith("__") and _SPECIAL.match(name):
            found[place] = _FOR_VALUES if _BY_VALUE.match(name) else _BY_RUNTIME
    return found


_PLAIN, _BY_RUNTIME, _FOR_VALUES = range(3)
_SPECIAL_NAMES = Slot[NDArray[np.int8]](_find_special, carry=reuse_for_contents, rescore=reuse)
"""By number of a name: whether a runtime calls methods of the name by it, and whether for what a value is for."""
