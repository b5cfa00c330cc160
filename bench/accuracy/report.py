"""Scores as the tables that are committed: the same scores give the same text, on any machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import mean

import msgspec

from bench.accuracy.bootstrap import macro_interval
from bench.accuracy.edges import Relation
from bench.accuracy.found_pairs import Found, total
from bench.accuracy.graded import LIKELIHOODS
from bench.accuracy.measure import Measured
from bench.accuracy.observed import Observed
from bench.accuracy.score import SURE, Score

GROUPS = ("Python", "TypeScript", "JavaScript")

_HEAD = """# How right the edges are

`python -m bench.accuracy --write` makes this file: pinned packages, pinned oracles, the edges that `codemap export`
writes. No language server is asked by codemap. A pair (source definition, target definition) counts once; nested
functions are part of the outermost one, a constructor is its class; targets are functions, methods, classes and types
of the package. Neutral: overrides and ancestors of a true target, and sites that the oracle does not resolve. All
else is wrong. *Sure* is `exact`, `import` and `type` together; *silent* are true pairs that are neither resolved nor
among the named candidates; *unique name* is the baseline that takes the only definition of a name for what is meant.
Macro: the mean over packages, with its 95 % bootstrap interval over files.
"""


class Verified(msgspec.Struct, frozen=True):
    """Calls of one package, before and after a language server was asked about every one."""

    name: str
    version: str
    plain: Score
    verified: Score
    sites: int
    moved: int
    """Sites that the server moved to another definition of the package."""


def report(
    measured: Sequence[Measured], observed: Sequence[Observed], oracles: str, verified: Sequence[Verified] = ()
) -> str:
    """The whole text."""
    parts = [_HEAD, f"Oracles: {oracles}\n"]
    for group in GROUPS:
        members = [one for one in measured if one.package.group == group]
        if members:
            parts += [f"## {group}\n", _calls(members), _relations(members)]
    if verified:
        parts += [_verified(verified)]
    if observed:
        parts += [_observed(observed)]
    return "\n".join(parts)


def _calls(members: Sequence[Measured]) -> str:
    head = ("package", "calls", "precision", "recall", "F1", "sure", "`name`", "silent", "unique name: F1")
    rows = [
        (
            f"{one.name} {one.package.version}",
            str(len(one.scores[Relation.CALLS].true)),
            _percent(one.scores[Relation.CALLS].precision),
            _percent(one.scores[Relation.CALLS].recall),
            _percent(one.scores[Relation.CALLS].f1),
            _right(one.scores[Relation.CALLS].claimed(SURE)),
            _right(one.scores[Relation.CALLS].claimed(["name"])),
            _percent(one.scores[Relation.CALLS].silent),
            _percent(one.baseline.f1),
        )
        for one in members
    ]
    scores = [one.scores[Relation.CALLS] for one in members]
    low, high = macro_interval([score.by_file() for score in scores])
    rows.append(
        (
            "**macro**",
            str(sum(len(score.true) for score in scores)),
            _macro(scores, lambda score: score.precision),
            _macro(scores, lambda score: score.recall),
            f"**{_macro(scores, lambda score: score.f1)}** ({_percent(low)}–{_percent(high)})",
            _right(_sum(score.claimed(SURE) for score in scores)),
            _right(_sum(score.claimed(["name"]) for score in scores)),
            _macro(scores, lambda score: score.silent),
            _macro([one.baseline for one in members], lambda score: score.f1),
        )
    )
    return _table(head, rows)


def _relations(members: Sequence[Measured]) -> str:
    kinds = (Relation.REFERENCES, Relation.INHERITS, Relation.IMPORTS)
    head = ("package", *(text for kind in kinds for text in (str(kind), "F1")))
    rows = [
        (f"{one.name} {one.package.version}", *(text for kind in kinds for text in _count(one.scores[kind])))
        for one in members
    ]
    totals = []
    for kind in kinds:
        scores = [one.scores[kind] for one in members if one.scores[kind].true]
        if not scores:
            totals += ["0", "–"]
            continue
        low, high = macro_interval([score.by_file() for score in scores])
        totals += [
            str(sum(len(score.true) for score in scores)),
            f"**{_macro(scores, lambda score: score.f1)}** ({_percent(low)}–{_percent(high)})",
        ]
    return _table(head, [*rows, ("**macro**", *totals)])


def _verified(verified: Sequence[Verified]) -> str:
    head = ("package", "calls", "sites asked", "moved", "precision", "recall", "F1", "without: precision", "recall")
    rows = [
        (
            f"{one.name} {one.version}",
            str(len(one.verified.true)),
            str(one.sites),
            str(one.moved),
            _percent(one.verified.precision),
            _percent(one.verified.recall),
            _percent(one.verified.f1),
            _percent(one.plain.precision),
            _percent(one.plain.recall),
        )
        for one in verified
    ]
    after, before = [one.verified for one in verified], [one.plain for one in verified]
    low, high = macro_interval([score.by_file() for score in after])
    rows.append(
        (
            "**macro**",
            str(sum(len(score.true) for score in after)),
            str(sum(one.sites for one in verified)),
            str(sum(one.moved for one in verified)),
            _macro(after, lambda score: score.precision),
            _macro(after, lambda score: score.recall),
            f"**{_macro(after, lambda score: score.f1)}** ({_percent(low)}–{_percent(high)})",
            _macro(before, lambda score: score.precision),
            _macro(before, lambda score: score.recall),
        )
    )
    text = (
        "## Calls, with a language server\n\n"
        "codemap put every call to ty, as it does in the background and for `map_neighbors` with `verify`; the oracle "
        "is another: basedpyright. Beside it the same map without.\n"
    )
    return text + "\n" + _table(head, rows)


def _observed(observed: Sequence[Observed]) -> str:
    head = ("package", "tests", "calls seen", "resolved", "or high", "or named", "or a candidate")
    parts = ("by name", "high", "a candidate", "by value", "high", "a candidate", "implicit", "a candidate")

    def row(title: str, tests: int, by_name: Found, by_value: Found, implicit: Found) -> tuple[str, ...]:
        calls = total((by_name, by_value))
        known = (calls.resolved, calls.sure, calls.sure + calls.named, calls.covered)
        shares = [_share(part, calls.calls) for part in known]
        for some in (by_name, by_value):
            shares += [str(some.calls), _share(some.sure, some.calls), _share(some.covered, some.calls)]
        shares += [str(implicit.calls), _share(implicit.covered, implicit.calls)]
        return (title, str(tests), str(calls.calls), *shares)

    rows = [row(_observed_name(one), one.tests, one.by_name, one.by_value, one.implicit) for one in observed]
    kinds = [total(getattr(one, kind) for one in observed) for kind in ("by_name", "by_value", "implicit")]
    rows.append(row("**all**", sum(one.tests for one in observed), *kinds))
    text = (
        "## Calls seen while a package's own tests run\n\n"
        "Pairs (caller, callee) inside the package, from a profile hook; the map is that of the whole archive, tests "
        "included. Covered by an edge of any kind to the callee or to what it overrides; or by a candidate: of high "
        "likelihood, one that replies name, or any, as *who calls it* lists them. *By name*: some call in the source "
        "names the callee. *By value*: it calls what holds it, a variable, an attribute, a result. *Implicit*, told "
        "apart: no call in the source means the callee. Operators, properties, iteration and `str(x)` run it, or a "
        "function from outside (`sorted(names, key=f)`), or it is the wrapper that a decorator puts around what is "
        "called. What a test defines is no callee, nor is a lambda in the body of a class or module, and a decorator "
        "in a class is run by the class.\n"
    )
    return text + "\n" + _table((*head, *parts), rows) + "\n" + _graded(observed)


def _graded(observed: Sequence[Observed]) -> str:
    head = ("package", *(f"{likelihood}: right" for likelihood in LIKELIHOODS), "high: each")

    def counts(some: Sequence[Observed]) -> Iterator[str]:
        for likelihood in LIKELIHOODS:
            right, wrong = (sum(getattr(one.graded, which)[likelihood] for one in some) for which in ("right", "wrong"))
            yield _part(right, right + wrong)
        right, wrong = _sum(one.graded.each for one in some)
        yield _part(right, right + wrong)

    rows = [(_observed_name(one), *counts([one])) for one in observed]
    for title, some in (
        ("**fitted**", [one for one in observed if one.is_fitted]),
        ("**others**", [one for one in observed if not one.is_fitted]),
    ):
        if some:
            rows.append((title, *counts(some)))
    text = (
        "Undecided calls that ran, by the likelihood that the map gives them: right where one of the candidates that "
        "are as likely as the first is what ran. *Each*: the highly likely candidates one by one, those that ran from "
        "anywhere; right where this call ran them. What a test's stand-in answered says nothing. The rules were chosen "
        "on the fitted packages, marked *.\n"
    )
    return text + "\n" + _table(head, rows)


def _observed_name(one: Observed) -> str:
    return f"{one.name} {one.version}{' *' if one.is_fitted else ''}"


def _part(part: int, whole: int) -> str:
    """A share, and the counts that it is of."""
    return f"{_percent(part / whole)} ({part} of {whole})" if whole else "–"


def _count(score: Score) -> tuple[str, str]:
    return str(len(score.true)), _percent(score.f1) if score.true or score.wrong else "–"


def _macro(scores: Sequence[Score], figure: Callable[[Score], float]) -> str:
    return _percent(mean(figure(score) for score in scores))


def _sum(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    pairs = list(counts)
    return sum(right for right, _ in pairs), sum(wrong for _, wrong in pairs)


def _right(counts: tuple[int, int]) -> str:
    """Share of the right ones, and how many are not."""
    right, wrong = counts
    return f"{_percent(right / (right + wrong))} ({wrong} wrong of {right + wrong})" if right + wrong else "–"


def _share(part: int, whole: int) -> str:
    return _percent(part / whole) if whole else "–"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
