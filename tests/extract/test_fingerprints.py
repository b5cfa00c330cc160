"""Fingerprints: the same for another layout, others for other code, in every language."""

from __future__ import annotations

import pytest

from codemap.changes.version import Fingerprint
from codemap.extract.extract import extract
from codemap.extract.fingerprints import version_of
from codemap.languages import languages

SAME = [
    ("py", "def f(a, b): return (a)", "def f(\n    a,\n    b,  # c\n): return a"),
    ("py", "def f(): return 'a', b'x'", 'def f():\n    return ("a", b"x",)'),
    ("py", 'def f():\n    """One."""\n    g()', "def f():\n    'Two.'\n    g()"),
    ("py", "x = {'a': 1}", 'x = {\n    "a": 1,\n}'),
    ("py", "def f():\n    for a, b in c: d()", "def f():\n    for (a, b) in c:\n        d();"),
    ("ts", "function f(a: A) { return a }", "function f(\n  a: A, // c\n) {\n  return (a);\n}"),
    ("js", "const f = () => g('a')", 'const f = () =>\n  g("a");'),
    ("go", "package a\nfunc F(a int) int { return a }", "package a\n\n// F.\nfunc F(a int) int {\n\treturn a\n}"),
    ("java", "class C { int f(int a) { return a; } }", "class C {\n  /** F. */\n  int f(int a)\n{ return a; // a\n}}"),
    ("rs", "fn f(a: i32) -> i32 { a }", "/// F.\nfn f(\n    a: i32,\n) -> i32 {\n    a\n}"),
    ("c", "int f(int a) { return a; }", "/* F */\nint f(int a)\n{\n  return a;\n}"),
    ("rb", "def f(a)\n  a\nend", "# F.\ndef f(a)\n\n  a # a\nend"),
    ("php", "<?php function f($a) { return $a; }", "<?php\n/** F */\nfunction f($a)\n{\n  return $a;\n}"),
    ("cs", "class C { int F(int a) { return a; } }", "class C\n{\n  // F\n  int F(int a)\n  { return a; }\n}"),
    ("kt", "fun f(a: Int): Int { return a }", "// F\nfun f(a: Int): Int {\n  return a\n}"),
    ("cpp", "int f(int a) { return a; }", "// F\nint f(int a)\n{ return a; }"),
]  # fmt: skip
OTHER_BODY = [
    ("py", "def f(a):\n    if a:\n        b()\n        c()", "def f(a):\n    if a:\n        b()\n    c()"),
    ("py", "def f(a): return a", "def f(a): return (a,)"),
    ("py", "def f(): return 'a'", "def f(): return b'a'"),
    ("py", "def f(a): return (a + 1) * 2", "def f(a): return a + 1 * 2"),
    ("ts", "function f(a: A) { return [a] }", "function f(a: A) { return [, a] }"),
    ("go", "package a\nfunc F(a int) int { return a }", "package a\nfunc F(a int) int { return -a }"),
    ("java", "class C { int f(int a) { return a; } }", "class C { int f(int a) { return a + 1; } }"),
    ("rs", "fn f(a: i32) -> i32 { a }", "fn f(a: i32) -> i32 { a + 1 }"),
    ("c", "int f(int a) { return a; }", "int f(int a) { return 'a'; }"),
    ("rb", "def f(a)\n  a\nend", "def f(a)\n  a.b\nend"),
    ("php", "<?php function f($a) { return $a; }", "<?php function f($a) { return 1; }"),
    ("cs", "class C { int F(int a) { return a; } }", "class C { int F(int a) { return 1; } }"),
    ("kt", "fun f(a: Int): Int { return a }", "fun f(a: Int): Int { return 1 }"),
    ("cpp", "int f(int a) { return a; }", "int f(int a) { return 1; }"),
]
OTHER_HEADER = [
    ("py", "def f(a): return a", "def f(a, b=lambda x: x): return a"),
    ("ts", "const f = (a: A) => { g(a) }", "const f = (a: B) => { g(a) }"),
    ("go", "package a\nfunc F(a int) int { return a }", "package a\nfunc F(a, b int) int { return a }"),
    ("java", "class C { int f(int a) { return a; } }", "class C { int f(long a) { return a; } }"),
    ("rs", "fn f(a: i32) -> i32 { a }", "fn f(a: i32, b: i32) -> i32 { a }"),
    ("c", "int f(int a) { return a; }", "int f(long a) { return a; }"),
    ("rb", "def f(a)\n  a\nend", "def f(a, b)\n  a\nend"),
    ("php", "<?php function f($a) { return $a; }", "<?php function f($a, $b) { return $a; }"),
    ("cs", "class C { int F(int a) { return a; } }", "class C { int F(long a) { return a; } }"),
    ("kt", "fun f(a: Int): Int { return a }", "fun f(a: Long): Int { return a }"),
    ("cpp", "int f(int a) { return a; }", "int f(long a) { return a; }"),
]


def last(lang: str, source: str) -> Fingerprint:
    """Of the last definition that is no variable of the file's own code."""
    (suffix,) = [one.suffixes[0] for one in languages() if one.name == lang]
    version = version_of(f"a{suffix}", source.encode())
    names = version.qualified_names
    row = next(row for row in range(len(names) - 1, 0, -1) if names[row].rpartition(".")[2].lower() in ("f", "x", "d"))
    return version.fingerprints[row]


@pytest.mark.parametrize(("lang", "one", "other"), SAME)
def test_layout_changes_nothing(lang: str, one: str, other: str) -> None:
    assert last(lang, one) == last(lang, other)


@pytest.mark.parametrize(("lang", "one", "other"), OTHER_BODY)
def test_another_body_is_another_code(lang: str, one: str, other: str) -> None:
    left, right = last(lang, one), last(lang, other)
    assert left.header == right.header
    assert left.code != right.code


@pytest.mark.parametrize(("lang", "one", "other"), OTHER_HEADER)
def test_another_signature_is_another_header(lang: str, one: str, other: str) -> None:
    assert last(lang, one).header != last(lang, other).header


def test_the_facts_are_those_of_the_file() -> None:
    source = b"\xef\xbb\xbfclass C:\n    def m(self): ...\n"
    version = version_of("a.py", source)
    assert version.facts == extract("a.py", source)
    assert len(version.fingerprints) == 3


def test_definitions_of_one_statement_share_its_code() -> None:
    version = version_of("a.py", b"a = b = f(1)\n")
    _, first, second = version.fingerprints
    assert first.code == second.code or first.tokens != second.tokens


@pytest.mark.parametrize("source", [b"", b"def (:\n", b"\0", b"class", b"(((((" * 500, b"\xff\xfe(" * 99])
def test_broken_source_has_fingerprints(source: bytes) -> None:
    for language in languages():
        version = version_of(f"a{language.suffixes[0]}", source)
        assert len(version.fingerprints) == len(version.qualified_names)


def test_what_a_method_assigns_to_a_member_is_code_of_the_method() -> None:
    one, other = (version_of("a.py", b"class C:\n    def m(self):\n        self.x = %d\n" % value) for value in (1, 2))
    changed = {
        name
        for name, left, right in zip(one.qualified_names, one.fingerprints, other.fingerprints, strict=True)
        if left.code != right.code
    }
    assert changed == {"C.m"}


def test_the_only_method_of_a_class_has_a_header() -> None:
    one, other = (version_of("a.py", b"class C:\n    def m(self%s): ...\n" % text) for text in (b"", b", a"))
    assert one.fingerprints[2].header != other.fingerprints[2].header
