"""Makes steps of the edges of a map and of its undecided uses: which definition uses which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES, inheritance
from codemap.graph.index.overrides import PAIRS_MAX, overrides
from codemap.graph.index.type_methods import ARE_METHODS, constructors_of
from codemap.graph.likelihood.candidates import Candidates
from codemap.graph.model.edges import INHERITANCE, USES, EdgeKind, Ints, Mask, Numbers, are_among, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.counterparts import counterpart_key
from codemap.languages import by_name
from codemap.languages.liveness import is_found
from codemap.unused.reading import Read
from codemap.unused.steps import Doubt, Names, Steps, Why, joined, steps

_RUNNING = np.array([kind in (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.FILE) for kind in SymbolKind])
_PASSIVE = np.array([kind in (SymbolKind.VARIABLE, SymbolKind.PROPERTY) for kind in SymbolKind])
"""By SymbolKind."""
_USES = sorted(map(int, USES))
_BINDING = [int(one) for one in (EdgeKind.IMPORTS, EdgeKind.EXPORTS)]
NAMESAKES_MAX = 200
"""Definitions of a name up to which those are looked through that may fit a class of this shape."""
_REFERENCES, _EXTENDS = int(EdgeKind.REFERENCES), int(EdgeKind.EXTENDS)


def running_owners(snapshot: Snapshot) -> Ints:
    """Of each definition, the one that runs what is in it: itself, but of a variable the function or file around
    it, as its value is computed whether it is used or not."""
    columns = columns_of(snapshot)
    runs = _RUNNING[columns.kind] | (columns.flags & int(SymbolFlag.ACCESSOR) != 0)
    owner = np.arange(len(columns.kind), dtype=np.int32)
    climbing = np.flatnonzero(_PASSIVE[columns.kind] & ~runs)
    while len(climbing):
        owner[climbing] = columns.parent[owner[climbing]]
        climbing = climbing[~runs[owner[climbing]]]
    return owner


def steps_of_edges(snapshot: Snapshot, read: Mapping[int, Read]) -> Steps:
    """Of all edges inside the repository; `read` is what files say, by number."""
    columns, table = columns_of(snapshot), snapshot.edges
    inside = np.flatnonzero((table.target < snapshot.first_external) & (table.source < snapshot.first_external))
    kind, source, target = table.kind[inside], table.source[inside], table.target[inside]
    bases = np.array(snapshot.bases[:-1], dtype=np.int32)
    are_uses = np.isin(kind, _USES)
    uses = inside[are_uses & ~_are_lists(snapshot, inside, read)]
    is_guess = table.confidence[uses] >= int(Confidence.NAME)
    owners = running_owners(snapshot)[table.source[uses]]
    found = [
        steps(owners[~is_guess], table.target[uses][~is_guess], Doubt.NONE, Why.USE, uses[~is_guess]),
        steps(owners[is_guess], table.target[uses][is_guess], Doubt.LARGE, Why.NAME_GUESS, uses[is_guess]),
    ]
    binding = np.isin(kind, _BINDING)
    files = bases[columns.file[source[binding]]]
    to_file = columns.parent[target[binding]] < 0
    rows = inside[binding]
    found.append(steps(files[to_file], target[binding][to_file], Doubt.NONE, Why.USE, rows[to_file]))
    found.append(steps(files[~to_file], target[binding][~to_file], Doubt.SMALL, Why.IMPORTED, rows[~to_file]))
    return joined(found)


def _are_lists(snapshot: Snapshot, edges: Numbers, read: Mapping[int, Read]) -> Mask:
    """Which edges are of names in lists of exports alone, which uses nothing."""
    columns, table = columns_of(snapshot), snapshot.edges
    found = np.zeros(len(edges), dtype=np.bool_)
    at_top = (columns.parent[table.source[edges]] < 0) & (table.kind[edges] == _REFERENCES)
    for place in np.flatnonzero(at_top).tolist():
        row = int(edges[place])
        known = read.get(int(columns.file[table.source[row]]))
        if known is not None and known.exported:
            first = int(table.first[row])
            sites = table.sites[first : first + int(table.count[row])].tolist()
            found[place] = all((line, col) in known.exported for line, col in sites)
    return found


def steps_of_undecided(snapshot: Snapshot, names: Names, wanted: Mask) -> Steps:
    """Of the uses that could not be decided, as far as they may mean `wanted` definitions."""
    table, columns = snapshot.unresolved, columns_of(snapshot)
    candidates = Candidates(snapshot)
    owners = running_owners(snapshot)
    number = snapshot.unresolved_names
    asked = {number[name] for name in _names_of(snapshot, wanted) if name in number}
    rows = np.flatnonzero(np.isin(table.name, sorted(asked))).astype(np.int32)
    if not len(rows):
        return joined(())
    families = snapshot.families.of_file[columns.file[table.source[rows]]].astype(np.int64)
    keys = (table.name[rows].astype(np.int64) << 16) + (table.kind[rows].astype(np.int64) << 8) + families
    distinct, first, at = np.unique(keys, return_index=True, return_inverse=True)
    virtual = np.empty(len(distinct), dtype=np.int32)
    found = []
    for place, row in enumerate(rows[first].tolist()):
        use = snapshot.unresolved_use(row)
        virtual[place] = names.node(f"use {distinct[place]} {use.name}")
        meant = candidates.possible(use)
        meant = meant[wanted[meant]]
        found.append(steps(int(virtual[place]), meant, Doubt.NONE, Why.UNDECIDED))
    found.append(steps(owners[table.source[rows]], virtual[at], Doubt.LARGE, Why.UNDECIDED, rows))
    return joined(found)


def _names_of(snapshot: Snapshot, wanted: Mask) -> set[str]:
    names = snapshot.node_names
    return {names.names[number] for number in distinct(names.of_node[np.flatnonzero(wanted)]).tolist()}


def steps_of_owners(snapshot: Snapshot) -> Steps:
    """What is in something that is in use has that in use: a method its class, a class its file."""
    parents = columns_of(snapshot).parent
    inner = np.flatnonzero(parents >= 0).astype(np.int32)
    return steps(inner, parents[inner], Doubt.NONE, Why.BELONGS)


def steps_of_overrides(snapshot: Snapshot) -> Steps:
    """A call of a method may run what overrides it. An heir's constructor hardly runs for one of its base: only where a
    class makes objects of whichever it is. An override keeps what it implements."""
    columns, are_constructors = columns_of(snapshot), constructors_of(snapshot)
    methods = np.flatnonzero(ARE_METHODS[columns.kind] & (columns.parent >= 0)).astype(np.int32)
    methods = methods[ARE_TYPES[columns.kind[columns.parent[methods]]]]
    found = []
    for batch in _batches(snapshot, methods):
        own, above = overrides(snapshot, batch, downwards=False)
        abstract = columns.flags[above] & int(SymbolFlag.ABSTRACT) != 0
        abstract |= columns.kind[columns.parent[above]] == int(SymbolKind.INTERFACE)
        doubt = np.where(abstract, int(Doubt.NONE), int(Doubt.LARGE)).astype(np.int32)
        below = np.where(are_constructors[above], int(Doubt.SMALL), int(Doubt.NONE)).astype(np.int32)
        found += [steps(above, own, below, Why.OVERRIDES), steps(own, above, doubt, Why.OVERRIDES)]
    return joined(found)


def steps_of_siblings(snapshot: Snapshot) -> Steps:
    """In a class of several bases, a method of one may take the place of one of another's."""
    columns, table, names = columns_of(snapshot), snapshot.edges, snapshot.node_names.of_node
    types = np.flatnonzero(ARE_TYPES[columns.kind]).astype(np.int32)
    rows, of = inheritance(snapshot, types, downwards=False)
    inside = table.target[rows] < snapshot.first_external
    counts = np.bincount(of[inside], minlength=len(types))
    pairs: set[tuple[int, int]] = set()
    for cls in types[counts > 1].tolist():
        by_name: dict[int, list[int]] = {}
        for base in _bases_of(snapshot, cls):
            for member in columns.children_of(base).tolist():
                by_name.setdefault(int(names[member]), []).append(member)
        for members in by_name.values():
            pairs.update(pair for pair in pairwise([*members, members[0]]) if pair[0] != pair[1])
    source, target = zip(*sorted(pairs), strict=True) if pairs else ((), ())
    return steps(np.array(source, np.int32), np.array(target, np.int32), Doubt.SMALL, Why.OVERRIDES)


def steps_of_shapes(snapshot: Snapshot) -> Steps:
    """A call of a method of a class that any value with its members fits may run one of any class that has them all."""
    columns, names = columns_of(snapshot), snapshot.node_names
    found = []
    for file in snapshot.files:
        pattern = by_name()[file.lang].shape_classes
        for node in range(file.base + 1, file.base + file.symbol_count) if pattern else ():
            if columns.kind[node] != int(SymbolKind.CLASS) or not is_found(pattern, f"{_header(snapshot, node)}:"):
                continue
            members = {int(names.of_node[member]): member for member in columns.children_of(node).tolist()}
            rarest = min(members, key=lambda name: int(names.start[name + 1] - names.start[name]), default=-1)
            if rarest < 0 or names.start[rarest + 1] - names.start[rarest] > NAMESAKES_MAX:
                continue
            for other in names.nodes[names.start[rarest] : names.start[rarest + 1]].tolist():
                cls = int(columns.parent[other]) if other < snapshot.first_external else -1
                if cls < 0 or cls == node or not ARE_TYPES[columns.kind[cls]]:
                    continue
                own = {int(names.of_node[member]): member for member in _members_of(snapshot, cls)}
                if members.keys() <= own.keys():
                    stated = np.array(list(members.values()), np.int32)
                    meant = np.array([own[name] for name in members], np.int32)
                    found.append(steps(stated, meant, Doubt.LARGE, Why.OVERRIDES))
    return joined(found)


def _header(snapshot: Snapshot, node: int) -> str:
    return snapshot.text_of(node, Symbol.SIGNATURE)


def _members_of(snapshot: Snapshot, cls: int) -> Iterator[int]:
    """The members of a class, those of its bases first."""
    for each in (*reversed(_bases_of(snapshot, cls)), cls):
        yield from columns_of(snapshot).children_of(each).tolist()


def steps_of_embedded(snapshot: Snapshot) -> Steps:
    """A field by which a type has the members of another is in use where one of these is: it has the other's name, and
    stands where the type says that it inherits from it."""
    columns, table, names = columns_of(snapshot), snapshot.edges, snapshot.node_names.of_node
    width = np.int64(len(snapshot.node_names.names))
    rows = np.flatnonzero((table.kind == _EXTENDS) & (table.target < snapshot.first_external))
    wanted = table.source[rows] * width + names[table.target[rows]]
    fields = np.flatnonzero(columns.kind == int(SymbolKind.PROPERTY)).astype(np.int32)
    keys = columns.parent[fields] * width + names[fields]
    fields = fields[are_among(keys, distinct(wanted))]
    field_of = {(int(columns.parent[field]), snapshot.cell(field, Symbol.LINE)): field for field in fields.tolist()}
    found = []
    for row in rows[are_among(wanted, distinct(keys))].tolist():
        first = int(table.first[row])
        lines = table.sites[first : first + int(table.count[row]), 0].tolist()
        members = columns.children_of(int(table.target[row]))
        chosen = [field_of[at] for at in ((int(table.source[row]), line) for line in lines) if at in field_of]
        found += [steps(members, np.full_like(members, field), Doubt.NONE, Why.BELONGS) for field in chosen]
    return joined(found)


def _bases_of(snapshot: Snapshot, cls: int) -> list[int]:
    """A class's bases in the repository, however far above."""
    seen, waiting = {cls: None}, [cls]
    while waiting:
        for edge in snapshot.edges_out(waiting.pop(), INHERITANCE):
            if edge.target not in seen and not snapshot.is_external(edge.target):
                seen[edge.target] = None
                waiting.append(edge.target)
    return [one for one in seen if one != cls]


def _batches(snapshot: Snapshot, methods: Ints) -> Iterator[Ints]:
    """Methods in parts whose namesakes are few enough to be looked at, all of them."""
    names = snapshot.node_names
    counts = (names.start[1:] - names.start[:-1])[names.of_node[methods]]
    total = np.cumsum(counts)
    while len(methods):
        end = max(1, int(np.searchsorted(total, PAIRS_MAX, side="right")))
        yield methods[:end]
        methods, total = methods[end:], total[end:] - total[end - 1]


def steps_of_parts(snapshot: Snapshot) -> Steps:
    """Definitions that are one for their users: overloads, alternatives, the parts of a type, prototypes."""
    columns, names = columns_of(snapshot), snapshot.node_names.of_node.tolist()
    parents, flags = columns.parent.tolist(), columns.flags.tolist()
    at_top = np.isin(columns.kind, (int(SymbolKind.FILE), int(SymbolKind.MODULE))).tolist()
    chains: dict[tuple[int, int], int] = {}
    chain = [-1] * len(parents)
    """Of each definition, a number that stands for its qualified name."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for file in snapshot.files:
        language, folder = by_name()[file.lang], file.path.rpartition("/")[0]
        is_anywhere = language.scopes.sees == "includes"
        for node in range(file.base + 1, file.base + file.symbol_count):
            name = chain[node] = chains.setdefault((chain[parents[node]], names[node]), len(chains))
            groups.setdefault((file.number, name), []).append(node)
            if language.scopes.declares_packages:
                groups.setdefault((file.lang, folder, name), []).append(node)
            if flags[node] & _CONDITIONAL and at_top[parents[node]]:
                groups.setdefault((file.number, "conditional", names[node]), []).append(node)
            if language.counterparts and (key := counterpart_key(snapshot, node)) is not None:
                groups.setdefault(("counterparts", *key), []).append(node)
            if is_anywhere or flags[node] & _PARTS:
                groups.setdefault((file.family, name), []).append(node)
    source, target = [], []
    for group in groups.values():
        if len(group) > 1:
            source += group
            target += [*group[1:], group[0]]
    return steps(np.array(source, np.int32), np.array(target, np.int32), Doubt.NONE, Why.BELONGS)


_PARTS = int(SymbolFlag.PART | SymbolFlag.DECLARATION)
_CONDITIONAL = int(SymbolFlag.CONDITIONAL)
"""A build has one of the alternatives, which need not be in one namespace: a function, and a macro in its place."""
