"""Finds the words that the map explains by their places: definitions, edges, undecided uses, lists of exports."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from enum import IntEnum

import numpy as np

from codemap.facts import Symbol
from codemap.graph.index.columns import columns_of
from codemap.graph.likelihood.candidates import Candidates
from codemap.graph.model.edges import BARE, EdgeTable, Ints, Numbers, UnresolvedTable, distinct
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.mentions.map_accounts import Keys, columns, is_in, keys
from codemap.mentions.seeking import Sought
from codemap.unused.reading import Read


class Known(IntEnum):
    """How far what the map says of a word leaves it open that another definition of the name is meant."""

    SURE = 0
    GUESS = 1
    """The map itself only guesses."""
    OUTSIDE = 2
    """It is asked of something from outside, of which may be a value what the map does not see."""
    BY_TYPE = 3
    """It is asked of a value of known type, which may have others at times."""


def known_places(
    snapshot: Snapshot, read: Mapping[int, Read], sought: Sought
) -> Generator[None, None, dict[int, Known]]:
    """Key of a place, as `keys_of` gives it -> what the map says of the word there. In steps.

    Cost: the sites of all edges, once.
    """
    files = [(one, file) for one in sought.files if (file := snapshot.by_path.get(one.path)) is not None]
    keys_sought = [keys_of(file, words) for one, file in files for words in one.words.values()]
    wanted: Keys = distinct(np.concatenate(keys_sought)) if keys_sought else np.empty(0, np.int64)
    table = snapshot.edges
    is_inside, level = table.target < snapshot.first_external, table.confidence
    found: dict[int, Known] = {}
    for chosen, known in (
        (is_inside & (level == int(Confidence.TYPE)), Known.BY_TYPE),
        (~is_inside, Known.OUTSIDE),
        (is_inside & (level >= int(Confidence.NAME)), Known.GUESS),
        (is_inside & (level < int(Confidence.TYPE)), Known.SURE),
    ):
        found |= dict.fromkeys(_sites_at(snapshot, table, np.flatnonzero(chosen), wanted), known)
        yield
    undecided = snapshot.unresolved
    found |= dict.fromkeys(_sites_at(snapshot, undecided, np.arange(len(undecided.source)), wanted), Known.SURE)
    lone = _uses_without_candidates(snapshot, {word for one, _ in files for word in one.words})
    found |= dict.fromkeys(_sites_at(snapshot, undecided, lone, wanted), Known.GUESS)
    for one, file in files:
        yield
        if one.words:
            found |= dict.fromkeys(_definitions(file), Known.SURE)
            if exported := sorted(read[file.number].exported):
                lines, cols = np.array(exported, dtype=np.int32).T
                found |= dict.fromkeys(keys(file.number, lines, cols).tolist(), Known.SURE)
    return found


def _uses_without_candidates(snapshot: Snapshot, words: Collection[str]) -> Ints:
    """Rows of the undecided uses of some words by their name alone that no definition's form fits: a macro without
    parameters is called by what it expands to."""
    table, candidates = snapshot.unresolved, Candidates(snapshot)
    numbers = sorted(number for name, number in snapshot.unresolved_names.items() if name in words)
    rows = np.flatnonzero(np.isin(table.name, numbers) & (table.kind & BARE != 0)).astype(np.int32)
    families = snapshot.families.of_file[columns_of(snapshot).file[table.source[rows]]]
    keys = np.stack((table.name[rows], table.kind[rows], families), axis=1)
    _, first, at = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    are_lone = [not len(candidates.possible(snapshot.unresolved_use(row))) for row in rows[first].tolist()]
    found: Ints = rows[np.array(are_lone, dtype=np.bool_)[at.reshape(-1)]]
    return found


def keys_of(file: IndexedFile, words: bytes) -> Keys:
    """A number for the place of each word of a file, as rows of `codemap.occurrences.words.Sighted.words`."""
    return keys(file.number, *columns(np.frombuffer(words, "<i4").tolist()))


def _sites_at(snapshot: Snapshot, table: EdgeTable | UnresolvedTable, chosen: Numbers, wanted: Keys) -> list[int]:
    """The sites of some rows that are among some places."""
    places, owner = expand_ranges(table.first[chosen], table.count[chosen])
    source = table.source[chosen]
    files = columns_of(snapshot).file[np.where(source < snapshot.first_external, source, 0)][owner]
    lines, cols = table.sites[places].T
    at = keys(files, lines, cols)
    found: list[int] = at[is_in(at, wanted)].tolist()
    return found


def _definitions(file: IndexedFile) -> list[int]:
    """Where names of definitions are, after what marks variables too."""
    table = np.frombuffer(file.symbols, dtype="<i4").reshape(-1, Symbol.WIDTH)[1:]
    lines, cols = table[:, Symbol.LINE], table[:, Symbol.COL]
    return [key for back in range(3) for key in keys(file.number, lines, cols + back).tolist()]
