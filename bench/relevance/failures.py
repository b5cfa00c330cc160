"""Where a bug is, from what failing tests print: `python -m bench.relevance.failures [NAME ...] [--write]`.

In functions of released packages that their tests run, bugs are planted one at a time (a negated condition, another
operator, off by one, another return, a dropped raise or call, swapped arguments, …: `bugs.py`), drawn by seed. At most
20 of the tests that run the function are run, drawn too; what pytest prints of those that fail, as it is, goes to
`map_context` (purpose fix, 2,000 tokens; of a text above 64 kB the end). Counted is how often the reply shows the line
with the bug, and how often it names the function at least. `in the text`: the function is a frame of the text;
`innermost`: the first that a reader of the last trace would look at. A bug that no test notices is drawn again.
"""

from __future__ import annotations

import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.reached_tests.python import observed
from bench.relevance.bugs import draw_bug, functions_in
from bench.relevance.localisation import fact_of, names_in
from bench.relevance.repositories import drive, indexed
from bench.tables import page, table_head, table_row
from codemap.context.frames import files_meant, frames_in
from codemap.envelope.answer import Answer
from codemap.envelope.code_rows import read_code_row
from codemap.envelope.native import render
from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import is_config_file, language_of
from codemap.tools import World
from codemap.tools.arguments import LONG_TEXT_MAX
from codemap.tools.context.tool import Params, answer
from tests.system.corpora import sdist

TARGET = Path(__file__).parent / "FAILURES.md"
TOKENS = 2000
TESTS_MAX = 20
_FAILED = (1, 2)
"""What pytest ends with where tests failed, or could not be imported. With others it ran none."""
_DOCTEST = re.compile(r"::[^\[]*\.")
"""The name of a test that is an example in a docstring, which pytest runs only on request."""
RUN_S, SUITE_S = 120, 600
"""A run that takes longer hangs by the bug: it prints nothing, and another is drawn."""
FORMS: Mapping[str, tuple[str, ...]] = {"all of it": (), "first failure, short": ("-x", "--tb=short")}
COLUMNS = (
    *("package", "bugs", "what is pasted", "line shown", "function named", "share"),
    *("in the text", "innermost"),
)


class Package(msgspec.Struct, frozen=True):
    version: str
    made_on: bool = False
    """Whether rules were read off what was missed here."""


PACKAGES: Mapping[str, Package] = {
    "itsdangerous": Package("2.2.0", made_on=True),
    "tinydb": Package("4.9.0", made_on=True),
    "cachetools": Package("8.0.2", made_on=True),
    "sqlparse": Package("0.6.1", made_on=True),
    "tabulate": Package("0.10.0", made_on=True),
    "jmespath": Package("1.1.0", made_on=True),
    "boltons": Package("26.2.0"),
    "pathspec": Package("1.1.1"),
    "isodate": Package("0.7.2"),
    "h11": Package("0.16.0"),
    "voluptuous": Package("0.16.0"),
    "pycparser": Package("3.12"),
    "idna": Package("3.20"),
    "humanize": Package("4.17.0"),
    "webcolors": Package("25.10.0"),
}


class Trial(msgspec.Struct, frozen=True):
    """A bug, and what is printed of it."""

    kind: str
    place: str
    """`path#qualified name` of the function."""
    line: int
    sources: Mapping[str, bytes]
    texts: Mapping[str, str]
    """Form -> what pytest prints."""


class Outcome(msgspec.Struct, frozen=True):
    form: str
    is_shown: bool
    is_named: bool
    is_in_text: bool
    is_innermost: bool


def trials(root: Path, count: int, seed: int) -> Iterator[Trial]:
    """Bugs in functions of the product, at most one in each, that a test notices."""
    chance = random.Random(seed)
    tests_by_place: dict[tuple[str, int], list[str]] = {}
    failing = _failing(root)
    for test, places in observed(root, sys.executable).items():
        for place in places if test not in failing and not _DOCTEST.search(test) else ():
            tests_by_place.setdefault(place, []).append(test)
    sources = _sources(root)
    drawn = [
        (path, function, tests_by_place[path, line])
        for path, source in sorted(sources.items())
        if path.endswith(".py") and role_of(path) is Role.PRODUCT
        for line, function in functions_in(source)
        if (path, line) in tests_by_place
    ]
    chance.shuffle(drawn)
    found = 0
    for path, function, tests in drawn:
        if found == count:
            return
        chosen = sorted(chance.sample(tests, min(TESTS_MAX, len(tests))), key=tests.index)
        trial = _planted(root, sources, path, function, chosen, chance)
        if trial is not None:
            found += 1
            yield trial


def _sources(root: Path) -> dict[str, bytes]:
    paths = sorted(file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())
    return {path: (root / path).read_bytes() for path in paths if language_of(path) or is_config_file(path)}


def _planted(
    root: Path,
    sources: Mapping[str, bytes],
    path: str,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    tests: Sequence[str],
    chance: random.Random,
) -> Trial | None:
    """The trial of a bug in a function; None where it can have none or no test notices it."""
    bug = draw_bug(sources[path], function, chance)
    if bug is None:
        return None
    (root / path).write_bytes(bug.source)
    try:
        texts = {form: _print_failures(root, tests, words) for form, words in FORMS.items()}
    finally:
        (root / path).write_bytes(sources[path])
    if not all(texts.values()):
        return None
    changed = {**sources, path: bug.source}
    file = indexed({path: bug.source}).by_path[path]
    place = f"{path}#{file.qualified_name(file.innermost_row(bug.line))}"
    return Trial(bug.kind, place, bug.line, changed, texts)


def _print_failures(root: Path, tests: Sequence[str], words: Sequence[str]) -> str:
    """What pytest prints; empty where all tests pass, or do not end."""
    try:
        done = _run(root, words, tests)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode in _FAILED else ""


def _failing(root: Path) -> frozenset[str]:
    """The tests that fail without any bug."""
    words = ("--tb=no", "-q", "-rfE", "--continue-on-collection-errors")
    printed = _run(root, words, (), SUITE_S).stdout.decode()
    return frozenset(re.findall(r"^(?:FAILED|ERROR) ([^\s\[]+)", printed, re.MULTILINE))


def _run(
    root: Path, words: Sequence[str], tests: Sequence[str], most_s: float = RUN_S
) -> subprocess.CompletedProcess[bytes]:
    """Runs some tests, or all; what is printed is as wide as where there is no terminal. Raises TimeoutExpired."""
    paths = [str(root / name) for name in ("src", ".") if (root / name).is_dir()]
    variables = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "80"}
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts=", *words, *tests)
    return subprocess.run(
        command, cwd=root, env={**os.environ, **variables}, capture_output=True, check=False, timeout=most_s
    )


def outcomes(trial: Trial) -> Iterator[Outcome]:
    """How each form of the text fares."""
    snapshot = indexed(trial.sources)
    for form, text in trial.texts.items():
        data = _ask(snapshot, trial, text)
        frames = _frames(snapshot, text)
        is_shown = any(covers(data.get(member, {}), trial) for member in ("code", "bodies"))
        is_named = is_shown or trial.place in names_in(data)
        yield Outcome(form, is_shown, is_named, trial.place in frames, frames[:1] == [trial.place])


def _ask(snapshot: Snapshot, trial: Trial, text: str) -> Mapping[str, Any]:
    asked = Params(task=text[-LONG_TEXT_MAX:], purpose="fix", token_budget=TOKENS)
    made = drive(answer(World(snapshot=snapshot), asked), lambda question: fact_of(question, trial.sources))
    assert isinstance(made, Answer)
    data: Mapping[str, Any] = msgspec.json.decode(render(made, TOKENS).text)["data"]
    return data


def covers(code: Mapping[str, Sequence[str]], trial: Trial) -> bool:
    """Whether the line of the bug is in an excerpt of its file."""
    path = trial.place.partition("#")[0]
    for node_id, texts in code.items():
        for text in texts if node_id.partition("#")[0] == path else ():
            first, last = read_code_row(text).lines
            if first <= trial.line <= last:
                return True
    return False


def _frames(snapshot: Snapshot, text: str) -> list[str]:
    """The definitions of the product that the frames of a text lie in, the innermost first."""
    frames = frames_in(text)
    meant = files_meant(frames, [file.path for file in snapshot.files])
    found = []
    for frame in frames:
        path = meant.get(frame.path, "")
        if frame.line and path and role_of(path) is Role.PRODUCT:
            file = snapshot.by_path[path]
            found.append(f"{path}#{file.qualified_name(file.innermost_row(frame.line))}")
    return found


def measured(name: str, count: int, seed: int, is_told: bool) -> list[Outcome]:
    """The outcomes of a package; the trials that it loses go to stderr where they are asked for."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        root = sdist(name, PACKAGES[name].version, Path(folder)).resolve()
        for trial in trials(root, count, seed):
            for outcome in outcomes(trial):
                found.append(outcome)
                if is_told and not outcome.is_named:
                    sys.stderr.write(f"missed: {trial.place}:{trial.line} ({trial.kind}), {outcome.form}\n")
    return found


def rows(name: str, found: Sequence[Outcome]) -> Iterator[str]:
    for form in FORMS:
        some = [one for one in found if one.form == form]
        count = Counter(
            {
                "shown": sum(one.is_shown for one in some),
                "named": sum(one.is_named for one in some),
                "text": sum(one.is_in_text for one in some),
                "innermost": sum(one.is_innermost for one in some),
            }
        )
        share = f"{count['named'] / max(1, len(some)):.2f}"
        yield table_row(
            *(name, len(some), form, count["shown"], count["named"], share, count["text"], count["innermost"])
        )


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.relevance.failures")
    parser.add_argument("names", nargs="*", choices=[*PACKAGES, []], metavar="NAME", help="by default all")
    parser.add_argument("--bugs", type=int, default=12, help="of each package; default 12")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true", help="list the bugs that are not found")
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.name}")
    given = parser.parse_args()
    lines = table_head(*COLUMNS)
    print("\n".join(lines))
    every: dict[bool, list[Outcome]] = {False: [], True: []}
    for name in given.names or PACKAGES:
        package = PACKAGES[name]
        found = measured(name, given.bugs, given.seed, given.misses)
        every[package.made_on] += found
        lines += rows(f"{name} {package.version}{' (rules were made on it)' if package.made_on else ''}", found)
        print("\n".join(lines[-len(FORMS) :]), flush=True)
    for made_on, title in ((False, "all others"), (True, "all that rules were made on")):
        if every[made_on]:
            lines += rows(title, every[made_on])
            print("\n".join(lines[-len(FORMS) :]))
    if given.write:
        TARGET.write_text(page(__doc__, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
