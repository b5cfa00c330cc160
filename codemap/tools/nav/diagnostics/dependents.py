"""Finds the files that an edit may break: those that use or import something of the changed files, then those that use
these, and so on.

What was removed or renamed has no users in the map any more: files that mention its name come first as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from codemap.changes.changed_definitions import Pair, compare
from codemap.facts import FileFacts, Symbol
from codemap.facts import rows as rows_of
from codemap.graph.index.columns import columns_of, gathered
from codemap.graph.model.edges import distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import files_with

NAMES_MAX = 200
"""Names that went; of more, the first are looked for."""
MENTIONS_MAX = 100
"""A name that more files mention says little about any of them."""


def dependents_of(snapshot: Snapshot, changed: Sequence[str], pairs: Iterable[Pair]) -> list[str]:
    """Paths of the files that depend on changed ones, without these, by distance and then by hub score.

    Cost: the edges into what is reached.
    """
    known = set(changed)
    wanted = [file.base for path in changed if (file := snapshot.by_path.get(path)) is not None]
    reached = _users(snapshot, wanted) | _mentioning(snapshot, _gone(pairs))
    found: list[str] = []
    while reached := {number for number in reached if snapshot.files[number].path not in known}:
        files = sorted(
            (snapshot.files[number] for number in reached),
            key=lambda one: (-float(snapshot.scores[one.base]), one.path),
        )
        found += [file.path for file in files]
        known.update(file.path for file in files)
        reached = _users(snapshot, [file.base for file in files])
    return found


def direct_users_of(snapshot: Snapshot, files: Iterable[str]) -> frozenset[str]:
    """Paths of the files that use or import something of some files."""
    bases = [file.base for path in files if (file := snapshot.by_path.get(path)) is not None]
    return frozenset(snapshot.files[number].path for number in _users(snapshot, bases))


def changed_names(pairs: Sequence[Pair]) -> frozenset[str]:
    """What the definitions that differ are called, before and after."""
    sides = {pair.path: (pair.before, pair.after) for pair in pairs}
    found = set[str]()
    for change in compare(pairs).changes:
        for side, place in enumerate((change.before, change.after)):
            version = None if place is None else sides[place.file][side]
            if place is not None and version is not None and place.row:
                found.add(version.name_of(place.row))
    return frozenset(found)


def _users(snapshot: Snapshot, bases: Iterable[int]) -> set[int]:
    """Numbers of the files with an edge into one of these files."""
    columns, table = columns_of(snapshot), snapshot.edges
    targets = [np.empty(0, dtype=np.int32)]
    for base in bases:
        file = snapshot.file_of(base)
        count = 0 if file is None else file.symbol_count
        targets.append(np.arange(base, base + count, dtype=np.int32))
    rows, _ = gathered(table.by_target, table.in_start, np.concatenate(targets))
    return set(distinct(columns.file[table.source[rows]]).tolist())


def _gone(pairs: Iterable[Pair]) -> list[str]:
    """Names of what the earlier versions define and the later ones do not, and of the modules that went."""
    found: dict[str, None] = {}
    for pair in pairs:
        before = set() if pair.before is None else _names(pair.before.facts)
        after = set() if pair.after is None else _names(pair.after.facts)
        names = sorted(before - after)
        if pair.after is None:
            names.append(pair.path.rpartition("/")[2].partition(".")[0])
        found.update(dict.fromkeys(names))
    return list(found)[:NAMES_MAX]


def _names(facts: FileFacts) -> set[str]:
    cells = rows_of(facts.symbols).tolist()
    return {facts.names[cells[at + Symbol.NAME]] for at in range(Symbol.WIDTH, len(cells), Symbol.WIDTH)}


def _mentioning(snapshot: Snapshot, names: Iterable[str]) -> set[int]:
    found: set[int] = set()
    for name in names:
        files = files_with(snapshot, name)
        if len(files) <= MENTIONS_MAX:
            found.update(file.number for file in files)
    return found
