"""Reconciles the answers of language servers with the edges of the map: which are verified, removed and added.

At one place let L be the definitions that the server gave and S the targets that the map has there:

- L and S have elements in common: the edges to these are verified; the others there stay as they are.
- L is in the repository and has no element in common with S: the edges to S are replaced by edges to L. But the place
  of a variable or property does not say what its value is: such an L removes no function or class from S.
- All of L is outside: edges into the repository are replaced by an edge to the package, where the map has its node.
- L is empty, or contains something that is no definition of the map: nothing changes.
- An undecided use becomes an edge to L, or outside, by the same rules. Imports and exports are at most verified.

A class and its constructor are one target, as are the definitions of a file that share a qualified name. The file is
long because its rules are understood side by side.

Rules of the file:
- Numbers of rows and sites are those of the tables of the snapshot without confirmations.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints, Mask, UnresolvedTable, distinct
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.verified.confirmations import OUTSIDE, UNMAPPED, Confirmed
from codemap.languages import by_name


class Verdict(IntEnum):
    """The outcome for one confirmed use."""

    VERIFIED = 0
    MOVED = 1  # to a definition that the map did not have there
    OUTSIDE = 2
    UNANSWERED = 3
    UNUSED = 4  # names something that the map does not know as a definition
    LAPSED = 5  # leads to a content that is not indexed now


ADDED_WIDTH = 5
"""Columns of `Judged.added`: source, kind, target, line, col."""


class Reconciled(NamedTuple):
    """The changes that the confirmations of some files make in the tables."""

    hit: Ints
    """Rows of edges that are verified."""
    cut: Ints
    """Sites that their edges lose."""
    cut_open: Ints
    """Sites that undecided uses lose."""
    added: Ints
    """One site of a new or present edge a row."""
    counts: Ints
    """One row a file: how many uses have each Verdict."""


class _Claims(NamedTuple):
    """The confirmations of some files, as columns."""

    key: NDArray[np.int64]
    """Ascending: place of the file among those that are reconciled, line, column."""
    file: Ints
    """Place of the file."""
    line: Ints
    col: Ints
    owner: Ints
    """Node."""
    kind: Ints
    first: Ints
    """Where its targets begin, and how many there are."""
    size: Ints
    target: Ints
    """Node, or what _LAPSED, UNMAPPED and OUTSIDE say."""


class _Sites(NamedTuple):
    """The sites of a table that have a claim."""

    site: Ints
    row: Ints
    claim: Ints


_LAPSED = -3
LINE_BITS, COL_BITS = 24, 20
USES = (int(EdgeKind.CALLS), int(EdgeKind.EXTENDS), int(EdgeKind.IMPLEMENTS), int(EdgeKind.REFERENCES))
"""Edges whose sites are uses; those of imports and exports are only verified."""
_PLACES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)


def reconcile(plain: Snapshot, found: Sequence[tuple[IndexedFile, Confirmed]]) -> Reconciled:
    """Computes what the confirmations of some files, in order, change in the tables of a plain snapshot.

    Each confirmation belongs to the content that is indexed.
    """
    claims = _read_claims(plain, found)
    edges, first_external = plain.edges, plain.first_external
    here = _find_sites(edges, claims, found)
    there = _find_sites(plain.unresolved, claims, found)
    claim_count = len(claims.key)
    lapsed = _have_any(claims, claims.target == _LAPSED)
    outside = _have_any(claims, (claims.target == OUTSIDE) | (claims.target >= first_external))
    named = _have_any(claims, (claims.target >= 0) & (claims.target < first_external))
    unmapped = _have_any(claims, claims.target == UNMAPPED)

    is_hit = _are_hits(claims, here, edges.target[here.row], claims.target) & ~lapsed[here.claim]
    met = _mark_claims(claim_count, here.claim[is_hit])
    doubtful = named & ~lapsed & ~met
    if doubtful.any():
        again = doubtful[here.claim]
        is_hit[again] = _are_alike(plain, claims, _Sites(*(column[again] for column in here)))
        met = _mark_claims(claim_count, here.claim[is_hit])

    moves = (named | outside) & ~lapsed & ~met & ~unmapped
    is_use = np.isin(edges.kind[here.row], USES)
    target = edges.target[here.row]
    is_outside = target >= first_external
    goes = moves[here.claim] & is_use & ~(is_outside & outside[here.claim])
    soft = _are_places_only(plain, claims, moves & named)
    goes[goes] = ~(soft[here.claim[goes]] & ~_are_places(plain, target[goes]))
    goes_open = moves[there.claim]

    has_use = _mark_claims(claim_count, here.claim[is_use])
    freed = _mark_claims(claim_count, here.claim[goes]) | _mark_claims(claim_count, there.claim[goes_open])
    arrives = moves & (freed | (named & ~has_use))
    added = _collect_added(claims, arrives, named, first_external, freed)

    verdict = np.full(claim_count, Verdict.UNUSED)
    verdict[claims.size == 0] = Verdict.UNANSWERED
    verdict[moves & outside & ~named] = Verdict.OUTSIDE
    verdict[arrives & named] = Verdict.MOVED
    verdict[met] = Verdict.VERIFIED
    verdict[lapsed] = Verdict.LAPSED
    counts = np.zeros((len(found), len(Verdict)), dtype=np.int32)
    np.add.at(counts, (claims.file, verdict), 1)
    return Reconciled(
        hit=distinct(here.row[is_hit]).astype(np.int32),
        cut=here.site[goes],
        cut_open=there.site[goes_open],
        added=added,
        counts=counts,
    )


def _read_claims(plain: Snapshot, found: Sequence[tuple[IndexedFile, Confirmed]]) -> _Claims:
    sites = np.concatenate([one.site_table for _, one in found] or [np.empty((0, 5), np.int32)])
    targets = np.concatenate([one.target_table for _, one in found] or [np.empty((0, 2), np.int32)])
    per_file = np.array([one.site_count for _, one in found], dtype=np.int32)
    file = np.repeat(np.arange(len(found), dtype=np.int32), per_file)
    line, col, owner, kind, count = (np.ascontiguousarray(column) for column in sites.T)
    base = np.array([indexed.base for indexed, _ in found], dtype=np.int32)
    size = np.array([indexed.symbol_count for indexed, _ in found], dtype=np.int32)
    first = (np.cumsum(count) - count).astype(np.int32)
    target = _find_nodes(plain, found, targets)
    target[np.repeat(owner >= size[file], count)] = _LAPSED
    key = (file.astype(np.int64) << (LINE_BITS + COL_BITS)) | place_key(line, col)
    return _Claims(key, file, line, col, owner + base[file], kind, first, count, target)


def _find_nodes(plain: Snapshot, found: Sequence[tuple[IndexedFile, Confirmed]], targets: Ints) -> Ints:
    """The nodes of targets as they are packed."""
    bases: list[int] = []
    sizes: list[int] = []
    packages: list[int] = []
    offsets = np.empty((len(found), 2), dtype=np.int32)
    for number, (file, one) in enumerate(found):
        offsets[number] = len(bases), len(packages)
        for path, digest in one.files:
            other = plain.by_path.get(path)
            is_there = other is not None and other.stamp.digest == digest
            bases.append(other.base if other is not None and is_there else -1)
            sizes.append(other.symbol_count if other is not None and is_there else -1)
        for package in one.packages:
            node = plain.external_node(file.family, package)
            packages.append(OUTSIDE if node is None else node)
    offset = np.repeat(offsets, [len(one.target_table) for _, one in found], axis=0)
    of_file, row = targets[:, 0], targets[:, 1]
    nodes: Ints = of_file.astype(np.int32)
    inside = of_file >= 0
    at = (of_file + offset[:, 0])[inside]
    base, size = np.array(bases, dtype=np.int32)[at], np.array(sizes, dtype=np.int32)[at]
    nodes[inside] = np.where(row[inside] < size, base + row[inside], _LAPSED)
    known = (of_file == OUTSIDE) & (row >= 0)
    nodes[known] = np.array(packages, dtype=np.int32)[(row + offset[:, 1])[known]]
    return nodes


def place_key(line: Ints, col: Ints) -> NDArray[np.int64]:
    """Line and column as one number; those beyond any sound source share the last."""
    most_line, most_col = (1 << LINE_BITS) - 1, (1 << COL_BITS) - 1
    return (np.minimum(line, most_line).astype(np.int64) << COL_BITS) | np.minimum(col, most_col)


def _find_sites(
    table: EdgeTable | UnresolvedTable, claims: _Claims, found: Sequence[tuple[IndexedFile, Confirmed]]
) -> _Sites:
    begin = np.array([file.base for file, _ in found], dtype=np.int64)
    end = np.array([file.base + file.symbol_count for file, _ in found], dtype=np.int64)
    low, high = table.out_start[begin], table.out_start[end]
    rows, file = expand_ranges(low, high - low)
    sites, at = expand_ranges(table.first[rows], table.count[rows])
    place = table.sites[sites]
    key = (file[at].astype(np.int64) << (LINE_BITS + COL_BITS)) | place_key(place[:, 0], place[:, 1])
    claim = np.searchsorted(claims.key, key)
    claim[claim == len(claims.key)] = 0
    is_claimed = claims.key[claim] == key if len(claims.key) else np.zeros(len(key), dtype=np.bool_)
    return _Sites(sites[is_claimed], rows[at[is_claimed]], claim[is_claimed].astype(np.int32))


def _have_any(claims: _Claims, is_so: Mask) -> Mask:
    """Marks the claims that have a target for which the mask is set."""
    of_target = np.repeat(np.arange(len(claims.key), dtype=np.int32), claims.size)
    return _mark_claims(len(claims.key), of_target[is_so])


def _mark_claims(count: int, places: Ints) -> Mask:
    marked = np.zeros(count, dtype=np.bool_)
    marked[places] = True
    return marked


def _are_hits(claims: _Claims, sites: _Sites, have: Ints, meant: Ints) -> Mask:
    """The sites at which the map has one of the targets of the claim."""
    pair, at = expand_ranges(claims.first[sites.claim], claims.size[sites.claim])
    return _mark_claims(len(have), at[meant[pair] == have[at]])


def _are_alike(plain: Snapshot, claims: _Claims, sites: _Sites) -> Mask:
    """Like `_are_hits`, where different definitions count as the same target."""
    have = plain.edges.target[sites.row]
    pair, _ = expand_ranges(claims.first[sites.claim], claims.size[sites.claim])
    nodes = distinct(np.concatenate((have, claims.target[pair])))
    nodes = nodes[(nodes >= 0) & (nodes < plain.first_external)]
    if not len(nodes):
        return np.zeros(len(have), dtype=np.bool_)
    stands = np.array([_find_representatives(plain, node) for node in nodes.tolist()], dtype=np.int32)

    def folded(some: Ints) -> Ints:
        at = np.minimum(np.searchsorted(nodes, some), len(nodes) - 1)
        return np.where(nodes[at] == some, stands[at], some)

    return _are_hits(claims, sites, folded(have), folded(claims.target))


def _find_representatives(plain: Snapshot, node: int) -> int:
    """For each node, the one that represents all definitions that count as the same target."""
    file, row = plain.row_of(node)
    symbols, width = file.symbols, Symbol.WIDTH
    if row and file.name_of(row) in by_name()[file.lang].constructors:
        parent = symbols[row * width + Symbol.PARENT]
        if symbols[parent * width + Symbol.KIND] in CLASS_KINDS:
            row = parent
    if row and symbols[row * width + Symbol.ORDINAL] > 1:
        row = file.rows_by_name.get((file.qualified_name(row), 1), row)
    return file.base + row


def _are_places_only(plain: Snapshot, claims: _Claims, asked: Mask) -> Mask:
    """Marks the claims whose targets in the repository are variables and properties only."""
    of_target = np.repeat(np.arange(len(claims.key), dtype=np.int32), claims.size)
    looked_at = asked[of_target] & (claims.target >= 0) & (claims.target < plain.first_external)
    firm = looked_at.copy()
    firm[looked_at] = ~_are_places(plain, claims.target[looked_at])
    return asked & ~_mark_claims(len(claims.key), of_target[firm])


def _are_places(plain: Snapshot, nodes: Ints) -> Mask:
    distinct, at = np.unique(nodes, return_inverse=True)
    return np.array([_isplace_key(plain, node) for node in distinct.tolist()], dtype=np.bool_)[at]


def _isplace_key(plain: Snapshot, node: int) -> bool:
    """Whether its value is defined elsewhere: a variable, or a property that is no accessor."""
    if plain.is_external(node) or plain.kind_of(node) not in _PLACES:
        return False
    return not plain.cell(node, Symbol.FLAGS) & SymbolFlag.ACCESSOR


def _collect_added(claims: _Claims, arrives: Mask, named: Mask, first_external: int, freed: Mask) -> Ints:
    of_target = np.repeat(np.arange(len(claims.key), dtype=np.int32), claims.size)
    is_inside = (claims.target >= 0) & (claims.target < first_external)
    is_node_outside = (claims.target >= first_external) & ~named[of_target] & freed[of_target]
    taken = arrives[of_target] & (is_inside | is_node_outside)
    claim = of_target[taken]
    columns = (claims.owner, claims.kind, None, claims.line, claims.col)
    rows = [claims.target[taken] if column is None else column[claim] for column in columns]
    return np.unique(np.stack(rows, axis=1), axis=0).astype(np.int32).reshape(-1, ADDED_WIDTH)
