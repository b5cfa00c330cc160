"""A snapshot of definitions alone: what can be said of the files that are read, before their names are bound.

It has no edge but `contains`, scores nothing, groups files by folder, and says that it is partial. Cost: a few
microseconds a symbol, where binding costs tens.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

import numpy as np

from codemap.graph.build.build import ranked, token_of
from codemap.graph.build.inventory import inventory
from codemap.graph.build.rebinding import Progress
from codemap.graph.build.table_assembly import Assembly
from codemap.graph.model.indexed_file import Extracted, content_of
from codemap.graph.model.snapshot import Snapshot


def sketch(
    read: Mapping[str, Extracted], configs: Mapping[str, bytes], *, built_at: str
) -> Generator[Progress, None, Snapshot]:
    """The snapshot of the files that were read so far, in steps."""
    files = inventory(None, read, frozenset()).files
    first_external = files[-1].base + files[-1].symbol_count if files else 0
    assembly = Assembly(first_external, ())
    edges, externals = assembly.edges()
    yield Progress(0, len(files))
    return (
        yield from ranked(
            Snapshot(
                version=1,
                token=token_of(content_of(files), configs),
                built_at=built_at,
                files=files,
                externals=externals,
                edges=edges,
                unresolved=assembly.unresolved(),
                names=assembly.names,
                scores=np.zeros(first_external, dtype=np.float32),
                clusters=np.zeros(len(files), dtype=np.int32),
                cluster_ids=("",),
                cluster_labels=("",),
                missing_by_file=np.zeros(len(files), dtype=np.int32),
                configs=configs,
                resolvers={},
                is_partial=True,
            )
        )
    )
