"""What a first build keeps as numbers while other files are bound is what binding found."""

from __future__ import annotations

import numpy as np

from codemap.graph.build.bound_file import Bound, ParkedBound, edge_rows
from codemap.graph.build.build import build_snapshot
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.evaluate.fixpoint import Nobody
from codemap.graph.incremental.noted_questions import Noted
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.values import Confidence

CALLS, IMPORTS = EdgeKind.CALLS, EdgeKind.IMPORTS
EXACT, NAME, TYPE = Confidence.EXACT, Confidence.NAME, Confidence.TYPE


def found() -> Bound:
    (file,) = build_snapshot({"a.py": b"def f(): g()\n"}).files
    assert isinstance(file, IndexedFile)
    bound = Bound(GraphFile.of(file), None)
    bound.add(1, 7, CALLS, TYPE, [(4, 2)])
    bound.add(1, 7, CALLS, EXACT, [(1, 1)])
    bound.add(1, 9, CALLS, NAME, [(3, 1)])
    bound.add(0, ("py", "os"), IMPORTS, EXACT, bound.own_site(5, 1))
    bound.unresolved[1, "run", CALLS] = [(6, 1), (8, 3)]
    bound.unknown[0, "run", CALLS] = [(7, 1)]
    bound.missing_imports = 2
    return bound


def edges(bound: Bound) -> dict[tuple[int, object, int], tuple[int, list[int]]]:
    """(source, target, kind) -> confidence and sites."""
    rows, picked, outside = edge_rows(bound)
    sites = np.split(picked, np.cumsum(rows[:, 4])[:-1])
    return {
        (source, outside[~target] if target < 0 else target, kind): (confidence, sites[at].tolist())
        for at, (source, target, kind, confidence, _) in enumerate(rows.tolist())
    }


def test_what_was_parked_is_what_was_found() -> None:
    plain, parked = found(), ParkedBound(found()).taken_up()
    of_imports = found().table_count
    assert (
        edges(parked)
        == edges(plain)
        == {
            (1, 7, CALLS): (EXACT, [1, 4, 5]),
            (1, 9, CALLS): (NAME, [3]),
            (0, ("py", "os"), IMPORTS): (EXACT, [of_imports]),
        }
    )
    assert (parked.unresolved, parked.unknown, parked.several) == (plain.unresolved, plain.unknown, {})
    assert (parked.own_sites, parked.missing_imports) == ([(5, 1)], 2)


def test_edges_that_come_later_join_those_that_were_parked() -> None:
    plain, parked = found(), ParkedBound(found()).taken_up()
    for bound in (plain, parked):
        bound.add(1, 7, CALLS, NAME, [(2, 1)])
        bound.add(1, 9, CALLS, EXACT, [(3, 1)])
        bound.add(1, 8, CALLS, NAME, [(6, 1)])
    assert edges(parked) == edges(plain)
    assert edges(parked)[1, 7, CALLS] == (EXACT, [1, 2, 4, 5])
    assert edges(parked)[1, 9, CALLS] == (EXACT, [3])


def test_questions_keep_their_order_whenever_they_are_collected() -> None:
    noted, first, second = Noted(), Nobody(), Nobody()
    first.asked |= dict.fromkeys([("tops", "c", "b"), ("held", 5), ("tops", "c", "a")])
    noted.take(first)
    first.asked |= dict.fromkeys([("held", 5), ("result", 2)])
    second.asked |= dict.fromkeys([("tops", "c", "a"), ("held", 3)])
    for frame in (first, second):
        noted.take(frame)
        assert not frame.asked
    asked = [noted.asked_by(frame) for frame in (first, second)]
    assert [*map(len, asked)] == [4, 2]
    listed = noted.list_distinct(np.concatenate(asked))
    assert listed.numbers.tolist() == [0, 1, 2, 3, 2, 4]
    assert listed.names == ["b", "", "a"]
    assert [(listed.forms[form], node, listed.names[name]) for form, node, name, _ in listed.rows.tolist()] == [
        (("tops", "c"), -1, "b"),
        (("held",), 5, ""),
        (("tops", "c"), -1, "a"),
        (("result",), 2, ""),
        (("held",), 3, ""),
    ]
