"""Scopes within scopes, as a program writes them or an attacker does: what they cost, counted in calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from codemap.extract.extract import extract


def nested(opens: Callable[[int], str], closes: str, around: tuple[str, str] = ("", "")) -> Callable[[int], str]:
    """A source with so many levels."""
    return lambda count: around[0] + "".join(map(opens, range(count))) + closes * count + around[1]


METHOD = ("class A { void f() {", "}}")
SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "c, blocks": ("a.c", nested(lambda i: f"{{ int x{i} = y; g(x{i}); ", "}", ("void f() {", "}"))),
    "c++, classes": ("a.cpp", nested(lambda i: f"struct S{i} {{ int m; int f{i}() {{ return m + n; }} ", "};")),
    "c++, namespaces": ("a.cpp", nested(lambda i: f"namespace n{i} {{ int f{i}() {{ return g(); }} ", "}")),
    "c#, namespaces": (
        "a.cs",
        nested(lambda i: f"namespace N{i} {{ class C{i} {{ int x; int F() => x + g(); }} ", "}"),
    ),
    "c#, classes": ("a.cs", nested(lambda i: f"class C{i} : B {{ int x; void F() {{ x = g(); }} ", "}")),
    "c#, lambdas": ("a.cs", nested(lambda i: f"g((x{i}) => {{ h(x{i}, z); ", "});", METHOD)),
    "go, functions": ("a.go", nested(lambda i: f"func(p{i} T) {{ g(p{i}); ", "}()\n", ("package a\nfunc f() {", "}"))),
    "java, classes": ("A.java", nested(lambda i: f"class A{i} {{ int x; void f() {{ x = g(x); }} ", "}")),
    "java, classes without a name": (
        "A.java",
        nested(lambda i: "return new Object() { Object f() { x(); ", "}};", ("class A { Object f() {", "}}")),
    ),
    "java, lambdas": ("A.java", nested(lambda i: f"g((x{i}) -> {{ h(x{i}, z); ", "});", METHOD)),
    "javascript, functions": ("a.js", nested(lambda i: f"function f{i}(p) {{ g(p, q); let v = p.m(); ", "}")),
    "typescript, namespaces": ("a.ts", nested(lambda i: f"namespace N{i} {{ export const v = w; ", "}")),
    "kotlin, lambdas": ("a.kt", nested(lambda i: f"run {{ x{i} -> g(x{i}); ", "}", ("fun f() {", "}"))),
    "php, closures": ("a.php", nested(lambda i: f"f(function($x) {{ g($x); $v{i} = $x; ", "});", ("<?php ", ""))),
    "python, lambdas": ("a.py", nested(lambda i: f"lambda x{i}: g(x{i}, ", "0)", ("v = ", ""))),
    "ruby, blocks": ("a.rb", nested(lambda i: f"f do |x{i}|\n g(x{i}); v{i} = 1\n", "end\n")),
    "ruby, modules": ("a.rb", nested(lambda i: f"module N{i}\n X = Y\n", "end\n")),
    "rust, functions": ("a.rs", nested(lambda i: f"fn f{i}(p: T) {{ g(p); let v = p; ", "}")),
}


CLIMBING = (
    "c#, namespaces",
    "c#, classes",
    "c#, lambdas",
    "java, classes",
    "java, classes without a name",
    "java, lambdas",
)
CLIMBING += ("kotlin, lambdas",)
"""A name that nothing binds is looked for in each scope around."""


def calls(path: str, source: str) -> int:
    """How many functions, of Python and of C, extraction calls."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    extract(path, b"")  # what is loaded once
    sys.setprofile(note)
    try:
        extract(path, source.encode())
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(("path", "source"), [SHAPES[name] for name in SHAPES if name not in CLIMBING])
def test_a_level_costs_what_it_does_however_many_are_around(path: str, source: Callable[[int], str]) -> None:
    few, many = calls(path, source(100)) / 100, calls(path, source(400)) / 400
    assert many <= few * 1.1, (few, many)


@pytest.mark.parametrize(("path", "source"), [SHAPES[name] for name in CLIMBING], ids=CLIMBING)
def test_a_scope_around_costs_a_name_a_look_and_no_more(path: str, source: Callable[[int], str]) -> None:
    """FIXME: it should cost nothing; what is looked for again and again was looked for further out already."""
    at_100, at_200, at_400 = (calls(path, source(count)) for count in (100, 200, 400))
    assert at_400 - at_200 <= 4 * (at_200 - at_100)
    assert at_400 / 400 - at_100 / 100 <= 10 * (400 - 100)
