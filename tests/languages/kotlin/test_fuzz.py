"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated, names_of, sources_beside

_SOURCES = sources_beside(__file__, "kt")
_FRAGMENTS = [
    *(b"\0", b"\xff\xfe", b"\r\n", b"\xef\xbb\xbf", b"\\", b"(", b")", b"{", b"}", b"<", b">", b"[", b"]", b"@", b'"'),
    *(b";", b".", b"::", b"->", b"?.", b"class ", b"object ", b"enum ", b"fun ", b"super", b"this", b"import "),
    *(
        b"when (x) {",
        b"interface ",
        b"/*",
        b"package ",
        b" is ",
        b" by ",
        b"val (",
        b"companion object {",
        b"constructor(",
    ),
]


@settings(max_examples=examples(300), deadline=None)
@given(source=st.sampled_from(_SOURCES), edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(source: bytes, edits: Edits, end: float) -> None:
    source = mutated(source, edits, end)
    facts = extract("A.kt", source)
    check(facts, source)


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    extract("A.kt", source)


@pytest.mark.parametrize("source", _SOURCES)
def test_every_truncation_is_read(source: bytes) -> None:
    for end in range(0, len(source), 7):
        extract("A.kt", source[:end])


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfclass A { fun f() {} }\n",
        b"class A {\r\n  fun f() {}\r\n}\r\n",
        b"// \xff\xfe\nclass A { fun f() {} }\n",
        b'class A { val s = "\xe9"; fun f() {} }\n',
        b"class A { fun f() {} }\n//" + b"x" * 100_000,
    ],
    ids=["bom", "crlf", "invalid", "latin-1", "long line"],
)
def test_odd_bytes_lose_nothing(source: bytes) -> None:
    assert {"A", "f"} <= set(names_of(extract("A.kt", source)))


@pytest.mark.parametrize(
    "expression",
    [
        b"(" * 5_000 + b"1" + b")" * 5_000,
        b"-" * 5_000 + b"1",
        b"a" + b".b" * 5_000,
        b"a" + b".b()" * 5_000,
        b" + ".join([b"a"] * 5_000),
        b"{ x -> " * 500 + b"1" + b" }" * 500,
        b"if (a) 1 else " * 1_000 + b"1",
        b"object : A() { val x = " * 500 + b"1" + b" }" * 500,
    ],
)
def test_deep_nesting_ends(expression: bytes) -> None:
    source = b"class Before {}\nclass A { val x = " + expression + b" }\nclass After {}\n"
    facts = extract("A.kt", source)
    assert facts.error_bytes > 0 or {"Before", "After"} <= set(names_of(facts))
