"""Which definitions may run which: agreement with chains, and what counts as a step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.file_roles import Role
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query import reachability as module
from codemap.graph.query.chain_marks import Mark, mark_of
from codemap.graph.query.chain_steps import Along, ways_of
from codemap.graph.query.chains import Step, chains
from codemap.graph.query.reachability import NODES_MAX, joined
from tests.graph.test_chains import programs

SURE = (Mark.CALL, Mark.CONSTRUCTOR, Mark.OVERRIDE, Mark.DECORATED)

SOURCE = """
def deco(f): return helper(f)
def helper(f): ...

@deco
def start(): Base()

class Base:
    def __init__(self): self.run()
    def run(self): ...

class Heir(Base):
    def run(self): last()

def last(): ...
def apart(): ...
"""


def named(snapshot: Snapshot, pairs: frozenset[tuple[int, int]]) -> set[str]:
    return {" ".join(map(snapshot.qualified_name_of, pair)) for pair in pairs}


def nodes_of(snapshot: Snapshot, *names: str) -> list[int]:
    return [node for name in names if (node := snapshot.find(f"py:a.py#{name}")) is not None]


@pytest.mark.parametrize(
    ("max_uses", "pairs"),
    [
        (1, set()),
        (2, {"start helper"}),
        (3, {"start helper", "start last"}),
    ],
)
def test_calls_constructors_overrides_and_decorators_lead_on(max_uses: int, pairs: set[str]) -> None:
    snapshot = build_snapshot({"a.py": SOURCE.encode()})
    nodes = nodes_of(snapshot, "start", "helper", "last", "apart")
    assert named(snapshot, joined(snapshot, nodes, max_uses)) == pairs


def test_what_is_inside_counts_as_what_it_is_in() -> None:
    snapshot = build_snapshot({"a.py": SOURCE.encode()})
    nodes = nodes_of(snapshot, "Heir", "last", "start")
    assert named(snapshot, joined(snapshot, nodes, 2)) == {"Heir last", "start Heir"}


def test_every_pair_is_possible_where_there_is_too_much_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = build_snapshot({"a.py": SOURCE.encode()})
    monkeypatch.setattr(module, "EDGES_MAX", 0)
    assert len(joined(snapshot, nodes_of(snapshot, "start", "helper", "last"), 5)) == 6


def is_sure(snapshot: Snapshot, step: Step) -> bool:
    mark = mark_of(snapshot, step.source, step.target, step.row)
    return mark in SURE and (step.row < 0 or snapshot.edges.confidence[step.row] < Confidence.NAME)


@given(programs(), st.data())
def test_no_pair_is_left_out_that_a_sure_chain_joins(snapshot: Snapshot, data: st.DataObject) -> None:
    anything = st.integers(0, snapshot.first_external - 1)
    nodes = data.draw(st.lists(anything, min_size=2, max_size=NODES_MAX, unique=True))
    max_uses = data.draw(st.integers(1, 5))
    found, ways = joined(snapshot, nodes, max_uses), ways_of(snapshot, (Role.PRODUCT, Role.TEST), Along.CALLS)
    for start in nodes:
        for end in nodes:
            if start == end or (start, end) in found:
                continue
            for chain in chains(ways, start, end, max_uses, 3).chains:
                assert not all(is_sure(snapshot, step) for step in chain)
