"""The scorer's rules, one by one."""

from __future__ import annotations

import pytest

from bench.accuracy.bootstrap import macro_interval
from bench.accuracy.claims import Edge, Exported, Node, Site, claims, unique_names
from bench.accuracy.edges import Claim, Definition, Oracle, Relation, Use, path_of
from bench.accuracy.families import families
from bench.accuracy.score import SURE, Score, f1, score

CALLS = Relation.CALLS


def use(line: int, *targets: str, source: str = "a.py:1:5", name: str = "f", is_resolved: bool = True) -> Use:
    return Use("a.py", line, 1, source, name, CALLS, targets, is_resolved)


def claim(target: str, *lines: int, confidence: str = "exact", source: str = "a.py:1:5") -> Claim:
    return Claim(source, target, CALLS, confidence, "a.py", tuple((line, 1) for line in lines))


def scored(uses: list[Use], claimed: list[Claim], related: dict[str, frozenset[str]] | None = None) -> Score:
    return score(Oracle((), tuple(uses)), claimed, CALLS, related or {})


def test_a_pair_counts_once_under_its_strongest_confidence() -> None:
    found = scored([use(1, "t"), use(2, "t")], [claim("t", 2, confidence="name"), claim("t", 1, confidence="type")])
    assert (len(found.true), found.found) == (1, {("a.py:1:5", "t"): "type"})


def test_a_claim_elsewhere_than_the_oracle_says_is_wrong() -> None:
    found = scored([use(1, "t")], [claim("u", 1, confidence="import")])
    assert (found.wrong, found.precision, found.recall) == ({("a.py:1:5", "u"): "import"}, 0, 0)


def test_what_lies_outside_makes_a_claim_wrong() -> None:
    assert scored([use(1)], [claim("t", 1)]).precision == 0


def test_what_the_oracle_does_not_resolve_is_neutral() -> None:
    found = scored([use(1, is_resolved=False)], [claim("t", 1)])
    assert (found.wrong, found.found) == ({}, {})


def test_a_site_that_the_oracle_does_not_know_is_neutral() -> None:
    assert not scored([use(1, "t")], [claim("u", 9)]).wrong


def test_overrides_and_ancestors_of_what_is_meant_are_neutral() -> None:
    found = scored([use(1, "Base.m")], [claim("Sub.m", 1)], {"Base.m": frozenset(("Base.m", "Sub.m"))})
    assert (found.wrong, found.found, found.recall) == ({}, {}, 0)


def test_one_wrong_site_makes_a_claim_wrong_but_not_a_true_pair() -> None:
    assert scored([use(1, "t"), use(2, "u")], [claim("t", 1, 2)]).wrong == {}
    assert scored([use(1, is_resolved=False), use(2, "u")], [claim("t", 1, 2)]).wrong


def test_candidates_are_neither_found_nor_wrong_and_not_silent() -> None:
    found = scored(
        [use(1, "t"), use(2, "u")], [claim("t", 1, confidence="candidate"), claim("x", 1, confidence="candidate")]
    )
    assert (found.found, found.wrong, found.listed, found.silent) == ({}, {}, {("a.py:1:5", "t")}, 0.5)


def test_precision_by_confidence() -> None:
    found = scored([use(1, "t"), use(2, "u")], [claim("t", 1), claim("x", 2, confidence="name")])
    assert (found.claimed(SURE), found.claimed(["name"])) == ((1, 0), (0, 1))


def test_counts_by_file() -> None:
    found = scored([use(1, "t"), use(2, "u", source="b/c.py")], [claim("t", 1), claim("x", 1)])
    assert found.by_file() == {"a.py": (1, 1, 1), "b/c.py": (1, 0, 0)}


@pytest.mark.parametrize(("counts", "wanted"), [((0, 0, 0), 1.0), ((4, 4, 0), 1.0), ((4, 2, 0), 2 / 3), ((2, 0, 3), 0)])
def test_f1(counts: tuple[int, int, int], wanted: float) -> None:
    assert f1(*counts) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("key", "path"), [("a/b.py:3:7", "a/b.py"), ("a/b.py", "a/b.py"), ("odd:1.py:3:7", "odd:1.py")]
)
def test_the_file_of_a_key(key: str, path: str) -> None:
    assert path_of(key) == path


def test_families_reach_through_all_levels_and_leave_constructors_out() -> None:
    def member(holder: str, name: str) -> Definition:
        key = holder if name == "__init__" else f"{holder}.{name}"
        return Definition(key, key, name, holder)

    def extends(sub: str, base: str) -> Use:
        return Use("a.py", 1, 1, sub, base, Relation.INHERITS, (base,), True)

    definitions = (
        member("A", "m"),
        member("B", "n"),
        member("C", "m"),
        member("A", "__init__"),
        member("C", "__init__"),
    )
    found = families(Oracle(definitions, (extends("B", "A"), extends("C", "B"))))
    assert found == {"A.m": {"A.m", "C.m"}, "C.m": {"A.m", "C.m"}}


def test_exported_nodes_become_the_definitions_at_their_place_or_around_them() -> None:
    oracle = Oracle(
        (
            Definition("a.py:1:7", "a.py:1:7", "A"),
            Definition("a.py:2:9", "a.py:1:7", "__init__", "a.py:1:7"),
            Definition("a.py:9:5", "a.py:9:5", "f"),
        ),
        (),
    )
    nodes = (
        Node("a.py", "file", "a.py", 1, 1),
        Node("A", "class", "a.py", 1, 7, "a.py"),
        Node("A.__init__", "method", "a.py", 2, 9, "A"),
        Node("A.x", "property", "a.py", 3, 5, "A"),
        Node("f", "function", "a.py", 9, 5, "a.py"),
        Node("f.inner", "function", "a.py", 10, 9, "f"),
        Node("v", "variable", "a.py", 12, 1, "a.py"),
        Node("ext", "module"),
    )

    def edge(source: str, target: str, kind: str = "calls", *candidates: str) -> Edge:
        return Edge(source, kind, "exact", (Site(5, 5),), target, candidates)

    edges = (
        edge("A.__init__", "f"),
        edge("A.x", "f.inner"),
        edge("f.inner", "v"),
        edge("v", "A.__init__"),
        edge("f", "ext"),
        edge("f", "", "calls", "A", "f"),
        edge("f", "A", "contains"),
        edge("f", "a.py", "imports"),
    )
    found = [(one.source, one.target, one.relation) for one in claims(Exported(nodes, edges), oracle)]
    assert found == [
        ("a.py:1:7", "a.py:9:5", CALLS),
        ("a.py:1:7", "a.py:9:5", CALLS),
        ("a.py", "a.py:1:7", CALLS),
        ("a.py:9:5", "a.py:1:7", CALLS),
        ("a.py:9:5", "a.py:9:5", CALLS),
        ("a.py", "a.py", Relation.IMPORTS),
    ]


def test_a_stub_and_the_source_beside_it_claim_as_one_module() -> None:
    nodes = (
        Node("a", "file", "a.py", 1, 1),
        Node("stub", "file", "a.pyi", 1, 1),
        Node("alone", "file", "b.pyi", 1, 1),
        Node("v", "variable", "a.pyi", 3, 1, "stub"),
    )
    edges = tuple(
        Edge(source, kind, "exact", (Site(5, 5),), target)
        for source, target, kind in (
            ("stub", "alone", "imports"),
            ("alone", "stub", "imports"),
            ("v", "alone", "calls"),
        )
    )
    found = [(one.source, one.target) for one in claims(Exported(nodes, edges), Oracle((), ()))]
    assert found == [("a.py", "b.pyi"), ("b.pyi", "a.py"), ("a.py", "b.pyi")]


def test_the_baseline_takes_the_only_definition_of_a_name() -> None:
    definitions = (Definition("p", "p", "f"), Definition("q", "q", "g"), Definition("r", "r", "g"))
    oracle = Oracle(definitions, (use(1, "p", name="f"), use(2, "q", name="g"), use(3, name="h")))
    assert [(one.target, one.sites) for one in unique_names(oracle)] == [("p", ((1, 1),))]


def test_the_interval_is_repeatable_and_holds_the_figure() -> None:
    files = {f"{n}.py": (10, 9 - n % 3, n % 2) for n in range(40)}
    low, high = macro_interval([files, files])
    true, found, wrong = (sum(column) for column in zip(*files.values(), strict=True))
    assert macro_interval([files, files]) == (low, high)
    assert 0 < low < f1(true, found, wrong) < high < 1


def test_no_files_are_no_uncertainty() -> None:
    assert macro_interval([{}]) == (1, 1)
