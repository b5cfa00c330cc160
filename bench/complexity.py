"""Cyclomatic complexity beside lizard: function by function, each difference explained by the grammar or not.

    python -m bench.complexity [LANGUAGE ...] [--root LANGUAGE=DIR ...] [--write]

A language is measured on its corpus (`complexity.toml`, `corpora.toml`), or on a folder that is named; lizard comes
from its registry, at a pinned version, into `.cache/lizard`. Functions are paired by file and line. A difference counts
as explained where the function ends at the same line for both and what the classes of `complexity.toml` find in it is
the difference, to the number; where lizard lets a function end elsewhere than its braces do, it counts other code.
The program ends with 1 where less than 98 of 100 are equal or explained. `--write` makes `bench/COMPLEXITY.md`.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tomllib
import venv
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from tree_sitter import Node, Query, QueryCursor
from tree_sitter_language_pack import get_language

from bench.corpora import PROJECT, CorpusError, corpora, fetch
from bench.tables import table_head, table_row
from codemap.extract.complexity import measure, pattern_of
from codemap.extract.extract import parsed
from codemap.extract.skipped_files import normalize, skip_reason
from codemap.languages import by_name, language_of
from codemap.measures import FunctionMeasures
from codemap.occurrences.words import without_bom

LIZARD = "1.24.3"
EQUAL_MIN = 0.98
FILE_MAX_BYTES = 1 << 20
PAGE = PROJECT / "bench" / "COMPLEXITY.md"
_ELSEWHERE = "lizard lets the function end elsewhere than the grammar does"
_UNEXPLAINED = "not explained"


class Class(msgspec.Struct, frozen=True):
    name: str
    pattern: str
    delta: int
    in_body: bool = False
    """Whether only what is found in the body counts: lizard begins to count there."""
    within: tuple[str, ...] = ()
    """Kinds of nodes that what is found must be in, the innermost first, without a block between them."""


class Plan(msgspec.Struct, frozen=True):
    corpus: str
    classes: tuple[Class, ...]


class Theirs(msgspec.Struct, frozen=True):
    """A function as lizard sees it."""

    first: int
    last: int
    cyclomatic: int
    name: str


class Outcome(msgspec.Struct, frozen=True):
    language: str
    title: str
    files: int
    pairs: int
    equal: int
    why: dict[str, int]
    """Class -> functions that differ by it, or by it and others."""
    explained: int
    ours_alone: int
    theirs_alone: int
    examples: tuple[str, ...]


def main(words: Sequence[str]) -> int:
    """The exit code."""
    parser = ArgumentParser(prog="python -m bench.complexity", description=__doc__)
    parser.add_argument("languages", nargs="*")
    parser.add_argument("--root", action="append", default=[], metavar="LANGUAGE=DIR")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(words)
    plans = msgspec.convert(tomllib.loads((PROJECT / "bench" / "complexity.toml").read_text()), dict[str, Plan])
    roots: dict[str, list[Path]] = defaultdict(list)
    for language, _, folder in (one.partition("=") for one in given.root):
        roots[language].append(Path(folder))
    if unknown := {*given.languages, *roots} - plans.keys():
        parser.error(f"complexity.toml has no {', '.join(sorted(unknown))}")
    python = _lizard()
    found: list[Outcome] = []
    for language in given.languages or roots or plans:
        try:
            places = [(root, root.resolve().name) for root in roots[language]] or [_corpus(plans[language])]
        except CorpusError as error:
            sys.stderr.write(f"{language}: {error}\n")
            continue
        for root, title in places:
            found.append(compare(python, language, title, root, plans[language].classes))
            one = found[-1]
            sys.stdout.write(f"{_row(one)}\n" + "".join(f"    {example}\n" for example in one.examples))
    if given.write:
        PAGE.write_text(page(found))
    return int(any(one.equal + one.explained < EQUAL_MIN * one.pairs for one in found))


def _corpus(plan: Plan) -> tuple[Path, str]:
    """Its folder and its name."""
    corpus = corpora()[plan.corpus]
    return fetch(corpus), corpus.title


def _lizard() -> str:
    """The Python that has it."""
    folder = PROJECT / ".cache" / "lizard"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"lizard=={LIZARD}"], check=True)
    return str(python)


def compare(python: str, language: str, title: str, root: Path, classes: Sequence[Class]) -> Outcome:
    """What both say of the functions of a language under a folder."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and _is_of(path, language)]
    theirs = _theirs(python, files)
    equal = pairs = ours_alone = theirs_alone = explained = 0
    why: Counter[str] = Counter()
    examples: list[str] = []
    for path in files:
        source = normalize(path.read_bytes())
        if skip_reason(path.name, source[:4096], len(source), max_bytes=FILE_MAX_BYTES) is not None:
            continue
        paired, alone, left = pair(measure(path.name, source).functions, theirs.get(str(path), ()))
        pairs, ours_alone, theirs_alone = pairs + len(paired), ours_alone + alone, theirs_alone + left
        differing = [one for one in paired if one[0].cyclomatic != one[1].cyclomatic]
        equal += len(paired) - len(differing)
        counted = _counted(path.name, source, classes) if differing else []
        for ours, its in differing:
            reasons = reasons_of(ours, its, counted)
            explained += reasons != [_UNEXPLAINED]
            why.update(reasons)
            if reasons == [_UNEXPLAINED]:
                examples.append(f"{path}:{ours.line} {its.name}: {ours.cyclomatic}, lizard {its.cyclomatic}")
    return Outcome(
        language, title, len(files), pairs, equal, dict(why), explained, ours_alone, theirs_alone, tuple(examples[:10])
    )


def _is_of(path: Path, language: str) -> bool:
    found = language_of(path.name)
    return found is not None and found.name == language


def _theirs(python: str, files: Iterable[Path]) -> dict[str, list[Theirs]]:
    """By file. One file a run where it fails over several: it ends with the first that it cannot read."""
    found: dict[str, list[Theirs]] = defaultdict(list)
    pending = [[str(path) for path in files]]
    while pending:
        names = pending.pop()
        command = [python, "-m", "lizard", "--csv", "--input_file", "/dev/stdin"]
        done = subprocess.run(command, input="\n".join(names), capture_output=True, text=True, check=False)
        if "No module named" in done.stderr:
            raise RuntimeError(f"{python} has no lizard: remove .cache/lizard")
        if "Traceback" in done.stderr:
            half = len(names) // 2
            pending += [names[:half], names[half:]] if half else []
            continue
        for row in csv.reader(done.stdout.splitlines()):
            found[row[6]].append(Theirs(int(row[9]), int(row[10]), int(row[1]), row[7]))
    return found


def pair(
    ours: Iterable[FunctionMeasures], theirs: Iterable[Theirs]
) -> tuple[list[tuple[FunctionMeasures, Theirs]], int, int]:
    """Functions that begin at the same place, those that only one of them sees counted; the smallest first."""
    left, paired, alone = list(theirs), [], 0
    for one in sorted(ours, key=lambda each: each.end_line - each.line):
        near = [its for its in left if one.line <= its.first <= max(one.body_line, one.line)]
        if not near:
            alone += 1
            continue
        best = min(near, key=lambda its: (abs(its.last - one.end_line), abs(its.first - one.line)))
        left.remove(best)
        paired.append((one, best))
    return paired, alone, len(left)


Place = tuple[int, int]
"""Line and column, 1-based; columns in bytes."""


def _counted(path: str, source: bytes, classes: Sequence[Class]) -> list[tuple[Class, list[Place]]]:
    """The places where each class finds something."""
    bare = without_bom(source)
    spoken = language_of(path)
    assert spoken is not None, "the files of a language"
    root = parsed(path, bare).root_node
    language = get_language(spoken.grammar(path))  # type: ignore[arg-type]
    found = []
    for one in classes:
        nodes = QueryCursor(Query(language, pattern_of(one.pattern))).captures(root).get("counted", [])
        found.append((one, [_place(node) for node in nodes if _is_within(node, one.within)]))
    return found


def _place(node: Node) -> Place:
    return node.start_point.row + 1, node.start_point.column + 1


def _is_within(node: Node, kinds: Sequence[str]) -> bool:
    pending = list(kinds)
    at = node.parent
    while pending and at is not None and "block" not in at.type:
        if at.type == pending[0]:
            del pending[0]
        at = at.parent
    return not pending


def reasons_of(ours: FunctionMeasures, its: Theirs, counted: Sequence[tuple[Class, list[Place]]]) -> list[str]:
    """The classes whose finds in the function are the difference together."""
    if its.last != ours.end_line:
        return [_ELSEWHERE]
    inside = [(one, sum(_is_inside(place, ours, one) for place in places)) for one, places in counted]
    there = [(one, count) for one, count in inside if count]
    if sum(one.delta * count for one, count in there) == ours.cyclomatic - its.cyclomatic:
        return [one.name for one, _ in there]
    return [_UNEXPLAINED]


def _is_inside(place: Place, ours: FunctionMeasures, one: Class) -> bool:
    begin = (ours.body_line, ours.body_col) if one.in_body else (ours.line, 1)
    return begin <= place and place[0] <= ours.end_line


def _row(one: Outcome) -> str:
    equal, whole = one.equal / max(one.pairs, 1), (one.equal + one.explained) / max(one.pairs, 1)
    cells = (by_name()[one.language].title, one.title, one.files, one.pairs, f"{equal:.2%}", f"{whole:.2%}")
    return table_row(*cells, one.ours_alone, one.theirs_alone)


def page(found: Sequence[Outcome]) -> str:
    """The table, in Markdown."""
    columns = ("language", "code base", "files", "functions", "equal", "equal or explained", "ours alone")
    lines = [
        "# Cyclomatic complexity beside lizard",
        "",
        f"Functions that both see, by file and line; lizard {LIZARD}. *Explained*: the difference is what the classes",
        "below find in the function, to the number, or lizard lets the function end elsewhere. *Alone*: functions that",
        "only one sees: callbacks, macros that look like functions. `python -m bench.complexity --write` makes it.",
        "The classes of Rust, Ruby, TypeScript, JavaScript and C# were written with these code bases in view.",
        "",
        *table_head(*columns, "lizard's alone"),
        *(_row(one) for one in found),
        "",
        "## Why functions differ",
        "",
        *table_head("language", "functions", "why"),
    ]
    for language in dict.fromkeys(one.language for one in found):
        why = sum((Counter(one.why) for one in found if one.language == language), Counter[str]())
        for name, count in why.most_common():
            lines.append(table_row(by_name()[language].title, count, name.replace("|", chr(92) + "|")))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
