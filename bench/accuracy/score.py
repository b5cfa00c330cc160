"""Precision and recall of claims against an oracle.

A (source, target) pair counts once, under the strongest confidence that claims it. Neutral, neither right nor wrong:
sites that the oracle does not know or cannot resolve, and overrides and ancestors of a true target. A claim is wrong
when the oracle resolves one of its sites to something else, in the repository or outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from bench.accuracy.edges import Claim, Oracle, Relation, Use, path_of

RESOLVED = ("verified", "exact", "import", "type", "name")
SURE = ("verified", "exact", "import", "type")
CANDIDATE = "candidate"

Pair = tuple[str, str]


class Score(msgspec.Struct, frozen=True):
    """Pairs, each with the confidence that counts for it."""

    true: frozenset[Pair]
    found: Mapping[Pair, str]
    """True pairs that are claimed as resolved."""
    listed: frozenset[Pair]
    """True pairs that are only among the candidates."""
    wrong: Mapping[Pair, str]

    @property
    def precision(self) -> float:
        return _share(len(self.found), len(self.found) + len(self.wrong))

    @property
    def recall(self) -> float:
        return _share(len(self.found), len(self.true))

    @property
    def f1(self) -> float:
        return f1(len(self.true), len(self.found), len(self.wrong))

    @property
    def silent(self) -> float:
        """Share of the true pairs that are neither resolved nor listed."""
        return 1 - _share(len(self.found) + len(self.listed), len(self.true))

    @property
    def missing(self) -> frozenset[Pair]:
        return self.true - self.found.keys()

    def claimed(self, confidences: Iterable[str]) -> tuple[int, int]:
        """(right, wrong) pairs of some confidences."""
        right, wrong = Counter(self.found.values()), Counter(self.wrong.values())
        named = tuple(confidences)
        return sum(right[c] for c in named), sum(wrong[c] for c in named)

    def by_file(self) -> dict[str, tuple[int, int, int]]:
        """(true, found, wrong) pairs of each file that has any, by the file of their source."""
        counts: dict[str, list[int]] = {}
        for column, pairs in enumerate((self.true, self.found, self.wrong)):
            for source, _ in pairs:
                counts.setdefault(path_of(source), [0, 0, 0])[column] += 1
        return {path: (true, found, wrong) for path, (true, found, wrong) in sorted(counts.items())}


def f1(true: int, found: int, wrong: int) -> float:
    """The harmonic mean of precision and recall; 1 where there is nothing to find and nothing claimed."""
    return _share(2 * found, true + found + wrong)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def score(oracle: Oracle, claims: Iterable[Claim], relation: Relation, related: Mapping[str, frozenset[str]]) -> Score:
    """Claims of one relation against an oracle; `related` as `families` gives it."""
    uses: dict[tuple[str, int, int], list[Use]] = {}
    true: set[Pair] = set()
    for use in oracle.uses:
        if use.relation is relation:
            uses.setdefault((use.path, use.line, use.col), []).append(use)
            true |= {(use.source, target) for target in use.targets}
    order = {confidence: rank for rank, confidence in enumerate((*RESOLVED, CANDIDATE))}
    best: dict[Pair, str] = {}
    wrong: dict[Pair, str] = {}
    for claim in claims:
        if claim.relation is not relation:
            continue
        pair = (claim.source, claim.target)
        if pair in true:
            held = best
        elif claim.confidence != CANDIDATE and _is_wrong(claim, uses, related):
            held = wrong
        else:
            continue
        if pair not in held or order[claim.confidence] < order[held[pair]]:
            held[pair] = claim.confidence
    return Score(
        true=frozenset(true),
        found={pair: confidence for pair, confidence in best.items() if confidence != CANDIDATE},
        listed=frozenset(pair for pair, confidence in best.items() if confidence == CANDIDATE),
        wrong=wrong,
    )


def _is_wrong(
    claim: Claim, uses: Mapping[tuple[str, int, int], list[Use]], related: Mapping[str, frozenset[str]]
) -> bool:
    for line, col in claim.sites:
        here = uses.get((claim.path, line, col), [])
        if not here or not all(use.is_resolved for use in here):
            continue
        meant = [target for use in here for target in use.targets]
        if not any(claim.target in related.get(target, (target,)) for target in meant):
            return True
    return False
