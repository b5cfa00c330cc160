"""Snapshots are freed as soon as nobody holds them: what a build leaves is out of the collector's sight."""

from __future__ import annotations

import gc
from collections.abc import Callable
from weakref import ref

import pytest

from codemap.envelope.answer import Answer
from codemap.graph.build.build import build, build_snapshot, extracted
from codemap.graph.model.indexed_file import Extracted
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.languages import language_of
from codemap.tools import TOOLS, World
from tests import literate
from tests.coverage import ROOT, folders
from tests.graph.test_cycles import CIRCLES, NAMES, Files
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


def garbage_of(sources: Files) -> list[str]:
    """The types of what a build leaves that holds itself."""
    facts = {path: extracted(path, source) for path, source in sources.items()}
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        finish(build(None, facts, frozenset(), {}, built_at="2000-01-01T00:00:00Z"))
        gc.collect()
        return [type(each).__name__ for each in gc.garbage]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("folder", [folder for folder, _ in folders()])
def test_a_build_leaves_no_cycles(folder: str) -> None:
    """The collector is off meanwhile, and what a large build leaves is out of its sight for good."""
    language = dict(folders())[folder]
    documents = sorted((ROOT / "tests" / "languages" / folder).glob("*.md"))
    cases = [case for document in documents for case in literate.cases(document.read_text(encoding="utf-8"))]
    sources = {
        f"{number}/{path}": source
        for number, case in enumerate(cases)
        for path, source in case.files.items()
        if language_of(path) is language
    }
    assert garbage_of(sources) == []


@pytest.mark.parametrize("circle", CIRCLES, ids=NAMES)
def test_definitions_in_a_circle_leave_no_cycles(circle: Callable[[int], Files]) -> None:
    assert garbage_of(circle(12)) == []
