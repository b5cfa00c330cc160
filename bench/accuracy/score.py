"""Precision and recall of claimed call edges against an oracle.

A (source, target) pair counts once. Neutral, neither right nor wrong: sites that the oracle does not resolve, and
overrides or ancestors of a true target. A site that the oracle resolves to something that is no definition of the
repository makes a claim there wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from bench.accuracy.edges import Edge, OracleSite

RESOLVED = ("exact", "import", "type", "name")


class Score(msgspec.Struct):
    true: int
    """Pairs that the oracle has."""
    found: Counter[str]
    """True pairs claimed, by confidence."""
    wrong: Counter[str]
    """Wrong pairs claimed, by confidence."""
    listed: int
    """True pairs that are only among the candidates."""
    wrong_pairs: list[tuple[str, str, str]]
    missing_pairs: list[tuple[str, str]]

    @property
    def precision(self) -> float:
        right, wrong = sum(self.found.values()), sum(self.wrong.values())
        return right / (right + wrong) if right + wrong else 1.0

    @property
    def recall(self) -> float:
        return sum(self.found.values()) / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0

    @property
    def silent(self) -> float:
        """Share of the true pairs that are neither resolved nor listed."""
        return (self.true - sum(self.found.values()) - self.listed) / self.true if self.true else 0.0

    def precision_of(self, *confidences: str) -> float:
        right = sum(self.found[c] for c in confidences)
        wrong = sum(self.wrong[c] for c in confidences)
        return right / (right + wrong) if right + wrong else 1.0


def score(oracle: Iterable[OracleSite], edges: Iterable[Edge], related: Mapping[str, frozenset[str]]) -> Score:
    """`related` maps a definition to its overrides and ancestors, itself included."""
    true: set[tuple[str, str]] = set()
    at: dict[tuple[str, int, int], OracleSite] = {}
    for entry in oracle:
        at[entry.site.path, entry.site.line, entry.site.col] = entry
        true |= {(entry.source, target) for target in entry.targets}
    best: dict[tuple[str, str], str] = {}
    rank = {c: n for n, c in enumerate((*RESOLVED, "candidate"))}
    wrong: dict[tuple[str, str], str] = {}
    for edge in edges:
        pair = (edge.source, edge.target)
        if pair in true:
            if pair not in best or rank[edge.confidence] < rank[best[pair]]:
                best[pair] = edge.confidence
        elif edge.confidence in RESOLVED and _is_wrong(edge, at, related):
            wrong.setdefault(pair, edge.confidence)
    found = Counter(c for c in best.values() if c in RESOLVED)
    return Score(
        true=len(true),
        found=found,
        wrong=Counter(wrong.values()),
        listed=sum(1 for c in best.values() if c == "candidate"),
        wrong_pairs=sorted((s, t, c) for (s, t), c in wrong.items()),
        missing_pairs=sorted(pair for pair in true if best.get(pair) not in RESOLVED),
    )


def _is_wrong(edge: Edge, at: Mapping[tuple[str, int, int], OracleSite], related: Mapping[str, frozenset[str]]) -> bool:
    path = edge.source.partition("#")[0]
    for line, col in edge.sites:
        entry = at.get((path, line, col))
        if entry is None or not entry.is_resolved:
            continue
        if any(edge.target in related.get(target, frozenset((target,))) for target in entry.targets):
            continue
        return True
    return False
