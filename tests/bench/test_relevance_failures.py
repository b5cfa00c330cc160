"""Bugs that are planted: each changes what a function does, and nothing beside it."""

from __future__ import annotations

import ast
import random

import pytest

from bench.relevance.bugs import draw_bug, functions_in
from bench.relevance.failures import Trial, covers

SOURCE = '''\
def take(n: int = 1, *rest):
    """Docs are no code: 1 + 1."""
    if n < 2 and not rest:
        raise ValueError("é", n + 1)
    for one in rest:
        print(one, n)
        if one is None:
            break
    return n

    def inner():
        return 3
'''.encode()


def test_each_kind_of_bug_is_a_small_change_that_still_parses() -> None:
    [(line, function), _] = functions_in(SOURCE)
    assert line == 1
    kinds = {}
    for seed in range(400):
        bug = draw_bug(SOURCE, function, random.Random(seed))
        assert bug is not None
        kinds[bug.kind] = bug
        assert ast.dump(ast.parse(bug.source)) != ast.dump(ast.parse(SOURCE))
        before, after = SOURCE.split(b"\n"), bug.source.split(b"\n")
        assert [place for place, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]] == [
            bug.line
        ]
        assert 3 <= bug.line <= 9
    assert set(kinds) == {
        *("condition", "comparison", "and/or", "negation", "off by one", "operator"),
        *("return", "dropped raise", "dropped call", "loop", "arguments"),
    }
    assert b"return None" in kinds["return"].source


def test_a_function_without_code_has_no_bug() -> None:
    source = b'def nothing():\n    """Docs."""\n'
    [(_, function)] = functions_in(source)
    assert draw_bug(source, function, random.Random(1)) is None


@pytest.mark.parametrize(("text", "is_shown"), [("3-5\nx", True), ("4\nx", True), ("5-9\nx", False), ("3\nx", False)])
def test_a_bug_is_shown_where_an_excerpt_of_its_file_has_its_line(text: str, is_shown: bool) -> None:
    trial = Trial("return", "a.py#f", 4, {}, {})
    assert covers({"a.py#f": [text]}, trial) is is_shown
    assert not covers({"b.py#f": [text]}, trial)
