"""Which tests reach a function: what `map_impact` says of it, against the functions that each test ran.

    python -m bench.reached_tests FOLDER... [--python PYTHON] [--go GO] [--node NODE] [--write]

Each folder is a checkout of a project whose tests can be run: with pytest, with `go test` where it has a `go.mod`,
with vitest where its `package.json` names that. For every function outside of the tests that some test ran, the tests
that ran it are held against those that are reached from it; recall and precision are of all such pairs. Where a whole
file or class of tests is reached, these are all of its tests. `F1 without possible` leaves out the last tier, which
comes after the others in an answer. `mentions` is what a search for the function's name in the tests' own code finds;
where tests have no names of their own, in their files.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from bench.reached_tests import go, python, vitest
from bench.reached_tests.observed import Observed
from bench.tables import page, table_head, table_row
from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.reach import reach
from codemap.impact.selection import tests_of
from codemap.impact.test_places import test_at
from codemap.languages import is_config_file, language_of

TIERS = ("certain", "likely", "possible")
RESULTS = Path(__file__).parents[1] / "REACHED_TESTS.md"
COLUMNS = (
    *("project", "tests", "functions", "pairs", "recall: certain", "+ likely", "+ possible"),
    *(
        "precision: certain",
        "likely alone",
        "possible alone",
        "of all",
        "F1",
        "F1 without possible",
        "mentions: recall",
        "precision",
        "F1",
    ),
)
_NO_FUNCTIONS = (SymbolKind.FILE, SymbolKind.VARIABLE, SymbolKind.CLASS, SymbolKind.TYPE_ALIAS, SymbolKind.INTERFACE)


class Programs(msgspec.Struct, frozen=True):
    python: str
    go: str
    node: str


def observed(root: Path, programs: Programs) -> Observed:
    """What each test of the project ran."""
    manifest = root / "package.json"
    if (root / "go.mod").exists():
        return go.observed(root, programs.go)
    if manifest.exists() and "vitest" in manifest.read_text("utf-8"):
        return vitest.observed(root, programs.node)
    return python.observed(root, programs.python)


def map_of(root: Path) -> Snapshot:
    """The map of the files that git tracks."""
    names = subprocess.run(["git", "-C", str(root), "ls-files"], check=True, capture_output=True, text=True).stdout
    chosen = [name for name in names.split("\n") if language_of(name) is not None or is_config_file(name)]
    return build_snapshot({name: (root / name).read_bytes() for name in chosen if (root / name).is_file()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--go", default="go")
    parser.add_argument("--node", default="node")
    parser.add_argument("--shown", type=int, default=0, help="functions with missed tests that are shown")
    parser.add_argument("--write", action="store_true", help=f"write the table of {RESULTS.name}")
    given = parser.parse_args()
    programs = Programs(given.python, given.go, given.node)
    lines = table_head(*COLUMNS)
    print("\n".join(lines))
    for folder in given.folders:
        lines.append(_measure(folder.resolve(), programs, given.shown))
        print(lines[-1], flush=True)
    if given.write:
        old = RESULTS.read_text(encoding="utf-8").split("\n")
        last = max(place for place, line in enumerate(old) if line.startswith("|"))
        kept = merge([line for line in old if line.startswith("|")], lines)
        RESULTS.write_text(page(__doc__, kept) + "\n".join(old[last + 1 :]), encoding="utf-8")


def merge(before: list[str], measured: list[str]) -> list[str]:
    """A table with the rows that were measured in the places of those of the same projects, and new ones last."""
    rows = {line.split("|")[1]: line for line in measured}
    return [*(rows.pop(line.split("|")[1], line) for line in before), *rows.values()]


def functions_in(snapshot: Snapshot) -> Mapping[str, dict[int, int]]:
    """File -> line -> the innermost function there."""
    found: dict[str, dict[int, int]] = {}
    for file in snapshot.files:
        by_line = found.setdefault(file.path, {})
        for row in range(1, file.symbol_count):
            if file.cell(row, Symbol.KIND) not in _NO_FUNCTIONS:
                lines = range(file.cell(row, Symbol.START_LINE), file.cell(row, Symbol.END_LINE) + 1)
                by_line.update(dict.fromkeys(lines, file.base + row))
    return found


def tests_by_function(tests: Observed, functions: Mapping[str, Mapping[int, int]]) -> dict[int, set[str]]:
    """The tests that ran each function, by node; `functions` are by path and line. What tests define is left out."""
    ran: dict[int, set[str]] = {}
    for test, places in tests.items():
        for path, line in places:
            node = functions.get(path, {}).get(line)
            if node is not None and role_of(path) is not Role.TEST:
                ran.setdefault(node, set()).add(test)
    return ran


def _measure(root: Path, programs: Programs, shown: int) -> str:
    tests = observed(root, programs)
    snapshot = map_of(root)
    ran = tests_by_function(tests, functions_in(snapshot))
    words = words_of_tests(root, snapshot, tests)
    owners = group_by_owner(tests)
    hits, said = [0] * (len(TIERS) + 1), [0] * (len(TIERS) + 1)
    pairs = 0
    for node, truth in sorted(ran.items()):
        found: dict[str, int] = {}
        for run in tests_of(snapshot, [node], reach(snapshot, [node])):
            for one in run.tests:
                for test in owners.get(f"{one.file}::{one.selector}" if one.selector else one.file, ()):
                    found[test] = min(one.tier, found.get(test, one.tier))
        pairs += len(truth)
        for tier in range(len(TIERS)):
            chosen = {name for name, own in found.items() if own == tier}
            hits[tier] += len(chosen & truth)
            said[tier] += len(chosen)
        mentioning = {test for test, its in words.items() if snapshot.name_of(node) in its}
        hits[-1] += len(mentioning & truth)
        said[-1] += len(mentioning)
        missed = truth - found.keys()
        if missed and shown > 0:
            shown -= 1
            print(f"missed {len(missed)} of {len(truth)}: {snapshot.id_of(node)}, {min(missed)}")
    recall = [sum(hits[: tier + 1]) / max(pairs, 1) for tier in range(len(TIERS))]
    precision = [hit / count if count else 1.0 for hit, count in zip(hits, said, strict=True)]
    of_all = sum(hits[:-1]) / max(sum(said[:-1]), 1)
    by_name = hits[-1] / max(pairs, 1)
    of_better = sum(hits[:2]) / max(sum(said[:2]), 1)
    shares = [*recall, *precision[:-1], of_all, harmonic(recall[-1], of_all), harmonic(recall[1], of_better)]
    shares += [by_name, precision[-1], harmonic(by_name, precision[-1])]
    return table_row(root.name, len(tests), len(ran), pairs, *(f"{share:.3f}" for share in shares))


def harmonic(one: float, other: float) -> float:
    return 2 * one * other / max(one + other, 1e-9)


def group_by_owner(tests: Iterable[str]) -> Mapping[str, list[str]]:
    """Whatever selects tests -> these: a test itself, its class, its file."""
    found: dict[str, list[str]] = {}
    for test in tests:
        parts = test.split("::")
        for end in range(1, len(parts) + 1):
            found.setdefault("::".join(parts[:end]), []).append(test)
    return found


def words_of_tests(root: Path, snapshot: Snapshot, tests: Observed) -> Mapping[str, set[str]]:
    """Test -> the words of its own code, of its file where it is no definition."""
    found: dict[str, set[str]] = {}
    in_files: dict[str, set[str]] = {}
    for file in snapshot.files:
        lines = (root / file.path).read_text("utf-8", "replace").split("\n")
        in_files[file.path] = set(re.findall(r"\w+", "\n".join(lines)))
        for row in range(1, file.symbol_count):
            place = test_at(snapshot, file.base + row)
            name = f"{file.path}::{place[1]}" if place is not None else ""
            if name in tests:
                own = lines[file.cell(row, Symbol.START_LINE) - 1 : file.cell(row, Symbol.END_LINE)]
                found.setdefault(name, set()).update(re.findall(r"\w+", "\n".join(own)))
    return {test: found[test] if test in found else in_files.get(test.partition("::")[0], set()) for test in tests}


if __name__ == "__main__":
    main()
