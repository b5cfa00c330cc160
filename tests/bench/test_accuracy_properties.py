"""What runs where the value of a property is called."""

from __future__ import annotations

import pytest

from bench.accuracy.edges import Claim, Definition, Oracle, Relation, Use
from bench.accuracy.properties import Given, follow_properties
from bench.accuracy.score import score

EDGES, CALL, OTHER = "g.py:3:9", "v.py:2:9", "v.py:9:9"
DEFINITIONS = (
    Definition(EDGES, EDGES, "edges", "g.py:1:7"),
    Definition("v.py:1:7", "v.py:1:7", "View"),
    Definition(CALL, CALL, "__call__", "v.py:1:7"),
    Definition("v.py:5:7", "v.py:5:7", "Own"),
)
SITE = Use("a.py", 7, 4, "a.py:6:5", "edges", Relation.CALLS, (EDGES,), True)
INHERITS = Use("v.py", 5, 11, "v.py:5:7", "View", Relation.INHERITS, ("v.py:1:7",), True)


def made(*targets: str, is_resolved: bool = True) -> Use:
    return Use("g.py", 4, 16, EDGES, "View", Relation.CALLS, targets, is_resolved)


def followed(one: Use, given: Given) -> Use:
    (site, *_) = follow_properties((SITE, INHERITS, one), DEFINITIONS, given)
    return site


@pytest.mark.parametrize("cls", ["v.py:1:7", "v.py:5:7"])
def test_the_class_of_what_it_returns_says_what_runs(cls: str) -> None:
    site = followed(made(cls), {EDGES: ((4, 16),)})
    assert (site.targets, site.is_resolved) == ((EDGES, CALL), True)


@pytest.mark.parametrize(
    ("one", "given"),
    [
        (made("v.py:1:7"), {EDGES: ((4, 16), None)}),
        (made("v.py:1:7"), {EDGES: ()}),
        (made("v.py:1:7", is_resolved=False), {EDGES: ((4, 16),)}),
        (made("g.py:1:7"), {EDGES: ((4, 16),)}),
    ],
)
def test_what_it_returns_besides_leaves_the_call_open(one: Use, given: Given) -> None:
    site = followed(one, given)
    assert (EDGES in site.targets, site.is_resolved) == (True, False)


def test_a_call_of_no_property_stays_as_it_is() -> None:
    assert followed(made("v.py:1:7"), {}) == SITE


def test_only_what_it_returns_is_right() -> None:
    oracle = Oracle(DEFINITIONS, tuple(follow_properties((SITE, made("v.py:1:7")), DEFINITIONS, {EDGES: ((4, 16),)})))
    claimed = [Claim("a.py:6:5", key, Relation.CALLS, "type", "a.py", ((7, 4),)) for key in (EDGES, CALL, OTHER)]
    found = score(oracle, claimed, Relation.CALLS, {})
    assert (set(found.found), set(found.wrong)) == ({("a.py:6:5", EDGES), ("a.py:6:5", CALL)}, {("a.py:6:5", OTHER)})
