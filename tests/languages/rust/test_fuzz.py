"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from codemap.facts import Symbol, rows
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated, names_of, sources_beside

_SOURCES = sources_beside(__file__, "rs")
_FRAGMENTS = [
    *(b"\0", b"\xff\xfe", b"\r\n", b"\xef\xbb\xbf", b"\t", b"(", b")", b"{", b"}", b"[", b"]", b"<", b">", b"&", b"::"),
    *(b"=>", b",", b";", b"'", b'"', b"//", b"///", b"/*", b"fn ", b"impl ", b"struct ", b"enum E {", b"trait ", b"!"),
    *(
        b"use a::{",
        b"mod m {",
        b"let ",
        b"match x {",
        b"if let Some(",
        b"|x| ",
        b"#[path = ",
        b"self",
        b"Self::",
        b"r#",
    ),
    *(b"macro_rules! m {", b"vec![", b"where T:", b"for ", b"dyn ", b"super::", b"crate", b"<T as ", b"..", b"@", b"?"),
]


@settings(max_examples=examples(60), deadline=None)
@given(source=st.sampled_from(_SOURCES), edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(source: bytes, edits: Edits, end: float) -> None:
    source = mutated(source, edits, end)
    facts = extract("a.rs", source)
    check(facts, source)


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    extract("a.rs", source)


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbffn f() {}\n",
        b"mod p;\r\nfn f() {\r\n}\r\n",
        b"fn f() {}\n\0\0",
        b"// \xff\xfe\nfn f() {}\n",
        b'static X: &str = "\xe9";\nfn f() {}\n',
        b"fn f() {}\n// " + b"x" * 100_000,
    ],
    ids=["bom", "crlf", "nul", "invalid", "latin-1", "long line"],
)
def test_odd_bytes_lose_nothing(source: bytes) -> None:
    facts = extract("a.rs", source)
    assert "f" in names_of(facts)


def test_columns_behind_a_bom_are_those_of_its_line() -> None:
    cells = rows(extract("a.rs", b"\xef\xbb\xbf/**/ fn f() {}\n").symbols)
    assert (cells[Symbol.WIDTH + Symbol.LINE], cells[Symbol.WIDTH + Symbol.COL]) == (1, 12)


@pytest.mark.parametrize(
    "source",
    [
        b"fn g() { " + b"(" * 10_000 + b")" * 10_000 + b"}",
        b"fn g() { x" + b"[" * 10_000,
        b"fn g() { " + b"-" * 10_000 + b"1; }",
        b"fn g() { a" + b".b" * 10_000 + b"; }",
        b"fn g() { a" + b"()" * 10_000 + b"; }",
        b"fn g() { a" + b"?" * 10_000 + b"; }",
        b"fn g() { a" + b"::b" * 10_000 + b"; }",
        b"fn g() { " + b" + ".join([b"a"] * 10_000) + b"; }",
        b"type X = " + b"&" * 10_000 + b"u8;",
        b"type X = " + b"Vec<" * 5_000 + b"u8" + b">" * 5_000 + b";",
        b"fn g() { " + b"|| { " * 3_000 + b"1" + b"}" * 3_000 + b"; }",
        b"fn g() { " + b"if a { " * 3_000 + b"}" * 3_000 + b"}",
        b"fn g() { m!" + b"(" * 5_000 + b")" * 5_000 + b"; }",
        b"m! { " * 5_000 + b"fn g() {}" + b" }" * 5_000,
        b"fn g() { " + b"m! { " * 5_000 + b" }" * 5_000 + b"}",
        b"use " + b"a::{" * 3_000 + b"b" + b"}" * 3_000 + b";",
        b"mod m { " * 3_000 + b"}" * 3_000,
        b"fn g() { let " + b"(" * 3_000 + b"a" + b")" * 3_000 + b" = x; }",
    ],
)
def test_deep_nesting_ends(source: bytes) -> None:
    facts = extract("a.rs", b"fn before() {}\n" + source + b"\nfn after() {}\n")
    assert facts.error_bytes > 0 or {"before", "after"} <= set(names_of(facts))
