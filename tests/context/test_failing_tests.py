"""Tests that a runner names without a place."""

from __future__ import annotations

import pytest

from codemap.context.failing_tests import failing_tests
from codemap.context.seeds import read_task
from codemap.graph.build.build import build_snapshot


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("--- FAIL: TestTake (0.00s)\n    --- FAIL: TestTake/none_left (0.00s)", ["TestTake"]),
        ("test store::tests::takes ... FAILED\n\n---- store::tests::takes stdout ----", ["tests.takes"]),
        ("1) Shop\\Tests\\StoreTest::testTake\nFailed asserting that 1 is 2.", ["StoreTest.testTake"]),
        ("[ERROR]   StoreTest.takes:42 expected: <1> but was: <2>", ["StoreTest.takes"]),
        ("[ERROR] com.shop.StoreTest.takes -- Time elapsed: 0.1 s <<< FAILURE!", ["StoreTest.takes"]),
        ("StoreTest > takes() FAILED\n    org.opentest4j.AssertionFailedError", ["StoreTest.takes"]),
        ("  Failed Shop.Tests.StoreTest.Takes(n: 1) [12 ms]", ["StoreTest.Takes"]),
        ("[  FAILED  ] StoreTest.Takes (0 ms)", ["StoreTest.Takes"]),
        ("FAIL: test_take (tests.test_store.StoreTest.test_take)", ["test_take"]),
        ("Failure:\nStoreTest#test_take [test/store_test.rb:9]:", ["StoreTest.test_take"]),
        ("All tests FAILED to start", []),
    ],
)
def test_each_runner_names_what_failed(output: str, names: list[str]) -> None:
    assert failing_tests(output) == names


def test_what_a_failing_test_calls_is_reached_without_any_frame() -> None:
    files = {
        "store.go": b"package shop\n\nfunc Take(n int) int { return n }\n\nfunc Drop() {}\n",
        "store_test.go": b'package shop\n\nimport "testing"\n\nfunc TestTake(t *testing.T) { Take(1) }\n',
    }
    snapshot = build_snapshot(files)
    task = read_task(snapshot, "--- FAIL: TestTake (0.00s)\nFAIL")
    found = {snapshot.qualified_name_of(seed.node): seed.reasons for seed in task.seeds}
    assert found["TestTake"][0] == "failing test"
    assert "reached by calls" in found["Take"]
    assert "Drop" not in found
