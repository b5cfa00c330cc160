"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codemap
from codemap.extract.extract import extract
from codemap.facts import Symbol, rows
from tests.costs import instructions
from tests.examples import examples
from tests.languages.fuzzing import Edits, check, edits_of, mutated, names_of

_SOURCES = sorted(Path(codemap.__file__).parent.glob("languages/python/**/*.py"))
_FRAGMENTS = [
    *(
        b"\0",
        b"\xff\xfe",
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\t",
        b"\\",
        b"(",
        b")",
        b"[",
        b"]",
        b"*",
        b"@",
        b":",
        b"'",
        b'"""',
    ),
    *(b"def ", b"class ", b"lambda", b"match x:\n case ", b"f'{", b"import ", b"from . ", b"async "),
]


@settings(max_examples=examples(60))
@given(path=st.sampled_from(_SOURCES), edits=edits_of(_FRAGMENTS), end=st.floats(0, 1))
def test_mutated_source_never_raises(path: Path, edits: Edits, end: float) -> None:
    source = mutated(path.read_bytes(), edits, end)
    facts = extract("a.py", source)
    check(facts, source)


@given(st.binary(max_size=200))
def test_any_bytes_never_raise(source: bytes) -> None:
    extract("a.py", source)


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfdef f(): pass\n",
        b"def f():\r\n    pass\r\n",
        b"def f(): pass\n\0\0",
        b"# \xff\xfe\ndef f(): pass\n",
        b"x = '\xe9'\ndef f(): pass\n",
        b"def f(): pass\n" + b"x" * 100_000,
    ],
    ids=["bom", "crlf", "nul", "invalid", "latin-1", "long line"],
)
def test_odd_bytes_lose_nothing(source: bytes) -> None:
    facts = extract("a.py", source)
    assert "f" in names_of(facts)


def test_columns_behind_a_bom_are_those_of_its_line() -> None:
    cells = rows(extract("a.py", b"def f(): pass\n").symbols)
    assert (cells[Symbol.WIDTH + Symbol.LINE], cells[Symbol.WIDTH + Symbol.COL]) == (1, 5)


@pytest.mark.parametrize(
    "source",
    [
        b"(" * 10_000 + b")" * 10_000,
        b"[" * 10_000,
        b"x = " + b"-" * 10_000 + b"1",
        b"x = a" + b".b" * 10_000,
        b"x = a" + b"()" * 10_000,
        b"x = " + b" + ".join([b"a"] * 10_000),
        b"x = " + b" or ".join([b"a"] * 10_000),
        b"x = " + b"lambda: " * 10_000 + b"1",
        b"x = " + b"1 if a else " * 10_000 + b"1",
        b"".join(b" " * i + b"if a:\n" for i in range(1000)) + b" " * 1000 + b"pass\n",
        b"x = {" + b"'a': {" * 10_000,
    ],
)
def test_deep_nesting_ends(source: bytes) -> None:
    facts = extract("a.py", b"def before(): pass\n" + source + b"\ndef after(): pass\n")
    assert facts.error_bytes > 0 or {"before", "after"} <= set(names_of(facts))


@pytest.mark.parametrize("chain", ["a%s", "x = a%s.b", "(yield a)%s"])
def test_a_chain_of_calls_costs_as_much_as_it_is_long(chain: str) -> None:
    short, long = (
        instructions(lambda count=count: extract("a.py", (chain % ("()[0]" * count)).encode()))  # type: ignore[misc]
        for count in (100, 200)
    )
    assert long < 3 * short
