"""The runner: `python -m bench.accuracy.languages [NAME ...] [--errors N] [--write]`.

Progress goes to stderr, the tables to stdout; `--write` puts the sections of the languages that were measured into
`bench/accuracy/languages/RESULTS.md`, for which all repositories of a language are measured.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence

import msgspec

from bench.accuracy.claims import claims
from bench.accuracy.edges import Claim, Oracle, Relation, path_of
from bench.accuracy.families import families
from bench.accuracy.languages.bytecode import without_left_out
from bench.accuracy.languages.macro_functions import (
    at_their_sites,
    named_by_arguments,
    without_keywords,
    without_open,
)
from bench.accuracy.languages.oracles import oracle_of
from bench.accuracy.languages.report import Measured, merged, section
from bench.accuracy.languages.repositories import FOLDER, Place, Repository, fetch, repositories
from bench.accuracy.measure import exported
from bench.accuracy.score import RESOLVED, score

RUNNING = ("TracePoint",)
"""Oracles that say what ran, not what is stated."""
COMPILING = ("mcs",)
"""Those that may say the method that is overridden."""
EXPANDING = ("clangd",)
"""Those that have what macros make where the macro stands, and do not read what is included and no header (`.inl`)."""
BUILDING = ("gopls",)
"""Those that read the files of one build: nothing is said of what others have."""
_Told = tuple[str, tuple[str, str]]
RESULTS = FOLDER / "RESULTS.md"
CODEMAP = (sys.executable, "-m", "actors.command_line.main")


def main() -> None:
    known = repositories()
    parser = ArgumentParser("python -m bench.accuracy.languages", description="Scores edges against oracles.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"by default all of {', '.join(known)}")
    parser.add_argument(
        "--errors", type=int, default=0, metavar="N", help="tell so many wrong and silent calls of each"
    )
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    if unknown := set(given.names) - known.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    asked = {name: known[name] for name in given.names or known}
    if given.write:
        languages = {each.language for each in asked.values()}
        asked = {name: each for name, each in known.items() if each.language in languages}
    measured = []
    for name, repository in asked.items():
        sys.stderr.write(f"accuracy: {name}\n")
        place = fetch(name, repository)
        measured.append(_measured(name, repository, place))
        _tell(measured[-1], place, given.errors)
    sections = [
        section(language, [one for one in measured if one.repository.language == language])
        for language in sorted({one.repository.language for one in measured})
    ]
    print("\n".join(sections), end="")
    if given.write:
        RESULTS.write_text(merged(RESULTS.read_text("utf-8") if RESULTS.exists() else "", sections), "utf-8")


def _measured(name: str, repository: Repository, place: Place) -> Measured:
    oracle = oracle_of(name, repository, place)
    found = exported(place.root, CODEMAP)
    if repository.oracle in EXPANDING:
        oracle = named_by_arguments(without_keywords(oracle), found)
    if repository.oracle in COMPILING:
        found = without_left_out(found, oracle)
    claimed = list(claims(found, oracle))
    if repository.oracle in (*EXPANDING, *BUILDING):
        read = {path_of(definition.place) for definition in oracle.definitions}
        claimed = [claim for claim in claimed if claim.target in read or path_of(claim.target) in read]
    if repository.oracle in EXPANDING:
        oracle = without_open(oracle, claimed)
        claimed = list(at_their_sites(claimed, oracle))
    related = families(oracle)
    if repository.oracle in RUNNING:
        related |= _constructors(oracle)
    if repository.oracle in (*RUNNING, *COMPILING):
        claimed += _covered(oracle, claimed, related)
    return Measured(name, repository, {relation: score(oracle, claimed, relation, related) for relation in Relation})


def _constructors(oracle: Oracle) -> dict[str, frozenset[str]]:
    """Class -> itself, what it has constructors of, and what has its: each may be made where another one is named."""
    found: dict[str, set[str]] = {}
    for use in oracle.uses:
        if use.relation is Relation.INHERITS:
            for above in use.targets:
                found.setdefault(use.source, {use.source}).add(above)
                found.setdefault(above, {above}).add(use.source)
    return {cls: frozenset(classes) for cls, classes in found.items()}


def _covered(oracle: Oracle, claimed: Sequence[Claim], related: Mapping[str, frozenset[str]]) -> list[Claim]:
    """What ran in the place of what is stated, an override or a constructor of a class below, is covered."""
    true = {(use.source, target) for use in oracle.uses if use.relation is Relation.CALLS for target in use.targets}
    return [
        msgspec.structs.replace(claim, target=target)
        for claim in claimed
        if claim.relation is Relation.CALLS
        for target in related.get(claim.target, ())
        if (claim.source, target) in true
    ]


def _tell(one: Measured, place: Place, count: int) -> None:
    """Wrong calls that are resolved, and true ones that are neither resolved nor listed, each with where they stand."""
    calls = one.scores[Relation.CALLS]
    wrong = [(calls.wrong[pair], pair) for pair in sorted(calls.wrong) if calls.wrong[pair] in RESOLVED]
    silent = [("silent", pair) for pair in sorted(calls.true - calls.found.keys() - calls.listed)]
    for what, (source, target) in _spread(wrong, count) + _spread(silent, count):
        sys.stderr.write(f"  {what}: {_shown(place, source)} -> {_shown(place, target)}\n")


def _spread(found: list[_Told], count: int) -> list[_Told]:
    """So many of them, from everywhere."""
    return found[:: max(1, len(found) // count)][:count] if count else []


def _shown(place: Place, key: str) -> str:
    path, _, rest = key.partition(":")
    if not rest:
        return key
    lines = (place.root / path).read_text("utf-8", errors="replace").splitlines()
    return f"{key} `{lines[int(rest.partition(':')[0]) - 1].strip()[:90]}`"


if __name__ == "__main__":
    main()
