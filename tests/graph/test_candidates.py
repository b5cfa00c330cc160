"""What an undecided use could mean, against the rule said plainly, node by node."""

from __future__ import annotations

from codemap.facts import Symbol, SymbolKind
from codemap.graph.build.build import build_snapshot
from codemap.graph.likelihood.candidates import Candidates, unresolved_rows_in
from codemap.graph.model.edges import EdgeKind, Unresolved
from codemap.graph.model.snapshot import Snapshot

SOURCES = {
    **{f"a/m{number}.py": b"class A:\n    def run(self):\n        pass\n\n    run_at = 1\n" for number in range(4)},
    "a/b/far.py": b"class Far:\n    run = 3\n\n    class run_at:\n        pass\n",
    "a/top.py": b"def run():\n    pass\n\n\nrun_at = 1\n",
    "a/local.py": b"def outer():\n    def run(): ...\n\n    def run_at(): ...\n\n    return run_at\n",
    "run.py": b"",
    "use.py": b"def main(x, y):\n    x.run()\n    x.run_at()\n    return x.run, y.run_at\n",
    "w/a.js": b"function run() {}\nclass A { run() {} }\n",
    "w/b.js": b"function run() {}\nfunction make() { function run() {} return { run }; }\n",
    "w/use.js": b"function main(x) { x.run(); run(); return [x.run_at, run]; }\n",
}
CALLABLE = (SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD)
MEMBERS = (*CALLABLE, SymbolKind.PROPERTY, SymbolKind.ENUM)


def could_mean(snapshot: Snapshot, use: Unresolved, node: int) -> bool:
    if snapshot.is_external(node) or snapshot.is_file(node) or snapshot.name_of(node) != use.name:
        return False
    parent = snapshot.parent_of(node)
    assert parent is not None
    if snapshot.row_of(node)[0].family != snapshot.row_of(use.source)[0].family:
        return False
    if snapshot.is_file(parent) == use.is_member:
        return False
    if snapshot.kind_of(parent) in (SymbolKind.FUNCTION, SymbolKind.METHOD) and snapshot.row_of(node)[0].lang == "py":
        return False
    kind = SymbolKind(snapshot.cell(node, Symbol.KIND))
    if use.kind == EdgeKind.CALLS:
        return kind in CALLABLE
    return kind in MEMBERS or not use.is_member


def apart(snapshot: Snapshot, one: int, other: int) -> int:
    here, there = (snapshot.row_of(node)[0].path.split("/") for node in (one, other))
    if here == there:
        return 0
    shared = 0
    while here[shared : shared + 1] == there[shared : shared + 1] and shared < min(len(here), len(there)) - 1:
        shared += 1
    return 1 + len(here) + len(there) - 2 * shared


def test_candidates_are_what_the_rule_says_the_nearest_first() -> None:
    snapshot = build_snapshot(SOURCES)
    candidates = Candidates(snapshot)
    rows = range(len(snapshot.unresolved.source))
    uses = [use for row in rows if not (use := snapshot.unresolved_use(row)).is_held]
    forms = {(use.name, use.kind, use.is_member) for use in uses}
    assert {("run", EdgeKind.CALLS, True), ("run_at", EdgeKind.REFERENCES, True)} <= forms
    assert not all(use.is_member for use in uses)
    for use in uses:
        expected = [node for node in range(snapshot.node_count) if could_mean(snapshot, use, node)]
        expected.sort(key=lambda node: (-float(snapshot.scores[node]), node))
        assert candidates.possible(use).tolist() == expected
        expected.sort(key=lambda node: apart(snapshot, use.source, node))
        assert list(candidates.by_distance(use)) == expected
    for node in range(snapshot.node_count):
        meant = [use.row for use in uses if could_mean(snapshot, use, node)]
        assert sorted(unresolved_rows_in(snapshot, node).tolist()) == meant
