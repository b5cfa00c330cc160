"""How likely an undecided use means a candidate, graded from the evidence.

Definitions of one family (a method and its overrides) are graded together: what calls one may run another. The grades
are calibrated: `python -m bench.accuracy` compares them with the calls seen while test suites run, and says how many of
each grade are right.

Rules of the file:
- *High*: the value that is there says so (data flow, `self`), or the receiver alone has the class's name, or that of a
  class above the candidates which has no such member.
- *Low*: values of builtin types have such a member and nothing else speaks for the candidate; the class lacks what the
  receiver is asked for; or the value that is there says something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import msgspec

from codemap.graph.likelihood.evidence import Evidence
from codemap.graph.likelihood.name_likeness import Likeness

MET_MIN = 2
"""Further members that speak for a class where its name does not."""


class Likelihood(IntEnum):
    HIGH = 0
    MEDIUM = 1
    LOW = 2


class Case(msgspec.Struct, frozen=True):
    """What is known of the candidates of one family, taken together."""

    is_certain: bool
    """Whether data flow or `self` leads to it."""
    likeness: Likeness
    met: int
    is_lacking: bool
    is_near: bool
    is_below: bool = False


def case_of(evidence: Sequence[Evidence]) -> Case:
    """The strongest that speaks for any of a family."""
    return Case(
        any(one.is_flowing or one.is_own for one in evidence),
        max(one.likeness for one in evidence),
        max(one.met for one in evidence),
        all(one.lacking for one in evidence),
        any(one.is_near for one in evidence),
        any(one.is_below for one in evidence),
    )


def grade(case: Case, others: Sequence[Case], *, is_builtin: bool) -> Likelihood:
    """The likelihood of a family, beside the other families of the use; `is_builtin`: builtin types have the member."""
    if case.is_certain:
        return Likelihood.HIGH
    is_only = not any(other.is_certain for other in others)
    if is_builtin:
        speaks = case.likeness + min(case.met, MET_MIN) >= MET_MIN
        return Likelihood.MEDIUM if is_only and speaks and not case.is_lacking else Likelihood.LOW
    if not is_only:
        return Likelihood.MEDIUM if case.likeness >= Likeness.TAIL else Likelihood.LOW
    if case.is_below and not case.is_lacking:
        is_first = all(other.is_below or other.likeness < Likeness.SAME for other in others)
        return Likelihood.HIGH if is_first else Likelihood.MEDIUM
    is_likest = all(other.likeness < case.likeness for other in others)
    if is_likest and case.likeness is Likeness.SAME:
        return Likelihood.HIGH
    if case.is_lacking:
        return Likelihood.LOW
    if is_likest and (case.likeness is Likeness.TAIL or (case.likeness is Likeness.PART and not others)):
        return Likelihood.HIGH
    return Likelihood.MEDIUM if not others or case.likeness or case.met else Likelihood.LOW


def order(case: Case) -> tuple[bool, bool, int, bool, int, bool]:
    """What families of equal likelihood are sorted by."""
    return not case.is_certain, not case.is_below, -case.likeness, case.is_lacking, -case.met, not case.is_near


def families(
    candidates: Sequence[int], above: Mapping[int, frozenset[int]], owner: Mapping[int, int]
) -> list[list[int]]:
    """Candidates by family: those whose classes are above one another; `above` has the classes above a class, `owner`
    the class of a candidate. Each merge renames the smaller part: n log n for n classes."""
    found: dict[int, list[int]] = {}
    for candidate in candidates:
        found.setdefault(owner[candidate], []).append(candidate)
    part_of = {cls: [cls] for cls in found}
    for cls in found:
        for other in above[cls]:
            part, merged = part_of[cls], part_of.get(other)
            if merged is None or merged is part:
                continue
            if len(part) < len(merged):
                part, merged = merged, part
            part += merged
            part_of |= dict.fromkeys(merged, part)
    parts = {id(part): part for part in part_of.values()}
    return [[candidate for cls in part for candidate in found[cls]] for part in parts.values()]
