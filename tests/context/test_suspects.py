"""What a failing test leads to: the definitions that ran before it failed, the nearest first."""

from __future__ import annotations

from codemap.context.seeds import read_task
from codemap.context.suspects import Origin, weigh_suspects
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot

FILES = {
    "app/store.py": (
        b"class Store:\n    def __init__(self):\n        self.items = {}\n\n    def take(self, n):\n"
        b"        return self.find(n)\n\n    def find(self, n):\n        return check(n)\n\n    def close(self):\n"
        b"        pass\n\n\ndef check(n):\n    return n\n\n\ndef unused(n):\n    return n\n"
    ),
    "tests/conftest.py": (
        b"import pytest\nfrom app.store import Store\n\n\n@pytest.fixture\ndef store():\n    return Store()\n"
    ),
    "tests/test_store.py": (
        b"from app.store import Store\n\n\ndef test_take():\n    store = Store()\n    assert store.take(1) == 1\n"
        b"    store.close()\n\n\ndef test_by_fixture(store):\n    pass\n"
    ),
}
FAILED = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0
collected 2 items

=================================== FAILURES ===================================
__________________________________ test_take ___________________________________

    def test_take():
        store = Store()
>       assert store.take(1) == 1
E       assert None == 1

tests/test_store.py:6: AssertionError
=========================== short test summary info ============================
FAILED tests/test_store.py::test_take - assert None == 1
========================= 1 failed, 1 passed in 0.01s ==========================
"""


def node_of(snapshot: Snapshot, name: str) -> int:
    [node] = snapshot.find_by_suffix(name)
    return node


def suspects(name: str, line: int) -> list[str]:
    snapshot = build_snapshot(FILES)
    found = weigh_suspects(snapshot, [Origin(node_of(snapshot, name), line, 1.0)])
    return [snapshot.qualified_name_of(node) for node in sorted(found, key=lambda node: (-found[node], node))]


def test_what_is_called_comes_before_what_that_calls_and_before_what_stands_behind_the_line() -> None:
    assert suspects("test_take", 6) == ["Store.take", "Store.__init__", "Store.find", "Store.close", "check"]


def test_without_a_line_all_calls_count_alike() -> None:
    found = suspects("test_take", 0)
    assert found.index("Store.close") < found.index("Store.find")


def test_a_test_runs_the_fixtures_that_it_names() -> None:
    assert suspects("test_by_fixture", 0) == ["Store.__init__"]


def test_output_of_a_failing_test_leads_to_the_code_that_it_calls() -> None:
    snapshot = build_snapshot(FILES)
    seeds = read_task(snapshot, FAILED).seeds
    named = [snapshot.qualified_name_of(seed.node) for seed in seeds]
    assert named[0] == "Store.take"
    assert {"Store.find", "check", "Store.__init__"} <= set(named)
    assert "unused" not in named
    [test] = [seed for seed in seeds if snapshot.qualified_name_of(seed.node) == "test_take"]
    assert test.reasons[0] == "failing test, line 6"


def test_a_mere_place_leads_to_no_calls() -> None:
    snapshot = build_snapshot(FILES)
    reasons = [reason for seed in read_task(snapshot, "app/store.py:6").seeds for reason in seed.reasons]
    assert "reached by calls" not in reasons


def test_what_all_failures_lead_to_comes_before_what_one_does() -> None:
    files = {
        "app/a.py": b"def shared():\n    pass\n\n\ndef one():\n    shared()\n\n\ndef two():\n    shared()\n",
        "tests/test_a.py": b"from app.a import one, two, shared\n\n\ndef test_one():\n    one()\n    shared()\n\n\n"
        b"def test_two():\n    two()\n    shared()\n",
    }
    snapshot = build_snapshot(files)
    origins = [Origin(node_of(snapshot, name), 0, 1.0) for name in ("test_one", "test_two")]
    found = weigh_suspects(snapshot, origins)
    assert max(found, key=lambda node: found[node]) == node_of(snapshot, "shared")


def test_what_a_function_defines_in_itself_may_run_with_it() -> None:
    files = {
        "app/a.py": b"def outer():\n    def inner():\n        def core():\n            return 1\n        return core\n"
        b"    return inner\n",
        "tests/test_a.py": b"from app.a import outer\n\n\ndef test_a():\n    assert outer()()() == 2\n",
    }
    snapshot = build_snapshot(files)
    found = weigh_suspects(snapshot, [Origin(node_of(snapshot, "test_a"), 5, 1.0)])
    assert [snapshot.name_of(node) for node in sorted(found, key=lambda node: -found[node])] == [
        "outer",
        "inner",
        "core",
    ]


def test_an_undecided_call_may_mean_methods_of_the_classes_that_are_made_on_the_way() -> None:
    """However many methods have the name."""
    filters = "".join(f"class F{n}:\n    def process(self, x):\n        return x\n\n\n" for n in range(20))
    files = {
        "app/filters.py": filters.encode(),
        "app/run.py": b"from app.filters import F3, F4\n\n\ndef chain(more):\n    return [F4()] if more else [F3()]\n"
        b"\n\ndef run(x, more, chosen):\n    for one in chosen(more):\n        x = one.process(x)\n    return x\n",
        "tests/test_run.py": b"from app.run import chain, run\n\n\n"
        b"def test_run():\n    assert run(1, {}, chain) == 2\n",
    }
    snapshot = build_snapshot(files)
    found = weigh_suspects(snapshot, [Origin(node_of(snapshot, "test_run"), 5, 1.0)])
    named = {snapshot.qualified_name_of(node) for node in found}
    assert named == {"run", "chain", "F3.process", "F4.process"}


def test_a_property_that_is_computed_may_be_at_fault() -> None:
    files = {
        "app/a.py": b"class Box:\n    @property\n    def size(self):\n        return 1\n",
        "tests/test_a.py": b"from app.a import Box\n\n\ndef test_size():\n    assert Box().size == 2\n",
    }
    snapshot = build_snapshot(files)
    found = weigh_suspects(snapshot, [Origin(node_of(snapshot, "test_size"), 5, 1.0)])
    assert [snapshot.qualified_name_of(node) for node in found] == ["Box.size"]


def test_of_a_file_of_blocks_the_one_that_failed_counts() -> None:
    """Tests that are blocks are no definitions: their calls are those of the file."""
    called = ("first", "second", "third")
    blocks = ("\n" * 20).join(f"it('{name} runs', () => {{\n  {name}()\n}})" for name in called)
    files = {
        "app.js": b"export function first() {}\nexport function second() {}\nexport function third() {}\n",
        "app.test.js": f"import {{ first, second, third }} from './app'\n{blocks}\n".encode(),
    }
    snapshot = build_snapshot(files)
    failed = files["app.test.js"].decode().split("\n").index("  second()") + 1
    origin = Origin(snapshot.by_path["app.test.js"].base, failed, 1.0)
    found = weigh_suspects(snapshot, [origin])
    weights = [found[node] for name in ("second", "first", "third") for node in snapshot.find_by_suffix(name)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > weights[1]
