"""What is indexed of the names of a snapshot's nodes, as bytes that can be kept, and back: what the first search needs.

Rules of the file:
- What is made in a moment is not packed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.graph.index.columns import COLUMNS, Columns
from codemap.graph.index.name_index import NAME_INDEX, NameIndex, name_index
from codemap.graph.index.node_roles import FILE_ROLES
from codemap.graph.index.path_index import Paths
from codemap.graph.index.trigram_index import Lines
from codemap.graph.model.edges import Ints
from codemap.graph.model.node_names import NodeNames
from codemap.graph.model.snapshot import Snapshot
from codemap.packed.parts import BadParts, Parts, packed, packed_texts


class PackedNames(msgspec.Struct, frozen=True):
    node_names: NodeNames
    columns: Columns
    text: Lines
    path_text: Lines
    """Of the paths, in lower case."""
    file_roles: NDArray[Any]
    worth: NDArray[Any]


_COLUMN_TYPES = {
    "kind": "<i1",
    "flags": "<i4",
    "parent": "<i4",
    "children": "<i4",
    "child_start": "<i4",
    "rank": "<i4",
    "by_rank": "<i4",
}


def pack_names(snapshot: Snapshot) -> Iterator[bytes]:
    """The parts, in a fixed order. What is not made yet is made. About 50 bytes a symbol."""
    names, columns, index = snapshot.node_names, COLUMNS.of(snapshot), name_index(snapshot)
    whole = index.text if isinstance(index.text, Lines) else Lines(index.lower)
    yield from packed_texts(names.names)
    yield from (packed(column, "<i4") for column in (names.of_node, names.nodes, names.start))
    yield from (packed(getattr(columns, name), dtype) for name, dtype in _COLUMN_TYPES.items())
    yield bytes([columns.has_parts])
    yield packed(FILE_ROLES.of(snapshot), "<i1")
    yield packed(index.worth, "<f8")
    yield from whole.pack()
    yield from index.path_text.pack()


def unpack_names(parts: Parts, bases: Ints, nodes: int) -> PackedNames:
    """What was packed of a snapshot with these bases, and so many nodes, external packages included. Raises
    ValueError."""
    files, first_external = len(bases) - 1, int(bases[-1])
    texts = parts.texts()
    names = NodeNames(texts, parts.array("<i4", first_external))
    names.install(parts.array("<i4", first_external), parts.array("<i4", len(texts) + 1))
    lengths: dict[str, int] = {"children": first_external - files, "child_start": first_external + 1}
    lengths |= {"rank": nodes, "by_rank": nodes}
    columns: dict[str, Any] = {
        name: parts.array(dtype, lengths.get(name, first_external)) for name, dtype in _COLUMN_TYPES.items()
    }
    columns["file"] = np.repeat(np.arange(files, dtype=np.int32), np.diff(bases))
    has_parts = bool(parts.array("<i1", 1)[0])
    file_roles, worth = parts.array("<i1", files), parts.array("<f8", first_external)
    text, path_text = Lines.unpack(parts), Lines.unpack(parts)
    if len(text.lines) != len(texts) or len(path_text.lines) != files:
        raise BadParts("names of another snapshot")
    return PackedNames(names, Columns(**columns, has_parts=has_parts), text, path_text, file_roles, worth)


def install_names(snapshot: Snapshot, packed_names: PackedNames) -> None:
    """Gives a snapshot what was packed with it."""
    snapshot.indexes.put(COLUMNS, packed_names.columns)
    snapshot.indexes.put(FILE_ROLES, packed_names.file_roles)
    index = NameIndex(snapshot, packed_names.text.lines, Paths.of_lines(packed_names.path_text))
    index.install(packed_names.text, packed_names.worth)
    snapshot.indexes.put(NAME_INDEX, index)
