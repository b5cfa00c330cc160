"""Finds what may be meant by a name that is put together at run time: `getattr(self, "_{}_{}".format(kind, name))`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.mentions.seeking import Affix


def is_made(word: str, affix: Affix) -> bool:
    is_longer = len(word) > len(affix.text)
    return is_longer and (word.startswith(affix.text) if affix.is_prefix else word.endswith(affix.text))


def find_members(
    snapshot: Snapshot, by_word: Mapping[str, Collection[int]], file: IndexedFile, affix: Affix
) -> Iterator[int]:
    """The members that a name may mean of which little is known, in a file that looks members up by names: those of
    the types in its folder and below, whose objects may be what is asked."""
    if by_name()[file.lang].strings.member_lookups.isdisjoint(file.facts.names):
        return
    columns, folder = columns_of(snapshot), file.path.rpartition("/")[0]
    for word, nodes in by_word.items():
        for node in nodes if is_made(word, affix) else ():
            path = snapshot.files[columns.file[node]].path
            if ARE_TYPES[columns.kind[columns.parent[node]]] and path.startswith(folder and f"{folder}/"):
                yield node
