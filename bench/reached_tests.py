"""Which tests reach a function: what `map_impact` says of it, against the functions that each test ran.

    python -m bench.reached_tests FOLDER... [--python PYTHON] [--write]

Each folder is a checkout of a project whose tests PYTHON can run. A profile function notes which functions of the
checkout each test runs, its fixtures included. For every function outside of the tests that some test ran, the tests
that ran it are held against those that are reached from it; recall and precision are of all such pairs. Cases of one
parametrized test are one test. `mentions` is what a search for the function's name in the tests' own code finds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from bench.tables import page, table_head, table_row
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.reach import reach
from codemap.impact.selection import test_at, tests_of
from codemap.languages import is_config_file, language_of

TIERS = ("certain", "likely", "possible")
RESULTS = Path(__file__).parent / "REACHED_TESTS.md"
COLUMNS = (
    *("project", "functions", "pairs", "recall: certain", "+ likely", "+ possible", "precision: certain", "+ likely"),
    *("+ possible", "F1: certain", "+ likely", "+ possible", "mentions: recall", "precision", "F1"),
)

PLUGIN = """
import json, os, sys
import pytest

ROOT, OUT = os.environ["BENCH_ROOT"] + os.sep, os.environ["BENCH_OUT"]
seen, ran = {}, set()


def note(frame, event, _arg):
    if event == "call":
        code = frame.f_code
        if code.co_filename.startswith(ROOT):
            ran.add((code.co_filename[len(ROOT):], code.co_firstlineno))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    ran.clear()
    sys.setprofile(note)
    yield
    sys.setprofile(None)
    seen.setdefault(item.nodeid.partition("[")[0], set()).update(ran)


def pytest_sessionfinish():
    with open(OUT, "w") as out:
        json.dump({test: sorted(places) for test, places in seen.items()}, out)
"""


def observed(root: Path, python: str) -> Mapping[str, list[tuple[str, int]]]:
    """Test -> (file, first line) of the functions that it ran."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bench_plugin.py").write_text(PLUGIN, encoding="utf-8")
        out = Path(folder) / "ran.json"
        paths = [folder, *(str(root / name) for name in ("src", ".") if (root / name).is_dir())]
        variables = {"PYTHONPATH": os.pathsep.join(paths), "BENCH_ROOT": str(root), "BENCH_OUT": str(out)}
        words = [python, "-m", "pytest", "-q", "-p", "bench_plugin", "-p", "no:cacheprovider", "--maxfail=1000"]
        words.append("--continue-on-collection-errors")  # a module may need what is not installed
        subprocess.run(words, cwd=root, env={**os.environ, **variables}, check=False, stdout=subprocess.DEVNULL)
        found: dict[str, list[tuple[str, int]]] = json.loads(out.read_text(encoding="utf-8"))
    return {test: [(file, line) for file, line in places] for test, places in found.items()}


def map_of(root: Path) -> Snapshot:
    """The map of the files that git tracks."""
    names = subprocess.run(["git", "-C", str(root), "ls-files"], check=True, capture_output=True, text=True).stdout
    chosen = [name for name in names.split("\n") if language_of(name) is not None or is_config_file(name)]
    return build_snapshot({name: (root / name).read_bytes() for name in chosen if (root / name).is_file()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--shown", type=int, default=0, help="functions with missed tests that are shown")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    lines = table_head(*COLUMNS)
    print("\n".join(lines))
    for folder in given.folders:
        lines.append(_measured(folder.resolve(), given.python, given.shown))
        print(lines[-1], flush=True)
    if given.write:
        RESULTS.write_text(page(__doc__, lines), encoding="utf-8")


def _measured(root: Path, python: str, shown: int) -> str:
    tests = observed(root, python)
    snapshot = map_of(root)
    by_place: dict[tuple[str, int], int] = {}
    for file in snapshot.files:
        for row in range(1, file.symbol_count):
            if file.cell(row, Symbol.KIND) not in (SymbolKind.VARIABLE, SymbolKind.CLASS, SymbolKind.TYPE_ALIAS):
                by_place[file.path, file.cell(row, Symbol.START_LINE)] = file.base + row
    ran: dict[int, set[str]] = {}
    for test, places in tests.items():
        for place in places:
            node = by_place.get(place)
            if node is not None and role_of(place[0]) is not Role.TEST:
                ran.setdefault(node, set()).add(test)
    names_in = words_of_tests(root, snapshot, tests)
    hits, said = [0] * (len(TIERS) + 1), [0] * (len(TIERS) + 1)
    pairs = 0
    for node, truth in sorted(ran.items()):
        found = {
            f"{test.file}::{test.selector}" if test.selector else test.file: test.tier
            for run in tests_of(snapshot, [node], reach(snapshot, [node]))
            for test in run.tests
        }
        pairs += len(truth)
        for tier in range(len(TIERS)):
            chosen = {name for name, own in found.items() if own <= tier} & tests.keys()
            hits[tier] += len(chosen & truth)
            said[tier] += len(chosen)
        mentioning = {test for test, words in names_in.items() if snapshot.name_of(node) in words}
        hits[-1] += len(mentioning & truth)
        said[-1] += len(mentioning)
        missed = truth - found.keys()
        if missed and shown > 0:
            shown -= 1
            print(f"missed {len(missed)} of {len(truth)}: {snapshot.id_of(node)}, {min(missed)}")
    recall = [hit / max(pairs, 1) for hit in hits]
    precision = [hit / max(count, 1) for hit, count in zip(hits, said, strict=True)]
    both = [2 * left * right / max(left + right, 1e-9) for left, right in zip(recall, precision, strict=True)]
    shares = [*recall[:-1], *precision[:-1], *both[:-1], recall[-1], precision[-1], both[-1]]
    return table_row(root.name, len(ran), pairs, *(f"{share:.3f}" for share in shares))


def words_of_tests(root: Path, snapshot: Snapshot, tests: Collection[str]) -> Mapping[str, set[str]]:
    """Test -> the words of its own code."""
    found: dict[str, set[str]] = {}
    for file in snapshot.files:
        lines = (root / file.path).read_text("utf-8", "replace").split("\n")
        for row in range(1, file.symbol_count):
            place = test_at(snapshot, file.base + row)
            name = f"{file.path}::{place[1]}" if place is not None else ""
            if name in tests:
                own = lines[file.cell(row, Symbol.START_LINE) - 1 : file.cell(row, Symbol.END_LINE)]
                found.setdefault(name, set()).update(re.findall(r"\w+", "\n".join(own)))
    return found


if __name__ == "__main__":
    main()
