"""Where the parts of definitions lie: one case a language, and that any source has an answer for each definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.extract.definition_syntax import syntax_of
from codemap.extract.extract import extract
from codemap.facts import Symbol, rows
from codemap.syntax import DefinitionSyntax


def definitions(path: str, source: str) -> dict[str, tuple[str, DefinitionSyntax]]:
    """Name -> its header as it is written, and its parts."""
    content = source.encode()
    facts = extract(path, content)
    cells, found = rows(facts.symbols).tolist(), {}
    starts = [0]
    for line in content.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for number, syntax in enumerate(syntax_of(path, content)[0]):
        row = cells[number * Symbol.WIDTH : (number + 1) * Symbol.WIDTH]
        if number:
            header = content[starts[row[Symbol.START_LINE] - 1] : syntax.header_end].decode()
            found.setdefault(facts.names[row[Symbol.NAME]], (header.strip(), syntax))
    return found


@pytest.mark.parametrize(
    ("path", "source", "name", "header", "body"),
    [
        ("a.py", "@d\ndef f(\n    x,\n):  # why\n    return x\n", "f", "@d\ndef f(\n    x,\n):", (5, 5)),
        ("a.py", "class C(\n    B,\n):\n    x = 1\n", "C", "class C(\n    B,\n):", (4, 4)),
        ("a.py", "X = [\n    1,\n]\n", "X", "X = [\n    1,\n]", (0, 0)),
        ("a.ts", "export const f = (a: A): B => {\n  g();\n};\n", "f", "export const f = (a: A): B =>", (1, 3)),
        ("a.ts", "interface I {\n  a: A;\n}\n", "I", "interface I", (1, 3)),
        ("a.js", "class C {\n  m(a) {\n    f();\n  }\n}\n", "m", "m(a)", (2, 4)),
        (
            "a.go",
            "package a\n\nfunc (s *S) F(x int) error {\n\treturn nil\n}\n",
            "F",
            "func (s *S) F(x int) error",
            (3, 5),
        ),
        ("a.go", "package a\n\ntype S struct {\n\tA int\n}\n", "S", "type S struct", (3, 5)),
        ("a.rs", "#[x]\npub fn f<T>(a: T) -> u8 {\n    1\n}\n", "f", "#[x]\npub fn f<T>(a: T) -> u8", (2, 4)),
        ("A.java", "class A {\n  @X\n  void f(int a) {\n    g();\n  }\n}\n", "f", "@X\n  void f(int a)", (3, 5)),
        ("a.c", "static int\nf(int a)\n{\n  return a;\n}\n", "f", "static int\nf(int a)", (3, 5)),
        ("a.cpp", "void C::f(int a) const {\n  g();\n}\n", "f", "void C::f(int a) const", (1, 3)),
        ("a.cs", "class A {\n  int P { get; set; }\n  int F() {\n    return 1;\n  }\n}\n", "F", "int F()", (3, 5)),
        ("a.php", "<?php\nfunction f(A $a): B\n{\n    return $a;\n}\n", "f", "function f(A $a): B", (3, 5)),
        ("a.rb", "def f(a)\n  g(a)\nend\n", "f", "def f(a)", (2, 2)),
        ("a.kt", "fun f(a: A): B {\n    return g(a)\n}\n", "f", "fun f(a: A): B", (1, 3)),
    ],
)
def test_a_header_ends_before_the_body(path: str, source: str, name: str, header: str, body: tuple[int, int]) -> None:
    shown, syntax = definitions(path, source)[name]
    assert (shown, syntax.body) == (header, body)


def test_overloads_that_are_one_definition_end_with_the_last() -> None:
    source = (
        "from typing import overload\n\n\n@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
        'def f(a):\n    """Doc."""\n    return a\n'
    )
    header, syntax = definitions("a.py", source)["f"]
    assert header.endswith("def f(a):")
    assert (syntax.body, syntax.doc) == ((9, 10), (9, 9))


def test_what_is_respelt_for_its_grammar_keeps_its_lines() -> None:
    """A statement stands behind the label, in place of the line's end, when it is parsed."""
    before = "int a(void)\n{\nerror:\n#ifdef _WIN32\n    return 1;\n#endif\n    return 2;\n}\n"
    source = f"{before}int b(int x)\n{{\n    c();\n    return x;\n}}\n"
    assert definitions("a.c", source)["b"][1].body == (10, 13)
    symbols = extract("a.c", source.encode()).symbols
    assert syntax_of("a.c", source.encode(), symbols, (2,))[1] == {2: ((11, 0), (12, 0))}


def test_statements_begin_on_lines_of_their_own_and_a_comment_belongs_to_the_next() -> None:
    branch = "    if x:\n        b()\n    else:\n        c(\n            1,\n        )\n"
    source = f"def f():\n    a()\n    # why\n{branch}    return 1\n"
    symbols = extract("a.py", source.encode()).symbols
    _, borders = syntax_of("a.py", source.encode(), symbols, (1,))
    assert borders == {1: ((2, 0), (3, 0), (5, 1), (7, 1), (10, 0))}


@settings(deadline=None)
@given(
    path=st.sampled_from(["a.py", "a.ts", "a.go", "a.cpp", "a.rb", "a.kt"]),
    source=st.text("def class(){}[]:;=\n\t 'a\"#/*é😀", max_size=200),
)
def test_any_source_has_an_answer_for_each_definition(path: str, source: str) -> None:
    content = source.encode()
    facts = extract(path, content)
    found, borders = syntax_of(path, content, borders_of=range(2))
    assert syntax_of(path, content, facts.symbols, range(2)) == (found, borders)
    assert len(found) == len(rows(facts.symbols)) // Symbol.WIDTH
    assert all(0 <= one.header_end <= len(content) for one in found)
