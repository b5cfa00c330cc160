"""Snapshots are freed as soon as nobody holds them: what a build leaves is out of the collector's sight."""

from __future__ import annotations

import gc
from weakref import ref

from codemap.envelope.answer import Answer
from codemap.graph.build.build import build, build_snapshot
from codemap.graph.model.indexed_file import Extracted
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.tools import TOOLS, World
from tests.graph.test_sketch import SOURCES, read_of
from tests.tools.calls import answered

CALLS = {
    "map_overview": {},
    "map_search": {"query": "save"},
    "map_neighbors": {"nodeId": "py:app/store.py#Store.save", "depth": 2},
    "map_path": {"from": "py:app/api.py#put", "to": "py:app/store.py#Store.save"},
    "map_status": {},
}


def ask_everything(snapshot: Snapshot) -> None:
    for tool in TOOLS:
        if tool.name in CALLS:
            assert isinstance(answered(World(snapshot), tool, CALLS[tool.name]), Answer)


def edited(snapshot: Snapshot, changed: dict[str, Extracted]) -> Snapshot:
    return finish(build(snapshot, changed, frozenset(), {}, built_at="2000-01-01T00:00:00Z"))


def test_a_snapshot_is_freed_when_the_next_one_takes_its_place() -> None:
    gc.collect()
    gc.disable()
    try:
        snapshot = build_snapshot(SOURCES)
        for number in range(3):
            ask_everything(snapshot)
            before = ref(snapshot)
            snapshot = edited(snapshot, read_of({"app/more.py": f"def more_{number}(): ...\n".encode()}))
            ask_everything(snapshot)
            assert before() is None
    finally:
        gc.enable()
