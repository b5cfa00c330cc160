"""Calls whose arguments cannot fit what a change made of parameters, in each language."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import pytest

from codemap.changes.changed_definitions import Pair
from codemap.changes.version import Version
from codemap.extract.fingerprints import version_of
from codemap.graph.build.build import build_snapshot
from codemap.impact.breakage.changed_signatures import resigned
from codemap.impact.breakage.misfits import Misfits, misfits


def said(before: Mapping[str, str], after: Mapping[str, str]) -> Misfits:
    """What is said of files, of which those that differ changed."""
    versions: dict[tuple[str, bool], Version] = {
        (path, is_after): version_of(path, dedent(text).encode())
        for is_after, files in ((False, before), (True, after))
        for path, text in files.items()
    }
    old, snapshot = (
        build_snapshot({path: dedent(text).encode() for path, text in files.items()}) for files in (before, after)
    )
    pairs = {
        path: Pair(path, versions[path, False], versions[path, True]) for path in after if before[path] != after[path]
    }
    return misfits(
        resigned(tuple(pairs.values()), snapshot, old), pairs, snapshot, lambda path: versions[path, True].lists
    )


def rows_of(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    found = said(before, after)
    rows = [f"{','.join(map(str, one.lines))} {one.why}{' perhaps' if one.is_guess else ''}" for one in found.left]
    return rows + ([f"{found.not_checked} not checked"] if found.not_checked else [])


PY, TS, GO, JAVA, CS, KT, C, CPP, RS, RB, PHP, JS = (
    f"a.{suffix}" for suffix in ("py", "ts", "go", "java", "cs", "kt", "c", "cpp", "rs", "rb", "php", "js")
)
CLASS = "class C:\n    def m(self{}): ...\n    def n(self): {}\n"
CASES: list[tuple[str, str, str, str, list[str]]] = [
    # file, its text with a gap for the parameters, the parameters before and after, what is said
    (PY, "def f(%s): ...\nf(1)\n", "a", "a, b", ["2 missing `b`"]),
    (PY, "def f(%s): ...\nf(1)\n", "a", "a, b=1", []),
    (PY, "def f(%s): ...\nf(1)\n", "a", "a, *, b", ["2 missing `b`"]),
    (PY, "def f(%s): ...\nf(1, 2)\n", "a, b", "a", ["2 takes 1, 2 given"]),
    (PY, "def f(%s): ...\nf(1, 2)\n", "a, b", "a, *b", []),
    (PY, "def f(%s): ...\nf(1, b=2)\n", "a, b", "a, c", ["2 no parameter `b`"]),
    (PY, "def f(%s): ...\nf(1, b=2)\n", "a, b", "a, **c", []),
    (PY, "def f(%s): ...\nf(a=1)\n", "a", "a, /", ["2 no parameter `a`"]),
    (PY, "def f(%s): ...\nf(1, a=2)\n", "b, a", "a, b", ["2 `a` given twice"]),
    (PY, "def f(%s): ...\nf(1, 2)\nf(a=1, b=2)\n", "a, b", "b, a", ["2 argument 1 goes to `b` perhaps"]),
    (PY, "def f(%s): ...\nf(*x)\nf(**x)\nf(1, *x)\n", "a", "a, b, c", []),
    (PY, "def f(%s): ...\nf(*x)\n", "a", "a, *, b", ["2 missing `b`"]),
    (PY, "def f(%s): ...\nf(1, 2, 3)\n", "a", "a, b", ["1 not checked"]),  # it did not fit before
    (PY, "def f(%s): ...\ndef g(f): f(1)\n", "a", "a, b", []),
    (PY, "@wrapped\ndef f(%s): ...\nf(1)\n", "a", "a, b", ["1 not checked"]),
    (PY, "def same(f: T) -> T: ...\n@same\ndef f(%s): ...\nf(1)\n", "a", "a, b", ["4 missing `b`"]),
    (PY, "class C:\n    def m(self%s): ...\nC().m(1)\nC.m(C(), 1)\n", ", a", ", a, b", ["3,4 missing `b`"]),
    (PY, "class C:\n    @classmethod\n    def m(cls%s): ...\nC.m(1)\n", ", a", ", a, b", ["4 missing `b`"]),
    (PY, "class C:\n    @staticmethod\n    def m(%s): ...\nC.m(1)\n", "a", "a, b", ["4 missing `b`"]),
    (PY, "class C:\n    def __init__(self%s): ...\nC(1)\n", ", a", ", a, b", ["3 missing `b`"]),
    (
        PY,
        "class C:\n    def __init__(self%s): ...\nclass D(C):\n    def __init__(self):\n        super().__init__(1)\n",
        ", a",
        ", a, b",
        ["5 missing `b`"],
    ),
    (PY, "class C:\n    def __init__(self%s): ...\nclass D(C): ...\nD(1)\n", ", a", ", a, b", ["4 missing `b`"]),
    (PY, "@dataclass\nclass C:\n    a: int\n%sC(1)\n", "", "    b: int\n", ["5 missing `b`"]),
    (PY, "class C:\n    def __call__(self%s): ...\nc = C()\nc(1)\n", ", a", ", a, b", ["4 missing `b`"]),
    (PY, "@dataclass\nclass C:\n    a: int\n%sC(1)\n", "", "    b: int = 1\n", []),
    (PY, "class C(NamedTuple):\n    a: int\n%sC(1)\n", "", "    b: int\n", ["4 missing `b`"]),
    (TS, "function f(%s) {}\nf(1);\n", "a: number", "a: number, b: number", ["2 missing `b`"]),
    (TS, "function f(%s) {}\nf(1);\nf(...x);\n", "a: number", "a: number, b?: number", []),
    (TS, "function f(%s) {}\nf(1);\n", "a: number", "a: number, b = 2", []),
    (TS, "function f(%s) {}\nf(1, 2);\n", "a: number, ...b: number[]", "a: number", ["2 takes 1, 2 given"]),
    (TS, "const f = (%s) => 1;\nf(1);\n", "a: number", "a: number, b: number", ["2 missing `b`"]),
    (TS, "const f: F = (%s) => 1;\nf(1);\n", "a: number", "a: number, b: number", []),
    (TS, "class C { constructor(%s) {} }\nnew C(1);\n", "a: number", "a: number, b: number", ["2 missing `b`"]),
    (
        TS,
        "function f(a: string): void;\nfunction f(%s): void;\nfunction f(a: any, b?: any) {}\nf('1');\nf(1, 2);\n",
        "a: number, b: number",
        "a: number, b: number, c: number",
        ["5 fits none of 2 parameter lists"],
    ),
    (JS, "function f(%s) {}\nf(1);\nf(1, 2);\n", "a, b", "a, b, c", []),
    (GO, "package p\nfunc f(%s) {}\nfunc g() { f(1) }\n", "a int", "a, b int", ["3 missing `b`"]),
    (GO, "package p\nfunc f(%s) {}\nfunc g() { f(1) }\n", "a int", "a int, b ...int", []),
    (
        GO,
        "package p\nfunc h() (int, int) { return 1, 2 }\nfunc f(%s) {}\nfunc g() { f(h()) }\n",
        "a int",
        "a, b int",
        [],
    ),
    (JAVA, "class C { void f(%s) {}\n void g() { f(1); } }\n", "int a", "int a, int b", ["2 missing `b`"]),
    (JAVA, "class C { void f(%s) {}\n void f() {}\n void g() { f(1); } }\n", "int a", "int... a", []),
    (
        JAVA,
        "class C { void f(%s) {}\n void f() {}\n void g() { f(1); f(); } }\n",
        "int a",
        "int a, int b",
        ["3 fits none of 2 parameter lists"],
    ),
    (JAVA, "class C { C(%s) {}\n static C g() { return new C(1); } }\n", "int a", "int a, int b", ["2 missing `b`"]),
    (JAVA, "record R(%s) {\n static R g() { return new R(1); } }\n", "int a", "int a, int b", ["2 missing `b`"]),
    (CS, "class C { void F(%s) {}\n void G() { F(1); F(a: 1); } }\n", "int a", "int b", ["2 no parameter `a`"]),
    (CS, "class C { void F(%s) {}\n void G() { F(1); } }\n", "int a", "int a, int b = 2", []),
    (CS, "class C { void F(%s) {}\n void G() { F(1); } }\n", "int a", "int a, int b", ["2 missing `b`"]),
    (KT, "fun f(%s) {}\nfun g() { f(1) { 2 } }\n", "a: Int, b: () -> Int", "b: () -> Int", ["2 takes 1, 2 given"]),
    (KT, "fun f(%s) {}\nfun g() { f(1, b = 2) }\n", "a: Int, b: Int", "a: Int, b: Int = 1, c: Int = 1", []),
    (KT, "fun f(%s) {}\nfun g() { f(a = 1, b = 2) }\n", "a: Int, b: Int", "c: Int, b: Int", ["2 no parameter `a`"]),
    (KT, "fun f(%s) {}\nfun f(c: Int) {}\nfun g() { f(a = 1) }\n", "a: Int", "b: Int", ["3 no parameter `a`"]),
    (
        CS,
        "class C { void F(%s) {}\n void F(int c) {}\n void G() { F(a: 1); } }\n",
        "int a",
        "int b",
        ["3 no parameter `a`"],
    ),
    (KT, "class C(%s)\nfun g() = C(1)\n", "val a: Int", "val a: Int, val b: Int", ["2 missing `b`"]),
    (C, "int f(%s) { return 0; }\nint g(void) { return f(1); }\n", "int a", "int a, int b", ["2 missing `b`"]),
    (C, "int f(%s) { return 0; }\nint g(void) { return f(1); }\n", "int a", "int a, ...", []),
    (CPP, "int f(%s) { return 0; }\nint g() { return f(1); }\n", "int a", "int a, int b = 1", []),
    (CPP, "int f(%s) { return 0; }\nint g() { return f(1); }\n", "int a", "int a, int b", ["2 missing `b`"]),
    (RS, "fn f(%s) {}\nfn g() { f(1) }\n", "a: i32", "a: i32, b: i32", ["2 missing `b`"]),
    (
        RS,
        "struct S;\nimpl S { fn m(&self%s) {}\n fn n(&self) { self.m(1); S::m(self, 1); } }\n",
        ", a: i32",
        ", a: i32, b: i32",
        ["3 missing `b`"],
    ),
    (RB, "def f(%s)\nend\n\ndef g\n  f(1)\nend\n", "a", "a, b", ["5 missing `b`"]),
    (RB, "def f(%s)\nend\n\ndef g\n  f(1, k: 2)\nend\n", "a, k:", "a, j:", ["5 no parameter `k`"]),
    (RB, "def f(%s)\nend\n\ndef g\n  f(1, k: 2)\n  f 1, 2\nend\n", "a, b", "a, b = 1", []),
    (PHP, "<?php function f(%s) {} f(1);\n", "$a", "$a, $b", ["1 missing `b`"]),
    (PHP, "<?php function f(%s) {} f(1, 2);\n", "$a, $b", "$a", []),
    (PHP, "<?php function f(%s) {} f(a: 1);\n", "$a", "$b", ["1 no parameter `a`"]),
]


@pytest.mark.parametrize(("path", "text", "old", "new", "expected"), CASES)
def test_calls_that_cannot_fit(path: str, text: str, old: str, new: str, expected: list[str]) -> None:
    assert rows_of({path: text % old}, {path: text % new}) == expected


def test_a_prototype_that_stays_is_what_calls_fit() -> None:
    before = {"a.h": "int f(int a);\n", "a.c": '#include "a.h"\nint f(int a) { return a; }\n'}
    before["b.c"] = '#include "a.h"\nint g(void) { return f(1); }\n'
    definition = {**before, "a.c": before["a.c"].replace("int a)", "int a, int b)")}
    assert rows_of(before, definition) == []
    assert rows_of(before, {**definition, "a.h": "int f(int a, int b);\n"}) == ["2 missing `b`"]


def test_an_overload_of_a_base_is_what_calls_fit() -> None:
    before = {
        "B.java": "class B { void f(int a) {} }\n",
        "C.java": "class C extends B { void f(int a, int b) {}\n void g() { f(1); f(1, 2); } }\n",
    }
    after = {**before, "C.java": before["C.java"].replace("int b)", "int b, int c)")}
    assert rows_of(before, after) == ["2 fits none of 2 parameter lists"]


def test_calls_that_fit_no_overload_and_may_be_of_namesakes_are_those_of_before() -> None:
    before = {
        "S.java": "class S { static void write(int a) {} }\n",
        "W.java": "class W { void write(int a) {} }\n",
        "U.java": "class U { void g() { S.write(1); } }\n",
    }
    after = {**before, "S.java": "class S { static void write(int a, int b) {} }\n"}
    assert rows_of(before, after) == ["1 missing `b`"]


def test_calls_that_the_change_adapted_or_made_are_judged_as_they_are() -> None:
    before = {"a.py": "def f(a): ...\n", "b.py": "from a import f\ndef g(): f(1)\ndef h(): f(1)\n"}
    after = {"a.py": "def f(a, b): ...\n", "b.py": "from a import f\ndef h(): f(1)\ndef g(): f(1, 2)\n"}
    found = said(before, after)
    assert [(one.file, one.name, one.lines, one.used, one.why) for one in found.left] == [
        ("b.py", "h", (2,), "f", "missing `b`")
    ]


def test_guesses_and_other_names_are_counted() -> None:
    before = {"a.py": "class C:\n    def only(self, a): ...\n", "b.py": "def g(x): x.only(1)\n"}
    after = {**before, "a.py": "class C:\n    def only(self, a, b): ...\n"}
    found = said(before, after)
    assert (found.left, found.not_checked) == ((), 1)


def test_columns_count_utf_16_code_units() -> None:
    before = {"a.py": "def f(a): ...\nx = ('\U0001f600', f(1))\n"}
    assert rows_of(before, {"a.py": before["a.py"].replace("(a)", "(a, b)")}) == ["2 missing `b`"]
