"""Every measure with its unit and bars: one table.

`first` is what must hold; `goal` is where we are going; a measure without them is there to be looked at beside others.
"Limit" is the CPU time of parsing the same files with py-tree-sitter, and nothing else, in one process.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType

import msgspec


class Better(Enum):
    LESS = "at most"
    MORE = "at least"


class Measure(msgspec.Struct, frozen=True):
    name: str
    """Unique; what people read."""
    unit: str
    first: float | None = None
    goal: float | None = None
    better: Better = Better.LESS

    def holds(self, value: float) -> bool | None:
        """Whether a value meets the first bar; None where there is none."""
        if self.first is None:
            return None
        return value <= self.first if self.better is Better.LESS else value >= self.first


_TABLE = {
    "build": (
        Measure("cold index, CPU of all processes", "× limit", 6, 3),
        Measure("cold index, wall", "× limit", 4, 2),
        Measure("of it: extraction, in one process, CPU", "× limit"),
        Measure("of it: the graph, in one process, CPU", "× limit"),
        Measure("facts of all files, packed", "B a source byte"),
        Measure("growth: CPU a source byte at 10 × the bytes", "×", 1.2, 1.05),
        Measure("growth: CPU as a multiple of the limit at 10 × the bytes", "×"),
        Measure("the limit itself", "s CPU"),
    ),
    "memory": (
        Measure("peak of the process tree during the build", "MB", 500, 300),
        Measure("resident after the build, beyond an empty server", "B a source byte", 10, 4),
        Measure("the same with the idle parser processes", "B a source byte"),
    ),
    "lag": (
        Measure("event-loop lag during a cold build, p99", "ms", 10, 2),
        Measure("event-loop lag during a cold build, longest", "ms"),
    ),
    "query": (
        Measure("map_search of a name, median", "× echo", 3, 1.5),
        Measure("map_search of a prefix, words or a typo, median", "× echo"),
        Measure("map_search of a question in words, median", "× echo", 2, 1.5),
        Measure("map_neighbors depth 1, median", "× echo", 3, 1.5),
        Measure("map_overview, p99", "× echo", 30, 8),
        Measure("map_code, median", "× echo", 3),
        Measure("map_code with callees, median", "× echo", 3),
        Measure("map_context of a task in words, median", "× echo", 30),
        Measure("map_path, p99", "× echo", 30, 8),
        Measure("map_neighbors depth 3, p99", "× echo", 30, 8),
        Measure("resident after these calls, beyond an empty server", "B a source byte"),
        Measure("echo itself, median", "ms"),
        Measure("echo of a full budget, median", "× echo"),
        Measure("echo of the bare SDK on stdio, median", "× echo"),
        Measure("map_search against rg -w NAME", "× faster", 20, 100, Better.MORE),
    ),
    "impact": (
        Measure("map_impact of a hub, median", "× echo", 30),
        Measure("map_impact of a diff of 50 files, warm, median", "s", 0.3),
        Measure("the same diff", "× echo"),
        Measure("the same diff, asked for the first time", "s"),
        Measure("echo beside these calls, median", "ms"),
    ),
    "start": (
        Measure("initialize answered, from spawn", "× import mcp.server.lowlevel", 1.5, 1.1),
        Measure("first useful answer after initialize, wall", "× limit", 1, 0.3),
        Measure("codemap connect to a running service, initialize answered, from spawn", "ms", 60, 25),
        Measure("codemap --help, wall", "ms", 300),
        Measure("tools/list", "tokens", 9000),
    ),
    "warm": (
        Measure("first answer of a second start, after initialize", "s", 0.3, 0.05),
        Measure("store on disk", "B a source byte", 4, 1.5),
    ),
    "service": (
        Measure("calls of 50 clients × 200 of a realistic mix that failed", "calls", 0, 0),
        Measure("throughput of map_search over websocket, 50 clients", "% of the bare SDK's echo", 50, 80, Better.MORE),
        Measure("p99 with 50 clients while a rebuild runs", "× p99 without", 3, 1.5),
        Measure("p99 with 50 clients", "ms"),
        Measure("memory of an idle client", "kB", 500, 150),
        Measure("descriptors, threads and processes left after the last client", "in all", 0, 0),
    ),
    "change": (
        Measure("edit of a function body, disk to fresh answer, CPU", "% of a cold index", 1, 0.2),
        Measure("the same edit in a repository 20 times larger, CPU", "×", 2, 1.2),
        Measure("the same edit, scores and store in the background, CPU", "% of a cold index"),
        Measure("disk to fresh answer, wall", "ms", 100, 20),
        Measure("first map_neighbors after an edit, wall", "ms"),
        Measure("disk to map when nobody asks, wall beyond the quiet time", "ms", 100, 20),
        Measure("edit that adds a definition, disk to fresh answer, CPU", "% of a cold index"),
        Measure("edit that adds a definition, disk to fresh answer, wall", "ms"),
        Measure("edit of a module that re-exports widely, CPU", "% of a cold index", 5, 2),
        Measure("branch switch, contents seen before: files parsed", "files", 0, 0),
        Measure("branch switch, contents seen before: wall", "s"),
    ),
    "scale": (
        Measure("100,000 small files: the first map, wall", "s"),
        Measure("100,000 small files: CPU until at rest", "s"),
        Measure("100,000 small files: peak of the process tree", "MB"),
        Measure("100,000 small files: map_search of a name, median", "ms"),
        Measure("100,000 small files: disk to fresh answer, wall", "ms", 100, 20),
        Measure("100,000 small files: first answer of a second start", "s"),
    ),
    "stale": (
        Measure("stale answers presented as current", "nodes", 0, 0),
        Measure("nodes shown and marked as stale meanwhile", "nodes"),
        Measure("nodes shown as current meanwhile", "nodes"),
    ),
}

MEASURES = MappingProxyType({measure.name: measure for group in _TABLE.values() for measure in group})
"""By name, in the order in which they are reported."""
