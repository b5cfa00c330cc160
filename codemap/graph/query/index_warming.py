"""Warms the indexes of a snapshot: makes what queries share before the first query asks for it."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.graph.areas.hearts import make_hearts
from codemap.graph.index.columns import columns_of
from codemap.graph.index.name_index import name_index
from codemap.graph.index.node_roles import FILE_ROLES
from codemap.graph.index.path_distance import path_distances_of
from codemap.graph.model.node_names import node_names
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.reranking import SIZES
from codemap.graph.words.word_files import WORD_FILES, make_word_files
from codemap.graph.words.word_index import WORD_INDEX, make_word_index


def warm(snapshot: Snapshot, *, for_words: bool) -> Iterator[None]:
    """Makes the indexes of a snapshot in steps, for other work to run between them; each is made once at most.

    Cost: about a microsecond a symbol, and more for what only questions in words need. A query that comes before the
    end makes what it needs itself.
    """
    if not snapshot.has_node_names:
        snapshot.install(node_names=(yield from node_names(snapshot.files)))
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
    _ = index.worth, FILE_ROLES.of(snapshot)
    yield
    if snapshot.is_ranked:
        yield from make_hearts(snapshot)
    if for_words or WORD_INDEX in snapshot.indexes:
        yield from make_word_index(snapshot)
        _ = SIZES.of(snapshot)
        yield
    if for_words or WORD_FILES in snapshot.indexes:
        yield from make_word_files(snapshot)
