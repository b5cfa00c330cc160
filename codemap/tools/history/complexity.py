"""How complex files and functions are, for hotspots: cyclomatic complexity, as `map_metrics` counts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from codemap.facts import rows
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Found, Measured
from codemap.measures import Measuring, attribute
from codemap.tools.tool import Asking, World


class Complexity(msgspec.Struct, frozen=True):
    of_files: Mapping[str, int]
    of_nodes: Mapping[int, int]
    unseen: int = 0
    """Files that could not be measured."""


def ask_complexity(world: World, files: Sequence[IndexedFile]) -> Asking[Complexity]:
    """Of some files and of the functions in them; a file has the sum."""
    paths = tuple(file.path for file in files if file.path not in world.disk.deleted)
    (fact,) = yield (Measured(paths, tuple(path for path in paths if path in world.disk.stale)),)
    measuring: Measuring = fact.value if isinstance(fact, Found) else Measuring({})
    of_files: dict[str, int] = {}
    of_nodes: dict[int, int] = {}
    for file in files:
        digest, measures = measuring.of.get(file.path, (b"", None))
        if measures is None or digest != file.stamp.digest:
            continue
        of_files[file.path] = measures.decisions + sum(one.cyclomatic for one in measures.functions)
        for one in attribute(rows(file.facts.symbols), measures):
            node = file.base + one.row
            if one.row:
                of_nodes[node] = of_nodes.get(node, 0) + one.measures.cyclomatic
    return Complexity(of_files, of_nodes, len(files) - len(of_files))
