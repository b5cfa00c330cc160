"""Results as tables: all questions, by kind, one by one, and the second bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

from bench.value.judge import Verdict
from bench.value.questions import Question

PEERS = ("codegraph, its tool", "codegraph, by command")
STRATEGIES = ("grep", "grep, production code", *PEERS, "codemap")
TOKENS_BAR, CALLS_BAR, RIGHT_BAR, ITEM_BAR = 0.5, 1.5, 0.95, 0.6


class Got(msgspec.Struct, frozen=True):
    """One question by one strategy."""

    tokens: int
    calls: int
    verdict: Verdict


class Scored(msgspec.Struct, frozen=True):
    question: Question
    by: dict[str, Got]
    """By strategy."""


class PerItem(msgspec.Struct, frozen=True):
    """The default answer beside the lines with the word."""

    question: Question
    tokens: int
    right: int
    word_tokens: int
    word_right: int


def report(scored: Sequence[Scored], items: Sequence[PerItem]) -> str:
    return "\n".join([*_totals(scored), "", *_kinds(scored), "", *_items(items), "", *_questions(scored), ""])


def short(scored: Sequence[Scored], items: Sequence[PerItem]) -> str:
    """The bars, each with what was measured."""
    grep, ours = _sum(scored, "grep"), _sum(scored, "codemap")
    ratio = ours[0] / grep[0]
    calls, right = ours[1] / len(scored), ours[2] / len(scored)
    item = _ratio(items)
    return (
        f"tokens against grep {ratio:.2f} (bar {TOKENS_BAR}), calls a question {calls:.2f} (bar {CALLS_BAR}), "
        f"right {right:.0%} (bar {RIGHT_BAR:.0%}), tokens a right item against rg -n -w {item:.2f} (bar {ITEM_BAR})"
    )


def _sum(scored: Iterable[Scored], strategy: str) -> tuple[int, int, int]:
    """Tokens, calls, questions answered right."""
    got = [one.by[strategy] for one in scored]
    return sum(g.tokens for g in got), sum(g.calls for g in got), sum(g.verdict.is_right for g in got)


def _totals(scored: Sequence[Scored]) -> list[str]:
    lines = ["## All questions", "", "| | right | tokens a question | calls a question | tokens, codemap against it |"]
    lines.append("|---|---|---|---|---|")
    ours = _sum(scored, "codemap")[0]
    for strategy in STRATEGIES:
        tokens, calls, right = _sum(scored, strategy)
        count = len(scored)
        against = "" if strategy == "codemap" else f"{ours / tokens:.2f} ×"
        lines.append(f"| {strategy} | {right} of {count} | {tokens / count:,.0f} | {calls / count:.2f} | {against} |")
    rows = sum(one.by["codemap"].verdict.rows for one in scored)
    wrong = sum(len(one.by["codemap"].verdict.wrong) for one in scored)
    lines += ["", f"Of {rows} rows that codemap gave where the whole answer is known, {wrong} are no part of it."]
    return lines


def _kinds(scored: Sequence[Scored]) -> list[str]:
    lines = ["## By kind", ""]
    lines.append(
        "| kind | questions | right: grep, codegraph's tool, its commands, codemap "
        "| tokens: grep, production code only, codegraph's tool, its commands, codemap | calls: grep, codemap |"
    )
    lines.append("|---|---|---|---|---|")
    for kind in dict.fromkeys(one.question.kind for one in scored):
        of = [one for one in scored if one.question.kind == kind]
        sums = {strategy: _sum(of, strategy) for strategy in STRATEGIES}
        right = ", ".join(str(sums[strategy][2]) for strategy in ("grep", *PEERS, "codemap"))
        tokens = ", ".join(f"{one[0] / len(of):,.0f}" for one in sums.values())
        calls = f"{sums['grep'][1] / len(of):.1f}, {sums['codemap'][1] / len(of):.1f}"
        lines.append(f"| {kind} | {len(of)} | {right} | {tokens} | {calls} |")
    return lines


def _ratio(items: Sequence[PerItem]) -> float:
    ours = sum(one.tokens for one in items) / max(1, sum(one.right for one in items))
    return ours / (sum(one.word_tokens for one in items) / max(1, sum(one.word_right for one in items)))


def _items(items: Sequence[PerItem]) -> list[str]:
    lines = ["## Tokens a right item: who calls, imports, extends", ""]
    lines.append(
        "The first reply of that call beside every line that `rg -n -w` prints for the name in files of the language."
    )
    lines += ["", "| question | items | tokens: rg, codemap | right items: rg, codemap | a right item, against rg |"]
    lines.append("|---|---|---|---|---|")
    for one in items:
        name = f"{one.question.repository}: {one.question.kind} of {one.question.word}"
        right, tokens = f"{one.word_right}, {one.right}", f"{one.word_tokens:,}, {one.tokens:,}"
        lines.append(f"| {name} | {len(one.question.items)} | {tokens} | {right} | {_ratio([one]):.2f} × |")
    lines.append(f"| all | {sum(len(one.question.items) for one in items)} | | | {_ratio(items):.2f} × |")
    lines.append(f"| the median question | | | | {median(_ratio([one]) for one in items):.2f} × |")
    return lines


def _questions(scored: Sequence[Scored]) -> list[str]:
    lines = [
        "## One by one",
        "",
        "| question | grep: right, tokens, commands | codemap: right, tokens, calls | wrong rows |",
    ]
    lines.append("|---|---|---|---|")
    for one in scored:
        grep, ours = one.by["grep"], one.by["codemap"]
        cells = [f"{_mark(got.verdict)} {got.tokens:,}, {got.calls}" for got in (grep, ours)]
        wrong = f"{len(ours.verdict.wrong)} of {ours.verdict.rows}" if ours.verdict.rows else ""
        lines.append(f"| {one.question.repository}: {one.question.asks} | {cells[0]} | {cells[1]} | {wrong} |")
    return lines


def _mark(verdict: Verdict) -> str:
    return "yes," if verdict.is_right else f"no ({len(verdict.missing)} missing),"
