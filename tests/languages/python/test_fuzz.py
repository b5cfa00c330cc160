"""Bad source never raises, and never loses what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codemap
from codemap.extract.extract import extract
from codemap.facts import FileFacts, Symbol, rows

_SOURCES = sorted(Path(codemap.__file__).parent.glob("languages/python/*.py"))
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
_EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 0.05), st.one_of(st.sampled_from(_FRAGMENTS), st.binary(max_size=4))),
    max_size=8,
)


def _names(facts: FileFacts) -> list[str]:
    cells = rows(facts.symbols).tolist()
    return [facts.names[cells[at]] for at in range(Symbol.WIDTH, len(cells), Symbol.WIDTH)]


@settings(max_examples=60)
@given(path=st.sampled_from(_SOURCES), edits=_EDITS, end=st.floats(0, 1))
def test_mutated_source_never_raises(path: Path, edits: list[tuple[float, float, bytes]], end: float) -> None:
    source = path.read_bytes()
    for at, length, text in edits:
        start = int(at * len(source))
        source = source[:start] + text + source[start + int(length * len(source)) :]
    source = source[: int(end * len(source)) or None]
    facts = extract("a.py", source)
    assert 0 <= facts.error_bytes <= len(source)
    lines = source.count(b"\n") + 1
    cells = rows(facts.symbols)
    for row in range(len(cells) // Symbol.WIDTH):
        first, last = cells[row * Symbol.WIDTH + Symbol.START_LINE], cells[row * Symbol.WIDTH + Symbol.END_LINE]
        assert 1 <= first <= last <= lines


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
    assert "f" in _names(facts)


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
    assert facts.error_bytes > 0 or {"before", "after"} <= set(_names(facts))
