"""What a language server's answers are taken to say; and which definition a line of a running program belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.accuracy.edges import Definition, Relation, Use
from bench.accuracy.lines import Lines
from bench.accuracy.observed import inherited_constructors
from bench.accuracy.python_oracle import Known, modules_of

A = """
from b import Base, Sub, helper

kind = Sub
def run(p):
    kind()
    helper()
    p()
"""
B = """
class Base:
    def __init__(self): ...
class Sub(Base): ...
class Lone:
    def __init__(self): ...
    def __call__(self): ...
def helper(): ...
"""
BASE_INIT, LONE_INIT, LONE_CALL, HELPER = ("b.py", 2, 8), ("b.py", 5, 8), ("b.py", 6, 8), ("b.py", 7, 4)
KIND = ("a.py", 3, 0)
OUTSIDE = ("file:///builtins.pyi", 9, 4)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(A)
    (tmp_path / "b.py").write_text(B)
    return tmp_path


def use(root: Path, name: str, *answer: tuple[str, int, int]) -> Use:
    modules = modules_of(root)
    (site,) = [site for site in modules["a.py"].sites if site.name == name and site.relation == "calls"]
    return Known(root, modules).use("a.py", site, answer, frozenset({"b.py:2:7"}))


def test_a_definition_is_a_target(root: Path) -> None:
    found = use(root, "helper", HELPER)
    assert (found.source, found.targets, found.is_resolved) == ("a.py:5:5", ("b.py:8:5",), True)


def test_outside_is_resolved_to_nothing(root: Path) -> None:
    found = use(root, "helper", OUTSIDE)
    assert (found.targets, found.is_resolved) == ((), True)


@pytest.mark.parametrize("answer", [(), (KIND,)])
def test_no_answer_and_a_variable_say_nothing(root: Path, answer: tuple[tuple[str, int, int], ...]) -> None:
    found = use(root, "kind", *answer)
    assert (found.targets, found.is_resolved) == ((), False)


def test_a_constructor_behind_a_value_counts_where_nobody_inherits_it(root: Path) -> None:
    assert use(root, "kind", KIND, LONE_INIT).targets == ("b.py:5:7",)
    assert use(root, "kind", KIND, BASE_INIT).targets == ()


def test_what_a_decorator_made_of_a_function_adds_nothing_to_it(root: Path) -> None:
    found = use(root, "helper", HELPER, LONE_CALL)
    assert (found.targets, found.is_resolved) == (("b.py:8:5",), False)
    assert use(root, "p", LONE_CALL).targets == ("b.py:7:9",)


def test_a_stub_and_the_source_beside_it_are_one(root: Path) -> None:
    (root / "b.pyi").write_text("def helper() -> int: ...\ndef only() -> int: ...\n")
    assert use(root, "helper", ("b.pyi", 0, 4)).targets == ("b.py:8:5",)
    keys = {definition.place: definition.key for definition in Known(root, modules_of(root)).definitions()}
    assert (keys["b.pyi:1:5"], keys["b.pyi:2:5"]) == ("b.py:8:5", "b.pyi:2:5")


def test_sources_with_syntax_errors_are_left_out(root: Path) -> None:
    (root / "b.py").write_text("def (:\n")
    assert list(modules_of(root)) == ["a.py"]


def test_lines_belong_to_the_definition_around_them(root: Path) -> None:
    source = "@wrap\ndef f():\n    def g(): ...\n    return g\nx = lambda: 1\nclass A:\n    def m(self): ...\n"
    source += "    n = lambda: 2\n"
    (root / "c.py").write_text(source)
    lines = Lines("c.py", source, modules_of(root)["c.py"].chains)
    assert [lines.key(line) for line in (1, 3, 5, 6, 7)] == ["c.py:2:5", "c.py:2:5", "c.py", "c.py:6:7", "c.py:7:9"]
    assert [line for line in range(1, 9) if lines.is_function(line)] == [1, 3, 7]


def test_a_class_stands_for_the_constructor_that_it_inherits() -> None:
    classes = [Definition(name, name, name) for name in ("Base", "Own", "Heir", "Far", "Mixin")]
    constructors = [Definition(f"{name}.__init__", name, "__init__", name) for name in ("Base", "Own", "Mixin")]
    bases = [
        Use("a.py", 1, 1, source, target, Relation.INHERITS, (target,), True)
        for source, target in (("Own", "Base"), ("Heir", "Base"), ("Far", "Heir"), ("Far", "Mixin"), ("Far", "Far"))
    ]
    assert inherited_constructors([*classes, *constructors], bases) == {
        "Heir": frozenset(("Heir", "Base")),
        "Far": frozenset(("Far", "Base", "Mixin")),
    }
