"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from codemap.facts import Symbol, rows
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated, names_of, sources_beside

_SOURCES = sources_beside(__file__, "go")
_FRAGMENTS = [
    *(b"\0", b"\xff\xfe", b"\r\n", b"\xef\xbb\xbf", b"\t", b"(", b")", b"{", b"}", b"[", b"]", b"*", b"&", b"<-"),
    *(b":=", b",", b";", b"'", b'"', b"`", b"//", b"/*", b"func ", b"type ", b"struct {", b"interface {", b"package "),
    *(b"import ", b"const (", b"var ", b"switch x := y.(type) {", b"case ", b"range ", b"go ", b"map[", b"chan "),
]


@settings(max_examples=examples(60))
@given(source=st.sampled_from(_SOURCES), edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(source: bytes, edits: Edits, end: float) -> None:
    source = mutated(source, edits, end)
    facts = extract("a.go", source)
    check(facts, source)


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    extract("a.go", source)


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfpackage p\nfunc f() {}\n",
        b"package p\r\nfunc f() {\r\n}\r\n",
        b"package p\nfunc f() {}\n\0\0",
        b"package p\n// \xff\xfe\nfunc f() {}\n",
        b'package p\nvar x = "\xe9"\nfunc f() {}\n',
        b"package p\nfunc f() {}\n// " + b"x" * 100_000,
    ],
    ids=["bom", "crlf", "nul", "invalid", "latin-1", "long line"],
)
def test_odd_bytes_lose_nothing(source: bytes) -> None:
    facts = extract("a.go", source)
    assert "f" in names_of(facts)


def test_columns_behind_a_bom_are_those_of_its_line() -> None:
    cells = rows(extract("a.go", b"\xef\xbb\xbfpackage p; func f() {}\n").symbols)
    assert (cells[Symbol.WIDTH + Symbol.LINE], cells[Symbol.WIDTH + Symbol.COL]) == (1, 20)


@pytest.mark.parametrize(
    "source",
    [
        b"var x = " + b"(" * 10_000 + b")" * 10_000,
        b"var x = " + b"[" * 10_000,
        b"var x = " + b"-" * 10_000 + b"1",
        b"var x = a" + b".b" * 10_000,
        b"var x = a" + b"()" * 10_000,
        b"var x = " + b" + ".join([b"a"] * 10_000),
        b"var x " + b"[]" * 10_000 + b"int",
        b"var x " + b"*" * 10_000 + b"int",
        b"var x = " + b"func() { _ = " * 3_000 + b"1" + b"}" * 3_000,
        b"func g() { " + b"if a { " * 3_000 + b"}" * 3_000 + b"}",
        b"var x = []T" + b"{" * 5_000 + b"}" * 5_000,
        b"type T " + b"struct { a " * 3_000 + b"int" + b"}" * 3_000,
    ],
)
def test_deep_nesting_ends(source: bytes) -> None:
    facts = extract("a.go", b"package p\nfunc before() {}\n" + source + b"\nfunc after() {}\n")
    assert facts.error_bytes > 0 or {"before", "after"} <= set(names_of(facts))
