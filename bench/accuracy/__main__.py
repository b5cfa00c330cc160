"""The runner: `python -m bench.accuracy [NAME ...] [--codemap COMMAND] [--errors N] [--verified] [--write]`.

Progress goes to stderr, the report to stdout, and with `--write` to `bench/accuracy/RESULTS.md` too. `--codemap` is the
command that exports: another build, or anything that writes the same lists.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from bench.accuracy.corpora import FOLDER, packages
from bench.accuracy.edges import Relation
from bench.accuracy.measure import Measured, measure
from bench.accuracy.observed import observe, suites
from bench.accuracy.oracles import TY, TYPESCRIPT
from bench.accuracy.report import report
from bench.accuracy.verified import verified

RESULTS = FOLDER / "RESULTS.md"
ORACLES = (
    f"ty {TY} (go to definition, all platforms) over the sites that Python's own parser finds; the compiler API of "
    f"TypeScript {TYPESCRIPT}. There is no second resolver beside them: a site that one of them gets wrong "
    "counts as it says."
)


def main() -> None:
    known, suite = packages(), suites()
    parser = ArgumentParser("python -m bench.accuracy", description="Scores codemap's edges against oracles.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"by default all of {', '.join([*known, *suite])}")
    parser.add_argument(
        "--codemap", default=f"{shlex.quote(sys.executable)} -m actors.command_line.main", help="what exports"
    )
    parser.add_argument(
        "--errors", type=int, default=0, metavar="N", help="tell so many wrong and missing calls a package"
    )
    parser.add_argument(
        "--verified", action="store_true", help="score Python calls after a language server was asked, too: minutes"
    )
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    names = given.names or [*known, *suite]
    if unknown := set(names) - {*known, *suite}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    codemap = shlex.split(given.codemap)
    measured = []
    for name in [name for name in known if name in names]:
        sys.stderr.write(f"accuracy: {name}\n")
        measured.append(measure(name, known[name], codemap))
        _tell_errors(measured[-1], given.errors)
    observed = []
    for name in [name for name in suite if name in names]:
        sys.stderr.write(f"accuracy: tests of {name}\n")
        observed.append(observe(name, suite[name], codemap))
        _tell_pairs("not covered", observed[-1].missing, given.errors)
    asked = []
    for one in measured if given.verified else ():
        if one.package.group == "Python":
            sys.stderr.write(f"accuracy: {one.name}, verified\n")
            asked.append(verified(one.name, one.package))
    text = report(measured, observed, ORACLES, asked)
    print(text, end="")
    if given.write:
        RESULTS.write_text(text, encoding="utf-8")


def _tell_errors(measured: Measured, count: int) -> None:
    score = measured.scores[Relation.CALLS]
    _tell_pairs(
        "wrong",
        [(f"{source} ({score.wrong[source, target]})", target) for source, target in sorted(score.wrong)],
        count,
    )
    _tell_pairs("missing", sorted(score.missing), count)


def _tell_pairs(what: str, pairs: Sequence[tuple[str, str]], count: int) -> None:
    for source, target in pairs[:count]:
        sys.stderr.write(f"  {what}: {source} -> {target}\n")


if __name__ == "__main__":
    main()
