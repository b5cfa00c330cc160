"""The words of definitions: whose they are, what documents, what is noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.extract.extract import dialect_of, extract
from codemap.fact_building.search_words import wording
from codemap.facts import Symbol, Wording, rows

Words = dict[str, tuple[list[str], list[str]]]


def words_of(path: str, source: bytes) -> Words:
    """Name -> words that document it, words of its body."""
    facts = extract(path, source)
    words, found, at = facts.words.split(" "), {}, 0
    table, symbols = rows(facts.wording).tolist(), rows(facts.symbols)
    for place in range(0, len(table), Wording.WIDTH):
        symbol, doc, body = table[place : place + Wording.WIDTH]
        name = facts.names[symbols[symbol * Symbol.WIDTH + Symbol.NAME]]
        found[name] = (words[at : at + doc], words[at + doc : at + doc + body])
        at += doc + body
    assert at == len(words) or not facts.words
    return found


def test_docstrings_document_and_the_rest_is_the_body() -> None:
    found = words_of(
        "a.py",
        b'"""Sessions."""\n\nclass Store:\n    def flush(self):\n        """Write what is pending.\n\n'
        b'        Twice."""\n        raise Full("disk is full")\n',
    )
    assert found[""][0] == ["Sessions"]
    assert found["flush"] == (
        ["Write", "pending", "Twice"],
        ["flush", "Write", "pending", "Twice", "Full", "disk", "full"],
    )
    assert found["Store"] == ([], ["Store"])


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.go", b"package a\n\n// Flush writes\n// pending rows.\nfunc Flush() {}\n"),
        ("a.ts", b"/**\n * Flush writes\n *\n * pending rows.\n */\nexport function Flush() {}\n"),
        ("a.rs", b"/// Flush writes\n/// pending rows.\npub fn Flush() {}\n"),
        ("a.rb", b"# Flush writes\n# pending rows.\ndef Flush\nend\n"),
        ("a.c", b"/* Flush writes\n   pending rows. */\nvoid Flush(void) {}\n"),
    ],
)
def test_a_comment_right_above_documents(path: str, source: bytes) -> None:
    assert words_of(path, source)["Flush"][0] == ["Flush", "writes", "pending", "rows"]


def test_only_the_product_is_worded() -> None:
    assert extract("tests/test_a.py", b'def test_a():\n    """Doc."""\n').words == ""
    assert dialect_of("tests/test_a.py") != dialect_of("a.py")


def test_each_word_stands_once_and_syntax_not_at_all() -> None:
    assert words_of("a.py", b"def f(load):\n    return load(load) if load else None\n")["f"] == ([], ["load"])


@given(st.binary(max_size=200), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), max_size=5))
def test_no_text_fails(source: bytes, spans: list[tuple[int, int]]) -> None:
    stretches = [(min(span), -max(span), number) for number, span in enumerate(spans, 1)]
    words, counts = wording(source, stretches)
    assert sum(counts[1::3]) + sum(counts[2::3]) == len(words.split(" ")) - (not words)
