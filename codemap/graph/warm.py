"""What queries share, made before the first of them asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from codemap.facts import Symbol
from codemap.graph.columns import columns_of
from codemap.graph.indexed import IndexedFile
from codemap.graph.name_index import name_index
from codemap.graph.nearness import nearness_of
from codemap.graph.snapshot import Snapshot

OF_FILES = ("by_path", "bases", "content", "node_names", "nodes_by_name", "families")
"""What a snapshot holds that depends on nothing but its files."""

_OF_OUTLINES = ("node_names", "nodes_by_name", "families", "_columns", "_name_index", "_nearness")
"""What it holds that depends on paths, names, kinds, flags and scores, and on nothing else."""

_OF_TABLES = {"unresolved_names": "names", "external_nodes": "externals"}
"""What it holds that depends on one of its members."""


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
    _ = index.text.buckets, index.path_text.buckets
    yield
    _ = index.worth
    yield
    _ = index.vocabulary


def carry(previous: Snapshot, snapshot: Snapshot, changed: Iterable[int] = ()) -> None:
    """Lets a snapshot use the indexes of the one before where the edit between them shows in none of them.

    Only the files numbered `changed` have other contents, and all definitions have the numbers that they had.
    """
    held, own = vars(previous), vars(snapshot)
    own.update(
        {name: held[name] for name, of in _OF_TABLES.items() if name in held and _is_shared(previous, snapshot, of)}
    )
    if any(_flags(previous.files[number]) != _flags(snapshot.files[number]) for number in changed):
        return
    own.update({name: held[name] for name in _OF_OUTLINES if name in held})
    index = own.get("_name_index")
    if index is not None:
        own["_name_index"] = copy(index)
        own["_name_index"].belong_to(snapshot)


def _is_shared(previous: Snapshot, snapshot: Snapshot, member: str) -> bool:
    return getattr(previous, member) is getattr(snapshot, member)


def _flags(file: IndexedFile) -> list[int]:
    return file.symbols[Symbol.FLAGS :: Symbol.WIDTH].tolist()
