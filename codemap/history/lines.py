"""Which commits changed some lines: a walk back from a version of a file, hunk by hunk.

A version is cut into segments of lines, each with the set of labels that lie on it (a label is a definition, by its
place in the list that the caller gives; a set is an integer with a bit for each). A hunk that overlaps a label's lines
touches it; the lines of the hunk in the version before then belong to all labels that it touches. What is added between
two lines, or removed, touches the labels that both lines have. So all definitions of a file are followed in one walk.

A merge changed a label only where it differs from all parents there; else the label is followed into the first parent
in which it is the same.

Source: git-log(1), `-L`; line-log.c of git, whose rules these are (`range_set_map_across_diff`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

import msgspec

from codemap.history.table import NONE, UNREAD, History, Kind

Segments = tuple[list[int], list[int]]
"""Where each segment ends, ascending, and its labels; after the last there are no labels."""


class Walked(msgspec.Struct, frozen=True):
    commits: tuple[tuple[int, ...], ...]
    """By label: the commits that touched it, the latest first."""
    is_open: tuple[bool, ...]
    """By label: whether it is older than what was read."""


def segments_of(ranges: Sequence[tuple[int, int]]) -> Segments:
    """Of labels by their lines: the first, and the one after the last."""
    cuts = sorted({cut for begin, end in ranges if begin < end for cut in (begin, end)})
    starts = dict.fromkeys(cuts, 0)
    stops = dict.fromkeys(cuts, 0)
    for label, (begin, end) in enumerate(ranges):
        if begin < end:
            starts[begin] |= 1 << label
            stops[end] |= 1 << label
    ends: list[int] = []
    masks: list[int] = []
    mask = 0
    for cut in cuts:
        if cut:
            ends.append(cut)
            masks.append(mask)
        mask = (mask & ~stops[cut]) | starts[cut]
    return ends, masks


def across(segments: Segments, hunks: Sequence[int]) -> tuple[Segments, int]:
    """The segments in the version before, and the labels that the hunks touch. `hunks` as in `Side`."""
    ends, masks = segments
    found_ends: list[int] = []
    found_masks: list[int] = []
    touched = 0
    at = 0  # the segment
    line = 0  # in the version after
    before = 0  # in the version before
    count = len(ends)
    for place in range(0, len(hunks), 4):
        length, begin, added = hunks[place + 1], hunks[place + 2], hunks[place + 3]
        while at < count and ends[at] <= begin:
            if ends[at] > line:
                before += ends[at] - line
                line = ends[at]
                _append(found_ends, found_masks, before, masks[at])
            at += 1
        left = masks[at] if at < count else 0
        if begin > line:
            before += begin - line
            line = begin
            _append(found_ends, found_masks, before, left)
        elif at and line == begin and ends[at - 1] == begin:
            left = masks[at - 1]  # the line before it is of another segment
        if added:
            mask = 0
            end = begin + added
            while at < count and ends[at] <= end:
                mask |= masks[at]
                at += 1
            if at < count and (at == 0 or ends[at - 1] < end):
                mask |= masks[at]
            line = end
        else:
            mask = left & (masks[at] if at < count else 0) if begin else 0
        touched |= mask
        if length:
            before += length
            _append(found_ends, found_masks, before, mask)
    while at < count:
        if ends[at] > line:
            before += ends[at] - line
            line = ends[at]
            _append(found_ends, found_masks, before, masks[at])
        at += 1
    return (found_ends, found_masks), touched


def _append(ends: list[int], masks: list[int], end: int, mask: int) -> None:
    if masks and masks[-1] == mask:
        ends[-1] = end
    else:
        ends.append(end)
        masks.append(mask)


def united(one: Segments, other: Segments) -> Segments:
    """The labels of both."""
    ends: list[int] = []
    masks: list[int] = []
    first = second = 0
    while first < len(one[0]) or second < len(other[0]):
        of_one = one[0][first] if first < len(one[0]) else None
        of_other = other[0][second] if second < len(other[0]) else None
        end = min(cut for cut in (of_one, of_other) if cut is not None)
        mask = (one[1][first] if of_one is not None else 0) | (other[1][second] if of_other is not None else 0)
        _append(ends, masks, end, mask)
        first += of_one == end
        second += of_other == end
    return ends, masks


def kept(segments: Segments, labels: int) -> Segments:
    """Without all other labels."""
    ends: list[int] = []
    masks: list[int] = []
    for end, mask in zip(*segments, strict=True):
        _append(ends, masks, end, mask & labels)
    return ends, masks


def walk(history: History, touch: int, segments: Segments, labels: int) -> Walked:
    """The commits that touched some lines of the version that a touch made. `labels`: how many there are."""
    commits: list[list[int]] = [[] for _ in range(labels)]
    unread = 0
    lists = history.lists
    pending: dict[int, Segments] = {touch: segments} if touch >= 0 else {}
    order = [-touch] if touch >= 0 else []
    while order:
        at = -heappop(order)
        here = pending.pop(at)
        first, end = lists.side_begin[at], lists.side_begin[at + 1]
        if lists.touch_kind[at] == Kind.OPAQUE:
            crossed = [(_NOTHING, _all(here))]
            unread |= _all(here)
            end = first + 1
        else:
            crossed = [across(here, history.hunks_of(side)) for side in range(first, end)]
            crossed = [
                (_NOTHING, _all(here)) if lists.side_before[side] == NONE else one
                for one, side in zip(crossed, range(first, end), strict=True)
            ]
        changed = -1
        for _, touched in crossed:
            changed &= touched
        if crossed and changed:
            commit = lists.touch_commit[at]
            for label in _bits(changed):
                commits[label].append(commit)
        followed = 0
        for (before, touched), side in zip(crossed, range(first, end), strict=True):
            if end - first > 1:
                follow = changed | (~touched & ~followed)
                followed |= ~touched
                before = kept(before, follow)
            if not any(before[1]):
                continue
            origin = lists.side_before[side]
            if origin == UNREAD:
                for mask in before[1]:
                    unread |= mask
            elif origin >= 0:
                if origin in pending:
                    pending[origin] = united(pending[origin], before)
                else:
                    pending[origin] = before
                    heappush(order, -origin)
    return Walked(
        tuple(map(tuple, map(_distinct, commits))), tuple(bool(unread >> label & 1) for label in range(labels))
    )


def file_commits(history: History, touch: int) -> tuple[list[int], bool]:
    """The commits that changed a file, through its earlier names, the latest first; and whether there are older ones
    that were not read."""
    lists = history.lists
    seen = {touch} if touch >= 0 else set()
    waiting = list(seen)
    is_open = False
    while waiting:
        at = waiting.pop()
        for before in lists.side_before[lists.side_begin[at] : lists.side_begin[at + 1]]:
            is_open |= before == UNREAD
            if before >= 0 and before not in seen:
                seen.add(before)
                waiting.append(before)
    return _distinct([lists.touch_commit[one] for one in sorted(seen, reverse=True)]), is_open


_NOTHING: Segments = ([], [])


def _all(segments: Segments) -> int:
    """The labels that are there."""
    found = 0
    for mask in segments[1]:
        found |= mask
    return found


def _bits(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _distinct(rows: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(rows))
