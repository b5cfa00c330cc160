"""The score: between 0 and 1, growing with what is reached, 0.2 at the median."""

from __future__ import annotations

import numpy as np

from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.reach import reach
from codemap.impact.risk import MEDIAN_SCORE, factors_of, risk_of, score_of, without_tests


def chain(users: dict[str, int]) -> Snapshot:
    """Functions with so many users each."""
    lines = []
    for name, count in users.items():
        lines += [f"def {name}(): ..."]
        lines += [f"def {name}_user{at}(): {name}()" for at in range(count)]
    return build_snapshot({"app/m.py": "\n".join(lines).encode()})


def score(snapshot: Snapshot, name: str, path: str = "app/m.py") -> float:
    node = snapshot.find(f"py:{path}#{name}")
    assert node is not None
    return score_of(snapshot, without_tests(snapshot, reach(snapshot, [node])))


def test_the_median_of_what_has_users_has_the_same_score_everywhere() -> None:
    snapshot = chain({"a": 1, "b": 3, "c": 9})
    assert abs(score(snapshot, "b") - MEDIAN_SCORE) < 0.01


def test_it_grows_with_users_and_takes_middle_values() -> None:
    snapshot = chain({"a": 1, "b": 3, "c": 9, "d": 20})
    found = [score(snapshot, name) for name in "abcd"]
    assert found == sorted(found)
    assert 0 < found[0] < found[2] < found[3] < 1
    assert score(snapshot, "a_user0") == 0


def test_tests_are_no_part_of_it() -> None:
    sources = {"app/m.py": b"def a(): ...\ndef b(): a()\n"}
    tested = sources | {"tests/test_m.py": b"from app.m import a\n\ndef test_a(): a()\n"}
    for snapshot in map(build_snapshot, (sources, tested)):
        node = snapshot.find("py:app/m.py#a")
        assert node is not None
        factors = factors_of(snapshot, without_tests(snapshot, reach(snapshot, [node])))
        assert (factors.direct_users, factors.files, factors.folders) == (1, 1, 1)


def test_the_thresholds() -> None:
    assert [risk_of(one) for one in (0, 0.29, 0.3, 0.69, 0.7, 1)] == ["low", "low", "medium", "medium", "high", "high"]


def test_a_map_where_nothing_has_users_has_scores() -> None:
    snapshot = build_snapshot({"m.py": b"def a(): ...\n"})
    assert score_of(snapshot, without_tests(snapshot, reach(snapshot, [1]))) == 0
    assert np.isfinite(score_of(snapshot, without_tests(snapshot, reach(snapshot, [0]))))
