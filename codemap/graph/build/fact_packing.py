"""Packs the facts of a large map's files once all are bound, for the rest of the build to have their memory.

Facts take several times the memory of the same facts packed, and what is asked of every file later (symbols, names) is
had from columns. No string of the facts is left: each would keep a megabyte from the system.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

import msgspec
import numpy as np

from codemap.facts import Symbol
from codemap.graph.build.inventory import project_of
from codemap.graph.build.later_resolvers import LaterResolvers
from codemap.graph.model.indexed_file import PackedFile, PackedFiles
from codemap.graph.model.node_names import NodeNames
from codemap.graph.model.snapshot import Snapshot
from codemap.packed.packed_facts import pack_facts
from codemap.packed.parts import narrow, opened
from codemap.packed.texts import PackedTexts, pack_texts
from codemap.persistent import PersistentList

PACKED_MIN_NODES = 150_000
"""In a map with fewer nodes, facts take less memory than a question or an edit would take time to unpack them."""


def pack_held_facts(snapshot: Snapshot) -> Generator[None, None, Snapshot]:
    """The same snapshot; its files have their facts packed. In steps."""
    if not snapshot.files:
        return snapshot
    names = NodeNames(PackedTexts(*pack_texts(snapshot.node_names.names)), snapshot.node_names.of_node)
    yield
    files = snapshot.files
    columns = []
    for column in range(Symbol.WIDTH):
        cells = [np.frombuffer(file.symbols, "<i4")[column :: Symbol.WIDTH] for file in files]
        columns.append(opened(narrow(np.concatenate(cells))))
        yield
    facts = []
    for file in files:
        facts.append(pack_facts(file.facts))
        yield
    held = PackedFiles(
        facts,
        columns,
        np.array(snapshot.bases, np.int32),
        np.array([file.size for file in files], np.int32),
        np.array([file.error_bytes for file in files], np.int32),
        np.array([file.is_script for file in files], np.int32),
        {file.number: file.packages for file in files if file.packages},
        names.of_node,
        names.names,
    )
    packed = PersistentList(msgspec.structs.replace(file, held=PackedFile(held, file.number)) for file in files)
    made = msgspec.structs.replace(
        snapshot,
        files=packed,
        names=PackedTexts(*pack_texts(snapshot.names)),
        resolvers=LaterResolvers(tuple(snapshot.resolvers), partial(project_of, packed, snapshot.configs)),
        definitions=None,
    )
    made.install(
        by_path=snapshot.by_path.holding(packed), bases=snapshot.bases, content=snapshot.content, node_names=names
    )
    return made
