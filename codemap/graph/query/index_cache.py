"""What queries share, made before the first of them asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy

from codemap.facts import Symbol
from codemap.graph.areas.hearts import make_hearts
from codemap.graph.index.columns import columns_after, columns_of, columns_ranked
from codemap.graph.index.name_index import name_index, name_index_after, name_index_ranked
from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.model.indexed import IndexedFile
from codemap.graph.model.node_names import node_names_after
from codemap.graph.model.renumbering import split_runs
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import HOLDER as WORD_FILES
from codemap.graph.words.word_files import make_word_files
from codemap.graph.words.word_index import HOLDER as WORDS
from codemap.graph.words.word_index import make_word_index

OF_FILES = ("by_path", "bases", "content", "node_names", "families", WORDS, WORD_FILES)
"""What a snapshot holds that depends on nothing but its files."""

_OF_OUTLINES = ("node_names", "families", "_columns", "_name_index", "_nearness")
"""What it holds that depends on paths, names, kinds, flags and scores, and on nothing else."""

_OF_TABLES = {"unresolved_names": "names", "external_nodes": "externals"}
"""What it holds that depends on one of its members."""

_OF_MANIFESTS = "_packages"
"""What it holds that depends on which files there are, and on the contents of configuration files."""


def warm(snapshot: Snapshot, *, for_misspelt: bool) -> Iterator[None]:
    """Makes the indexes of a snapshot in steps, for other work to run between them; each is made once at most.

    Cost: about a microsecond a symbol, and twice that for what only misspelt words need. A query that comes before the
    end makes what it needs itself.
    """
    _ = snapshot.node_names
    yield
    columns_of(snapshot)
    yield
    path_distances_of(snapshot)
    yield
    index = name_index(snapshot)
    yield
    index.text.make()
    index.path_text.make()
    yield
    _ = index.worth, index.paths.roles
    yield
    if for_misspelt and "vocabulary" not in vars(index):
        yield from index.make_vocabulary()
    if snapshot.is_ranked:
        yield from make_hearts(snapshot)
    if for_misspelt or WORDS in vars(snapshot):
        yield from make_word_index(snapshot)
    if for_misspelt or WORD_FILES in vars(snapshot):
        yield from make_word_files(snapshot)


def carry(previous: Snapshot, snapshot: Snapshot, changed: Iterable[int] = ()) -> None:
    """Lets a snapshot use the indexes of the one before where the edit between them shows in none of them.

    Only the files numbered `changed` have other contents, and all definitions have the numbers that they had.
    """
    held, own = vars(previous), vars(snapshot)
    _carry_packages(previous, snapshot)
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


def carry_moved(previous: Snapshot, snapshot: Snapshot, changed: Sequence[int]) -> Iterator[None]:
    """Makes, in steps, the indexes of a snapshot from those before an edit that gave some files other definitions.

    Only the files numbered `changed`, ascending, have other contents, and none came or went. Cost: their definitions,
    and passes over whole columns.
    """
    held, own = vars(previous), vars(snapshot)
    _carry_packages(previous, snapshot)
    if "node_names" not in held:
        return
    moves = list(split_runs(previous.bases, snapshot.bases, changed))
    renamed = yield from node_names_after(previous.node_names, snapshot.files, moves)
    own["node_names"] = renamed.found
    yield
    if "_nearness" in held:
        own["_nearness"] = held["_nearness"]
    if "_columns" in held:
        own["_columns"] = columns_after(held["_columns"], snapshot, moves)
        yield
    if "_name_index" in held and "_columns" in own:
        own["_name_index"] = name_index_after(held["_name_index"], snapshot, renamed)


def carry_ranked(previous: Snapshot, snapshot: Snapshot) -> None:
    """Lets a snapshot that has other scores, and differs in nothing else, use what indexes have besides them."""
    held, own = vars(previous), vars(snapshot)
    _carry_packages(previous, snapshot)
    own.update({name: held[name] for name in (*OF_FILES, *_OF_TABLES, "_nearness") if name in held})
    if "_columns" in held:
        own["_columns"] = columns_ranked(held["_columns"], snapshot)
    if "_name_index" in held and "_columns" in own:
        own["_name_index"] = name_index_ranked(held["_name_index"], snapshot)


def _carry_packages(previous: Snapshot, snapshot: Snapshot) -> None:
    """No file came or went."""
    held = vars(previous)
    if _OF_MANIFESTS in held and _is_shared(previous, snapshot, "configs"):
        vars(snapshot)[_OF_MANIFESTS] = held[_OF_MANIFESTS]


def _is_shared(previous: Snapshot, snapshot: Snapshot, member: str) -> bool:
    return getattr(previous, member) is getattr(snapshot, member)


def _flags(file: IndexedFile) -> list[int]:
    return file.symbols[Symbol.FLAGS :: Symbol.WIDTH].tolist()
