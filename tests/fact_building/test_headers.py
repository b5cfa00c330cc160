"""What a header shows of a definition that is written over several lines, with comments in it."""

from __future__ import annotations

import pytest

from codemap.extract.extract import extract
from codemap.facts import Symbol, rows


def header_of(path: str, name: str, source: str) -> str:
    facts = extract(path, source.encode())
    table = rows(facts.symbols).tolist()
    for row in range(0, len(table), Symbol.WIDTH):
        if facts.names[table[row + Symbol.NAME]] == name:
            return facts.texts[table[row + Symbol.SIGNATURE]]
    raise AssertionError(f"{name} is not defined")


@pytest.mark.parametrize(
    ("path", "name", "source", "header"),
    [
        ("a.py", "f", 'def f(\n    a,  # one\n    b="#no",  # two\n):\n    pass\n', 'def f(a, b="#no")'),
        ("a.py", "f", "def f(a):  # pragma: no cover\n    pass\n", "def f(a)"),
        ("a.rb", "f", 'def f(\n  a, # one\n  b = "#{1}" # two\n)\nend\n', 'def f(a, b = "#{1}")'),
        ("a.rb", "A", "class A < B # :nodoc:\n  def x; end\nend\n", "class A < B"),
        (
            "a.go",
            "F",
            "package a\nfunc F(\n\ta int, // one\n\tb /* two */ string,\n) int { return 1 }\n",
            "func F(a int, b string) int",
        ),
        (
            "a.rs",
            "f",
            "fn f<'a>(\n    // one\n    a: &'a str,\n    b: u32, // two\n) -> u32 { 1 }\n",
            "fn f<'a>(a: &'a str, b: u32) -> u32",
        ),
        ("a.c", "f", "int f(int a, /* one */\n      int b) // two\n{ return 1; }\n", "int f(int a, int b)"),
        ("a.cpp", "f", "template <\n    class T>  // one\nint f(T a /* two */) { return 1; }\n", "int f(T a)"),
        (
            "A.java",
            "f",
            "class A { int f(int a, // one\n    String b /* two */) { return 1; } }\n",
            "int f(int a, String b)",
        ),
        (
            "a.kt",
            "f",
            'fun f(\n    a: Int, // one\n    b: String = "http://x", /* two */\n): Int = 1\n',
            'fun f(a: Int, b: String = "http://x"): Int',
        ),
        (
            "a.cs",
            "F",
            'class A { int F(int a, // one\n    string b = "http://x") { return 1; } }\n',
            'int F(int a, string b = "http://x")',
        ),
        ("a.cs", "B", "class B : C\n#if NET\n    , D\n#endif\n{ }\n", "class B : C , D"),
        (
            "a.php",
            "f",
            "<?php\nfunction f(\n    #[Sensitive] $a, # one\n    $b = 'http://x' // two\n) {}\n",
            "function f(#[Sensitive] $a, $b = 'http://x')",
        ),
        (
            "a.ts",
            "f",
            'function f<\n  T, // one\n>(a: T, b = "http://x", /* two */): T { return a }\n',
            'function f<T>(a: T, b = "http://x",): T',
        ),
        ("a.js", "f", "function f(a, // one\n  b = `//${1}`) { return a }\n", "function f(a, b = `//${1}`)"),
    ],
)
def test_comments_and_broken_lines_are_not_shown(path: str, name: str, source: str, header: str) -> None:
    assert header_of(path, name, source) == header
