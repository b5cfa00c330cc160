"""Definitions and uses of Python sources as the scorer's oracle sees them."""

from __future__ import annotations

from bench.accuracy.edges import Relation
from bench.accuracy.python_sites import Module, read

SOURCE = """
from . import near
from .far import thing as other
import pkg.mod

@decorated(near)
def outer(x: "other", y=thing()):
    def inner():
        return x.go()
    return inner()

class Box(near.Base[int]):
    def __init__(self):
        self.fill()

    @property
    def size(self): return self._size

    @size.setter
    def size(self, value): ...

    def fill(self):
        "é𝄞"; near.tell(type(self)(1))
"""


def lines(module: Module, relation: Relation) -> list[tuple[int, int, str, str]]:
    return [(s.line, s.col, s.source, s.name) for s in module.sites if s.relation is relation]


def test_calls_belong_to_the_outermost_function_and_constructors_to_their_class() -> None:
    assert lines(read("m.py", SOURCE), Relation.CALLS) == [
        (7, 25, "m.py:7:5", "thing"),
        (9, 18, "m.py:7:5", "go"),
        (10, 12, "m.py:7:5", "inner"),
        (6, 2, "m.py:7:5", "decorated"),
        (14, 14, "m.py:12:7", "fill"),
        (23, 21, "m.py:22:9", "tell"),
        (23, 26, "m.py:22:9", "type"),
    ]


def test_a_name_that_is_called_twice_is_marked() -> None:
    marked = [site.name for site in read("m.py", SOURCE).sites if site.is_called_again]
    assert marked == ["type"]


def test_columns_are_in_bytes_for_the_server_and_in_utf16_for_the_list() -> None:
    (tell,) = [site for site in read("m.py", SOURCE).sites if site.name == "tell"]
    assert (tell.column, tell.col) == (23, 21)


def test_references_leave_out_callees_bases_and_accessor_decorators() -> None:
    names = [name for *_, name in lines(read("m.py", SOURCE), Relation.REFERENCES)]
    assert sorted(names) == ["_size", "int", "near", "near", "near", "other", "property", "self", "self", "self", "x"]


def test_string_annotations_are_uses_at_their_own_place() -> None:
    assert (7, 15, "m.py:7:5", "other") in lines(read("m.py", SOURCE), Relation.REFERENCES)


def test_bases_belong_to_their_class() -> None:
    assert lines(read("m.py", SOURCE), Relation.INHERITS) == [(12, 16, "m.py:12:7", "Base")]


def test_imports_belong_to_the_module() -> None:
    module = read("m.py", SOURCE)
    assert lines(module, Relation.IMPORTS) == [
        (2, 15, "m.py", "near"),
        (3, 18, "m.py", "thing"),
        (3, 7, "m.py", "far"),
        (4, 12, "m.py", "mod"),
    ]
    assert [tuple(package) for package in module.packages] == [(2, 15, 1)]


def test_same_named_definitions_are_one() -> None:
    keys = {definition.place: definition.key for definition in read("m.py", SOURCE).definitions}
    assert keys == {
        "m.py:7:5": "m.py:7:5",
        "m.py:8:9": "m.py:7:5",
        "m.py:12:7": "m.py:12:7",
        "m.py:13:9": "m.py:12:7",
        "m.py:17:9": "m.py:17:9",
        "m.py:20:9": "m.py:17:9",
        "m.py:22:9": "m.py:22:9",
    }


def test_members_know_their_class() -> None:
    holders = {definition.name: definition.holder for definition in read("m.py", SOURCE).definitions}
    assert holders == {
        "outer": "",
        "inner": "",
        "Box": "",
        "__init__": "m.py:12:7",
        "size": "m.py:12:7",
        "fill": "m.py:12:7",
    }


def test_a_property_gives_what_its_returns_call() -> None:
    source = (
        "class A:\n @property\n def x(self):\n  if self: return View(1)\n  return m.View(2)\n"
        " @functools.cached_property\n def y(self):\n  def g(): return View()\n  return g\n"
        " def z(self): return View()\n"
    )
    assert read("m.py", source).given == {"m.py:3:6": ((4, 19), (5, 12)), "m.py:7:6": (None,)}
