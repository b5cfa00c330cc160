"""Deep nesting gets an honest answer, in time that grows with the source: facts, or all of it counted as an error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from codemap.extract.extract import extract

_DEPTH = 10_000
_NESTED = {
    "parentheses": ("a.py", b"x = " + b"(" * _DEPTH + b"1" + b")" * _DEPTH),
    "lists": ("a.py", b"x = " + b"[" * _DEPTH + b"]" * _DEPTH),
    "calls": ("a.py", b"x = " + b"f(" * _DEPTH + b")" * _DEPTH),
    "chain": ("a.py", b"x = a" + b".b()" * _DEPTH),
    "and": ("a.py", b"x = a" + b" and a" * _DEPTH),
    "conditional": ("a.py", b"x = " + b"a if b else " * _DEPTH + b"c"),
    "open": ("a.py", b"(" * _DEPTH),
    "ts calls": ("a.ts", b"f(" * _DEPTH + b")" * _DEPTH),
    "ts chain": ("a.ts", b"a" + b".b()" * _DEPTH),
    "ts blocks": ("a.ts", b"{" * _DEPTH + b"}" * _DEPTH),
    "ts and": ("a.ts", b"function f(x) { if (true" + b" && x.k === 'a'" * _DEPTH + b") x.go(); }"),
    "ts types": ("a.ts", b"let x: " + b"A<" * _DEPTH + b"C" + b">" * _DEPTH),
}


@pytest.mark.parametrize("name", _NESTED)
def test_deep_nesting_is_answered(name: str) -> None:
    path, source = _NESTED[name]
    facts = extract(path, source)
    assert facts.size == len(source)
    assert bool(facts.error_bytes) == (name == "open")


def test_deep_nesting_leaves_a_process_alive() -> None:
    program = (
        "from codemap.extract.extract import extract; print(extract('a.py', b'x = ' + b'f(' * 9999 + b')' * 9999).size)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "30001\n"), done.stderr
