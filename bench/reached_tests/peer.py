"""Which tests reach a function, beside a peer that says it, too.

    python -m bench.reached_tests.peer FOLDER... [--python PYTHON] [--go GO] [--node NODE] [--write]

As in REACHED_TESTS.md, for the same functions. codegraph (`bench.codegraph`) has two commands for it: `impact SYMBOL`
lists definitions that a change of one affects, and those among them that are tests, or parts of tests, are its tests;
ten steps are asked for, where its default is two. `affected FILE` lists test files, all of whose tests count. Both are
given the function's file; of several definitions of a name there, `impact` is taken by the function's line.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from bench.codegraph import Codegraph, codegraph
from bench.reached_tests.__main__ import (
    Programs,
    functions_in,
    group_by_owner,
    harmonic,
    map_of,
    observed,
    tests_by_function,
)
from bench.reached_tests.observed import Observed
from bench.tables import page, table_head, table_row
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.reach import reach
from codemap.impact.selection import tests_of
from codemap.impact.test_places import test_at

RESULTS = Path(__file__).parents[1] / "REACHED_TESTS_PEER.md"
STEPS = 10
ASKED = ("codemap", "codegraph impact", "codegraph affected")
COLUMNS = (
    "project",
    "functions",
    "pairs",
    *(f"{name}: {what}" for name in ASKED for what in ("recall", "prec.", "F1")),
)


class Asked(msgspec.Struct, frozen=True):
    snapshot: Snapshot
    peer: Codegraph
    owners: Mapping[str, list[str]]
    """What selects tests -> these."""
    functions: Mapping[str, Mapping[int, int]]
    affected: dict[str, frozenset[str]]
    """By file, what `codegraph affected` said."""

    def by_map(self, node: int) -> frozenset[str]:
        runs = tests_of(self.snapshot, [node], reach(self.snapshot, [node]))
        names = (f"{one.file}::{one.selector}" if one.selector else one.file for run in runs for one in run.tests)
        return frozenset(test for name in names for test in self.owners.get(name, ()))

    def by_symbol(self, node: int) -> frozenset[str]:
        file, _ = self.snapshot.row_of(node)
        words = ("impact", self.snapshot.name_of(node), "--file", file.path, "--depth", str(STEPS), "--json")
        said: dict[str, Any] = msgspec.json.decode(self.peer.run(*words))
        found: set[str] = set()
        for one in said.get("definitions", ()):
            its = one["definition"]
            if its["filePath"] == file.path and self.functions[file.path].get(its["startLine"]) == node:
                found.update(test for each in one["affected"] for test in self._tests_at(each))
        return frozenset(found)

    def _tests_at(self, place: Mapping[str, Any]) -> list[str]:
        """The tests that a definition of the peer is, or is a part of; of a file all."""
        path = place["filePath"]
        if place["kind"] == "file":
            return self.owners.get(path, [])
        node = self.functions.get(path, {}).get(place["startLine"])
        at = None if node is None else test_at(self.snapshot, node)
        return [] if at is None else self.owners.get(f"{at[0]}::{at[1]}" if at[1] else at[0], [])

    def by_file(self, node: int) -> frozenset[str]:
        path = self.snapshot.row_of(node)[0].path
        if path not in self.affected:
            said: dict[str, Any] = msgspec.json.decode(self.peer.run("affected", path, "--json"))
            files = said.get("affectedTests", ())
            self.affected[path] = frozenset(test for file in files for test in self.owners.get(file, ()))
        return self.affected[path]


def _measure(root: Path, programs: Programs) -> str:
    return compared(root, observed(root, programs))


def compared(root: Path, tests: Observed) -> str:
    """The row of a project."""
    snapshot = map_of(root)
    functions = functions_in(snapshot)
    ran = tests_by_function(tests, functions)
    hits, said = [0] * len(ASKED), [0] * len(ASKED)
    with codegraph(root) as peer:
        asked = Asked(snapshot, peer, group_by_owner(tests), functions, {})
        for node, truth in sorted(ran.items()):
            for place, ask in enumerate((asked.by_map, asked.by_symbol, asked.by_file)):
                found = ask(node)
                hits[place] += len(found & truth)
                said[place] += len(found)
    pairs = sum(map(len, ran.values()))
    shares: list[float] = []
    for hit, count in zip(hits, said, strict=True):
        recall, precision = hit / max(pairs, 1), hit / count if count else 1.0
        shares += [recall, precision, harmonic(recall, precision)]
    return table_row(root.name, len(ran), pairs, *(f"{share:.3f}" for share in shares))


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.reached_tests.peer", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--go", default="go")
    parser.add_argument("--node", default="node")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    lines = table_head(*COLUMNS)
    print("\n".join(lines))
    for folder in given.folders:
        lines.append(_measure(folder.resolve(), Programs(given.python, given.go, given.node)))
        print(lines[-1], flush=True)
    if given.write:
        RESULTS.write_text(page(__doc__, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
