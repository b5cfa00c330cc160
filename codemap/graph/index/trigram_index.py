"""Finds the lines of a text that contain a string, by an index of trigrams.

Source: Cox, "Regular expression matching with a trigram index", 2012.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress, repeat
from operator import contains

import numpy as np
from numpy.typing import NDArray

from codemap.graph.model.edges import Ints, are_first
from codemap.packed.parts import BadParts, Parts, narrow, packed, widened
from codemap.packed.texts import Octets, PackedTexts

GRAM = 3
SMALL = 16
"""Up to so many lines are checked directly, which is faster than finding a smaller bucket."""
BUCKETS = 1 << 16
NO_UTF8 = 0xFF
"""An octet that UTF-8 has nowhere."""
RUNS_AN_EDIT = 4
"""Runs of three octets that one edit of a text changes, at most."""
RUNS_MIN_OF_LINE, RUNS_MIN_OF_PART = 1, 2
"""Runs that a line, or a part of it, shares with what it resembles, however many edits there may be."""
_OCTETS_A_CHARACTER = 4
_NO_LINES = np.empty(0, dtype=np.int32)
_LINES_MAX_OF_TWO_BYTES = 1 << 16
AMENDED_MAX = 500
"""Up to so many lines are checked one by one as fast as through an index."""


class Lines:
    """Lines in buckets, by the hashes of their runs of three octets: only those in the smallest bucket of a part are
    looked at.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._text: Octets
        text = "\n".join(["", *lines, ""])
        self._end = ord("\n")
        """The octet before and after each line, which none of them has."""
        if text.count("\n") == len(lines) + 1:
            self._text = _octets(text)
        else:  # a path, or what was taken for a name, holds a line end
            self._end = NO_UTF8
            self._text = bytes([NO_UTF8]).join(map(_octets, ["", *lines, ""]))
        self._begins = np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == self._end).astype(np.int32)

    def pack(self) -> Iterator[bytes]:
        """As bytes that can be kept; what is not made yet is made."""
        numbers, start = self._buckets
        numbers = numbers.astype("<u2" if len(self.lines) <= _LINES_MAX_OF_TWO_BYTES else "<i4")
        yield bytes(self._text)
        yield packed(self._begins, "<i4")
        yield numbers.tobytes()
        yield narrow(np.diff(start))

    @classmethod
    def unpack(cls, parts: Parts) -> Lines:
        """The lines that were packed. Raises ValueError."""
        found = cls.__new__(cls)
        text, begins = parts.octets(), parts.array("<i4")
        numbers = parts.array("<u2" if len(begins) - 1 <= _LINES_MAX_OF_TWO_BYTES else "<i4")
        start = np.concatenate(([0], np.cumsum(widened(parts.octets())))).astype(np.int32)
        if (
            len(start) != BUCKETS + 1
            or not len(text)
            or not len(begins)
            or int(begins[-1]) + 1 != len(text)
            or int(start[-1]) != len(numbers)
        ):
            raise BadParts("lines of another snapshot")
        found.lines, found._text, found._end, found._begins = PackedTexts(text, begins, 1), text, text[0], begins
        vars(found)["_buckets"] = numbers, start
        return found

    @cached_property
    def _buckets(self) -> tuple[Ints, Ints]:
        """The numbers of the lines of each bucket, in order, and where each bucket begins."""
        octets = np.frombuffer(self._text, dtype=np.uint8)
        hashes = _hashed(octets)
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        lines = (np.cumsum(octets[: 1 - GRAM] == self._end, dtype=np.int32) - 1)[order]
        is_first = np.ones(len(lines), dtype=np.bool_)
        is_first[1:] = (hashes[1:] != hashes[:-1]) | (lines[1:] != lines[:-1])
        counts = np.bincount(hashes[is_first], minlength=BUCKETS)
        return lines[is_first], np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    def make(self) -> None:
        """Makes what the first look would."""
        _ = self._buckets

    def amended(self, number: Ints, added: list[tuple[int, str]]) -> Amended | None:
        """A copy of the lines with other numbers, -1 for those that are gone, and some more; None for too many more."""
        return Amended(self, number, added) if len(added) <= AMENDED_MAX else None

    def __contains__(self, part: str) -> bool:
        return self.any_contains(part)

    def any_contains(self, part: str, is_kept: Ints | None = None) -> bool:
        """Whether any line, of those whose number in `is_kept` is not negative, contains a text; the first ends it."""
        octets = _octets(part)
        if len(octets) >= GRAM:
            near = self._smallest(octets)
        elif is_kept is None:
            return octets in bytes(self._text)
        else:
            near = np.array(self._containing_few(octets), dtype=np.int32)
        if is_kept is not None:
            near = near[is_kept[near] >= 0]
        steps = range(0, len(near), SMALL)
        return any(with_part(self.lines, near[first : first + SMALL].tolist(), part) for first in steps)

    def containing(self, part: str) -> list[int]:
        """Numbers of the lines that contain a text of at least one character, in order."""
        octets = _octets(part)
        if len(octets) < GRAM:
            return self._containing_few(octets)
        near: list[int] = self._smallest(octets).tolist()
        return with_part(self.lines, near, part)

    def perhaps_containing(self, parts: list[str]) -> list[int]:
        """Numbers of the lines that contain all of some texts of at least one character, and of others, in order."""
        octets = [_octets(part) for part in parts]
        if max(map(len, octets)) < GRAM:
            return self._containing_few(octets[0])
        near = sorted((self._smallest(each) for each in octets if len(each) >= GRAM), key=len)
        fewest = near[0]
        if len(near) > 1 and len(fewest) > SMALL:  # numbers are compared sooner than texts
            others = near[1]
            fewest = fewest[others.take(others.searchsorted(fewest), mode="clip") == fewest]
        found: list[int] = fewest.tolist()
        return found

    def containing_at_most(self, part: str) -> int:
        """An upper bound of the lines that contain a text, without a search."""
        octets = _octets(part)
        return len(self.lines) if len(octets) < GRAM else len(self._smallest(octets))

    def resembling(self, text: str, edits: int) -> list[int]:
        """Numbers of the lines that a text turns into by so many edits, or that contain what it turns into, and of
        others, in order; but where the edits leave hardly any of its runs of three octets.

        An edit, a swap of neighbours included, changes four runs at most. Source: Ukkonen, "Approximate string matching
        with q-grams and maximal matches", 1992.
        """
        octets, end = _octets(text), bytes([self._end])
        whole = self._sharing(end + octets + end, edits, RUNS_MIN_OF_LINE)
        lengths = self._begins[whole + 1] - self._begins[whole] - 1
        whole = whole[np.abs(lengths - len(octets)) <= edits * _OCTETS_A_CHARACTER]
        found: list[int] = np.union1d(whole, self._sharing(octets, edits, RUNS_MIN_OF_PART)).tolist()
        return found

    def _sharing(self, octets: bytes, edits: int, least: int) -> Ints:
        """The lines in so many buckets of a text as some edits leave of them, at least in `least`, in order."""
        if len(octets) < GRAM:
            return _NO_LINES
        lines, start = self._buckets
        runs = np.unique(_hashed(np.frombuffer(octets, dtype=np.uint8))).tolist()
        near = np.concatenate([lines[start[run] : start[run + 1]] for run in runs])
        found, counts = np.unique(near, return_counts=True)
        return found[counts >= max(least, len(runs) - RUNS_AN_EDIT * edits)].astype(np.int32)

    def _smallest(self, octets: bytes) -> Ints:
        """The lines in the smallest bucket of a text, or in one that is small enough."""
        lines, start = self._buckets
        begin_of = start.data
        fewest, at = len(lines) + 1, 0
        for first, second, third in zip(octets, octets[1:], octets[2:], strict=False):
            bucket = (first << 10 ^ second << 5 ^ third) & (BUCKETS - 1)
            begin = begin_of[bucket]
            count = begin_of[bucket + 1] - begin
            if count < fewest:
                fewest, at = count, begin
                if count <= SMALL:
                    break
        return lines[at : at + fewest]

    def _containing_few(self, octets: bytes) -> list[int]:
        """Numbers of the lines that contain a text too short for the buckets."""
        gaps = np.fromiter(map(len, bytes(self._text).split(octets)), np.int32) + len(octets)
        places = np.cumsum(gaps, dtype=np.int32)[:-1] - len(octets)
        lines = self._begins.searchsorted(places, side="right") - 1
        found: list[int] = lines[are_first(lines)].tolist()
        return found


class Amended:
    """Lines after edits: those from before, where they are now, and those that came."""

    def __init__(self, whole: Lines, number: Ints, added: list[tuple[int, str]]) -> None:
        """`number` is that of each line of `whole`, -1 where it is gone; `added` has (number, line)."""
        self._whole = whole
        self._number = number
        self._added = added

    def make(self) -> None:
        self._whole.make()

    def amended(self, number: Ints, added: list[tuple[int, str]]) -> Amended | None:
        kept = [(int(number[its]), line) for its, line in self._added if number[its] >= 0]
        if len(kept) + len(added) > AMENDED_MAX:
            return None
        return Amended(self._whole, np.where(self._number < 0, self._number, number[self._number]), [*kept, *added])

    def __contains__(self, part: str) -> bool:
        return any(part in line for _, line in self._added) or self._whole.any_contains(part, self._number)

    def containing_at_most(self, part: str) -> int:
        return self._whole.containing_at_most(part) + len(self._added)

    def perhaps_containing(self, parts: list[str]) -> list[int]:
        return self._now(self._whole.perhaps_containing(parts), parts)

    def containing(self, part: str) -> list[int]:
        return self._now(self._whole.containing(part), [part])

    def resembling(self, text: str, edits: int) -> list[int]:
        return self._now(self._whole.resembling(text, edits), [])

    def _now(self, before: list[int], parts: list[str]) -> list[int]:
        """The numbers of lines of the whole, and of those that came that contain some texts."""
        now = self._number.data
        found = [now[line] for line in before if now[line] >= 0]
        found += [number for number, line in self._added if all(part in line for part in parts)]
        found.sort()
        return found


def with_part(lines: Sequence[str], numbers: list[int], part: str) -> list[int]:
    """Selects from lines, by number, those that contain a text."""
    return [*compress(numbers, map(contains, map(lines.__getitem__, numbers), repeat(part)))]


def _hashed(octets: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The bucket of each run of three octets, as `Lines._smallest` has it. Lower-case letters differ in their low five
    bits."""
    wide = octets.astype(np.uint16)
    found: NDArray[np.uint16] = ((wide[:-2] << 10) ^ (wide[1:-1] << 5) ^ wide[2:]).astype(np.uint16, copy=False)
    return found


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
