"""Chains: direction, what each step is, how they differ, and agreement with a search of every chain there is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from codemap.file_roles import Role
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query import chains as module
from codemap.graph.query import step_tables
from codemap.graph.query.chain_marks import Mark, mark_of
from codemap.graph.query.chain_steps import NEVER, UNDECIDED, Along, Steps, Ways, implied, uses, ways_of
from codemap.graph.query.chains import AGAIN, WORSE_MAX, Step, chains, sort_ways


def snapshot_of(**files: str) -> Snapshot:
    return build_snapshot({f"{name.replace('__', '/')}.py": text.encode() for name, text in files.items()})


def node(snapshot: Snapshot, name: str, file: str = "a.py") -> int:
    found = snapshot.find(f"py:{file}#{name}" if name else f"py:{file}")
    assert found is not None
    return found


def told(snapshot: Snapshot, steps: tuple[Step, ...]) -> list[str]:
    """Each node with what leads on from it."""
    marks = [mark_of(snapshot, step.source, step.target, step.row).name.lower() for step in steps]
    names = [snapshot.qualified_name_of(step.source) for step in steps]
    last = snapshot.qualified_name_of(steps[-1].target)
    return [*(f"{name} {mark}" for name, mark in zip(names, marks, strict=True)), last]


def found(
    snapshot: Snapshot, start: int, end: int, along: Along = Along.CALLS, longest: int = 6, most: int = 3
) -> list[list[str]]:
    ways = ways_of(snapshot, (Role.PRODUCT,), along)
    return [told(snapshot, steps) for steps in chains(ways, start, end, longest, most).chains]


def test_calls_are_followed_in_their_direction_only() -> None:
    snapshot = snapshot_of(a="def f(): g()\ndef g(): h()\ndef h(): ...\n")
    f, h = node(snapshot, "f"), node(snapshot, "h")
    assert found(snapshot, f, h) == [["f call", "g call", "h"]]
    assert found(snapshot, h, f) == []


CLASSES = """
class Base:
    def __init__(self): self.setup()
    def setup(self): ...
    def run(self): self.work()
    def work(self): ...

class Middle(Base): ...

class Deep(Middle):
    def work(self): finish()

def finish(): ...

def make(): Middle()

def drive(base: Base): base.run()
"""


def test_a_class_runs_its_constructor_or_that_of_a_base() -> None:
    snapshot = snapshot_of(a=CLASSES)
    assert found(snapshot, node(snapshot, "make"), node(snapshot, "Base.setup")) == [
        ["make call", "Middle inherits", "Base constructor", "Base.__init__ call", "Base.setup"]
    ]


def test_an_override_at_any_depth_may_run() -> None:
    snapshot = snapshot_of(a=CLASSES)
    assert found(snapshot, node(snapshot, "drive"), node(snapshot, "finish")) == [
        ["drive call", "Base.run call", "Base.work override", "Deep.work call", "finish"]
    ]


def test_a_constructor_is_no_override_of_another() -> None:
    source = (
        "class A:\n    def __init__(self): ...\nclass B(A):\n    def __init__(self): f()\ndef f(): ...\ndef g(): A()\n"
    )
    snapshot = snapshot_of(a=source)
    assert found(snapshot, node(snapshot, "g"), node(snapshot, "f")) == []


USES = """
def deco(f):
    def inner(): f()
    return inner

@deco
def decorated(): ...

def handler(): final()
def final(): ...
TABLE = {"x": handler}
def register(h): h()
def main():
    register(handler)
def look(): return TABLE["x"]
class C:
    @property
    def p(self): return final()
    def m(self): ...
def read(c: C): return c.p
def make(): return C
"""


THREADS = """
from threading import Thread

class Worker(Thread):
    def run(self): final()
class Named(Worker): ...
class Own:
    def run(self): final()
def final(): ...
def make(): Named()
def make_own(): Own()
"""


@pytest.mark.parametrize(
    ("start", "steps"),
    [
        ("make", [["make call", "Named inherits", "Worker callback", "Worker.run call", "final"]]),
        ("make_own", []),
    ],
)
def test_a_base_outside_may_call_what_nothing_here_calls(start: str, steps: list[list[str]]) -> None:
    snapshot = snapshot_of(a=THREADS)
    ends = node(snapshot, start), node(snapshot, "final")
    assert found(snapshot, *ends) == []
    assert found(snapshot, *ends, along=Along.REFERENCES) == steps


@pytest.mark.parametrize(
    ("start", "end", "along", "steps"),
    [
        ("main", "final", Along.CALLS, ["main passes", "handler call", "final"]),
        ("look", "final", Along.CALLS, ["look uses", "TABLE passes", "handler call", "final"]),
        ("read", "final", Along.CALLS, ["read reads", "C.p call", "final"]),
        ("decorated", "deco.inner", Along.CALLS, ["decorated decorated", "deco passes", "deco.inner"]),
        ("make", "C.m", Along.CALLS, None),
        ("make", "C.m", Along.REFERENCES, ["make names", "C has", "C.m"]),
        ("C", "final", Along.CALLS, ["C.p call", "final"]),
        ("", "final", Along.CALLS, ["handler call", "final"]),
        ("main", "C", Along.CALLS, None),
        ("main", "", Along.CALLS, None),
    ],
)
def test_what_is_named_and_not_called_is_a_step_of_its_own(
    start: str, end: str, along: Along, steps: list[str] | None
) -> None:
    snapshot = snapshot_of(a=USES)
    first = found(snapshot, node(snapshot, start), node(snapshot, end), along)[:1]
    assert first == ([] if steps is None else [steps])


def test_files_are_connected_by_imports() -> None:
    snapshot = snapshot_of(a="import b\n", b="from c import f\n", c="def f(): ...\n")
    start, end = node(snapshot, "", "a.py"), node(snapshot, "", "c.py")
    ways = ways_of(snapshot, (Role.PRODUCT,), Along.IMPORTS)
    (steps,) = chains(ways, start, end, 6, 3).chains
    assert [snapshot.id_of(step.source) for step in steps] == ["py:a.py", "py:b.py"]
    assert {mark_of(snapshot, step.source, step.target, step.row) for step in steps} == {Mark.IMPORTS}
    assert chains(ways, end, start, 6, 3).chains == ()


def test_an_external_package_is_an_end_and_never_on_the_way() -> None:
    snapshot = snapshot_of(a="import os\ndef f(): g()\ndef g(): os.getcwd()\n")
    external = snapshot.find("py:ext:os")
    assert external is not None
    assert found(snapshot, node(snapshot, "f"), external) == [["f call", "g call", "os"]]
    assert found(snapshot, external, node(snapshot, "f")) == []


def test_a_longer_way_through_product_code_is_preferred_to_one_through_tests() -> None:
    product = "def start(): one()\ndef one(): two()\ndef two(): end()\ndef end(): ...\n"
    tests = "import a\ndef helper(): a.end()\n"
    snapshot = snapshot_of(
        a=product, b="import a, tests.t\ndef go():\n    tests.t.helper()\n    a.start()\n", tests__t=tests
    )
    go, end = node(snapshot, "go", "b.py"), node(snapshot, "end")
    assert found(snapshot, go, end, most=1) == [["go call", "start call", "one call", "two call", "end"]]
    assert found(snapshot, go, end, longest=2) == [["go call", "helper call", "end"]]


def test_a_sure_way_is_preferred_to_a_guess() -> None:
    text = "def start(x):\n    x.only()\n    far()\ndef far(): end()\nclass A:\n    def only(self): end()\n"
    snapshot = snapshot_of(a=f"{text}def end(): ...\n")
    assert [chain[1] for chain in found(snapshot, node(snapshot, "start"), node(snapshot, "end"))] == [
        "far call",
        "A.only call",
    ]


def test_chains_differ_inside() -> None:
    text = "def s():\n    a(); b(); c(); d()\n" + "".join(f"def {name}(): x()\n" for name in "abcd")
    snapshot = snapshot_of(a=text + "def x(): e()\ndef e(): ...\n")
    shown = found(snapshot, node(snapshot, "s"), node(snapshot, "e"))
    assert [chain[1] for chain in shown] == ["a call", "b call", "c call"]


def test_longer_chains_are_found_only_where_there_is_no_shorter_one() -> None:
    snapshot = snapshot_of(a="def f(): g()\ndef g(): h()\ndef h(): i()\ndef i(): ...\ndef far(): ...\n")
    ways = ways_of(snapshot, (), Along.CALLS)
    f, h, i, far = (node(snapshot, name) for name in ("f", "h", "i", "far"))
    for end, longest, length, is_longer in ((i, 0, 0, False), (i, 3, 3, True), (h, 3, 2, False), (far, 9, 0, False)):
        shown = chains(ways, f, end, 2, 3, longest)
        assert [len(steps) for steps in shown.chains] == ([length] if length else [])
        assert shown.is_longer is is_longer


def test_what_is_left_out_for_its_amount_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(a="def f(): g()\ndef g(): h()\ndef h(): ...\n")
    ways = ways_of(snapshot, (), Along.CALLS)
    assert chains(ways, node(snapshot, "f"), node(snapshot, "h"), 6, 3).is_whole
    monkeypatch.setattr(module, "EDGES_MAX", 1)
    assert not chains(ways, node(snapshot, "f"), node(snapshot, "h"), 6, 3).is_whole


@st.composite
def programs(draw: st.DrawFn) -> Snapshot:
    """A few classes and functions that use one another in many ways; one file is a test."""
    uses_of = st.sampled_from(
        ("f0()", "f1()", "f2()", "f3()", "A()", "B()", "C()", "f0", "f2", "b.m()", "b.n()", "x.m()", "V", "C", "b.p")
    )
    body = st.lists(uses_of, max_size=3).map(lambda some: "; ".join(some) or "...")
    bases = draw(st.sampled_from((("", "(A)", "(B)"), ("", "(A)", "(A)"), ("", "", ""), ("(Outside)", "(A)", ""))))
    lines = ["from b import *", "from beyond import Outside", f"V = {draw(st.sampled_from(('f0', 'f1()', '1')))}"]
    for name, base in zip("ABC", bases, strict=True):
        lines.append(f"class {name}{base}:")
        lines.append(f"    def m(self, b: B, x): {draw(body)}")
        if draw(st.booleans()):
            lines.append(f"    def __init__(self, b: B, x): {draw(body)}")
        if draw(st.booleans()):
            lines.append(f"    @property\n    def p(self): {draw(body)}")
    lines += [f"def f{number}(b: B, x): {draw(body)}" for number in range(3)]
    other = ["from a import *", f"def f3(b: B, x): {draw(body)}"]
    return build_snapshot({"a.py": "\n".join(lines).encode(), "tests/b.py": "\n".join(other).encode()})


def steps_of(snapshot: Snapshot, along: Along) -> dict[int, list[tuple[int, int, bool]]]:
    """Of each node its steps, asked for one by one: (target, cost, whether it is a use)."""
    ways = ways_of(snapshot, (Role.PRODUCT,), along)
    table: dict[int, list[tuple[int, int, bool]]] = {}
    for one in range(snapshot.node_count):
        alone = np.array([one], dtype=np.int32)
        for is_use, steps in (
            (True, uses(ways, alone, is_forward=True)),
            (False, implied(ways, alone, is_forward=True)),
        ):
            table.setdefault(one, []).extend(
                (target, cost, is_use) for target, cost in zip(steps.target.tolist(), steps.cost.tolist(), strict=True)
            )
    return table


def every_chain(
    table: dict[int, list[tuple[int, int, bool]]], start: int, end: int, longest: int
) -> Iterator[tuple[list[int], int]]:
    """Each chain without a circle: its nodes, and what it costs."""
    waiting = [([start], 0, 0)]
    while waiting:
        nodes, cost, count = waiting.pop()
        if nodes[-1] == end:
            yield nodes, cost
            continue
        for target, more, is_use in table[nodes[-1]]:
            if target not in nodes and count + is_use <= longest:
                waiting.append(([*nodes, target], cost + more, count + is_use))


@given(programs(), st.data())
def test_the_first_is_the_cheapest_of_all_and_others_cost_little_more(snapshot: Snapshot, data: st.DataObject) -> None:
    functions = [one for one in range(snapshot.first_external) if snapshot.kind_of(one).name in ("FUNCTION", "METHOD")]
    start, end = (data.draw(st.sampled_from(functions)) for _ in range(2))
    longest = data.draw(st.integers(1, 5))
    table = steps_of(snapshot, Along.CALLS)
    known = list(every_chain(table, start, end, longest)) if start != end else []
    shown = chains(ways_of(snapshot, (Role.PRODUCT,), Along.CALLS), start, end, longest, 3)
    assert shown.is_whole
    lists = [[chain[0].source, *(step.target for step in chain)] for chain in shown.chains] if start != end else []
    assert bool(lists) == bool(known)
    cheapest = min((cost for _, cost in known), default=NEVER)
    inside: set[int] = set()
    for number, nodes in enumerate(lists):
        assert all(one.target == after.source for one, after in pairwise(shown.chains[number]))
        costs = [cost for other, cost in known if other == nodes]
        assert costs, "it is a chain"
        worth = [
            cost + AGAIN * len(inside & set(other[1:-1])) for other, cost in known
        ]  # the same nodes may come twice
        assert min(costs) + AGAIN * len(inside & set(nodes[1:-1])) == min(worth)
        assert not number or set(nodes[1:-1]) - inside
        assert min(costs) <= cheapest * WORSE_MAX
        inside |= set(nodes[1:-1])


@given(programs(), st.sampled_from(Along))
def test_steps_are_the_same_from_both_ends(snapshot: Snapshot, along: Along) -> None:
    ways = ways_of(snapshot, (Role.PRODUCT,), along)
    nodes = np.arange(snapshot.node_count, dtype=np.int32)
    for steps_from in (uses, implied):
        ahead, behind = (
            {
                *zip(
                    *(column.tolist() for column in (steps.source, steps.target, steps.row, steps.cost)),
                    strict=True,
                )
            }
            for steps in (steps_from(ways, nodes, is_forward=True), steps_from(ways, nodes, is_forward=False))
        )
        assert ahead == behind
        one_by_one = {
            row
            for one in nodes.tolist()
            for steps in (steps_from(ways, np.array([one], dtype=np.int32), is_forward=True),)
            for row in zip(
                *(column.tolist() for column in (steps.source, steps.target, steps.row, steps.cost)), strict=True
            )
        }
        assert one_by_one == ahead


def rows_of(steps: Steps) -> set[tuple[int, ...]]:
    columns = (steps.source, steps.target, steps.row, steps.cost)
    return {*zip(*(column.tolist() for column in columns), strict=True)}


def check_tables(ways: Ways, nodes: list[int]) -> None:
    """Raises AssertionError where other steps are looked up around some nodes than are found."""
    some = np.array(sorted(nodes), dtype=np.int32)
    for is_forward in (True, False):
        assert rows_of(step_tables.uses(ways, some, is_forward=is_forward)) == rows_of(
            uses(ways, some, is_forward=is_forward)
        )
        for is_first in (True, False):
            steps = [
                find(ways, some, is_forward=is_forward, is_first=is_first) for find in (step_tables.implied, implied)
            ]
            assert rows_of(steps[0]) == rows_of(steps[1])


@given(programs(), st.sampled_from(Along), st.sampled_from(((), (Role.TEST,))), st.data())
def test_tables_have_the_steps_that_are_found(
    snapshot: Snapshot, along: Along, own: tuple[Role, ...], data: st.DataObject
) -> None:
    some = st.lists(st.integers(0, snapshot.node_count - 1), unique=True)
    ways, nodes = ways_of(snapshot, own, along, data.draw(some)), data.draw(some)
    check_tables(ways, nodes)
    steps = uses(ways, np.arange(snapshot.node_count, dtype=np.int32), is_forward=True)
    guesses = sorted((UNDECIDED - row, node) for _, node, row, _ in rows_of(steps) if row <= UNDECIDED)
    kept = replace(ways, kept={})
    for unlikely in (guesses[:1], guesses[::2]):
        check_tables(replace(kept, unlikely=np.array(unlikely, dtype=np.int64).reshape(-1, 2)), nodes)


@given(st.integers(0, 1 << 31), st.sampled_from((10, 1_000, 1 << 21)), st.sampled_from((4, 500)))
def test_many_ways_are_in_the_order_of_few(seed: int, nodes: int, costs: int) -> None:
    numbers = np.random.default_rng(seed)
    new, old = numbers.integers(0, nodes, (2, 3_000), dtype=np.int32)
    cost, row = numbers.integers(0, costs, 3_000, dtype=np.int32), numbers.permutation(3_000).astype(np.int32)
    order = sort_ways(new, cost, old, row)
    assert (order == np.lexsort((row, old, cost, new))).all()


def test_tables_have_the_steps_of_the_parts_of_a_type() -> None:
    parts = {
        "a.cs": b"class B { } partial class A : B { A() { } }",
        "b.cs": b"partial class A { void F() { new A(); } }",
    }
    snapshot = build_snapshot(parts)
    for along in Along:
        for one in range(snapshot.node_count):
            check_tables(ways_of(snapshot, (), along), [one])


@given(programs(), st.data())
def test_the_same_question_finds_the_same(snapshot: Snapshot, data: st.DataObject) -> None:
    start, end = (data.draw(st.integers(0, snapshot.node_count - 1)) for _ in range(2))
    ways = ways_of(snapshot, (), Along.REFERENCES)
    assert chains(ways, start, end, 6, 3) == chains(ways, start, end, 6, 3)
