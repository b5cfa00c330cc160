"""How complex functions are: lines, attribution to definitions, and what bad source does to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.extract.complexity import measure
from codemap.extract.extract import extract, parsed
from codemap.facts import rows
from codemap.languages import languages
from codemap.measures import attribute, by_definition, numbered_names

SUFFIXES = sorted(suffix for language in languages() for suffix in language.suffixes)


def test_lines_are_code_comment_or_empty() -> None:
    source = b"# one\nx = 1  # two\n\n    \ndef f():\n    # three\n    return 1\n"
    found = measure("a.py", source)
    assert (found.lines, found.code_lines, found.comment_lines) == (7, 3, 2)


def test_a_comment_of_several_lines_is_alone_but_where_code_stands_beside_it() -> None:
    found = measure("a.go", b"package a /* x\n   y\n*/\n/* z */ var b = 1\n")
    assert (found.lines, found.code_lines, found.comment_lines) == (4, 2, 2)


def test_decisions_outside_of_functions_are_the_files() -> None:
    found = measure("a.py", b"if a and b:\n    pass\n\nclass C:\n    x = 1 if a else 2\n")
    assert (found.decisions, found.functions) == (3, ())


def test_functions_on_one_line_belong_to_the_names_before_their_bodies() -> None:
    source = b"const o = { a: () => 1, b: (x) => x ? 1 : 2, c() { return 3 } }\n"
    found = by_definition(extract("a.js", source), measure("a.js", source))
    assert {name: one.cyclomatic for name, one in found.items()} == {"o.a": 1, "o.b": 2, "o.c": 1}


def test_columns_count_utf16() -> None:
    source = "const é = '\U0001f600', o = { a: () => 1, b: () => x && 2 }\n".encode()
    found = by_definition(extract("a.js", source), measure("a.js", source))
    assert {name: one.cyclomatic for name, one in found.items()} == {"o.a": 1, "o.b": 2}


def test_namesakes_are_told_apart_and_callbacks_belong_to_what_is_around() -> None:
    source = b"def f():\n    pass\n\ndef f(a):\n    return a and 1\n"
    named = by_definition(extract("a.py", source), measure("a.py", source))
    assert {name: one.cyclomatic for name, one in named.items()} == {"f": 1, "f~2": 2}
    source = b"function f(xs) {\n  xs.map((x) => x && 1)\n}\nf(() => a || b)\n"
    facts = extract("a.js", source)
    names = numbered_names(facts)
    found = [
        (names[one.row], one.is_definition, one.measures.cyclomatic)
        for one in attribute(rows(facts.symbols), measure("a.js", source))
    ]
    assert found == [("f", True, 1), ("f", False, 2), ("", False, 2)]


MENDED = b"""static int before(int *x)
{
error:
#ifdef _WIN32
    return 1;
#endif
    return 2;
}

/* alone */
static int behind(int x)
{
    return x ? 1 : 2;
}
"""
"""Its grammar wants a statement behind the label: the text that is parsed has one in place of the line's end."""


def test_what_is_respelt_for_its_grammar_keeps_its_lines() -> None:
    assert parsed("a.c", MENDED).root_node.end_point.row < MENDED.count(b"\n")
    found = measure("a.c", MENDED)
    assert [(one.line, one.end_line, one.body_line) for one in found.functions] == [(1, 8, 2), (11, 14, 12)]
    assert (found.code_lines, found.comment_lines) == (12, 1)
    assert by_definition(extract("a.c", MENDED), found)["behind"].cyclomatic == 2


def kinds(path: str, source: bytes) -> list[tuple[str, int, bool, bool]]:
    facts = extract(path, source)
    names = numbered_names(facts)
    return [
        (names[one.row], one.measures.line, one.is_definition, one.is_whole)
        for one in attribute(rows(facts.symbols), measure(path, source))
    ]


def test_an_overload_is_no_function() -> None:
    source = (
        b"from typing import overload\nimport typing as t\n@overload\ndef f(a: int) -> int: ...\n"
        b"@t.overload\ndef f(a: str) -> str: ...\ndef f(a):\n    return a or 1\n"
    )
    assert kinds("a.py", source) == [("f", 7, True, True)]
    assert by_definition(extract("a.py", source), measure("a.py", source))["f"].cyclomatic == 2


def test_getter_and_setter_are_both_the_property() -> None:
    source = (
        b"class A:\n    @property\n    def p(self):\n        return 1\n"
        b"    @p.setter\n    def p(self, x):\n        self.x = x or 2\n"
    )
    assert kinds("a.py", source) == [("A.p", 3, True, False), ("A.p", 6, True, False)]
    assert kinds("A.cs", b"class A {\n int P {\n  get { return 1; }\n  set { }\n }\n}\n") == [
        ("A.P", 3, True, False),
        ("A.P", 4, True, False),
    ]
    assert kinds("a.kt", b"class A {\n val p: Int\n  get() = 1\n}\n") == [("A.p", 3, True, True)]


def test_of_functions_that_are_values_the_first_has_the_name() -> None:
    source = b"class A {\n  p = both(\n    () => 1,\n    () => 2,\n  )\n}\n"
    assert kinds("a.js", source) == [("A.p", 3, True, True), ("A.p", 4, False, True)]


def test_a_struct_behind_a_macro_is_no_function() -> None:
    assert kinds("a.h", b"struct EXPORT Options {\n  int a;\n};\n") == []


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(source=st.binary(max_size=200))
def test_bad_source_never_raises(suffix: str, source: bytes) -> None:
    found = measure(f"a{suffix}", source)
    assert found.lines >= found.code_lines >= 0


@given(
    source=st.lists(st.sampled_from(["if", "else", "(", ")", "{", "}", "&&", "x", "case", "=>", "\n", "function f"]))
)
def test_broken_code_never_raises(source: list[str]) -> None:
    for path in ("a.ts", "a.rs", "A.java", "a.c", "a.php"):
        found = measure(path, " ".join(source).encode())
        assert all(one.cyclomatic >= 1 and one.cognitive >= 0 for one in found.functions)


def test_an_unknown_language_has_no_measures() -> None:
    with pytest.raises(LookupError):
        measure("a.unknown", b"")
