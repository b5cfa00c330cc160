"""Many names sought at once: the words, the beginnings of computed names, comments that mean definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.extract.word_classification import words_in, words_of_names
from codemap.facts import rows
from codemap.mentions.seeking import Names, seek
from codemap.occurrences.words import WORD_WIDTH, Nature, look, offsets, without_prose


def found(path: str, source: str, *names: str) -> dict[str, list[int]]:
    one = seek(path, b"", source.encode(), Names(names))
    return {} if one is None else {name: rows(words).tolist()[::WORD_WIDTH] for name, words in one.words.items()}


def test_words_and_no_parts_of_words() -> None:
    assert found("a.txt", "one two_one\none\n", "one", "two", "gone") == {"one": [1, 2]}


def test_names_that_are_no_plain_words() -> None:
    assert found("a.md", "see options-to-url and größe", "options-to-url", "größe") == {
        "options-to-url": [1],
        "größe": [1],
    }


def test_nothing_is_none() -> None:
    assert seek("a.py", b"", b"x = 1\n", Names(["y"])) is None


@given(st.text('ab_ \n."', max_size=40), st.sets(st.sampled_from(["a", "b", "ab", "a_b"]), min_size=1))
def test_the_same_as_one_by_one(source: str, names: set[str]) -> None:
    text = source.encode()
    one = seek("a.txt", b"", text, Names(names))
    each = {name: look(text, dict.fromkeys(offsets(text, name), Nature.UNREAD)) for name in sorted(names)}
    assert (one.words if one else {}) == {name: words for name, words in each.items() if words}
    assert words_of_names("a.py", text, sorted(names)) == {
        name: words for name in sorted(names) if (words := words_in("a.py", text, name))
    }


@pytest.mark.parametrize(
    ("path", "source", "affixes"),
    [
        ("a.py", 'getattr(x, "visit_" + kind)', [("visit_", True)]),
        ("a.py", 'getattr(x, f"do_{verb}")', [("do_", True)]),
        ("a.py", 'getattr(x, "%s_handler" % verb)', [("_handler", False)]),
        ("a.py", 'print(f"do_{verb}")', []),
        ("a.py", "getattr(self, name)", [("", True)]),
        ("a.py", 'getattr(self, "name")', []),
        ("a.ts", "this[`on${kind}`]()", [("on", True)]),
        ("a.ts", "this[name]()", [("", True)]),
    ],
)
def test_computed_names(path: str, source: str, affixes: list[tuple[str, bool]]) -> None:
    one = seek(path, b"", source.encode(), Names(["none"]))
    assert [(affix.text, affix.is_prefix) for affix in (one.affixes if one else ())] == affixes


@pytest.mark.parametrize(
    ("source", "pasted"),
    [
        ("#define A(x) a_##x", [(1, "a_", "")]),
        ("#define A(x) x ## _a", [(1, "", "_a")]),
        ("#define A(x) a_ ## x ## _b", [(1, "a_", "_b")]),
        ("#define A(x, y) \\\n  go(); \\\n  a_##x##y", [(3, "a_", "")]),
        ("#define A(x, y) x##y", []),
        ("#define A(a, ...) f(a, ##__VA_ARGS__)", []),
        ("#define A a_##x", []),
    ],
)
def test_words_that_macros_join(source: str, pasted: list[tuple[int, str, str]]) -> None:
    one = seek("a.c", b"", source.encode(), Names(["none"]))
    assert [(each.line, each.start, each.end) for each in (one.pasted if one else ())] == pasted


def test_comments_that_mean_definitions() -> None:
    one = seek("a.go", b"", b"package a\n\n//export open\nfunc open() {}\n", Names(["none"]))
    assert one is not None
    assert [tuple(directive) for directive in one.directives] == [(3, "open")]


def test_a_word_of_a_sentence_is_no_name_in_a_string() -> None:
    source = b'x = ["the open door", "open", "pkg.open"]\n'
    words = rows(without_prose(source, "open", words_in("a.py", source, "open"))).tolist()
    assert words[2::WORD_WIDTH] == [Nature.PROSE, Nature.STRING, Nature.STRING]


@pytest.mark.parametrize(
    ("path", "source", "nature"),
    [
        ("a.c", "int f(void) { int x = name; }", Nature.CODE),
        ("a.cpp", "int f() { if (name) return 1; }", Nature.CODE),
        ("a.cpp", "int f() { for (auto x : name) {} }", Nature.CODE),
        ("a.ts", "function f() { const x = name; }", Nature.CODE),
        ("a.go", "package a\n\nfunc f() { var x = name }", Nature.CODE),
        ("a.rs", "fn f() { let x = name; }", Nature.CODE),
        ("a.cs", "class A { void f() { var x = name; } }", Nature.CODE),
        ("a.c", "int f(void) { int name = 1; }", Nature.LOCAL),
        ("a.cpp", "int f() { for (auto name : xs) {} }", Nature.LOCAL),
        ("a.ts", "function f() { const name = 1; }", Nature.LOCAL),
        ("a.go", "package a\n\nfunc f() { var name = 1 }", Nature.LOCAL),
        ("a.rs", "fn f() { let name = 1; }", Nature.LOCAL),
        ("a.cs", "class A { void f() { var name = 1; } }", Nature.LOCAL),
    ],
)
def test_what_a_variable_begins_with_is_no_variable(path: str, source: str, nature: Nature) -> None:
    assert rows(words_in(path, source.encode(), "name")).tolist()[2::WORD_WIDTH] == [nature]
