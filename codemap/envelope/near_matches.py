"""Finds near matches for a name or path that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from codemap.ids import without_ordinal

MATCHES_MAX = 5

CANDIDATES_MAX = 4_000
"""Candidates looked at: 15 to 40 ms of work. The caller puts the likelier ones first."""

EDITS_MAX = 2

_FAR = EDITS_MAX + 1

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")


class Near(msgspec.Struct, frozen=True):
    matches: tuple[str, ...] = ()
    """Closest first; what `recoveryOptions` takes."""

    @property
    def suggestion(self) -> str | None:
        """A sentence, or None when nothing is near."""
        if not self.matches:
            return None
        *others, last = map(repr, self.matches)
        return f"Did you mean {', '.join(others)} or {last}?" if others else f"Did you mean {last}?"


def near(wanted: str, candidates: Iterable[str]) -> Near:
    """Up to five candidates that resemble what was wanted, as a whole or in its last name.

    By closeness: equal but for case, beginning with it, at most two edits apart, sharing its beginning or all its
    subwords. Equally close ones stay in the order given.
    """
    whole, last = wanted.casefold(), _read_last_name(wanted).casefold()
    words = frozenset(_split_words(_read_last_name(wanted)))
    found: dict[str, tuple[int, int, int]] = {}
    for index, candidate in enumerate(candidates):
        if index >= CANDIDATES_MAX:
            break
        distance = _measure_distance(whole, last, words, candidate)
        if distance is not None and candidate not in found:
            found[candidate] = (*distance, index)
    return Near(tuple(sorted(found, key=found.__getitem__)[:MATCHES_MAX]))


def _measure_distance(whole: str, last: str, words: frozenset[str], candidate: str) -> tuple[int, int] | None:
    folded = candidate.casefold()
    if folded == whole:
        return 0, 0
    name = _read_last_name(candidate)
    its_last = name.casefold()
    if its_last == last:
        return 1, _count_beyond_prefix(whole, folded)
    if len(last) >= 2 and its_last.startswith(last):
        return 2, len(its_last) - len(last)
    edits = edit_distance(last, its_last)
    if edits is not None and edits < max(len(last), len(its_last)) - 1:
        return 3, edits
    if len(its_last) >= 2 and last.startswith(its_last):
        return 4, len(last) - len(its_last)
    if len(last) >= 3 and (last in its_last or (len(words) > 1 and words <= frozenset(_split_words(name)))):
        return 4, len(its_last) - len(last)
    edits = edit_distance(whole, folded)
    return None if edits is None or edits >= len(whole) - 1 else (5, edits)


def edit_distance(one: str, other: str) -> int | None:
    """Insertions, deletions, replacements and swaps of neighbours between the two; None for more than two."""
    if abs(len(one) - len(other)) > EDITS_MAX:
        return None
    start, end = 0, min(len(one), len(other))
    while start < end and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if len(set(one) ^ set(other)) > 2 * EDITS_MAX:  # an edit brings one letter and takes one away at most
        return None
    width = len(other)
    before: list[int] = []
    row = list(range(width + 1))
    for i, a in enumerate(one, 1):
        # Further from the diagonal there are more edits than asked for.
        earlier, before, row = before, row, [_FAR] * (width + 1)
        row[0] = i
        for j in range(max(1, i - EDITS_MAX), min(width, i + EDITS_MAX) + 1):
            b = other[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row[j] = cost
        if min(row) > EDITS_MAX:
            return None
    return row[-1] if row[-1] <= EDITS_MAX else None


def _read_last_name(text: str) -> str:
    """`refresh` of `py:app/store.py#SessionStore.refresh~2`; `store.py` of a path."""
    path, hash_, name = text.partition("#")
    return without_ordinal(name).rpartition(".")[2] if hash_ else path.rpartition("/")[2]


def _split_words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name)]


def _count_beyond_prefix(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return len(one) - length
