"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated, names_of, sources_beside

_SOURCES = sources_beside(__file__, "cs")
_FRAGMENTS = [
    *(b"\0", b"\xff\xfe", b"\r\n", b"\xef\xbb\xbf", b"\\", b"(", b")", b"{", b"}", b"<", b">", b"[", b"]", b"@", b'"'),
    *(b";", b".", b"::", b"->", b"...", b"class ", b"record ", b"enum ", b"new ", b"super", b"this", b"import "),
    *(b"case ", b"switch (x) {", b"interface ", b"/*", b"package ", b"instanceof ", b"default"),
]


@settings(max_examples=examples(300), deadline=None)
@given(source=st.sampled_from(_SOURCES), edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(source: bytes, edits: Edits, end: float) -> None:
    source = mutated(source, edits, end)
    facts = extract("A.cs", source)
    check(facts, source)


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    extract("A.cs", source)


@pytest.mark.parametrize("source", _SOURCES)
def test_every_truncation_is_read(source: bytes) -> None:
    for end in range(0, len(source), 7):
        extract("A.cs", source[:end])


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfclass A { void f() {} }\n",
        b"class A {\r\n  void f() {}\r\n}\r\n",
        b"// \xff\xfe\nclass A { void f() {} }\n",
        b'class A { String s = "\xe9"; void f() {} }\n',
        b"class A { void f() {} }\n//" + b"x" * 100_000,
    ],
    ids=["bom", "crlf", "invalid", "latin-1", "long line"],
)
def test_odd_bytes_lose_nothing(source: bytes) -> None:
    assert {"A", "f"} <= set(names_of(extract("A.cs", source)))


@pytest.mark.parametrize(
    "expression",
    [
        b"(" * 5_000 + b"1" + b")" * 5_000,
        b"-" * 5_000 + b"1",
        b"a" + b".b" * 5_000,
        b"a" + b".b()" * 5_000,
        b" + ".join([b"a"] * 5_000),
        b"x -> " * 5_000 + b"1",
        b"a ? 1 : " * 5_000 + b"1",
        b"new A() { Object x = " * 500 + b"1" + b"; }" * 500,
    ],
)
def test_deep_nesting_ends(expression: bytes) -> None:
    source = b"class Before {}\nclass A { Object x = " + expression + b"; }\nclass After {}\n"
    facts = extract("A.cs", source)
    assert facts.error_bytes > 0 or {"Before", "After"} <= set(names_of(facts))
