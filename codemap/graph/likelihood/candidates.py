"""Candidates of undecided uses: definitions of that name that the form and the language family admit, nearest first.

The file is long because a use has a candidate exactly if the candidate has the use: both directions are in one place.
"""

from __future__ import annotations

import numpy as np

from codemap.facts import SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import Columns, columns_of, gathered, places
from codemap.graph.index.inheritance import list_ancestors
from codemap.graph.index.node_roles import FILE_ROLES, role_of_node, roles_of_nodes
from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.likelihood.held_attributes import find_in_attributes
from codemap.graph.likelihood.held_functions import find_held
from codemap.graph.likelihood.other_names import list_methods, list_other_names
from codemap.graph.likelihood.receivers import is_by_super
from codemap.graph.model.edges import (
    ARE_FUNCTIONS,
    BARE,
    CALLABLE_KINDS,
    MEMBER_KINDS,
    NO_ROWS,
    EdgeKind,
    Ints,
    Mask,
    Numbers,
    Unresolved,
    are_among,
    distinct,
)
from codemap.graph.model.index_slots import Slot, reuse, reuse_for_contents
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

CANDIDATES_MAX = 5
"""Candidates named for one undecided use: the contract's."""


Form = tuple[str, EdgeKind, bool, int, bool]
"""Of a use: the name, the kind, whether of a member, the language family, and whether in the product."""


class Candidates:
    """Candidates of the uses of one snapshot, remembered for one question: they depend on the form of the use, their
    order on its file."""

    def __init__(self, snapshot: Snapshot, rows: Ints = NO_ROWS) -> None:
        """Of undecided uses in some rows, it is found at once of which nothing is excluded."""
        self._snapshot = snapshot
        self._columns = columns_of(snapshot)
        self._distances = path_distances_of(snapshot)
        self._open = frozenset(rows[~_may_exclude(snapshot, rows)].tolist() if len(rows) else ())
        self._around: dict[int, tuple[int, bool]] = {}
        """By who uses something: the language family, and whether it is in the product."""
        self._of_form: dict[Form, Ints] = {}
        self._by_distance: dict[tuple[Form, int], tuple[int, ...]] = {}
        self._others: dict[tuple[Form, int], bytes] = {}

    def possible(self, use: Unresolved) -> Ints:
        """Every definition that a use could mean, the best hub first; without what it means for sure."""
        found = self._list_held(use) if use.is_held else self.alike(use)[1]
        without = () if use.row in self._open else find_excluded(self._snapshot, use)
        return found[~np.isin(found, without)] if without else found

    def others(self, use: Unresolved, node: int) -> bytes:
        """The same but for a node: bytes of `Ints`."""
        if use.is_held or use.row not in self._open:
            return _leave_out(self.possible(use), node)
        form, found = self.alike(use)
        known = self._others.get((form, node))
        if known is None:
            known = self._others[form, node] = _leave_out(found, node)
        return known

    def by_distance(self, use: Unresolved) -> tuple[int, ...]:
        """The same, the nearest to the use first, the best hub first among equals."""
        file = int(self._columns.file[use.source])
        if use.is_held:
            found = self._sort(self._list_held(use), file)
        else:
            form, possible = self.alike(use)
            known = self._by_distance.get((form, file))
            found = self._sort(possible, file) if known is None else known
            self._by_distance[form, file] = found
        without = find_excluded(self._snapshot, use)
        return tuple(node for node in found if node not in without) if without else found

    def _sort(self, nodes: Ints, file: int) -> tuple[int, ...]:
        apart = self._distances.apart(file, self._columns.file[nodes])
        return tuple(nodes[np.argsort(apart, kind="stable")].tolist())

    def _list_held(self, use: Unresolved) -> Ints:
        known = find_held(self._snapshot, use)
        held = np.array((*known.functions, *known.others), dtype=np.int32)
        return held[np.argsort(self._columns.rank[held], kind="stable")]

    def alike(self, use: Unresolved) -> tuple[Form, Ints]:
        """The form of a use of a name, and all that uses of that form could mean, the best hub first."""
        columns, families = self._columns, self._snapshot.families
        around = self._around.get(use.source)
        if around is None:
            family = int(families.of_file[columns.file[use.source]])
            around = self._around[use.source] = family, role_of_node(self._snapshot, use.source) is Role.PRODUCT
        form = (use.name, use.kind, use.is_member, *around)
        found = self._of_form.get(form)
        if found is None:
            nodes = self._snapshot.node_names.named(use.name)
            nodes = nodes[columns.parent[nodes] >= 0]
            if use.kind == EdgeKind.CALLS and use.is_member:
                nodes = distinct(np.array([*nodes, *list_methods(self._snapshot, nodes)], dtype=np.int32))
            form_of_use = use.kind if use.is_member else use.kind | BARE
            nodes = nodes[_fit(self._snapshot, nodes, np.full(len(nodes), form_of_use, dtype=np.int32))]
            nodes = nodes[~_HIDDEN.of(self._snapshot)[nodes]]
            nodes = nodes[families.of_file[columns.file[nodes]] == around[0]]
            if use.kind == EdgeKind.CALLS and use.is_member:
                nodes = distinct(np.concatenate((nodes, find_in_attributes(self._snapshot, use))))
            found = self._of_form[form] = nodes[np.argsort(columns.rank[nodes])]
        return form, found


def _leave_out(nodes: Ints, node: int) -> bytes:
    others: bytes = nodes[nodes != node].tobytes()
    return others


def find_excluded(snapshot: Snapshot, use: Unresolved) -> list[int]:
    """What a use of a name surely is no undecided use of: what it means for sure, and of `super` the method itself."""
    return [*find_decided(snapshot, use), *([use.source] if is_by_super(snapshot, use) else [])]


def _may_exclude(snapshot: Snapshot, rows: Ints) -> Mask:
    """Which undecided uses begin at a site of an edge by the same definition, or have its name: of no others is any
    candidate excluded."""
    table, edges, names = snapshot.unresolved, snapshot.edges, snapshot.node_names
    sources = table.source.take(rows)
    known = places(edges.out_start, distinct(sources))[0]
    at, of = expand_ranges(edges.first.take(known), edges.count.take(known))
    of_edges = _place_sites(edges.source.take(known).take(of), edges.sites.take(at, axis=0))
    own = _place_sites(sources, table.sites.take(table.first.take(rows), axis=0))
    numbers, of_use = np.unique(table.name.take(rows), return_inverse=True)
    used = [-1 if (place := names.place(snapshot.names[number])) is None else place for number in numbers.tolist()]
    are_own: Mask = names.of_node.take(sources) == np.array(used, dtype=np.int32).take(of_use)
    return are_among(own, np.sort(of_edges)) | are_own


def _place_sites(sources: Ints, sites: Ints) -> Numbers:
    """A number for each site; those of different ones differ unless lines or columns are very many."""
    return (sources.astype(np.int64) << 40) + (sites[:, 0].astype(np.int64) << 16) + sites[:, 1]


def find_decided(snapshot: Snapshot, use: Unresolved) -> list[int]:
    """What a use means for sure, where it may mean others, too: the targets of edges with the same sites."""
    table = snapshot.edges
    rows = table.leaving(use.source)
    rows = rows[table.kind[rows] == use.kind]
    if not len(rows):
        return []
    sites = set(snapshot.sites(use))
    decided = []
    for row in rows.tolist():
        first, count = int(table.first[row]), int(table.count[row])
        if count >= len(sites) and sites <= set(map(tuple, table.sites[first : first + count].tolist())):
            decided.append(int(table.target[row]))
    return decided


def unresolved_rows_in(snapshot: Snapshot, node: int) -> Ints:
    """Rows of the undecided uses for which a node is a candidate."""
    table, columns = snapshot.unresolved, columns_of(snapshot)
    names = [] if snapshot.is_external(node) else [snapshot.name_of(node), *list_other_names(snapshot, node)]
    numbers = [number for name in names if (number := snapshot.unresolved_names.get(name)) is not None]
    if not numbers or columns.parent[node] < 0 or is_hidden(snapshot, node):
        return np.empty(0, dtype=np.int32)
    rows = gathered(table.by_name, table.name_start, np.array(numbers, dtype=np.int32))[0]
    rows = rows[_fit(snapshot, np.full(len(rows), node, dtype=np.int32), table.kind[rows])]
    families = snapshot.families.of_file
    found: Ints = rows[families[columns.file[table.source[rows]]] == families[columns.file[node]]]
    if not snapshot.name_of(node).startswith("<"):
        return drop_decided(snapshot, node, found)
    cls = int(columns.parent[node])  # a constructor that only its class and those below call by a name that it shares
    owners = columns.parent[table.source[found]].tolist()
    found = found[[owner == cls or cls in list_ancestors(snapshot, owner) for owner in owners]]
    return drop_decided(snapshot, node, found)


def drop_decided(snapshot: Snapshot, node: int, rows: Ints) -> Ints:
    """Undecided uses without those that mean a node for sure, and those that do not, as it asks its bases."""
    if not len(rows):
        return rows
    table, edges = snapshot.unresolved, snapshot.edges
    sources = table.source.take(rows)
    may_be_decided = are_among(sources, np.sort(edges.source.take(edges.arriving(node))))
    gone = [
        row
        for row in rows.compress(may_be_decided | (sources == node)).tolist()
        if _is_decided(snapshot, snapshot.unresolved_use(row), node)
    ]
    kept: Ints = rows[~np.isin(rows, gone)] if gone else rows
    return kept


def _is_decided(snapshot: Snapshot, use: Unresolved, node: int) -> bool:
    is_own = use.source == node and is_by_super(snapshot, use)
    return is_own or node in find_decided(snapshot, use)


def undecided_uses_of(snapshot: Snapshot, nodes: Ints, namesakes_max: int) -> tuple[Ints, Ints]:
    """Rows of the undecided uses for which some definitions are candidates, and the definition of each; without those
    of names that more than so many definitions have. Where only with tests, examples and the like a name has more, the
    definitions in product code alone are candidates."""
    table, columns, names = snapshot.unresolved, columns_of(snapshot), snapshot.node_names
    nodes = nodes[nodes < snapshot.first_external]
    nodes = nodes[columns.parent[nodes] >= 0]
    nodes = nodes[_are_rare(snapshot, nodes, namesakes_max)]
    number = _UNRESOLVED_NAMES.of(snapshot)[names.of_node[nodes]]
    nodes, number = nodes[number >= 0], number[number >= 0]
    rows, of = gathered(table.by_name, table.name_start, number)
    return _keep_fitting(snapshot, columns, rows, nodes[of])


def undecided_uses_by(snapshot: Snapshot, nodes: Ints, namesakes_max: int) -> tuple[Ints, Ints]:
    """Rows of the undecided uses by some nodes, and a candidate of each: a row for every candidate. Without uses of
    names that more than so many definitions have, counted as in `undecided_uses_of`."""
    table, columns, names = snapshot.unresolved, columns_of(snapshot), snapshot.node_names
    rows = places(table.out_start, nodes)[0]
    named = _NODE_NAMES.of(snapshot)[table.name[rows]]
    rows, named = rows[named >= 0], named[named >= 0]
    are_few = np.minimum(names.start[named + 1] - names.start[named], _PRODUCT_COUNTS.of(snapshot)[named])
    rows, named = rows[are_few <= namesakes_max], named[are_few <= namesakes_max]
    meant, of = gathered(names.nodes, names.start, named)
    is_inside = columns.parent[meant] >= 0
    rows, meant = rows[of][is_inside], meant[is_inside]
    are_rare = _are_rare(snapshot, meant, namesakes_max)
    return _keep_fitting(snapshot, columns, rows[are_rare], meant[are_rare])


def _are_rare(snapshot: Snapshot, nodes: Ints, namesakes_max: int) -> Mask:
    """Which definitions have a name that at most so many have, or that so many of product code have and they are in
    that."""
    names = snapshot.node_names
    named = names.of_node[nodes]
    found: Mask = names.start[named + 1] - names.start[named] <= namesakes_max
    if not found.all():
        found |= (_PRODUCT_COUNTS.of(snapshot)[named] <= namesakes_max) & (
            roles_of_nodes(snapshot, nodes) == Role.PRODUCT
        )
    return found


def _count_in_product(snapshot: Snapshot) -> Ints:
    names, columns = snapshot.node_names, columns_of(snapshot)
    inner = np.minimum(names.nodes, snapshot.first_external - 1)
    counts = (FILE_ROLES.of(snapshot)[columns.file[inner]] == Role.PRODUCT) & (names.nodes < snapshot.first_external)
    sums = np.concatenate(([0], np.cumsum(counts)))
    return (sums[names.start[1:]] - sums[names.start[:-1]]).astype(np.int32)


_PRODUCT_COUNTS = Slot[Ints](_count_in_product, rescore=reuse)
"""Of each name of nodes, how many definitions in product code have it."""


def _keep_fitting(snapshot: Snapshot, columns: Columns, rows: Ints, meant: Ints) -> tuple[Ints, Ints]:
    """Of undecided uses and definitions of their names those that the form of the use and the language admit."""
    table, families = snapshot.unresolved, snapshot.families.of_file
    fits = _fit(snapshot, meant, table.kind[rows])
    fits &= families[columns.file[table.source[rows]]] == families[columns.file[meant]]
    fits &= ~_HIDDEN.of(snapshot)[meant]
    return rows[fits], meant[fits]


def is_hidden(snapshot: Snapshot, node: int) -> bool:
    """Whether a definition is in a function, where no access to a member can mean it, only holds additions to a type
    of its name, or is a function that no code means by it."""
    return not snapshot.is_external(node) and bool(_HIDDEN.of(snapshot)[node])


def _find_hidden(snapshot: Snapshot) -> Mask:
    columns = columns_of(snapshot)
    hiding = [by_name()[file.lang].scopes.hides_locals for file in snapshot.files]
    above = np.maximum(columns.parent, 0)
    found: Mask = np.array(hiding, dtype=np.bool_)[columns.file] & (columns.parent >= 0)
    found &= ARE_FUNCTIONS[columns.kind[above]]
    found |= (columns.flags & int(SymbolFlag.UNNAMED) != 0) & ARE_FUNCTIONS[columns.kind]
    return found | ~columns.are_definitions(np.arange(len(found)))


_HIDDEN = Slot[Mask](_find_hidden, carry=reuse_for_contents, rescore=reuse)
"""By node: see `is_hidden`."""


def _find_unresolved_names(snapshot: Snapshot) -> Ints:
    number = {name: place for place, name in enumerate(snapshot.node_names.names)}
    found = np.full(len(number), -1, dtype=np.int32)
    places = [number.get(name, -1) for name in snapshot.names]
    of = np.array(places, dtype=np.int32)
    found[of[of >= 0]] = np.flatnonzero(of >= 0)
    return found


def _find_node_names(snapshot: Snapshot) -> Ints:
    numbers = _UNRESOLVED_NAMES.of(snapshot)
    found = np.full(len(snapshot.names), -1, dtype=np.int32)
    is_used = numbers >= 0
    found[numbers[is_used]] = np.flatnonzero(is_used)
    return found


_UNRESOLVED_NAMES = Slot[Ints](_find_unresolved_names, rescore=reuse)
"""Of each name of nodes, its number among the names of undecided uses; -1: it is none."""
_NODE_NAMES = Slot[Ints](_find_node_names, rescore=reuse)
"""Of each name of undecided uses, its number among the names of nodes; -1: it is none."""


def _are_members(columns: Columns, nodes: Ints) -> Ints:
    """1 for each definition inside another, 0 for each at the top of its file."""
    return (columns.parent[columns.parent[nodes]] >= 0).astype(np.int32)


def _fit(snapshot: Snapshot, nodes: Ints, forms: Ints) -> Mask:
    """Which definitions uses of their names in some forms could mean."""
    columns = columns_of(snapshot)
    kinds = columns.kind[nodes]
    fits: Mask = _FITS[_are_members(columns, nodes), kinds, forms]
    fits |= _FITS[1, kinds, forms] & _IN_BLOCKS.of(snapshot)[nodes]
    return fits


def _find_in_blocks(snapshot: Snapshot) -> Mask:
    columns = columns_of(snapshot)
    defining = np.array([by_name()[file.lang].scopes.defines_in_blocks for file in snapshot.files], dtype=np.bool_)
    found: Mask = defining[columns.file] & ARE_FUNCTIONS[columns.kind]
    found &= columns.flags & int(SymbolFlag.EXPORTED) == 0
    return found


_IN_BLOCKS = Slot[Mask](_find_in_blocks, carry=reuse_for_contents, rescore=reuse)
"""By node: whether it is a function that may be a member of what a block is run for."""


def _could_mean(is_member: bool, kind: SymbolKind, form: int) -> bool:
    """Whether a definition of a kind, inside another or not, could be meant by a use of its name in some form."""
    if is_member == bool(form & BARE):
        return False
    if form & ~BARE == EdgeKind.CALLS:
        return kind in CALLABLE_KINDS
    return kind in MEMBER_KINDS or not is_member


_FITS = np.array(
    [[[_could_mean(member, kind, form) for form in range(2 * BARE)] for kind in SymbolKind] for member in (False, True)]
)
"""Shape (2, kinds, forms)."""
