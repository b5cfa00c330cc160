"""Broken TypeScript and JavaScript never raise, and never leave facts that point outside their tables."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codemap.extract.extract import extract
from codemap.facts import Binding, FileFacts, Source, Symbol, Use, rows
from tests.costs import instructions
from tests.examples import examples
from tests.languages.ecmascript_sources import SOURCES

_PATHS = ("a.ts", "a.tsx", "a.js")
_MARKS = rb"{ } ( ) [ ] < > ; , : => = . ?. ... ` ${ ' / /* */ // @ # ! ? | & *"
_WORDS = b"""
class function export default import from const let var new async await yield return static get set interface enum
namespace declare type extends implements abstract module.exports exports.x require('m') this super x X.prototype.y <A/>
<T>() a.b [a,b]=c {a,b}=c in out instanceof typeof keyof infer as
"""
_BITS = [*_MARKS.split(), *_WORDS.split(), b"\n", b"\0", b"\xff", b'"']
_source = st.sampled_from(SOURCES)


@given(path=st.sampled_from(_PATHS), source=_source, start=st.integers(0, 3000), end=st.integers(0, 3000))
@settings(max_examples=examples(150), deadline=None)
def test_cut_source(path: str, source: bytes, start: int, end: int) -> None:
    cut = source[min(start, end) : max(start, end)]
    _check(extract(path, cut), cut)


@given(
    path=st.sampled_from(_PATHS),
    source=_source,
    edits=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 12), st.sampled_from(_BITS)), min_size=1, max_size=8),
)
@settings(max_examples=examples(250), deadline=None)
def test_edited_source(path: str, source: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    for at, length, bit in edits:
        source = source[:at] + b" " + bit + b" " + source[at + length :]
    _check(extract(path, source), source)


@given(path=st.sampled_from(_PATHS), bits=st.lists(st.sampled_from(_BITS), max_size=40))
@example(path="a.tsx", bits=[b"{", b"exports.x", b"{", b"class", b")", b"{", b"{", b")"])
@settings(max_examples=examples(250), deadline=None)
def test_rubbish(path: str, bits: list[bytes]) -> None:
    source = b" ".join(bits)
    _check(extract(path, source), source)


def test_whole_sources_have_no_errors() -> None:
    for source in SOURCES:
        facts = extract("a.tsx", source)
        assert facts.error_bytes == 0
        _check(facts, source)


def _check(facts: FileFacts, source: bytes) -> None:
    assert 0 <= facts.error_bytes <= len(source)
    symbols, exprs = rows(facts.symbols), rows(facts.exprs)
    symbol_count, expr_count = len(symbols) // Symbol.WIDTH, len(exprs) // 3
    for row in range(1, symbol_count):
        cells = symbols[row * Symbol.WIDTH : (row + 1) * Symbol.WIDTH]
        assert 0 <= cells[Symbol.PARENT] < symbol_count
        assert facts.names[cells[Symbol.NAME]]
        assert 1 <= cells[Symbol.START_LINE] <= cells[Symbol.LINE] <= cells[Symbol.END_LINE] <= facts.lines
        assert -1 <= cells[Symbol.TYPE] < expr_count
        assert -1 <= cells[Symbol.VALUE] < expr_count
    bindings = rows(facts.bindings)
    for at in range(0, len(bindings), Binding.WIDTH):
        assert 0 <= bindings[at + Binding.SPACE] < symbol_count
    assert len(rows(facts.sources)) % Source.WIDTH == 0
    uses = rows(facts.uses)
    for at in range(0, len(uses), Use.WIDTH):
        assert 0 <= uses[at + Use.OWNER] < symbol_count
        assert 0 <= uses[at + Use.EXPR] < expr_count


@pytest.mark.parametrize("chain", ["module%s.exports = 1;", "x = a%s;", "exports%s(1);"])
def test_a_chain_of_members_costs_as_much_as_it_is_long(chain: str) -> None:
    short, long = (
        instructions(lambda count=count: extract("a.cjs", (chain % (".member" * count)).encode()))  # type: ignore[misc]
        for count in (100, 200)
    )
    assert long < 3 * short
