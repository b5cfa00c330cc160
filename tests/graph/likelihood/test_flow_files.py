"""What is kept of files between questions: what their facts say, and nothing that was evaluated."""

from __future__ import annotations

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.likelihood import flow_files
from codemap.graph.likelihood.flow_files import FlowFile, FlowFiles, followed
from codemap.graph.model.snapshot import Snapshot
from codemap.project import External
from tests.graph.test_incremental import run as run_edit

SOURCE = b"""def run(f): ...
def go():
    run(go)
    run(run); other(run(rest))
def rest():
    run(go)
"""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return build_snapshot({f"{name}.py": SOURCE for name in "abc"})


def test_questions_share_what_facts_say_and_no_answers(snapshot: Snapshot) -> None:
    one, other = (followed(FlowFiles(snapshot)["a.py"]) for _ in range(2))
    one.make_memo()[0] = one.binding_memo[0] = "evaluated"
    assert other.members is one.members
    assert other.path == one.path
    assert not any((*other.memo, *other.binding_memo, *other.import_memo, *other.asked, *other.unbound))
    assert len(other.make_memo()) == len(one.memo)


def _symbol(file: FlowFile, name: str) -> int:
    return next(row for row in range(1, file.symbol_count) if file.name_of(row) == name)


def test_callees_and_their_arguments_are_found_by_site(snapshot: Snapshot) -> None:
    file = followed(FlowFiles(snapshot)["a.py"])
    (run,) = file.find_callees_at(_symbol(file, "go"), {(4, 5)})
    assert file.find_callees_at(_symbol(file, "go"), {(3, 5)}) == [run]
    assert file.find_callees_at(_symbol(file, "go"), {(6, 5)}) == []
    assert file.find_callees_at(_symbol(file, "rest"), {(6, 5)}) == [run]
    assert file.find_callees_at(_symbol(file, "run"), {(3, 5)}) == []
    (other,) = file.find_callees_at(_symbol(file, "go"), {(4, 15)})
    assert len(file.lists_of(run)) == 3, "equal calls are one expression"
    assert len(file.lists_of(other)) == 1
    assert file.lists_of(-5) == []


def test_only_so_many_files_are_kept(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_files, "FILES_MAX", 2)
    first = FlowFiles(snapshot)["a.py"].members
    for name in "bc":
        assert FlowFiles(snapshot)[f"{name}.py"].members
    again = FlowFiles(snapshot)["a.py"].members
    assert again is not first
    assert again == first


def test_the_files_that_were_asked_last_are_kept(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_files, "FILES_MAX", 2)
    first = FlowFiles(snapshot)["a.py"].members
    for name in "bac":
        assert FlowFiles(snapshot)[f"{name}.py"].members
    assert FlowFiles(snapshot)["a.py"].members is first


def test_an_edit_keeps_files_that_are_as_they_were_but_not_what_imports_mean(snapshot: Snapshot) -> None:
    before = {name: FlowFiles(snapshot)[f"{name}.py"] for name in "ab"}
    before["a"].resolved[0] = External("elsewhere")
    members = {name: file.members for name, file in before.items()}
    after = run_edit(snapshot, {"b.py": SOURCE.replace(b"run(run)", b"run(go)")}, set(), {})
    assert FlowFiles(after)["a.py"].members is members["a"]
    assert FlowFiles(after)["b.py"].members is not members["b"]
    assert not FlowFiles(after)["a.py"].resolved
    moved = run_edit(after, {"a.py": b"def first(): ...\n" + SOURCE}, set(), {})
    assert FlowFiles(moved)["c.py"].base == moved.by_path["c.py"].base
