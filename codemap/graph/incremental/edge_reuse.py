"""Which definitions of a file that is bound again keep the edges that they had: those whose uses mean what they meant.

A definition is kept where each of its uses is built as before, of names that an edit gave no other meaning. The edges
are those of the previous snapshot, with their sites where they are now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codemap.facts import SITE_WIDTH, FileFacts, Import, ImportFlag, Symbol, Use
from codemap.graph.incremental.facts_diff import FactsDiff
from codemap.graph.incremental.file_changes import Change
from codemap.graph.model.edges import Ints, Mask, distinct
from codemap.graph.model.indexed_file import table
from codemap.graph.model.ranges import expand_ranges

_OF_ALL = int(ImportFlag.IMPLICIT | ImportFlag.OWN_NAME | ImportFlag.HEAD)


class Kept(NamedTuple):
    """Definitions of one file that keep their edges."""

    rows: Ints
    """Of each symbol now, its row before, or -1 where it is bound again."""
    sites: tuple[Ints, Ints] | None
    """Sites before, as `_places` has them, ascending, and the sites now; None where they are where they were."""

    def others(self, facts: FileFacts) -> list[int]:
        """The cells of the uses in the definitions that are bound again."""
        uses = table(facts.uses, Use.WIDTH)
        cells: list[int] = uses[self.rows[uses[:, Use.OWNER]] < 0].ravel().tolist()
        return cells


def find_reusable(change: Change) -> Kept | None:
    """The definitions of an edited file that keep their edges; None where none do."""
    like = change.like
    if like is None or change.others is None or not len(like.new.uses) or not _see_the_same(like):
        return None
    return _kept(like, change.others.exprs)


def _see_the_same(like: FactsDiff) -> bool:
    """Whether the names that no statement of a file binds can come from the same places in both versions."""
    old, new = like.old, like.new
    if (old.lang, old.is_script, old.packages) != (new.lang, new.is_script, new.packages):
        return False
    before, after = table(old.imports, Import.WIDTH), table(new.imports, Import.WIDTH)
    return [like.imports[row] for row in _of_all(after)] == _of_all(before)


def _of_all(imports: Ints) -> list[int]:
    """Imports that bring more, or something else, than a name that they bind."""
    flags = imports[:, Import.FLAGS]
    is_of_all = (imports[:, Import.IMPORTED] == Import.STAR) | (flags & _OF_ALL != 0)
    rows: list[int] = np.flatnonzero(is_of_all).tolist()
    return rows


def _kept(like: FactsDiff, is_other: Mask) -> Kept | None:
    old, new = table(like.old.uses, Use.WIDTH), table(like.new.uses, Use.WIDTH)
    begins, owners, counts = _blocks(new)
    old_begins, old_owners, old_counts = _blocks(old)
    if len(distinct(owners)) < len(owners) or len(distinct(old_owners)) < len(old_owners):
        return None
    block_of = np.full(len(like.old.symbols) // (4 * Symbol.WIDTH) + 1, -1, dtype=np.int32)
    block_of[old_owners] = np.arange(len(old_owners))
    rows = np.where(like.symbols[:-1] < 0, -1, like.symbols[:-1])
    block = block_of[rows[owners]]
    is_alike = (block >= 0) & (np.append(old_counts, 0)[block] == counts) & (rows[owners] > 0)
    is_alike[is_alike] &= _are_alike(like, is_other, begins[is_alike], old_begins[block[is_alike]], counts[is_alike])
    had_uses = np.zeros(len(block_of), dtype=np.bool_)
    had_uses[old_owners] = True
    has_uses = np.zeros(len(rows), dtype=np.bool_)
    has_uses[owners] = True
    rows[~has_uses & had_uses[rows]] = -1
    rows[owners[~is_alike]] = -1
    rows[0] = -1
    if not is_alike.any():
        return None
    if like.old is like.new:
        return Kept(rows, None)
    sites = _sites(like, begins[is_alike], old_begins[block[is_alike]], counts[is_alike])
    return None if sites is None else Kept(rows, sites)


def _blocks(uses: Ints) -> tuple[Ints, Ints, Ints]:
    """Where the uses of each definition begin, whose they are, and how many."""
    owner = uses[:, Use.OWNER]
    begins = np.flatnonzero(np.diff(owner, prepend=-1)).astype(np.int32)
    return begins, owner[begins], np.diff(begins, append=len(uses)).astype(np.int32)


def _are_alike(like: FactsDiff, is_other: Mask, begins: Ints, old_begins: Ints, counts: Ints) -> Mask:
    """Of blocks of as many uses as there were, whether each use is like the one that it was."""
    right = table(like.new.uses, Use.WIDTH)[expand_ranges(begins, counts)[0]]
    left = table(like.old.uses, Use.WIDTH)[expand_ranges(old_begins, counts)[0]]
    expr = right[:, Use.EXPR]
    differs = is_other[expr] | (like.exprs[expr] != left[:, Use.EXPR])
    differs |= (left[:, Use.ROLE] != right[:, Use.ROLE]) | (left[:, Use.COUNT] != right[:, Use.COUNT])
    is_alike = np.ones(len(begins), dtype=np.bool_)
    is_alike[np.repeat(np.arange(len(begins)), counts)[differs]] = False
    return is_alike


def _sites(like: FactsDiff, begins: Ints, old_begins: Ints, counts: Ints) -> tuple[Ints, Ints] | None:
    """The sites of some blocks of uses before and now; None where the site before does not determine the one now."""
    right = table(like.new.uses, Use.WIDTH)[expand_ranges(begins, counts)[0]]
    left = table(like.old.uses, Use.WIDTH)[expand_ranges(old_begins, counts)[0]]
    now = table(like.new.sites, SITE_WIDTH)[expand_ranges(right[:, Use.FIRST], right[:, Use.COUNT])[0]]
    before = _places(table(like.old.sites, SITE_WIDTH)[expand_ranges(left[:, Use.FIRST], left[:, Use.COUNT])[0]])
    order = np.argsort(before, kind="stable")
    before, now = before[order], now[order]
    again = np.flatnonzero(before[1:] == before[:-1])
    if not np.array_equal(now[again], now[again + 1]):
        return None
    return before, now


def _places(sites: Ints) -> Ints:
    """Line and column as one number."""
    return sites[:, 0].astype(np.int64) << 32 | sites[:, 1]


def take_edges(kept: Kept, rows: Ints, sites: Ints, old_base: int, base: int) -> tuple[Ints, Ints]:
    """Of all rows of a file in a table, and their sites, those of the definitions that are kept; the sources and sites
    are those of now, and the sources ascend. The last column is the count of sites.
    """
    count = int(kept.rows.max()) + 2
    row_now = np.full(count, -1, dtype=np.int32)
    row_now[kept.rows[kept.rows >= 0]] = np.flatnonzero(kept.rows >= 0)
    source = rows[:, 0] - old_base
    now = row_now[np.minimum(source, count - 1)]
    picked = np.flatnonzero(now >= 0)
    picked = picked[np.argsort(now[picked], kind="stable")]
    begins = np.cumsum(rows[:, -1]) - rows[:, -1]
    found = rows[picked]
    own_sites = sites[expand_ranges(begins[picked], found[:, -1])[0]]
    found[:, 0] = now[picked] + base
    if kept.sites is not None:
        before, after = kept.sites
        own_sites = after[np.searchsorted(before, _places(own_sites))]
    return found, own_sites


def merged(left: tuple[Ints, Ints], right: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Rows with their sites, those of both in order of their sources, which are others in each."""
    rows, sites = np.concatenate((left[0], right[0])), np.concatenate((left[1], right[1]))
    return ordered(rows, sites, np.argsort(rows[:, 0], kind="stable"))


def ordered(rows: Ints, sites: Ints, order: NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Rows with their sites in another order."""
    begins = np.cumsum(rows[:, -1]) - rows[:, -1]
    rows = rows[order]
    return rows, sites[expand_ranges(begins[order], rows[:, -1])[0]]
