"""The protocol by which the indexes of a snapshot are made, carried over an edit, and rescored.

A module that has an index of snapshots makes a `Slot` of it, once. The index is made when somebody first asks for it.
An edit asks each slot that the previous snapshot holds what is left of its index; a slot that has nothing to give makes
its index anew when that is asked for. What is carried over equals what would be made anew.

Invariants:
- An index never refers to its snapshot but weakly: what holds itself is never freed where the collector is off.
- Whatever an index depends on is a field of the snapshot or another index that it asks for while it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from enum import IntEnum

import msgspec

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.indexes import Key, T
from codemap.graph.model.node_names import Renamed, node_names_after
from codemap.graph.model.renumbering import KeptRun, split_runs
from codemap.graph.model.snapshot import Snapshot


class Reach(IntEnum):
    """How far two snapshots differ, besides edges."""

    CONTENTS = 0
    """Contents of files; each definition has its number, name, kind, flags and parent."""
    DEFINITIONS = 1
    """Definitions of some files; no file came or went."""
    FILES = 2
    """Files came or went."""


class Edit(msgspec.Struct, frozen=True):
    previous: Snapshot
    snapshot: Snapshot
    """The one after it, which holds what was carried so far."""
    reach: Reach
    paths: Set[str]
    """Of the files that have other contents, came or went."""
    runs: Sequence[KeptRun | int] = ()
    """Where nodes went, for DEFINITIONS: those of `renumbering.split_runs`."""
    renamed: Renamed | None = None
    """How the names of nodes differ, for DEFINITIONS, where they were known before."""


class Slot(Key[T]):
    """One index of snapshots."""

    __slots__ = ("carry", "make", "rescore")

    def __init__(
        self,
        make: Callable[[Snapshot], T],
        *,
        carry: Callable[[T, Edit], T | None] | None = None,
        rescore: Callable[[T, Snapshot], T | None] | None = None,
    ) -> None:
        """`carry` gives the index after an edit from the one before, `rescore` that of a snapshot which has other
        scores and clusters and differs in nothing else; None where it is to be made anew."""
        self.make = make
        self.carry = carry
        self.rescore = rescore

    def of(self, snapshot: Snapshot) -> T:
        """The index of a snapshot, the same one at every call."""
        held = snapshot.indexes.get(self)
        return snapshot.indexes.add(self, self.make(snapshot)) if held is None else held

    def held_by(self, snapshot: Snapshot) -> T | None:
        """The index of a snapshot, where it is made."""
        return snapshot.indexes.get(self)


def reuse(index: T, _: object) -> T:
    """To carry or rescore an index that depends on nothing that changed."""
    return index


def reuse_for_contents(index: T, edit: Edit) -> T | None:
    """To carry an index that depends on paths, names, kinds, flags, parents and scores alone."""
    return index if edit.reach is Reach.CONTENTS else None


def reuse_for_paths(index: T, edit: Edit) -> T | None:
    """To carry an index that depends on the paths of files alone."""
    return index if edit.reach < Reach.FILES else None


def keep_unchanged(held: dict[str, T], edit: Edit) -> dict[str, T]:
    """To carry an index by paths of files that depends on the contents of each alone."""
    return {path: one for path, one in held.items() if path not in edit.paths}


IS_UNHURRIED = Slot[bool](lambda _: False, carry=reuse, rescore=reuse)
"""Whether a question may wait until an index is made, however long that takes, as nobody else is served meanwhile."""


def carry_indexes(
    previous: Snapshot, snapshot: Snapshot, reach: Reach, paths: Set[str], changed: Sequence[int] = ()
) -> Iterator[None]:
    """Gives a snapshot what is left of the indexes of the one before an edit, in steps.

    `paths` are those of the files that have other contents, came or went; where none came or went, `changed` are their
    numbers, ascending. Cost: the definitions of these files, and passes over whole columns where definitions moved.
    """
    if reach is Reach.CONTENTS and any(
        _list_flags(previous.files[number]) != _list_flags(snapshot.files[number]) for number in changed
    ):
        reach = Reach.DEFINITIONS
    runs: list[KeptRun | int] = []
    renamed = None
    snapshot.share_derived(previous)
    if reach is Reach.CONTENTS:
        snapshot.share_outlines(previous)
    elif reach is Reach.DEFINITIONS:
        runs = list(split_runs(previous.bases, snapshot.bases, changed))
        if previous.has_node_names:
            renamed = yield from node_names_after(previous.node_names, snapshot.files, runs)
            snapshot.install(node_names=renamed.found)
            yield
    edit = Edit(previous, snapshot, reach, paths, runs, renamed)
    for key in list(previous.indexes):
        if isinstance(key, Slot) and key.carry is not None:
            carried = key.carry(previous.indexes.get(key), edit)
            if carried is not None:
                snapshot.indexes.put(key, carried)
                yield


def share_indexes(previous: Snapshot, snapshot: Snapshot) -> None:
    """Gives a snapshot of the same files, which differs in its edges alone, the indexes that do not depend on those."""
    for _ in carry_indexes(previous, snapshot, Reach.CONTENTS, frozenset()):
        pass


def rescore_indexes(previous: Snapshot, snapshot: Snapshot) -> None:
    """Gives a snapshot that has other scores and clusters, and differs in nothing else, the indexes of the one before
    it, with those scores."""
    snapshot.share_derived(previous)
    for key in list(previous.indexes):
        if isinstance(key, Slot) and key.rescore is not None:
            rescored = key.rescore(previous.indexes.get(key), snapshot)
            if rescored is not None:
                snapshot.indexes.put(key, rescored)


def _list_flags(file: IndexedFile) -> list[int]:
    return file.symbols[Symbol.FLAGS :: Symbol.WIDTH].tolist()
