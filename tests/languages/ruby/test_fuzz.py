"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated, names_of, sources_beside

_SOURCES = sources_beside(__file__, "ruby")
_FRAGMENTS = [
    *(
        b"\0",
        b"\xff\xfe",
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\\",
        b"(",
        b")",
        b"{",
        b"}",
        b"[",
        b"]",
        b"|",
        b'"',
        b"'",
        b"<<~E",
    ),
    *(
        b";",
        b".",
        b"&.",
        b"::",
        b"...",
        b"=>",
        b"#{",
        b"%w[",
        b"class ",
        b"module ",
        b"class << self",
        b"def ",
        b"end\n",
    ),
    *(b"do |x|", b"->(", b"super", b"self.", b"alias ", b"@", b"@@", b"if ", b"unless ", b"rescue ", b"case ", b"in {"),
]


@settings(max_examples=examples(300), deadline=None)
@given(source=st.sampled_from(_SOURCES), edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(source: bytes, edits: Edits, end: float) -> None:
    source = mutated(source, edits, end)
    facts = extract("a.rb", source)
    check(facts, source)


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    extract("a.rb", source)


@pytest.mark.parametrize("source", _SOURCES)
def test_every_truncation_is_read(source: bytes) -> None:
    for end in range(0, len(source), 7):
        extract("a.rb", source[:end])


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfclass A; def f; end; end\n",
        b"class A\r\n  def f; end\r\nend\r\n",
        b"# \xff\xfe\nclass A; def f; end; end\n",
        b'class A; S = "\xe9"; def f; end; end\n',
        b"class A; def f; end; end\n#" + b"x" * 100_000,
    ],
    ids=["bom", "crlf", "invalid", "latin-1", "long line"],
)
def test_odd_bytes_lose_nothing(source: bytes) -> None:
    assert {"A", "f"} <= set(names_of(extract("a.rb", source)))


@pytest.mark.parametrize(
    "expression",
    [
        b"(" * 5_000 + b"1" + b")" * 5_000,
        b"-" * 5_000 + b"1",
        b"a" + b".b" * 5_000,
        b"a" + b".b { c }" * 5_000,
        b" + ".join([b"a"] * 5_000),
        b"->(x) { " * 1_000 + b"1" + b" }" * 1_000,
        b"a ? 1 : " * 5_000 + b"1",
        b"[" * 5_000 + b"]" * 5_000,
        b"Class.new { X = " * 500 + b"1" + b" }" * 500,
    ],
)
def test_deep_nesting_ends(expression: bytes) -> None:
    source = b"class Before; end\ndef f(a)\n  x = " + expression + b"\nend\nclass After; end\n"
    facts = extract("a.rb", source)
    assert facts.error_bytes > 0 or {"Before", "After"} <= set(names_of(facts))


def test_variables_of_a_long_script_cost_no_more_than_its_length() -> None:
    lines = b"".join(b"v%d = make(v%d); v = A.new; v = v.m if v\n" % (n, n - 1) for n in range(1_500))
    facts = extract("a.rb", b"class A; end\n" + lines)
    assert "A" in names_of(facts)
