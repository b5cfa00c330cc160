"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated, names_of, sources_beside

_SOURCES = sources_beside(__file__, "php")
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
        b"#[",
        b'"',
        b"'",
        b"<<<E",
    ),
    *(
        b";",
        b"->",
        b"?->",
        b"::",
        b"...",
        b"=>",
        b"?>",
        b"<?php ",
        b"class ",
        b"trait ",
        b"enum ",
        b"new ",
        b"parent::",
    ),
    *(b"use ", b"namespace ", b"function ", b"fn(", b"/** @var ", b"*/", b"interface ", b"static ", b"$this", b"case "),
]


@settings(max_examples=examples(300), deadline=None)
@given(source=st.sampled_from(_SOURCES), edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(source: bytes, edits: Edits, end: float) -> None:
    source = mutated(source, edits, end)
    facts = extract("a.php", source)
    check(facts, source)


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    extract("a.php", b"<?php " + source)


@pytest.mark.parametrize("source", _SOURCES)
def test_every_truncation_is_read(source: bytes) -> None:
    for end in range(0, len(source), 7):
        extract("a.php", source[:end])


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbf<?php class A { function f() {} }\n",
        b"<?php\r\nclass A {\r\n  function f() {}\r\n}\r\n",
        b"<?php // \xff\xfe\nclass A { function f() {} }\n",
        b'<?php class A { public $s = "\xe9"; function f() {} }\n',
        b"<?php class A { function f() {} }\n//" + b"x" * 100_000,
    ],
    ids=["bom", "crlf", "invalid", "latin-1", "long line"],
)
def test_odd_bytes_lose_nothing(source: bytes) -> None:
    assert {"A", "f"} <= set(names_of(extract("a.php", source)))


@pytest.mark.parametrize(
    "expression",
    [
        b"(" * 5_000 + b"1" + b")" * 5_000,
        b"-" * 5_000 + b"1",
        b"$a" + b"->b" * 5_000,
        b"$a" + b"->b()" * 5_000,
        b" . ".join([b"$a"] * 5_000),
        b"fn($x) => " * 5_000 + b"1",
        b"$a ? 1 : " * 5_000 + b"1",
        b"[" * 5_000 + b"]" * 5_000,
        b"new class { public $x = " * 500 + b"1" + b"; }" * 500,
    ],
)
def test_deep_nesting_ends(expression: bytes) -> None:
    source = b"<?php class Before {}\nfunction f($a) { return " + expression + b"; }\nclass After {}\n"
    facts = extract("a.php", source)
    assert facts.error_bytes > 0 or {"Before", "After"} <= set(names_of(facts))


def test_variables_of_a_long_script_cost_no_more_than_its_length() -> None:
    lines = b"".join(b"$v%d = make($v%d); $v = new A; if ($v) { $v = $v->m(); }\n" % (n, n - 1) for n in range(1_500))
    facts = extract("a.php", b"<?php class A {}\n" + lines)
    assert "A" in names_of(facts)
