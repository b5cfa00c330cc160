"""Which indexes of a snapshot an edit leaves, by what it reaches."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codemap.graph.build.build import build, extracted, ranked
from codemap.graph.build.build import build_snapshot as built
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse, reuse_for_contents, reuse_for_paths, share_indexes
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish

SOURCES = {"a.py": b"def load():\n    return 1\n", "b.py": b"import a\n\na.load()\n"}
EDITS = {
    "another body": ({"a.py": b"def load():\n    return 2\n"}, Reach.CONTENTS),
    "another flag": ({"a.py": b"async def load():\n    return 1\n"}, Reach.DEFINITIONS),
    "another definition": ({"a.py": b"def load(): ...\ndef store(): ...\n"}, Reach.DEFINITIONS),
    "another file": ({"c.py": b"x = 1\n"}, Reach.FILES),
}


def edited(previous: Snapshot, sources: Mapping[str, bytes]) -> Snapshot:
    changed = {path: extracted(path, source) for path, source in sources.items()}
    return finish(build(previous, changed, frozenset(), {}, built_at=""))


def test_an_index_is_made_once() -> None:
    made: list[Snapshot] = []
    slot = Slot[object](lambda snapshot: made.append(snapshot) or object())
    snapshot = built(SOURCES)
    assert slot.held_by(snapshot) is None
    assert slot.of(snapshot) is slot.of(snapshot) is slot.held_by(snapshot)
    assert made == [snapshot]


@pytest.mark.parametrize(("edit", "reach"), EDITS.values(), ids=EDITS.keys())
def test_a_slot_is_asked_by_what_the_edit_reaches(edit: dict[str, bytes], reach: Reach) -> None:
    edits: list[Edit] = []
    seen = Slot[str](lambda _: "made", carry=lambda index, edit: edits.append(edit) or f"{index}, carried")
    of_contents = Slot[str](lambda _: "made", carry=reuse_for_contents)
    of_paths = Slot[str](lambda _: "made", carry=reuse_for_paths)
    of_edges = Slot[str](lambda _: "made")
    before = built(SOURCES)
    slots = (seen, of_contents, of_paths, of_edges)
    for slot in slots:
        slot.of(before)
    after = edited(before, edit)
    (found,) = edits
    assert (found.previous, found.snapshot, found.reach, found.paths) == (before, after, reach, edit.keys())
    held = {slot for slot in slots if slot.held_by(after) is not None}
    expected = {Reach.CONTENTS: {seen, of_contents, of_paths}, Reach.DEFINITIONS: {seen, of_paths}, Reach.FILES: {seen}}
    assert held == expected[reach]
    assert seen.of(after) == "made, carried"


def test_an_index_that_was_not_made_is_not_carried() -> None:
    slot = Slot[str](lambda _: "made", carry=reuse)
    assert slot.held_by(edited(built(SOURCES), EDITS["another body"][0])) is None


def test_new_scores_leave_what_does_not_depend_on_them() -> None:
    kept, scored, lost = Slot[str](lambda _: "made", rescore=reuse), Slot[float](_best, rescore=_rescore), Slot(_best)
    before = edited(built(SOURCES), EDITS["another definition"][0])
    assert not before.is_ranked
    for slot in (kept, scored, lost):
        slot.of(before)
    after = finish(ranked(before))
    assert kept.held_by(after) == "made"
    assert scored.held_by(after) == float(after.scores.max())
    assert lost.held_by(after) is None


def test_a_snapshot_of_the_same_files_shares_what_does_not_depend_on_edges() -> None:
    of_contents, of_edges = Slot[object](lambda _: object(), carry=reuse_for_contents), Slot[object](lambda _: object())
    plain, other = built(SOURCES), built(SOURCES)
    of_contents.of(plain)
    of_edges.of(plain)
    share_indexes(plain, other)
    assert of_contents.held_by(other) is of_contents.held_by(plain)
    assert of_edges.held_by(other) is None


def _best(snapshot: Snapshot) -> float:
    return float(snapshot.scores.max())


def _rescore(_: float, snapshot: Snapshot) -> float:
    return _best(snapshot)
