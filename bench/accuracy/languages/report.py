"""Scores as the tables that are committed, a section a language."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from bench.accuracy.edges import Relation
from bench.accuracy.languages.repositories import Repository
from bench.accuracy.score import SURE, Score
from codemap.languages import by_name

HEAD = """# How right the edges of the other languages are

`python -m bench.accuracy.languages --write` makes the sections of the languages that it measures. Repositories are
pinned packages of Debian and npm; on those with a † rules were made since. A pair (source definition, target
definition) counts once; functions inside functions are part of the outermost one, a constructor is its class. Neutral:
overrides and ancestors of a true target, and sites that the oracle does not resolve. All else is wrong. *Sure* is
`exact`, `import` and `type` together; *silent* are true pairs that are neither resolved nor among the named candidates.

Go, Java and PHP: a language server's go to definition at each call; what only other builds have (`//go:build`) is
neither right nor wrong. C and C++: the same, at the place of each call, as a server has what is in a block of a macro
under the macro; where a template leaves an overload open, any that the server names is right; it names the template
where a specialization runs, which counts as wrong (most of geographiclib); in C what `#if` leaves out counts as wrong
(`isnan` of jansson). Rust: the links of rustdoc's source pages, which
are the compiler's; it names a trait's method where an implementation runs, and the two count as one;
what is there for other targets only (`#[cfg]`) counts as wrong: all eight of aho-corasick. Ruby: the calls
that a driver's run makes, where the line names them; a claim covers what overrides its target (of 3.7 % silent in
parslet, 3.1 are among all candidates of a use, of which the first five are named). C#: the calls in the
instructions that a compiler made, where the lines they came from name them; a claim covers what overrides its target,
and what the compiler left out (`#if`) is neither right nor wrong. Kotlin: what a plug-in of its compiler finds in the
tree that the compiler resolved, at the names that are called; operators and properties are neither right nor wrong.

First figures of those with a † that were measured before a rule was made on them (sure precision, recall, with
candidates): dbus-sharp 100.0, 94.7, 98.8; hyena 100.0, 98.4, 99.7; keepass 100.0, 98.6, 99.8;
parslet 100.0, 52.9, 93.3; addressable 97.4, 95.4, 97.5; jsonnet 99.1, 70.3,
86.6; guzzle 100.0, 98.7, 99.6; kotlin-container 100.0, 98.3, 98.3; textwrap 100.0, 97.1, 97.1.
"""


class Measured(msgspec.Struct, frozen=True):
    name: str
    repository: Repository
    scores: dict[Relation, Score]


def section(language: str, measured: Sequence[Measured]) -> str:
    """One language's table, under its heading."""
    head = ("repository", "oracle", "calls", "sure: precision", "recall", "with candidates", "silent", "bases", "F1")
    lines = [head, ["---", "---", *["--:"] * (len(head) - 2)], *map(_row, measured)]
    return f"## {by_name()[language].title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def merged(page: str, sections: Sequence[str]) -> str:
    """The page with these sections in the place of those of their headings; the others stay."""
    found = {each.partition("\n")[0]: each for each in re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]}
    found |= {each.partition("\n")[0]: each for each in sections}
    return "\n".join([HEAD, *(found[heading].strip("\n") + "\n" for heading in sorted(found))])


def _row(one: Measured) -> Sequence[str]:
    calls, bases = one.scores[Relation.CALLS], one.scores[Relation.INHERITS]
    right, wrong = calls.claimed(SURE)
    return (
        f"{one.name} {one.repository.version}{' †' * one.repository.is_studied}",
        one.repository.oracle,
        f"{len(calls.true):,}",
        f"{_percent(right / (right + wrong) if right + wrong else 1.0)} ({wrong} wrong of {right + wrong:,})",
        _percent(calls.recall),
        _percent(1 - calls.silent),
        _percent(calls.silent),
        *((f"{len(bases.true):,}", _percent(bases.f1)) if _has_bases(one) else ("–", "–")),
    )


def _has_bases(one: Measured) -> bool:
    """Whether its oracle says what is stated, not all that a class had when a program ended."""
    return one.repository.oracle not in ("TracePoint", "mcs") and bool(one.scores[Relation.INHERITS].true)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
