"""Definitions that depend on one another in a circle are solved at a cost that grows like a small polynomial.

The cost is how often an answer is computed, of classes and of everything else; the edges do not depend on the order of
the files.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from codemap.graph.build.build import build, build_snapshot, extracted
from codemap.graph.evaluate.fixpoint import Solver
from codemap.graph.model.steps import finish
from codemap.graph.query.dump import edge_lines
from codemap.graph.resolve import method_resolution_order

COMPUTED_MAX = 60_000
Files = dict[str, bytes]
Others = Callable[[int, int], list[int]]
"""From the number of a definition and how many there are to the numbers of those that it names."""


def ruby(count: int, others: Others) -> Files:
    """Modules of one namespace that include others of it, and the namespace all of them."""
    files = {}
    for n in range(count):
        included = "".join(f"    include H{other}\n" for other in others(n, count))
        files[f"lib/h{n}.rb"] = f"module Helpers\n  module H{n}\n{included}    def m{n}; m0; end\n  end\nend\n".encode()
    whole = "".join(f"  include H{n}\n" for n in range(count))
    return files | {"lib/all.rb": f"module Helpers\n{whole}end\n".encode()}


def python(count: int, others: Others) -> Files:
    files = {}
    for n in range(count):
        imported = "".join(f"from h{other} import H{other}\n" for other in others(n, count))
        bases = ", ".join(f"H{other}" for other in others(n, count))
        files[f"h{n}.py"] = f"{imported}class H{n}({bases}):\n    def m{n}(self):\n        self.m0()\n".encode()
    return files


def python_results(count: int, others: Others) -> Files:
    """Functions that return what others of them return, and one that makes a value."""
    files = {"lib.py": b"class C:\n    def m0(self): ...\n"}
    for n in range(count):
        imported = "".join(f"from h{other} import f{other}\n" for other in others(n, count))
        returned = "".join(f"    if x: return f{other}()\n" for other in others(n, count))
        made = "from lib import C\n" if n == count // 2 else ""
        last = "    return C()\n" if n == count // 2 else ""
        use = f"def use{n}(): f{n}().m0()\n"
        files[f"h{n}.py"] = f"{made}{imported}def f{n}():\n{returned}{last}{use}".encode()
    return files


def php(count: int, others: Others) -> Files:
    files = {}
    for n in range(count):
        used = "".join(f"  use H{other};\n" for other in others(n, count))
        text = f"<?php\nnamespace A;\ntrait H{n} {{\n{used}  function m{n}() {{ $this->m0(); }}\n}}\n"
        files[f"H{n}.php"] = text.encode()
    return files


def typescript(count: int, others: Others) -> Files:
    files = {}
    for n in range(count):
        imported = "".join(f"import {{ H{other} }} from './h{other}';\n" for other in others(n, count))
        bases = ", ".join(f"H{other}" for other in others(n, count))
        text = (
            f"export interface H{n} extends {bases} {{ m{n}(): void }}\nexport function f{n}(x: H{n}) {{ x.m0(); }}\n"
        )
        files[f"h{n}.ts"] = f"{imported}{text}".encode()
    return files


def all_others(n: int, count: int) -> list[int]:
    return [(n + step) % count for step in range(1, count)]


def the_next_two(n: int, count: int) -> list[int]:
    return [(n + 1) % count, (n + 2) % count]


def one_each_way(n: int, count: int) -> list[int]:
    return [(n - 1) % count, (n + 1) % count]


def the_two_before(n: int, count: int) -> list[int]:
    return list(range(max(0, n - 2), n))


CIRCLES = [
    partial(language, others=others)
    for language in (ruby, python, python_results, php, typescript)
    for others in (all_others, the_next_two, one_each_way)
]
NAMES = [f"{circle.func.__name__}-{circle.keywords['others'].__name__}" for circle in CIRCLES]


def computed(files: Files, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    """How many answers are computed while files are bound, and the edges."""
    count = 0
    solve = Solver.solve

    def solve_counted(self, cell, put, compute):  # type: ignore[no-untyped-def]
        def compute_counted():  # type: ignore[no-untyped-def]
            nonlocal count
            count += 1
            assert count < COMPUTED_MAX, "does not end"
            return compute()

        return solve(self, cell, put, compute_counted)

    with monkeypatch.context() as patched:
        patched.setattr(Solver, "solve", solve_counted)
        lines = edge_lines(build_snapshot(files))
    return count, lines


@pytest.mark.parametrize("circle", CIRCLES, ids=NAMES)
def test_cost_is_a_small_polynomial(circle: Callable[[int], Files], monkeypatch: pytest.MonkeyPatch) -> None:
    """The circles have n or n² links: twice the size computes at most five times as many answers."""
    computed(circle(9), monkeypatch)
    half, whole = (computed(circle(count), monkeypatch)[0] for count in (20, 40))
    assert half > 20
    assert whole <= 5 * half, (half, whole)


@pytest.mark.parametrize("circle", CIRCLES, ids=NAMES)
def test_edges_do_not_depend_on_the_order_of_files(circle: Callable[[int], Files]) -> None:
    files = circle(9)
    expected = edge_lines(build_snapshot(files))
    assert sum(" calls " in line and ("m0 " in line or "m0(" in line) for line in expected) >= 8, expected
    for paths in (sorted(files), sorted(files, reverse=True), sorted(files, key=lambda path: path[::-1])):
        snapshot = build_snapshot({})
        for path in paths:
            facts = {path: extracted(path, files[path])}
            snapshot = finish(build(snapshot, facts, frozenset(), {}, built_at=""))
        assert edge_lines(snapshot) == expected


def test_modules_are_ordered_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that are found in a namespace that includes them all."""
    asked = 0
    ordered = method_resolution_order._compute_order

    def counted(*given):  # type: ignore[no-untyped-def]
        nonlocal asked
        asked += 1
        return ordered(*given)

    monkeypatch.setattr(method_resolution_order, "_compute_order", counted)
    lines = edge_lines(build_snapshot(ruby(9, the_two_before)))
    assert sum("Helpers.H0.m0" in line and " calls " in line for line in lines) > 0, lines
    assert asked <= 9 * 20, asked
