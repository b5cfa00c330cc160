"""Builds step by step, of files that pass arguments by the names of parameters that others state."""

from __future__ import annotations

from tests.graph.test_incremental import edits_of

_CLASSES = "package p\nclass A { fun go() {} }\nclass B { fun go() {} }\n"
VARIANTS = {
    "a.kt": [
        _CLASSES + "fun make(first: A): A = A()\nfun make(second: Int): B = B()\n",
        _CLASSES + "fun make(second: A): A = A()\nfun make(first: Int): B = B()\n",
        _CLASSES + "fun make(first: A, third: Int = 1): A = A()\nfun make(second: Int, block: (B) -> Unit): B = B()\n",
    ],
    "b.kt": [
        "package p\nfun run(a: A) { make(first = a).go(); make(second = 1).go(); make(second = 1) { it.go() } }\n",
        "package p\nfun run(a: A) { make(second = 1, block = { it.go() }).go(); make(third = 1, first = a).go() }\n",
    ],
    "c.kt": ["package p\nfun <T> make(third: T): T = third\n", "package q\nfun make(first: Int) {}\n"],
}

TestNamedEdits = edits_of(VARIANTS, 30)
