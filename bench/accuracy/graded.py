"""How right the likelihood of undecided uses is: each against what its sites really called while a suite ran.

A use counts where one of its sites ran, and called something in the package or outside; it is right where one of the
candidates that are as likely as the first is what ran there, an override of that or what that overrides. Where only a
stand-in of the tests ran, nothing is known; and where only what the map says for sure beside it, nothing is said. A
call that the map has under several names (`getattr(self, f"visit_{kind}")`) is one use.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from bench.accuracy.edges import Claim, Relation
from bench.accuracy.lines import Lines
from bench.accuracy.score import CANDIDATE

LIKELIHOODS = ("high", "medium", "low")
OUTSIDE, STAND_IN = "", "-"
"""In place of the file of a callee."""

Place = tuple[str, int, int]
"""Path, line and column of a called name."""
Range = tuple[int, int, int, int]
"""First and last line, first and last column, in bytes."""


class Graded(msgspec.Struct, frozen=True):
    right: Mapping[str, int]
    """Likelihood -> uses."""
    wrong: Mapping[str, int]
    each: tuple[int, int] = (0, 0)
    """Of the highly likely candidates that ran anywhere, how many the use ran, and how many not."""


def graded(
    claimed: Iterable[Claim], related: Mapping[str, frozenset[str]], callees: Mapping[Place, frozenset[str]]
) -> Graded:
    """Counts uses by likelihood; `related` are the keys that one stands for, `callees` what ran at a site."""
    uses: dict[tuple[str, str, tuple[tuple[int, int], ...]], dict[str, frozenset[str]]] = defaultdict(dict)
    sure: dict[Place, set[str]] = {}
    for claim in claimed:
        if claim.confidence != CANDIDATE and claim.relation is Relation.CALLS:
            for site in claim.sites:
                sure.setdefault((claim.path, *site), set()).update(
                    related.get(claim.target, frozenset((claim.target,)))
                )
        if claim.confidence == CANDIDATE and claim.relation is Relation.CALLS and claim.likelihood:
            key = claim.path, claim.likelihood, claim.sites
            uses[key][claim.target] = related.get(claim.target, frozenset((claim.target,)))
    right, wrong = dict.fromkeys(LIKELIHOODS, 0), dict.fromkeys(LIKELIHOODS, 0)
    ever = frozenset[str]().union(*callees.values())
    each = [0, 0]
    for (path, likelihood, sites), meant in uses.items():
        places = [(path, *site) for site in sites]
        ran = frozenset[str]().union(*(callees.get(at, frozenset()) - sure.get(at, set()) for at in places)) - {
            STAND_IN
        }
        if ran:
            counts = right if any(ran & keys for keys in meant.values()) else wrong
            counts[likelihood] += 1
            if likelihood == LIKELIHOODS[0]:
                for keys in meant.values():
                    if ever & keys:
                        each[not ran & keys] += 1
    return Graded(right, wrong, (each[0], each[1]))


def callees_by_site(
    seen: Iterable[tuple[str, int, int, int, int, str, int]], sources: Mapping[str, str], keys: Mapping[str, Lines]
) -> dict[Place, frozenset[str]]:
    """The keys of what was called at each place, OUTSIDE and STAND_IN among them."""
    names: dict[str, dict[Range, tuple[int, int]]] = {}
    found: dict[Place, set[str]] = {}
    for path, line, end_line, col, end_col, callee, callee_line in seen:
        if path not in sources:
            continue
        if path not in names:
            names[path] = called_names(sources[path])
        at = names[path].get((line, end_line, col, end_col))
        if at is not None:
            key = keys[callee].key(callee_line) if callee in keys else callee if callee == STAND_IN else OUTSIDE
            found.setdefault((path, *at), set()).add(key)
    return {place: frozenset(callees) for place, callees in found.items()}


def called_names(source: str) -> dict[Range, tuple[int, int]]:
    """Where the called name of each call stands (1-based, in UTF-16 code units), by the range of the call.

    Python gives a call of an attribute on another line than its receiver the range that begins with the attribute.
    """
    lines = source.encode().split(b"\n")
    found: dict[Range, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        end_line, end_col = node.end_lineno or 0, node.end_col_offset or 0
        callee = node.func
        while isinstance(callee, ast.Call):  # of `f()()` both stand at the one name
            callee = callee.func
        if isinstance(callee, ast.Attribute):
            line = callee.end_lineno or 0
            col = (callee.end_col_offset or 0) - len(callee.attr.encode())
            found[line, end_line, col, end_col] = (line, _utf16(lines, line, col))
        elif isinstance(callee, ast.Name):
            line, col = callee.lineno, callee.col_offset
        else:
            continue
        found[node.lineno, end_line, node.col_offset, end_col] = (line, _utf16(lines, line, col))
    return found


def _utf16(lines: list[bytes], line: int, col: int) -> int:
    return len(lines[line - 1][:col].decode().encode("utf-16-le")) // 2 + 1
