"""Families: overrides and bases, overloads, parts and constructors."""

from __future__ import annotations

import pytest

from codemap.graph.build.build import build_snapshot
from codemap.graph.query.override_family import family_of

METHODS = """
class A:
    def __init__(self): ...
    def run(self): ...
    def other(self): ...
class B(A): ...
class C(B):
    def __init__(self): ...
    def run(self): ...
class D(C):
    def run(self): ...
class E(A):
    def run(self): ...
"""
JAVA = """
interface I { void go(); }
class J implements I { J() {} J(int a) {} public void go() {} void go(int a) {} }
"""
GO = """package p
type W interface{ Write(b []byte) int }
type F struct{}
func (f F) Write(b []byte) int { return 0 }
"""
EMBEDDED = """package p
type W interface{ Write(b []byte) int; Close() }
type F struct{}
func (f *F) Write(b []byte) int { return 0 }
type G struct{ F }
func (g *G) Close() {}
type H struct{ F }
"""
INHERITED = """
interface I { void go(); }
class B { public void go() {} }
class T extends B implements I { }
class U extends B { }
"""
NEARER = INHERITED.replace("class T extends B", "class N extends B { public void go() {} }\nclass T extends N")
OWN = INHERITED.replace("implements I { }", "implements I { public void go() {} }")
TYPESCRIPT = """
interface I { go(): void; }
class B { go() {} }
class T extends B implements I { }
"""
FILLED = """
interface I { go(): void; }
export function make() { const self = {} as I; self.go = function () {}; return self; }
const other = { go() {} } satisfies I;
"""
TRAIT = """<?php
interface I { function go(); }
trait B { function go() {} }
class T implements I { use B; }
"""
MIXIN = """
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def go(self): ...
    def run(self): ...
class M:
    def go(self): ...
    def run(self): ...
class T(M, A): ...
"""
C = {
    "a.h": "int f(int a);\nint s(void);\n",
    "a.c": '#include "a.h"\nint f(int a) { return a; }\nint s(void) { return 1; }\n',
    "b.c": "static int s(void) { return 2; }\n",
}
CLASS = {
    "a.h": "class K { int m(); };\n",
    "a.cpp": '#include "a.h"\nint K::m() { return 1; }\n',
    "b.h": "class K;\n",
}
BESIDE = "struct I { virtual void go() = 0; };\nstruct B { void go() {} };\nstruct T : B, I { void stop(); };\n"
CPP = {"k.hpp": "class K { public: int m(int a); };\n", "k.cpp": '#include "k.hpp"\nint K::m(int a) { return a; }\n'}


@pytest.mark.parametrize(
    ("files", "node_id", "expected"),
    [
        ({"a.py": METHODS}, "py:a.py#A.run", {"C.run override", "D.run override", "E.run override"}),
        ({"a.py": METHODS}, "py:a.py#C.run", {"A.run base", "D.run override"}),
        ({"a.py": METHODS}, "py:a.py#E.run", {"A.run base"}),
        ({"a.py": METHODS}, "py:a.py#A.other", set()),
        ({"a.py": METHODS}, "py:a.py#A.__init__", {"A class"}),
        ({"a.py": METHODS}, "py:a.py#C", {"C.__init__ constructor"}),
        ({"a.py": METHODS}, "py:a.py", set()),
        ({"a.java": JAVA}, "java:a.java#J.go", {"I.go base", "J.go~2 overload"}),
        ({"a.java": JAVA}, "java:a.java#J", {"J.<init> constructor", "J.<init>~2 constructor"}),
        ({"a.go": GO}, "go:a.go#F.Write", {"W.Write base"}),
        ({"a.go": GO}, "go:a.go#W.Write", {"F.Write override"}),
        ({"a.go": EMBEDDED}, "go:a.go#F.Write", {"W.Write base"}),
        ({"a.go": EMBEDDED}, "go:a.go#W.Write", {"F.Write override"}),
        ({"a.java": INHERITED}, "java:a.java#B.go", {"I.go base"}),
        ({"a.java": INHERITED}, "java:a.java#I.go", {"B.go override"}),
        ({"a.java": NEARER}, "java:a.java#B.go", {"N.go override"}),
        ({"a.java": NEARER}, "java:a.java#I.go", {"N.go override"}),
        ({"a.java": OWN}, "java:a.java#I.go", {"T.go override"}),
        ({"a.ts": TYPESCRIPT}, "ts:a.ts#I.go", {"B.go override"}),
        ({"a.ts": FILLED}, "ts:a.ts#I.go", {"make.self.go override", "other.go override"}),
        ({"a.php": TRAIT}, "php:a.php#B.go", {"I.go base"}),
        ({"a.py": MIXIN}, "py:a.py#A.go", {"M.go override"}),
        ({"a.py": MIXIN}, "py:a.py#M.run", set()),
        (C, "c:a.c#f", {"a.h#f part"}),
        (C, "c:a.h#f", {"a.c#f part"}),
        (C, "c:a.h#s", {"a.c#s part"}),
        (C, "c:b.c#s", set()),
        (CLASS, "c:b.h#K", {"a.h#K part"}),
        (CPP, "cpp:k.hpp#K.m", {"k.cpp#K.m part"}),
        ({"a.cpp": BESIDE}, "cpp:a.cpp#B.go", set[str]()),
        (CPP, "cpp:k.cpp#K.m", {"k.hpp#K.m part"}),
    ],
)
def test_a_family_is_what_one_call_may_mean(files: dict[str, str], node_id: str, expected: set[str]) -> None:
    snapshot = build_snapshot({path: text.encode() for path, text in files.items()})
    node = snapshot.find(node_id)
    assert node is not None
    here = node_id.partition(":")[2].partition("#")[0]
    found = {
        f"{snapshot.id_of(one).partition(':')[2].removeprefix(f'{here}#')} {kin}"
        for one, kin in family_of(snapshot, node).items()
    }
    assert found == expected
