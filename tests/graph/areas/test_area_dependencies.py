"""How areas use one another, and in what circles."""

from __future__ import annotations

import numpy as np

from codemap.graph.areas.area_dependencies import Circle, circles, uses_between
from codemap.graph.areas.communities import Area
from codemap.graph.build.build import build_snapshot


def test_edges_between_areas_are_counted_by_who_uses() -> None:
    snapshot = build_snapshot(
        {
            "a/x.py": b"from b.y import f, g\n\n\ndef use():\n    f()\n    f()\n    g()\n",
            "b/y.py": b"def f(): g()\n\n\ndef g(): ...\n",
            "c/z.py": b"from a.x import use\n",
        }
    )
    areas = [Area("a", "a", (0,)), Area("b", "b", (1,))]
    uses = uses_between(snapshot, areas)
    assert uses[1].tolist() == [0, 0], "uses within an area, and by what is in none, do not count"
    assert uses[0, 0] == 0
    assert uses[0, 1] == 5, "two calls, each once however often, and the imports of two names and their module"


def test_undecided_uses_tie_no_areas_together() -> None:
    sources = {"a/x.py": b"def use(it):\n    it.take()\n", "b/y.py": b"class Store:\n    def take(self): ...\n"}
    areas = [Area("a", "a", (0,)), Area("b", "b", (1,))]
    assert not uses_between(build_snapshot(sources), areas).any()


def test_small_folders_beside_the_root_are_no_part_of_it() -> None:
    sources = {
        "a/x.py": b"from internal.y import f\nfrom top import g\n\nf()\ng()\n",
        "internal/y.py": b"def f(): ...\n",
        "top.py": b"def g(): ...\n",
    }
    areas = [Area("a", "a", (0,)), Area("", ".", (1, 2))]
    assert uses_between(build_snapshot(sources), areas)[0, 1] == 3, "the module, the name, and its call"


def test_what_tests_beside_the_product_use_ties_nothing_together() -> None:
    sources = {
        "Cargo.toml": b'[workspace]\nmembers = ["a", "b"]\n',
        "a/Cargo.toml": b'[package]\nname = "a"\n[dev-dependencies]\nb = {path = "../b"}\n',
        "a/src/lib.rs": b"pub fn f() {}\n#[cfg(test)]\nmod tests {\n use b::g;\n #[test]\n fn t() { g() }\n}\n",
        "b/Cargo.toml": b'[package]\nname = "b"\n[dependencies]\na = {path = "../a"}\n',
        "b/src/lib.rs": b"pub fn g() { a::f() }\n",
    }
    snapshot = build_snapshot(sources)
    numbers = {file.path: file.number for file in snapshot.files}
    areas = [Area(name, name, (numbers[f"{name}/src/lib.rs"],)) for name in ("a", "b")]
    assert uses_between(snapshot, areas).tolist() == [[0, 0], [1, 0]]


def test_areas_that_use_one_another_are_a_circle_with_its_weakest_direction() -> None:
    uses = np.array([[0, 90, 0, 0], [4, 0, 50, 0], [0, 0, 0, 9], [0, 1, 0, 0]])
    assert circles(uses) == [Circle((0, 1), (1, 0))]


def test_a_circle_may_lead_over_several_areas() -> None:
    uses = np.array([[0, 9, 0], [0, 0, 8], [7, 0, 0]])
    assert circles(uses) == [Circle((0, 1, 2), (0, 0))]


def test_a_stray_use_makes_no_circle() -> None:
    assert circles(np.array([[0, 90], [2, 0]])) == []
