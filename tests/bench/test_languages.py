"""What a server says of a call beside what the map says, and the tables of it."""

from __future__ import annotations

import pytest

from bench.agreement import Agreement, Level, Said, level_of, said_of
from bench.corpora import Corpus
from bench.languages import Measured, tables
from bench.report import Counts
from bench.stats import Sample
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.edges import EdgeKind
from codemap.graph.verified.confirmations import Confirmation, Inside, Meant, Outside, Unmapped
from codemap.graph.verified.unverified_sites import Site, SiteSelection, find_sites

SOURCES = {
    "shop.py": b"class Store:\n    def save(self): ...\nclass Item:\n    def save(self): ...\ndef make(): ...\n",
    "app.py": b"import json\nfrom shop import make\ndef main(x):\n    make()\n    x.save()\n    json.dumps(x)\n",
}
SNAPSHOT = build_snapshot(SOURCES)
CALLS = {
    site.line: site
    for site in find_sites(SNAPSHOT, SNAPSHOT.by_path["app.py"], SiteSelection.ALL)
    if site.kind is EdgeKind.CALLS
}


def meant(name: str) -> Meant:
    file = SNAPSHOT.by_path["shop.py"]
    return Inside(file.path, file.stamp.digest, file.rows_by_name[name, 1])


def said(site: Site, *what: Meant) -> Said:
    return said_of(SNAPSHOT, site, Confirmation(site.line, site.col, site.owner, site.kind, what))


def test_the_level_is_the_best_that_the_map_has() -> None:
    assert {line: level_of(SNAPSHOT, site) for line, site in CALLS.items()} == {
        4: Level.SURE,
        5: Level.UNDECIDED,
        6: Level.OUTSIDE,
    }


@pytest.mark.parametrize(
    ("line", "what", "wanted"),
    [
        (4, (meant("make"),), Said.SAME),
        (4, (meant("Store"),), Said.OTHER),
        (4, (Outside("lib"),), Said.OUTSIDE),
        (4, (), Said.NOTHING),
        (4, (Unmapped(),), Said.NOTHING),
        (5, (meant("Item.save"),), Said.LISTED),
        (5, (meant("make"),), Said.OTHER),
        (5, (Outside(""),), Said.OUTSIDE),
        (6, (Outside("json"),), Said.SAME),
        (6, (meant("make"),), Said.OTHER),
    ],
)
def test_what_a_server_says_beside_the_map(line: int, what: tuple[Meant, ...], wanted: Said) -> None:
    assert said(CALLS[line], *what) is wanted


def test_a_declaration_of_what_the_server_names_is_distinguished() -> None:
    snapshot = build_snapshot(
        {
            "a.h": b"void twice(void);\n",
            "a.c": b'#include "a.h"\n#ifdef A\nvoid twice(void) { }\n#else\nvoid twice(void) { ; }\n#endif\n',
            "b.c": b'#include "a.h"\nvoid use(void) { twice(); }\n',
        }
    )
    (site,) = find_sites(snapshot, snapshot.by_path["b.c"], SiteSelection.ALL)
    file = snapshot.by_path["a.c"]
    named = Inside(file.path, file.stamp.digest, file.rows_by_name["twice", 2])
    found = said_of(snapshot, site, Confirmation(site.line, site.col, site.owner, site.kind, (named,)))
    assert (level_of(snapshot, site), found) == (Level.SURE, Said.DECLARED)


def test_a_declaration_that_the_server_names_is_distinguished_too_and_a_namespace_is_no_answer() -> None:
    snapshot = build_snapshot(
        {
            "a.h": b"namespace app {\nvoid run();\n}\n",
            "a.cpp": b'#include "a.h"\nnamespace app {\nvoid run() {}\nvoid use() { run(); }\n}\n',
        }
    )
    (site,) = find_sites(snapshot, snapshot.by_path["a.cpp"], SiteSelection.ALL)
    header = snapshot.by_path["a.h"]
    answers = {}
    for name in ("app.run", "app"):
        named = Inside(header.path, header.stamp.digest, header.rows_by_name[name, 1])
        answers[name] = said_of(snapshot, site, Confirmation(site.line, site.col, site.owner, site.kind, (named,)))
    assert answers == {"app.run": Said.DECLARED, "app": Said.NOTHING}


FOUND = Agreement(
    "ty 1",
    {
        (Level.SURE, Said.SAME): 97,
        (Level.SURE, Said.OTHER): 1,
        (Level.SURE, Said.OUTSIDE): 2,
        (Level.SURE, Said.NOTHING): 5,
        (Level.UNDECIDED, Said.LISTED): 2,
        (Level.OUTSIDE, Said.SAME): 7,
        (Level.OUTSIDE, Said.OTHER): 1,
    },
)


def test_shares_are_of_what_was_answered() -> None:
    assert (FOUND.total, FOUND.precision(Level.SURE), FOUND.precision(Level.NAME)) == (115, 0.97, None)
    assert FOUND.silent == pytest.approx(2 / (97 + 2 + 2))
    assert Agreement("ty 1", {}).silent is None


def test_the_tables() -> None:
    corpus = Corpus("debian", "shop", "1.0-1", "usr/share", "go")
    edges = {"calls": {"exact": 1200, "candidate": 3}, "imports": {"import": 4}, "extends": {"exact": 5, "import": 6}}
    counts = Counts(2, 3000, 70, edges, 0.98765)
    cost = Sample(5.0, 4.51, 6.25, 3)
    text = tables("2 cores", [Measured(corpus, counts, cost, FOUND), Measured(corpus, counts, cost, None)])
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows[1] == rows[2]
    assert rows[1] == (
        "| Go | shop 1.0-1, usr/share | 2 | 3,000 | 98.77% | 70 | 1,200 | 0 | 0 | 0 | 3 | 0 | 4 | 11 "
        "| 5 (4.51 – 6.25) × limit |"
    )
    assert rows[4:] == [
        "| shop 1.0-1 | ty 1 | 115 | 97 | 0 | 1 | 2 | 97.0% | 0 | 0 | 0 | – | 2 | 0 | 0 | 7 | 1 | 2.0% | 5 |"
    ]
    for table in (rows[0], rows[1]), (rows[3], rows[4]):
        assert table[0].count("|") == table[1].count("|")
