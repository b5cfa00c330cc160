"""What queries share, made before the first of them asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from codemap.facts import Symbol
from codemap.graph.columns import columns_of
from codemap.graph.definitions import outline
from codemap.graph.indexed import IndexedFile
from codemap.graph.name_index import name_index
from codemap.graph.nearness import nearness_of
from codemap.graph.snapshot import Snapshot

_HELD = ("_columns", "_name_index", "_nearness", "nodes_by_name", "node_names", "bases")
"""What a snapshot holds that depends on paths, names, kinds, flags and scores, and on nothing else."""


def warm(snapshot: Snapshot) -> Iterator[None]:
    """Makes the indexes of a snapshot in steps, for other work to run between them; each is made once at most.

    Cost: two to three microseconds a symbol in all. A query that comes before the end makes what it needs itself.
    """
    columns_of(snapshot)
    nearness_of(snapshot)
    yield
    _ = snapshot.nodes_by_name
    yield
    index = name_index(snapshot)
    yield
    _ = index.text, index.path_text
    yield
    _ = index.worth
    yield
    _ = index.vocabulary


def carry(previous: Snapshot, snapshot: Snapshot) -> None:
    """Lets a snapshot use the indexes of the one before where the edit between them shows in none of them."""
    if len(previous.files) != len(snapshot.files):
        return
    for old, new in zip(previous.files, snapshot.files, strict=True):
        if old is not new and (old.path != new.path or old.base != new.base or not _is_alike(old, new)):
            return
    for name in _HELD:
        if name in vars(previous):
            vars(snapshot)[name] = vars(previous)[name]
    index = vars(snapshot).get("_name_index")
    if index is not None:
        own = vars(snapshot)["_name_index"] = copy(index)
        own.snapshot = snapshot


def _is_alike(old: IndexedFile, new: IndexedFile) -> bool:
    flags = (file.symbols[Symbol.FLAGS :: Symbol.WIDTH].tolist() for file in (old, new))
    return old.held is new.held or (outline(old) == outline(new) and next(flags) == next(flags))
