"""What a language server's outline and definitions become, and the calls that are found without a parser."""

from __future__ import annotations

from typing import Any

from bench.accuracy.edges import Relation, Use
from bench.accuracy.languages.lexical import Text
from bench.accuracy.languages.symbols import Asked, Kind, Known, bare, outlined

ASKED = Asked((), "java", (".java",), "java")


def symbol(name: str, kind: int, line: int, last: int, *children: Any) -> Any:
    """An outline's entry whose name stands in column 6."""
    whole = {"start": {"line": line, "character": 0}, "end": {"line": last, "character": 1}}
    place = {"start": {"line": line, "character": 6}, "end": {"line": line, "character": 6 + len(name)}}
    return {"name": name, "kind": kind, "range": whole, "selectionRange": place, "children": children}


def test_calls_stand_before_parentheses_outside_comments_and_strings() -> None:
    source = "a(); // b()\n/* c()\n*/ d(\"e()\", '(') + new F<G<H>>(x.i ( 1 ));\n@J(1) int 𝔸 = k();\n"
    found = [(word.line, word.col, word.name) for word in Text(source, "java").calls()]
    assert found == [(1, 1, "a"), (3, 4, "d"), (3, 24, "F"), (3, 34, "i"), (4, 16, "k")]


def test_a_raw_string_hides_calls() -> None:
    assert [word.name for word in Text("f(`g(\n)`, h())", "go").calls()] == ["f", "h"]
    assert [word.name for word in Text('f(R"x(g("))x", h(1\'000))', "cpp").calls()] == ["f", "h"]
    assert [word.name for word in Text('$a->f("g(\n"); # h()\n#[I]\nj();', "php").calls()] == ["f", "j"]


def test_bases_stand_between_name_and_body_outside_brackets() -> None:
    found = Text("class A<T extends B> extends C<D>\n    implements E, F.G { H h; }", "java").bases(1, 8)
    assert [(word.line, word.name) for word in found] == [
        (1, "extends"),
        (1, "C"),
        (2, "implements"),
        (2, "E"),
        (2, "F"),
        (2, "G"),
    ]


def test_functions_fold_into_the_outermost_and_constructors_into_their_class() -> None:
    outline = symbol(
        "A",
        Kind.CLASS,
        0,
        9,
        symbol("A(int)", Kind.CONSTRUCTOR, 1, 2),
        symbol("go()", Kind.METHOD, 3, 8, symbol("B", Kind.CLASS, 4, 7, symbol("in()", Kind.METHOD, 5, 6))),
    )
    known = Known(outlined("a.java", [outline]))
    assert [(d.place, d.key, d.name, d.holder) for d in known.definitions()] == [
        ("a.java:1:7", "a.java:1:7", "A", ""),
        ("a.java:2:7", "a.java:1:7", "A", "a.java:1:7"),
        ("a.java:4:7", "a.java:4:7", "go", "a.java:1:7"),
        ("a.java:5:7", "a.java:4:7", "B", ""),
        ("a.java:6:7", "a.java:4:7", "in", "a.java:4:7"),
    ]
    assert known.source("a.java", 5, 3) == "a.java:4:7"
    assert known.source("a.java", 20, 0) == "a.java"


def test_names_lose_receivers_owners_and_parameters() -> None:
    assert [bare(name) for name in ("(*T).Get", "T::get", "get(List<A>, int)", "get", "operator()")] == [
        *("Get", "get", "get", "get"),
        "operator",
    ]


def test_an_answer_is_resolved_where_all_of_it_is_known() -> None:
    known = Known(outlined("a.java", [symbol("A", Kind.CLASS, 0, 9), symbol("f", Kind.FUNCTION, 10, 12)]))
    [word] = Text("\n f();", "java").calls()

    def said(*answer: tuple[str, int, int], conversions: bool = False) -> Use | None:
        return known.use(("b.java", word, Relation.CALLS), answer, ASKED._replace(has_conversions=conversions))

    def use(*targets: str, resolved: bool) -> Use:
        return Use("b.java", 2, 2, "b.java", "f", Relation.CALLS, targets, resolved)

    assert said() == use(resolved=False)
    assert said(("a.java", 10, 6)) == use("a.java:11:7", resolved=True)
    assert said(("a.java", 10, 0)) == use("a.java:11:7", resolved=True)
    assert said(("file:///jdk/B.java", 3, 3)) == use(resolved=True)
    assert said(("a.java", 3, 3)) == use(resolved=False)
    assert said(("a.java", 0, 6), conversions=True) == use(resolved=False)
    assert said(("b.java", 1, 1)) is None


def test_a_declaration_is_one_with_what_it_leads_to() -> None:
    declared, defined = ("a.h", 3, 6), ("a.c", 8, 6)
    outlines = {path: [symbol("f", Kind.FUNCTION, line, line + 1)] for path, line, _ in (declared, defined)}
    known = Known([each for path, outline in outlines.items() for each in outlined(path, outline)])
    assert {each.key for each in known.joined([[defined], [declared]]).all} == {"a.c:9:7"}


def test_declarations_are_one_over_any_number_of_steps() -> None:
    places = [("a.h", 3, 6), ("b.h", 3, 6), ("c.c", 8, 6), ("d.c", 8, 6)]
    outlines = {path: [symbol("f", Kind.FUNCTION, line, line + 1)] for path, line, _ in places}
    known = Known([each for path, outline in outlines.items() for each in outlined(path, outline)])
    answers = [[places[3]], [places[2]], [], [places[2]]]
    assert {each.key for each in known.joined(answers).all} == {"a.h:4:7"}
